/* Writing elements where an index tensor says: scatter, scatter_add, index_add, index_copy, index_fill. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/kernel.h"

typedef enum { PUT, ADD, MULTIPLY, LEAST, GREATEST } scatter_op;

typedef struct {
    scatter_op op;
    int dim;
    const tsm_tensor *index;  /* int64 */
    bool index_is_line;       /* of one dimension: the same for all other coordinates */
    const tsm_tensor *source; /* NULL: `value` for all */
    tsm_value value;
    double scale; /* the source is multiplied by it when adding */
    bool forgets; /* include_self=False: the old values of elements that are written to do not count */
    bool is_mean; /* sums are divided by how many were added */
    int dims;     /* coordinates to walk */
    const tsm_dim *sizes;
} scatter_job;

static int64_t combine_i64(scatter_op op, int64_t a, int64_t b) {
    switch (op) {
    case ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case MULTIPLY:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case LEAST:
        return b < a ? b : a;
    case GREATEST:
        return b > a ? b : a;
    default:
        return b;
    }
}

static double combine_f64(scatter_op op, double a, double b) {
    switch (op) {
    case ADD:
        return a + b;
    case MULTIPLY:
        return a * b;
    case LEAST:
        return b < a || b != b ? b : a;
    case GREATEST:
        return b > a || b != b ? b : a;
    default:
        return b;
    }
}

static void combine(scatter_op op, tsm_lane lane, tsm_lane_item *to, const tsm_lane_item *v) {
    if (lane == TSM_LANE_I64)
        to->i = combine_i64(op, to->i, v->i);
    else if (lane == TSM_LANE_C128)
        to->c = op == ADD ? cx_add(to->c, v->c) : op == MULTIPLY ? cx_mul(to->c, v->c) : v->c;
    else
        to->f64 = combine_f64(op, to->f64, v->f64);
}

static tsm_lane lane_for(tsm_dtype dtype) {
    return tsm_dtype_is_complex(dtype) ? TSM_LANE_C128 : tsm_dtype_is_floating(dtype) ? TSM_LANE_F64 : TSM_LANE_I64;
}

static void scale_item(tsm_lane lane, tsm_lane_item *v, double scale) {
    if (lane == TSM_LANE_I64)
        v->i = (int64_t)((uint64_t)v->i * (uint64_t)(int64_t)scale);
    else if (lane == TSM_LANE_F64)
        v->f64 *= scale;
    else {
        v->c.re *= scale;
        v->c.im *= scale;
    }
}

/* The element of y that position `i` of the walk writes; -1 after raising. */
static tsm_dim target_of(tsm_exec *x, const scatter_job *j, const tsm_tensor *y, const tsm_dim *at) {
    tsm_dim offset = 0, index_at = 0;
    for (int d = 0; d < j->dims; d++)
        index_at += j->index_is_line ? 0 : at[d] * j->index->strides[d];
    if (j->index_is_line && j->index->dims)
        index_at = at[j->dim] * j->index->strides[0];
    int64_t row = ((const int64_t *)j->index->data)[index_at];
    tsm_dim size = y->dims ? y->sizes[j->dim] : 1;
    if (row < 0 || row >= size) {
        tsm_fail(x, TSM_RAISED, "index %ld is out of bounds for dimension %d with size %zd", row, j->dim,
                 (ptrdiff_t)size);
        return -1;
    }
    for (int d = 0; d < y->dims; d++)
        offset += (d == j->dim ? tsm_saturate_dim(row) : at[d]) * y->strides[d];
    return offset;
}

static tsm_status run_scatter(tsm_exec *x, const scatter_job *j, tsm_tensor *y) {
    tsm_dtype dtype = (tsm_dtype)y->dtype;
    tsm_lane lane = lane_for(dtype);
    tsm_dim at[TSM_MAX_DIMS] = {0}, count = 1, size = (tsm_dim)tsm_dtype_size(dtype);
    tsm_lane_item v = j->source ? (tsm_lane_item){.i = 0} : tsm_lane_item_of(lane, j->value), now;
    for (int d = 0; d < j->dims; d++)
        count *= j->sizes[d];
    TSM_TRY(tsm_charge(x, (uint64_t)count));
    for (tsm_dim i = 0; i < count; i++) {
        tsm_dim offset = target_of(x, j, y, at), from = 0;
        if (offset < 0)
            return TSM_RAISED;
        char *to = (char *)y->data + offset * size;
        for (int d = 0; j->source && d < j->source->dims; d++)
            from += at[d] * j->source->strides[d];
        if (j->source)
            tsm_lane_load(lane, &v, (tsm_dtype)j->source->dtype, (const char *)j->source->data + from * size, 0, 1);
        if (j->scale != 1)
            scale_item(lane, &v, j->scale);
        tsm_lane_load(lane, &now, dtype, to, 0, 1);
        combine(j->op, lane, &now, &v);
        tsm_lane_store(dtype, to, 0, lane, &now, 1);
        for (int d = j->dims - 1; d >= 0 && ++at[d] == j->sizes[d]; d--)
            at[d] = 0;
    }
    return TSM_OK;
}

/* Divides each element by the number of those added to it, itself included unless the job forgets it. */
static tsm_status divide_by_counts(tsm_exec *x, const scatter_job *j, tsm_tensor *y) {
    tsm_tensor *counts;
    TSM_TRY(tsm_tensor_make(x, TSM_INT64, y->dims, y->sizes, &counts));
    int64_t *count = counts->data;
    for (tsm_dim i = 0; i < y->elements; i++)
        count[i] = !j->forgets;
    scatter_job one = *j;
    one.op = ADD;
    one.source = NULL;
    one.value = tsm_int(1);
    tsm_status status = run_scatter(x, &one, counts);
    tsm_dtype dtype = (tsm_dtype)y->dtype;
    tsm_lane lane = lane_for(dtype);
    for (tsm_dim i = 0; i < y->elements && status == TSM_OK; i++) {
        char *at = (char *)y->data + i * (tsm_dim)tsm_dtype_size(dtype);
        tsm_lane_item v;
        tsm_lane_load(lane, &v, dtype, at, 0, 1);
        int64_t n = count[i] > 1 ? count[i] : 1;
        if (lane == TSM_LANE_I64)
            v.i = v.i / n - (v.i % n < 0);
        else if (lane == TSM_LANE_F64)
            v.f64 /= (double)n;
        else
            v.c = cx_scale(v.c, 1 / (double)n);
        tsm_lane_store(dtype, at, 0, lane, &v, 1);
    }
    tsm_tensor_drop(x, counts);
    return status;
}

/* A copy of self with the job done on it. */
static tsm_status scatter_copy(tsm_exec *x, tsm_tensor *self, const scatter_job *j, tsm_value *out) {
    tsm_tensor *y;
    if (j->index->dtype != TSM_INT64)
        return TSM_RAISE(x, "%s: Expected dtype int64 for index", tsm_op_name(x));
    if (j->source && j->source->dtype != self->dtype)
        return TSM_RAISE(x, "%s: Expected self.dtype to be equal to src.dtype", tsm_op_name(x));
    if (tsm_dtype_is_complex((tsm_dtype)self->dtype) && (j->op == LEAST || j->op == GREATEST))
        return TSM_RAISE(x, "%s: complex numbers have no order", tsm_op_name(x));
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)self->dtype, self->dims, self->sizes, &y));
    tsm_status status = tsm_tensor_copy(x, y, self);
    if (status == TSM_OK && j->forgets) {
        scatter_job first = *j;
        first.op = PUT;
        if (j->op == ADD || j->op == MULTIPLY) {
            first.source = NULL;
            first.value = tsm_int(j->op == MULTIPLY);
        }
        status = run_scatter(x, &first, y);
    }
    if (status == TSM_OK)
        status = run_scatter(x, j, y);
    if (status == TSM_OK && j->is_mean)
        status = divide_by_counts(x, j, y);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

/* ---- scatter: the index has the dimensions of self ---- */

static tsm_status scatter_with(tsm_exec *x, const tsm_value *const *in, scatter_job j, bool has_source,
                               tsm_value *out) {
    tsm_tensor *self = arg_tensor(in, 0), *index = arg_tensor(in, 2);
    j.index = index;
    j.source = has_source ? arg_tensor(in, 3) : NULL;
    j.value = has_source ? tsm_none() : *in[3];
    j.scale = 1;
    j.dims = index->dims;
    j.sizes = index->sizes;
    TSM_TRY(tsm_check_number(x, (tsm_dtype)self->dtype, j.value));
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), self->dims, &j.dim));
    if (index->elements == 0) {
        j.dims = 1;
        static const tsm_dim nothing = 0;
        j.sizes = &nothing;
        return scatter_copy(x, self, &j, out);
    }
    if (index->dims != self->dims || (j.source && j.source->dims != self->dims))
        return TSM_RAISE(x, "Index tensor must have the same number of dimensions as %s tensor",
                         index->dims != self->dims ? "self" : "src");
    for (int d = 0; d < self->dims; d++)
        if ((d != j.dim && index->sizes[d] > self->sizes[d]) || (j.source && index->sizes[d] > j.source->sizes[d]))
            return TSM_RAISE(
                x, "Expected index to be smaller than self apart from dimension %d and to be smaller than src", j.dim);
    return scatter_copy(x, self, &j, out);
}

static tsm_status scatter(tsm_exec *x, const tsm_value *const *in, scatter_op op, bool has_source, tsm_value *out) {
    scatter_job j = {.op = op};
    return scatter_with(x, in, j, has_source, out);
}

static bool text_is(const tsm_str *s, const char *text, size_t n) {
    return s->length == n && !memcmp(s->text, text, n);
}

static tsm_status named_op(tsm_exec *x, const tsm_str *s, scatter_op *op) {
    if (text_is(s, "add", 3) || text_is(s, "sum", 3))
        *op = ADD;
    else if (text_is(s, "multiply", 8) || text_is(s, "prod", 4))
        *op = MULTIPLY;
    else if (text_is(s, "amin", 4))
        *op = LEAST;
    else if (text_is(s, "amax", 4))
        *op = GREATEST;
    else
        return TSM_RAISE(x, "%s: reduce argument must be add, multiply, sum, prod, mean, amax or amin, not %.*s",
                         tsm_op_name(x), (int)s->length, s->text);
    return TSM_OK;
}

TSM_KERNEL(aten_scatter_src) {
    return scatter(x, in, PUT, true, out);
}
TSM_KERNEL(aten_scatter_value) {
    return scatter(x, in, PUT, false, out);
}
TSM_KERNEL(aten_scatter_add) {
    return scatter(x, in, ADD, true, out);
}
TSM_KERNEL(aten_scatter_reduce) {
    scatter_op op;
    TSM_TRY(named_op(x, arg_str(in, 4), &op));
    return scatter(x, in, op, true, out);
}
TSM_KERNEL(aten_scatter_value_reduce) {
    scatter_op op;
    TSM_TRY(named_op(x, arg_str(in, 4), &op));
    return scatter(x, in, op, false, out);
}
TSM_KERNEL(aten_scatter_reduce_two) {
    scatter_job j = {.op = ADD, .forgets = !arg_bool(in, 5), .is_mean = text_is(arg_str(in, 4), "mean", 4)};
    if (!j.is_mean)
        TSM_TRY(named_op(x, arg_str(in, 4), &j.op));
    return scatter_with(x, in, j, true, out);
}

/* ---- index_*: one line of indices along the dimension ---- */

static tsm_status index_write(tsm_exec *x, const tsm_value *const *in, scatter_op op, bool has_source, double scale,
                              tsm_value *out) {
    tsm_tensor *self = arg_tensor(in, 0), *index = arg_tensor(in, 2);
    tsm_dim sizes[TSM_MAX_DIMS] = {1};
    scatter_job j = {.op = op,
                     .index = index,
                     .index_is_line = true,
                     .source = has_source ? arg_tensor(in, 3) : NULL,
                     .value = has_source ? tsm_none() : *in[3],
                     .scale = scale,
                     .dims = self->dims ? self->dims : 1,
                     .sizes = sizes};
    TSM_TRY(tsm_check_number(x, (tsm_dtype)self->dtype, j.value));
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), self->dims, &j.dim));
    if (index->dims > 1)
        return TSM_RAISE(x, "%s: Index is supposed to be a vector", tsm_op_name(x));
    memcpy(sizes, self->sizes, (size_t)self->dims * sizeof *sizes);
    sizes[j.dim] = index->elements;
    for (int d = 0; j.source && d < j.source->dims; d++)
        if (j.source->dims != self->dims || j.source->sizes[d] != sizes[d])
            return TSM_RAISE(x, "%s: source has another shape than self and index want", tsm_op_name(x));
    return scatter_copy(x, self, &j, out);
}

TSM_KERNEL(aten_index_add) {
    if (!tsm_dtype_is_complex((tsm_dtype)arg_tensor(in, 0)->dtype))
        TSM_TRY(kernel_check_real(x, in));
    return index_write(x, in, ADD, true, arg_float(in, 4), out);
}
TSM_KERNEL(aten_index_copy) {
    return index_write(x, in, PUT, true, 1, out);
}
TSM_KERNEL(aten_index_fill_int_Scalar) {
    return index_write(x, in, PUT, false, 1, out);
}
