/* Shapes: comparing, broadcasting and writing them. */
#include "runtime/tensor/tensor.h"

bool tsm_same_shape(const tsm_tensor *t, int dims, const tsm_dim *sizes) {
    if (t->dims != dims)
        return false;
    for (int d = 0; d < dims; d++)
        if (t->sizes[d] != sizes[d])
            return false;
    return true;
}

bool tsm_count_elements(int dims, const tsm_dim *sizes, tsm_dim *elements) {
    tsm_dim n = 1;
    bool fits = true, is_empty = false;
    for (int d = 0; d < dims; d++) {
        is_empty |= sizes[d] == 0;
        fits &= !__builtin_mul_overflow(n, sizes[d], &n);
    }
    *elements = is_empty ? 0 : n;
    return fits || is_empty;
}

tsm_status tsm_wrap_dim(tsm_exec *x, int64_t dim, int dims, int *out) {
    if (!dims)
        return TSM_RAISE(x, "Dimension specified as %ld but tensor has no dimensions", dim);
    return tsm_wrap_dim_or_scalar(x, dim, dims, out);
}

tsm_status tsm_wrap_dim_or_scalar(tsm_exec *x, int64_t dim, int dims, int *out) {
    int64_t n = dims ? dims : 1;
    if (dim < -n || dim >= n)
        return TSM_RAISE(x, "Dimension out of range (expected to be in range of [%ld, %ld], but got %ld)", -n, n - 1,
                         dim);
    *out = (int)(dim < 0 ? dim + n : dim);
    return TSM_OK;
}

tsm_status tsm_broadcast_shapes(tsm_exec *x, int a_dims, const tsm_dim *a, int b_dims, const tsm_dim *b, int *dims,
                                tsm_dim *sizes) {
    int n = a_dims > b_dims ? a_dims : b_dims;
    for (int d = n - 1; d >= 0; d--) {
        int i = d - (n - a_dims), j = d - (n - b_dims);
        tsm_dim p = i >= 0 ? a[i] : 1, q = j >= 0 ? b[j] : 1;
        if (p != q && p != 1 && q != 1)
            return TSM_RAISE(
                x, "The size of tensor a (%ld) must match the size of tensor b (%ld) at non-singleton dimension %d",
                (int64_t)p, (int64_t)q, d);
        sizes[d] = p == 1 ? q : p;
    }
    *dims = n;
    return TSM_OK;
}

void tsm_shape_text(char *text, size_t n, int dims, const tsm_dim *sizes) {
    size_t at = 0;
    text[at++] = '[';
    for (int d = 0; d < dims; d++) {
        char digits[24];
        int k = 0;
        uint64_t v = sizes[d] < 0 ? 0 - (uint64_t)sizes[d] : (uint64_t)sizes[d];
        do {
            digits[k++] = (char)('0' + v % 10);
            v /= 10;
        } while (v);
        if (sizes[d] < 0)
            digits[k++] = '-';
        if (at + (size_t)k + 4 > n)
            break;
        if (d) {
            text[at++] = ',';
            text[at++] = ' ';
        }
        while (k)
            text[at++] = digits[--k];
    }
    text[at++] = ']';
    text[at] = 0;
}
