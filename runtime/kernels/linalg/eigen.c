/* Eigenvalues and eigenvectors of Hermitian matrices, as LAPACK finds them, so that signs of vectors agree with
 * PyTorch: reduced to a tridiagonal matrix (factor.h), which rotations make diagonal (tridiagonal.h). Scratch for n
 * rows, in elements: n^2 + 6 n, n^2 more for vectors, and 16 n bytes. */
#include "runtime/kernels/linalg/eigen.h"

#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/linalg/factor.h"
#include "runtime/kernels/linalg/tridiagonal.h"

typedef struct {
    tridiagonal t;
    tsm_dtype dtype;
    size_t item;
    char *a, *q, *scratch; /* q is NULL where no vectors are wanted */
} hermitian;

static char *entry(const hermitian *h, char *m, tsm_dim row, tsm_dim column) {
    return m + (size_t)(row * h->t.n + column) * h->item;
}

/* Reads one triangle. The upper one is read with rows and columns reversed, so that it is a lower triangle. */
static void take_matrix(hermitian *h, const tsm_tensor *t, tsm_dim batch, bool upper) {
    const tsm_dim n = h->t.n;
    const char *from = (const char *)t->data + (size_t)(batch * n * n) * h->item;
    for (tsm_dim i = 0; i < n; i++)
        for (tsm_dim k = 0; k <= i; k++) {
            const tsm_dim row = upper ? n - 1 - i : i, column = upper ? n - 1 - k : k;
            tsm_complex v = cx(0, 0);
            memcpy(&v, from + (size_t)(row * n + column) * h->item, h->item);
            v.im = i == k ? 0 : v.im;
            const tsm_complex across = cx_conjugate(v);
            memcpy(entry(h, h->a, k, i), &across, h->item);
            memcpy(entry(h, h->a, i, k), &v, h->item);
        }
}

static void reverse(char *items, tsm_dim n, size_t size) {
    for (tsm_dim i = 0, last = n - 1; i < last - i; i++) {
        char held[sizeof(tsm_complex)], *a = items + (size_t)i * size, *b = items + (size_t)(last - i) * size;
        memcpy(held, a, size);
        memcpy(a, b, size);
        memcpy(b, held, size);
    }
}

/* Undoes the reversal of take_matrix in the diagonal, the subdiagonal and the vectors. */
static void turn_around(hermitian *h) {
    const tsm_dim n = h->t.n;
    reverse((char *)h->t.d, n, sizeof *h->t.d);
    reverse((char *)h->t.e, n - 1, sizeof *h->t.e);
    if (h->q)
        reverse(h->q, n * n, h->item);
}

static void give_results(const hermitian *h, tsm_dim batch, const eigen_results *r) {
    const tsm_dim n = h->t.n;
    memcpy((double *)r->values->data + batch * n, h->t.d, (size_t)n * sizeof *h->t.d);
    for (tsm_dim i = 0; h->q && i < n; i++)
        for (tsm_dim k = 0; k < n; k++)
            memcpy((char *)r->vectors->data + (size_t)(batch * n * n + i * n + k) * h->item, entry(h, h->q, k, i),
                   h->item);
}

static tsm_status solve(tsm_exec *x, hermitian *h, const tsm_tensor *t, bool upper, const eigen_results *r) {
    for (tsm_dim b = 0; h->t.n && b < t->sizes[0]; b++) {
        take_matrix(h, t, b, upper);
        double *const numbers = (double *)(void *)h->a;
        const double scale = tsm_factor_scale(numbers, (size_t)(h->t.n * h->t.n) * h->item / sizeof *numbers);
        tsm_factor_tridiagonal(x, h->dtype, h->a, h->t.n, h->t.d, h->t.e, h->q, h->scratch);
        if (upper)
            turn_around(h);
        if (!tsm_tridiagonal_diagonalize(&h->t))
            return TSM_RAISE(x,
                             "linalg.eigh: (Batch element %zd): The algorithm failed to converge because the input "
                             "matrix is ill-conditioned "
                             "or has too many repeated eigenvalues",
                             (ptrdiff_t)b);
        for (tsm_dim i = 0; i < h->t.n; i++)
            h->t.d[i] /= scale;
        give_results(h, b, r);
    }
    return TSM_OK;
}

tsm_status tsm_eigen_begin(tsm_exec *x, const tsm_tensor *t, tsm_dtype values, tsm_dtype vectors, bool has_vectors,
                           eigen_results *r) {
    static const tsm_dim none[3];
    if (t->dims != 3 || t->sizes[1] != t->sizes[2] || (t->dtype != TSM_FLOAT64 && t->dtype != TSM_COMPLEX128) ||
        !tsm_tensor_is_contiguous(t))
        return TSM_RAISE(x, "%s: expected a batch of square matrices in double", tsm_op_name(x));
    TSM_TRY(tsm_charge_product(x, (uint64_t)t->elements, (uint64_t)t->sizes[1], 32));
    TSM_TRY(tsm_tensor_make(x, values, 2, t->sizes, &r->values));
    tsm_status status = tsm_tensor_make(x, vectors, 3, has_vectors ? t->sizes : none, &r->vectors);
    if (status != TSM_OK)
        tsm_tensor_drop(x, r->values);
    return status;
}

tsm_status tsm_eigen_end(tsm_exec *x, tsm_status status, const eigen_results *r, tsm_value *out) {
    if (status != TSM_OK) {
        tsm_tensor_drop(x, r->values);
        tsm_tensor_drop(x, r->vectors);
        return status;
    }
    out[0] = tsm_of_tensor(r->values);
    out[1] = tsm_of_tensor(r->vectors);
    return TSM_OK;
}

/* tsm::eigh(A, upper, epsilon, vectors): ascending eigenvalues [batch, n] and vectors of A [batch, n, n], contiguous,
 * double or complex double, one triangle of which is read. What is smaller than its neighbours on the diagonal by
 * `epsilon` counts as nothing. */
TSM_KERNEL(tsm_eigh) {
    const tsm_tensor *t = arg_tensor(in, 0);
    const bool vectors = arg_bool(in, 3);
    eigen_results r;
    TSM_TRY(tsm_eigen_begin(x, t, TSM_FLOAT64, (tsm_dtype)t->dtype, vectors, &r));
    hermitian h = {.t = {.n = t->sizes[1], .epsilon = arg_float(in, 2)},
                   .dtype = (tsm_dtype)t->dtype,
                   .item = tsm_dtype_size((tsm_dtype)t->dtype)};
    const size_t n = (size_t)h.t.n, square = n * n * h.item;
    tsm_status status = TSM_OUT_OF_MEMORY;
    h.a = tsm_scratch(x, (vectors ? 2 : 1) * square + 6 * n * h.item + 2 * n * sizeof *h.t.d);
    if (h.a) {
        h.q = vectors ? h.a + square : NULL;
        h.scratch = h.a + (vectors ? 2 : 1) * square;
        h.t.d = (double *)(void *)(h.scratch + 6 * n * h.item);
        h.t.e = h.t.d + n;
        h.t.rows = (double *)(void *)h.q;
        h.t.width = h.t.n * (tsm_dim)(h.item / sizeof *h.t.rows);
        status = solve(x, &h, t, arg_bool(in, 1), &r);
    }
    tsm_scratch_free(x, h.a);
    return tsm_eigen_end(x, status, &r, out);
}
