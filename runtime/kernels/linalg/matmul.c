/* Matrix products. */
#include "runtime/kernels/linalg/matmul.h"

#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/tensor/lanes.h"

/* A batch of matrices: element (b, r, c) at data + b * batch + r * row + c * col, in elements. */
typedef struct {
    tsm_tensor *owner; /* counted */
    char *data;
    size_t rows, cols;
    ptrdiff_t batch, row, col;
} matrix;

static tsm_status refuse_dtypes(tsm_exec *x, const tsm_tensor *a, const tsm_tensor *b) {
    if (a->dtype == b->dtype)
        return TSM_OK;
    return TSM_RAISE(x, "expected scalar type %s but found %s", tsm_dtype_class_name((tsm_dtype)a->dtype),
                     tsm_dtype_class_name((tsm_dtype)b->dtype));
}

/* C[b] = A[b] B[b] (+ bias for each column), in the compute dtype. */
static tsm_status matmul_multiply(tsm_exec *x, tsm_dtype dtype, size_t batch, const matrix *a, const matrix *b,
                                  const tsm_tensor *bias, tsm_tensor *c) {
    size_t m = a->rows, k = a->cols, n = b->cols, size = tsm_dtype_size(dtype);
    TSM_TRY(tsm_charge_product(x, batch * m, n, k));
    char *to = c->data;
    if (dtype == TSM_FLOAT32) {
        tsm_finish finish;
        memset(&finish, 0, sizeof finish);
        finish.column_bias = bias ? bias->data : NULL;
        gemm_product p = {batch,
                          m,
                          n,
                          k,
                          (const float *)(const void *)a->data,
                          a->batch,
                          a->row,
                          a->col,
                          (const float *)(const void *)b->data,
                          b->batch,
                          b->row,
                          b->col,
                          (float *)(void *)to,
                          (ptrdiff_t)(m * n),
                          (ptrdiff_t)n,
                          bias ? &finish : NULL,
                          0};
        return tsm_gemm_f32(x, &p);
    }
    for (size_t i = 0; i < batch; i++) {
        gemm_any g = {m,
                      n,
                      k,
                      a->data + (ptrdiff_t)i * a->batch * (ptrdiff_t)size,
                      a->row,
                      a->col,
                      b->data + (ptrdiff_t)i * b->batch * (ptrdiff_t)size,
                      b->row,
                      b->col,
                      to + i * m * n * size,
                      (ptrdiff_t)n};
        tsm_gemm_plain(x, dtype, &g);
    }
    if (!bias)
        return TSM_OK;
    for (size_t i = 0; i < batch * m; i++)
        for (size_t j = 0; j < n; j++) {
            if (dtype == TSM_FLOAT64)
                ((double *)c->data)[i * n + j] += ((const double *)bias->data)[j];
            else if (dtype == TSM_INT64)
                ((int64_t *)c->data)[i * n + j] += ((const int64_t *)bias->data)[j];
            else {
                ((double *)c->data)[2 * (i * n + j)] += ((const double *)bias->data)[2 * j];
                ((double *)c->data)[2 * (i * n + j) + 1] += ((const double *)bias->data)[2 * j + 1];
            }
        }
    return TSM_OK;
}

/* The last two dimensions of t in the compute dtype. */
static tsm_status matrix_of(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, matrix *m) {
    TSM_TRY(tsm_tensor_to(x, t, dtype, &m->owner));
    const tsm_tensor *o = m->owner;
    m->data = o->data;
    m->rows = (size_t)o->sizes[o->dims - 2];
    m->cols = (size_t)o->sizes[o->dims - 1];
    m->row = o->strides[o->dims - 2];
    m->col = o->strides[o->dims - 1];
    m->batch = o->dims > 2 ? o->strides[o->dims - 3] : 0;
    return TSM_OK;
}

/* ---- mm, bmm ---- */

/* Of float32 tensors, where nothing is to be converted. */
static tsm_status float_product(tsm_exec *x, const tsm_tensor *a, const tsm_tensor *b, tsm_value *out) {
    int r = a->dims - 2, k = a->dims - 1;
    tsm_dim batch = r ? a->sizes[0] : 1, m = a->sizes[r], n = b->sizes[k], sizes[3] = {batch, m, n};
    tsm_tensor *c;
    TSM_TRY(tsm_charge_product(x, (uint64_t)a->elements, (uint64_t)n, 1));
    TSM_TRY(tsm_tensor_make(x, TSM_FLOAT32, a->dims, sizes + 3 - a->dims, &c));
    gemm_product p;
    p.batch = (size_t)batch, p.m = (size_t)m, p.n = (size_t)n, p.k = (size_t)a->sizes[k];
    p.a = a->data, p.a_batch = a->strides[0], p.a_row = a->strides[r], p.a_col = a->strides[k];
    p.b = b->data, p.b_batch = b->strides[0], p.b_row = b->strides[r], p.b_col = b->strides[k];
    p.c = c->data, p.c_batch = m * n, p.c_row = n;
    p.finish = NULL, p.residual_batch = 0;
    tsm_status status = c->elements ? tsm_gemm_f32(x, &p) : TSM_OK;
    if (status != TSM_OK) {
        tsm_tensor_drop(x, c);
        return status;
    }
    return ret_tensor(out, c);
}

static TSM_OUT_OF_LINE tsm_status converted_product(tsm_exec *x, tsm_tensor *a, tsm_tensor *b, size_t batch,
                                                    tsm_value *out) {
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    matrix ma = {0}, mb = {0};
    tsm_tensor *c = NULL;
    tsm_dim sizes[3] = {(tsm_dim)batch, a->sizes[a->dims - 2], b->sizes[b->dims - 1]};
    tsm_status status = matrix_of(x, a, dtype, &ma);
    if (status == TSM_OK)
        status = matrix_of(x, b, dtype, &mb);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, dtype, a->dims, a->dims == 3 ? sizes : sizes + 1, &c);
    if (status == TSM_OK && c->elements)
        status = matmul_multiply(x, dtype, batch, &ma, &mb, NULL, c);
    tsm_tensor_drop(x, ma.owner);
    tsm_tensor_drop(x, mb.owner);
    return tsm_kernel_finish(x, status, c, (tsm_dtype)a->dtype, out);
}

/* Of matrices, or of two equal batches. */
static tsm_status product(tsm_exec *x, tsm_tensor *a, tsm_tensor *b, tsm_value *out) {
    TSM_TRY(refuse_dtypes(x, a, b));
    return a->dtype == TSM_FLOAT32 ? float_product(x, a, b, out)
                                   : converted_product(x, a, b, a->dims == 3 ? (size_t)a->sizes[0] : 1, out);
}

static tsm_status mm(tsm_exec *x, tsm_tensor *a, tsm_tensor *b, tsm_value *out) {
    if (a->dims != 2)
        return TSM_RAISE(x, "self must be a matrix");
    if (b->dims != 2)
        return TSM_RAISE(x, "mat2 must be a matrix");
    if (a->sizes[1] != b->sizes[0])
        return TSM_RAISE(x, "mat1 and mat2 shapes cannot be multiplied (%zdx%zd and %zdx%zd)", (ptrdiff_t)a->sizes[0],
                         (ptrdiff_t)a->sizes[1], (ptrdiff_t)b->sizes[0], (ptrdiff_t)b->sizes[1]);
    return product(x, a, b, out);
}
TSM_KERNEL(aten_mm) {
    return mm(x, arg_tensor(in, 0), arg_tensor(in, 1), out);
}

static tsm_status bmm(tsm_exec *x, tsm_tensor *a, tsm_tensor *b, tsm_value *out) {
    if (a->dims != 3 || b->dims != 3)
        return TSM_RAISE(x, "batch%d must be a 3D tensor", a->dims != 3 ? 1 : 2);
    if (a->sizes[0] != b->sizes[0] || a->sizes[2] != b->sizes[1])
        return TSM_RAISE(
            x, "Expected size for first two dimensions of batch2 tensor to be: [%zd, %zd] but got: [%zd, %zd].",
            (ptrdiff_t)a->sizes[0], (ptrdiff_t)a->sizes[2], (ptrdiff_t)b->sizes[0], (ptrdiff_t)b->sizes[1]);
    return product(x, a, b, out);
}
TSM_KERNEL(aten_bmm) {
    return bmm(x, arg_tensor(in, 0), arg_tensor(in, 1), out);
}

/* ---- Sums with a product ---- */

/* A factor of integers loses its fraction. */
static tsm_value factor_for(const tsm_tensor *t, const tsm_value *v) {
    return v->tag == TSM_TAG_FLOAT && tsm_dtype_is_integral((tsm_dtype)t->dtype)
               ? tsm_int(tsm_lane_item_of(TSM_LANE_I64, *v).i)
               : *v;
}

/* Of a sum: it has the shape of the product. */
static tsm_status check_summand(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *made) {
    if (self->dims > made->dims)
        return TSM_RAISE(
            x,
            "%s: the number of sizes provided (%d) must be greater or equal to the number of dimensions in "
            "the tensor (%d)",
            tsm_op_name(x), made->dims, self->dims);
    for (int k = self->dims - 1, d = made->dims - 1; k >= 0; k--, d--)
        if (self->sizes[k] != 1 && self->sizes[k] != made->sizes[d])
            return TSM_RAISE(x,
                             "The expanded size of the tensor (%zd) must match the existing size (%zd) at "
                             "non-singleton dimension %d.",
                             (ptrdiff_t)made->sizes[d], (ptrdiff_t)self->sizes[k], d);
    return TSM_OK;
}

/* beta * self + alpha * product */
static tsm_status add_product(tsm_exec *x, const tsm_value *const *in, tsm_value made, tsm_value *out) {
    tsm_value one = tsm_int(1), scaled = tsm_none();
    double beta = arg_float(in, 3), alpha = arg_float(in, 4);
    tsm_status status = check_summand(x, arg_tensor(in, 0), tsm_as_tensor(made));
    if (status == TSM_OK && !tsm_dtype_is_complex((tsm_dtype)arg_tensor(in, 0)->dtype))
        status = tsm_kernel_check_real(x, in);
    if (status != TSM_OK) {
        tsm_drop(x, made);
        return status;
    }
    if (beta == 0 && alpha == 1) {
        *out = made;
        return TSM_OK;
    }
    if (beta == 0) { /* self is not looked at: it may hold NaN */
        tsm_value arguments[] = {made, factor_for(arg_tensor(in, 0), in[4])};
        status = tsm_kernel_call(x, tsm_k_aten_mul_Tensor, 2, arguments, out);
        tsm_drop(x, made);
        return status;
    }
    if (beta != 1) {
        tsm_value arguments[] = {*in[0], factor_for(arg_tensor(in, 0), in[3])};
        status = tsm_kernel_call(x, tsm_k_aten_mul_Tensor, 2, arguments, &scaled);
    } else
        scaled = tsm_hold(*in[0]);
    if (status == TSM_OK) {
        tsm_value arguments[] = {scaled, made, alpha == 1 ? one : factor_for(arg_tensor(in, 0), in[4])};
        status = tsm_kernel_call(x, tsm_k_aten_add_Tensor, 3, arguments, out);
    }
    tsm_drop(x, scaled);
    tsm_drop(x, made);
    return status;
}
TSM_KERNEL(aten_addmm) {
    tsm_value made;
    TSM_TRY(mm(x, arg_tensor(in, 1), arg_tensor(in, 2), &made));
    return add_product(x, in, made, out);
}
/* The first argument gets the dtype of the product. */
static tsm_status add_batch(tsm_exec *x, const tsm_value *const *in, tsm_value made, tsm_value *out) {
    tsm_tensor *same;
    if (arg_tensor(in, 0)->dtype == tsm_as_tensor(made)->dtype)
        return add_product(x, in, made, out);
    tsm_status status = tsm_tensor_to(x, arg_tensor(in, 0), (tsm_dtype)tsm_as_tensor(made)->dtype, &same);
    if (status != TSM_OK) {
        tsm_drop(x, made);
        return status;
    }
    const tsm_value first = tsm_of_tensor(same), *given[] = {&first, in[1], in[2], in[3], in[4], &first};
    if (x->inputs > 5)
        given[5] = in[5];
    status = add_product(x, given, made, out);
    tsm_tensor_drop(x, same);
    return status;
}

TSM_KERNEL(aten_baddbmm) {
    tsm_value made;
    TSM_TRY(bmm(x, arg_tensor(in, 1), arg_tensor(in, 2), &made));
    return add_batch(x, in, made, out);
}

/* ---- linear ---- */

/* made + bias, for a bias that is not one number for each output but broadcasts to the product's shape. Takes `made`.
 */
static tsm_status add_broadcast_bias(tsm_exec *x, tsm_value made, tsm_tensor *bias, tsm_value *out) {
    tsm_value arguments[] = {made, tsm_of_tensor(bias), tsm_int(1)};
    tsm_status status = tsm_kernel_call(x, tsm_k_aten_add_Tensor, 3, arguments, out);
    if (status == TSM_OK) {
        const tsm_tensor *product = tsm_as_tensor(made), *sum = tsm_as_tensor(*out);
        if (sum->dims != product->dims || memcmp(sum->sizes, product->sizes, (size_t)sum->dims * sizeof *sum->sizes)) {
            tsm_drop(x, *out);
            status =
                TSM_RAISE(x, "linear(): a bias of %d dimensions does not broadcast to the output's shape", bias->dims);
        }
    }
    tsm_drop(x, made);
    return status;
}

/* PyTorch multiplies a contiguous batch of matrices as one matrix, so a bias of two dimensions has a row for each row
 * of the whole batch. *out is the bias as a batch like `made`. */
static tsm_status bias_of_batch(tsm_exec *x, const tsm_tensor *made, tsm_tensor *bias, tsm_tensor **out) {
    if (bias->dims > 2 || (bias->dims == 2 && bias->sizes[0] != 1 && bias->sizes[0] != made->sizes[0] * made->sizes[1]))
        return TSM_RAISE(x, "linear(): a bias of %d dimensions does not broadcast to the output's shape", bias->dims);
    if (bias->dims < 2 || bias->sizes[0] == 1) {
        tsm_hold(tsm_of_tensor(bias));
        *out = bias;
        return TSM_OK;
    }
    const tsm_dim sizes[] = {made->sizes[0], made->sizes[1], bias->sizes[1]};
    const tsm_dim strides[] = {made->sizes[1] * bias->strides[0], bias->strides[0], bias->strides[1]};
    return tsm_tensor_view_of(x, bias, 3, sizes, strides, 0, out);
}

static tsm_status add_any_bias(tsm_exec *x, tsm_value made, tsm_tensor *bias, bool is_one_matrix, tsm_value *out) {
    tsm_tensor *rows;
    if (!is_one_matrix)
        return add_broadcast_bias(x, made, bias, out);
    tsm_status status = bias_of_batch(x, tsm_as_tensor(made), bias, &rows);
    if (status != TSM_OK) {
        tsm_drop(x, made);
        return status;
    }
    status = add_broadcast_bias(x, made, rows, out);
    tsm_tensor_drop(x, rows);
    return status;
}

/* a times w transposed, whose shapes fit; `bias`, when there is one, has one number for each output. */
static tsm_status linear_product(tsm_exec *x, tsm_tensor *a, tsm_tensor *w, tsm_tensor *bias, tsm_value *out) {
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    tsm_tensor *rows = NULL, *weight = NULL, *b = NULL, *c = NULL;
    tsm_dim inputs = w->sizes[w->dims - 1], outputs = w->dims == 2 ? w->sizes[0] : 1, sizes[TSM_MAX_DIMS];
    memcpy(sizes, a->sizes, (size_t)a->dims * sizeof *sizes);
    sizes[a->dims - 1] = outputs;
    int dims = w->dims == 2 ? a->dims : a->dims - 1;
    tsm_status status = tsm_kernel_contiguous(x, a, dtype, &rows);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous(x, w, dtype, &weight);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous_or_null(x, bias, dtype, &b);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, dtype, dims, sizes, &c);
    if (status == TSM_OK && c->elements) {
        size_t m = (size_t)(c->elements / outputs);
        matrix ma = {NULL, rows->data, m, (size_t)inputs, 0, inputs, 1};
        matrix mb = {NULL, weight->data, (size_t)inputs, (size_t)outputs, 0, 1, inputs};
        status = matmul_multiply(x, dtype, 1, &ma, &mb, b, c);
    }
    tsm_tensor_drop(x, rows);
    tsm_tensor_drop(x, weight);
    tsm_tensor_drop(x, b);
    return tsm_kernel_finish(x, status, c, (tsm_dtype)a->dtype, out);
}

TSM_KERNEL(aten_linear) {
    tsm_tensor *a = arg_tensor(in, 0), *w = arg_tensor(in, 1), *bias = arg_tensor_or_null(in, 2);
    if (!a->dims || w->dims < 1 || w->dims > 2)
        return TSM_RAISE(x, "both arguments to matmul need to be at least 1D, but they are %dD and %dD", a->dims,
                         w->dims);
    tsm_dim inputs = w->sizes[w->dims - 1], outputs = w->dims == 2 ? w->sizes[0] : 1, last = a->sizes[a->dims - 1];
    if (last != inputs)
        return TSM_RAISE(x, "mat1 and mat2 shapes cannot be multiplied (%zdx%zd and %zdx%zd)",
                         (ptrdiff_t)(last ? a->elements / last : 0), (ptrdiff_t)last, (ptrdiff_t)inputs,
                         (ptrdiff_t)outputs);
    const bool is_batch = a->dims == 3 && tsm_tensor_is_contiguous(a), is_mixed = a->dtype != w->dtype;
    if (bias && (is_mixed || (bias->dtype != a->dtype && (a->dims == 2 || is_batch))))
        return TSM_RAISE(x, "%s and mat2 must have the same dtype", is_mixed ? "mat1" : "self");
    TSM_TRY(refuse_dtypes(x, a, w));
    if (!bias || (w->dims == 2 && bias->dims == 1 && bias->sizes[0] == outputs))
        return linear_product(x, a, w, bias, out);
    tsm_value made;
    TSM_TRY(linear_product(x, a, w, NULL, &made));
    return add_any_bias(x, made, bias, is_batch, out);
}

/* ---- matmul ---- */

/* t with its batch dimensions broadcast to `dims` of `sizes`; a view. */
static tsm_status expand_batch(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes, tsm_tensor **out) {
    tsm_dim all[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    int missing = dims + 2 - t->dims;
    for (int d = 0; d < dims + 2; d++) {
        bool there = d >= missing;
        tsm_dim size = there ? t->sizes[d - missing] : 1;
        all[d] = d < dims ? sizes[d] : size;
        strides[d] = there && size == all[d] ? t->strides[d - missing] : 0;
    }
    return tsm_tensor_view_of(x, t, dims + 2, all, strides, 0, out);
}

/* Vectors, and batches that are broadcast. */
static tsm_status matmul_any(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1), *va = NULL, *vb = NULL, *wide_a = NULL, *wide_b = NULL,
               *c = NULL;
    if (!a->dims || !b->dims)
        return TSM_RAISE(x, "both arguments to matmul need to be at least 1D, but they are %dD and %dD", a->dims,
                         b->dims);
    TSM_TRY(refuse_dtypes(x, a, b));
    /* Vectors become matrices of one row or column. */
    bool row = a->dims == 1, column = b->dims == 1;
    tsm_dim a_sizes[] = {1, a->sizes[0]}, a_strides[] = {0, a->strides[0]};
    tsm_dim b_sizes[] = {b->sizes[0], 1}, b_strides[] = {b->strides[0], 0};
    tsm_status status = row ? tsm_tensor_view_of(x, a, 2, a_sizes, a_strides, 0, &va)
                            : tsm_tensor_view_of(x, a, a->dims, a->sizes, a->strides, 0, &va);
    if (status == TSM_OK)
        status = column ? tsm_tensor_view_of(x, b, 2, b_sizes, b_strides, 0, &vb)
                        : tsm_tensor_view_of(x, b, b->dims, b->sizes, b->strides, 0, &vb);
    tsm_dim sizes[TSM_MAX_DIMS + 2];
    int dims = 0;
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    if (status == TSM_OK && va->sizes[va->dims - 1] != vb->sizes[vb->dims - 2])
        status = TSM_RAISE(x, "mat1 and mat2 shapes cannot be multiplied (%zdx%zd and %zdx%zd)",
                           (ptrdiff_t)va->sizes[va->dims - 2], (ptrdiff_t)va->sizes[va->dims - 1],
                           (ptrdiff_t)vb->sizes[vb->dims - 2], (ptrdiff_t)vb->sizes[vb->dims - 1]);
    if (status == TSM_OK)
        status = tsm_broadcast_shapes(x, va->dims - 2, va->sizes, vb->dims - 2, vb->sizes, &dims, sizes);
    if (status == TSM_OK)
        status = expand_batch(x, va, dims, sizes, &wide_a);
    if (status == TSM_OK)
        status = expand_batch(x, vb, dims, sizes, &wide_b);
    matrix ma = {0}, mb = {0};
    if (status == TSM_OK)
        status = matrix_of(x, wide_a, dtype, &ma);
    if (status == TSM_OK)
        status = matrix_of(x, wide_b, dtype, &mb);
    if (status == TSM_OK) {
        int n = dims;
        if (!row)
            sizes[n++] = (tsm_dim)ma.rows;
        if (!column)
            sizes[n++] = (tsm_dim)mb.cols;
        status = tsm_tensor_make(x, dtype, n, sizes, &c);
    }
    if (status == TSM_OK && c->elements) {
        /* The innermost batch dimension goes to the product, outer ones are walked here. */
        size_t inner = dims ? (size_t)ma.owner->sizes[dims - 1] : 1, outer = 1, size = tsm_dtype_size(dtype);
        for (int d = 0; d < dims - 1; d++)
            outer *= (size_t)ma.owner->sizes[d];
        tsm_tensor part = *c;
        for (size_t o = 0; o < outer && status == TSM_OK; o++) {
            ptrdiff_t at_a = 0, at_b = 0;
            size_t rest = o;
            for (int d = dims - 2; d >= 0; d--) {
                ptrdiff_t i = (ptrdiff_t)(rest % (size_t)ma.owner->sizes[d]);
                rest /= (size_t)ma.owner->sizes[d];
                at_a += i * ma.owner->strides[d];
                at_b += i * mb.owner->strides[d];
            }
            matrix pa = ma, pb = mb;
            pa.data += at_a * (ptrdiff_t)size;
            pb.data += at_b * (ptrdiff_t)size;
            part.data = (char *)c->data + o * inner * ma.rows * mb.cols * size;
            status = matmul_multiply(x, dtype, inner, &pa, &pb, NULL, &part);
        }
    }
    tsm_tensor *const held[] = {va, vb, wide_a, wide_b, ma.owner, mb.owner};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        tsm_tensor_drop(x, held[i]);
    return tsm_kernel_finish(x, status, c, (tsm_dtype)a->dtype, out);
}

TSM_KERNEL(aten_matmul) {
    tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1);
    return a->dims == 2 && b->dims == 2 ? mm(x, a, b, out) : matmul_any(x, in, out);
}
TSM_KERNEL_ALIAS(aten_linalg_matmul, aten_matmul);
TSM_KERNEL(aten_dot) {
    const tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1);
    return a->dims == 1 && b->dims == 1
               ? matmul_any(x, in, out)
               : TSM_RAISE(x, "1D tensors expected, but got %dD and %dD tensors", a->dims, b->dims);
}
TSM_KERNEL(aten_mv) {
    const tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1);
    return a->dims == 2 && b->dims == 1
               ? matmul_any(x, in, out)
               : TSM_RAISE(x, "vector + matrix @ vector expected, got 1, %d, %d", a->dims, b->dims);
}
