/* Writing elements where an index tensor says: scatter, scatter_add, index_add, index_copy, index_fill. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/shape/combine.h"
#include "runtime/tensor/iter.h"

typedef struct {
    combine_op op;
    int dim;
    const tsm_tensor *index;  /* int64 */
    bool index_is_line;       /* of one dimension: the same for all other coordinates */
    bool from_end;            /* negative indices count from the end */
    const tsm_tensor *source; /* NULL: `value` for all */
    tsm_value value;
    double scale; /* the source is multiplied by it when adding */
    bool forgets; /* include_self=False: the old values of elements that are written to do not count */
    bool is_mean; /* sums are divided by how many were added */
    int dims;     /* coordinates to walk */
    const tsm_dim *sizes;
} scatter_job;

static tsm_lane lane_for(tsm_dtype dtype) {
    return tsm_dtype_is_complex(dtype) ? TSM_LANE_C128 : tsm_dtype_is_floating(dtype) ? TSM_LANE_F64 : TSM_LANE_I64;
}

/* Element k of an operand's run. */
static char *scatter_element(const tsm_iter *it, int operand, tsm_dim k) {
    return it->data[operand] + k * it->strides[operand][0];
}

/* Operands: y, the index, the source. Returns -1, or the place in the run of an index that is none. An index from the
 * end stops the loop over the others; so it costs nothing where there is none. */
static tsm_dim scatter_run(const combine_lines *l, const tsm_iter *it, bool from_end) {
    tsm_dim first = 0;
    for (;;) {
        const tsm_dim bad = tsm_combine_scattered(
            l, scatter_element(it, 0, first), it->strides[0][0], scatter_element(it, 1, first), it->strides[1][0],
            scatter_element(it, 2, first), it->strides[2][0], it->sizes[0] - first);
        if (bad < 0)
            return -1;
        const tsm_dim at = first + bad;
        int64_t place = *(const int64_t *)(const void *)scatter_element(it, 1, at);
        if (!from_end || place >= 0)
            return at;
        place += l->length;
        if (tsm_combine_scattered(l, scatter_element(it, 0, at), 0, (const char *)&place, 0, scatter_element(it, 2, at),
                                  0, 1) >= 0)
            return at;
        first = at + 1;
    }
}

/* y changes as the job says. */
static tsm_status run_scatter(tsm_exec *x, const scatter_job *j, tsm_tensor *y) {
    const tsm_dtype dtype = (tsm_dtype)y->dtype;
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    tsm_dim in_y[TSM_MAX_DIMS] = {0}, in_index[TSM_MAX_DIMS] = {0}, in_source[TSM_MAX_DIMS] = {0}, count = 1;
    tsm_lane_item number;
    for (int d = 0; d < j->dims; d++) {
        count *= j->sizes[d];
        in_y[d] = d == j->dim || d >= y->dims ? 0 : y->strides[d];
        if (d < j->index->dims && !j->index_is_line)
            in_index[d] = j->index->strides[d];
        if (j->source && d < j->source->dims)
            in_source[d] = j->source->strides[d];
    }
    if (j->index_is_line && j->index->dims)
        in_index[j->dim] = j->index->strides[0];
    if (!j->source)
        tsm_number_store(dtype, &number, j->value);
    TSM_TRY(tsm_charge(x, (uint64_t)count));
    const combine_lines l = {j->op, dtype, y->dims ? y->sizes[j->dim] : 1, y->dims ? tsm_tensor_step(y, j->dim) : 0,
                             j->scale};
    tsm_iter it;
    tsm_iter_start(&it, j->dims, j->sizes);
    tsm_iter_add_raw(&it, y->data, in_y, (size_t)size);
    tsm_iter_add_raw(&it, j->index->data, in_index, sizeof(int64_t));
    tsm_iter_add_raw(&it, j->source ? j->source->data : &number, in_source, (size_t)size);
    tsm_iter_ready(&it);
    tsm_iter_long_runs(&it);
    while (tsm_iter_next(&it)) {
        const tsm_dim bad = scatter_run(&l, &it, j->from_end);
        if (bad >= 0)
            return TSM_RAISE(x, "index %ld is out of bounds for dimension %d with size %zd",
                             *(const int64_t *)(const void *)scatter_element(&it, 1, bad), j->dim, (ptrdiff_t)l.length);
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
    one.op = COMBINE_ADD;
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

/* Self where it dies here, else a copy. */
static tsm_status take_or_copy(tsm_exec *x, tsm_tensor *self, tsm_tensor **y) {
    if (x->dying & 1 && !x->dest && tsm_tensor_is_free(self) && tsm_tensor_is_contiguous(self)) {
        *y = tsm_as_tensor(tsm_hold(tsm_of_tensor(self)));
        return TSM_OK;
    }
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)self->dtype, self->dims, self->sizes, y));
    return tsm_tensor_copy(x, *y, self);
}

/* Self with the job done on it. */
static tsm_status scatter_copy(tsm_exec *x, tsm_tensor *self, const scatter_job *j, tsm_value *out) {
    tsm_tensor *y = NULL;
    if (j->index->dtype != TSM_INT64 && j->index->elements)
        return TSM_RAISE(x, "%s: Expected dtype int64 for index", tsm_op_name(x));
    if (j->source && j->source->dtype != self->dtype)
        return TSM_RAISE(x, "%s: Expected self.dtype to be equal to src.dtype", tsm_op_name(x));
    if (tsm_dtype_is_complex((tsm_dtype)self->dtype) && (j->op == COMBINE_LEAST || j->op == COMBINE_GREATEST))
        return TSM_RAISE(x, "%s: complex numbers have no order", tsm_op_name(x));
    tsm_status status = take_or_copy(x, self, &y);
    if (status == TSM_OK && j->forgets) {
        scatter_job first = *j;
        first.op = COMBINE_PUT;
        if (j->op == COMBINE_ADD || j->op == COMBINE_MULTIPLY) {
            first.source = NULL;
            first.value = tsm_int(j->op == COMBINE_MULTIPLY);
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

static tsm_status scatter(tsm_exec *x, const tsm_value *const *in, combine_op op, bool has_source, tsm_value *out) {
    scatter_job j = {.op = op};
    return scatter_with(x, in, j, has_source, out);
}

static bool text_is(const tsm_str *s, const char *text, size_t n) {
    return s->length == n && !memcmp(s->text, text, n);
}

static tsm_status named_op(tsm_exec *x, const tsm_str *s, combine_op *op) {
    if (text_is(s, "add", 3) || text_is(s, "sum", 3))
        *op = COMBINE_ADD;
    else if (text_is(s, "multiply", 8) || text_is(s, "prod", 4))
        *op = COMBINE_MULTIPLY;
    else if (text_is(s, "amin", 4))
        *op = COMBINE_LEAST;
    else if (text_is(s, "amax", 4))
        *op = COMBINE_GREATEST;
    else
        return TSM_RAISE(x, "%s: reduce argument must be add, multiply, sum, prod, mean, amax or amin, not %.*s",
                         tsm_op_name(x), (int)s->length, s->text);
    return TSM_OK;
}

TSM_KERNEL(aten_scatter_src) {
    return scatter(x, in, COMBINE_PUT, true, out);
}
TSM_KERNEL(aten_scatter_value) {
    return scatter(x, in, COMBINE_PUT, false, out);
}
TSM_KERNEL(aten_scatter_add) {
    return scatter(x, in, COMBINE_ADD, true, out);
}
TSM_KERNEL(aten_scatter_reduce) {
    combine_op op;
    TSM_TRY(named_op(x, arg_str(in, 4), &op));
    return scatter(x, in, op, true, out);
}
TSM_KERNEL(aten_scatter_value_reduce) {
    combine_op op;
    TSM_TRY(named_op(x, arg_str(in, 4), &op));
    return scatter(x, in, op, false, out);
}
TSM_KERNEL(aten_scatter_reduce_two) {
    scatter_job j = {.op = COMBINE_ADD, .forgets = !arg_bool(in, 5), .is_mean = text_is(arg_str(in, 4), "mean", 4)};
    if (!j.is_mean)
        TSM_TRY(named_op(x, arg_str(in, 4), &j.op));
    return scatter_with(x, in, j, true, out);
}

/* ---- index_*: one line of indices along the dimension ---- */

/* Whether a source has the sizes of the items that `elements` indices choose of a tensor with so many dimensions. One
 * without dimensions is an item of a line, and a tensor without dimensions is a line of one item. */
static bool has_sizes(const tsm_tensor *source, const tsm_dim *sizes, int dims, tsm_dim elements) {
    if (source->dims == 0)
        return dims <= 1 && elements == 1;
    if (source->dims != (dims ? dims : 1))
        return false;
    for (int d = 0; d < source->dims; d++)
        if (source->sizes[d] != sizes[d])
            return false;
    return true;
}

static tsm_status index_write(tsm_exec *x, const tsm_value *const *in, combine_op op, bool has_source, double scale,
                              tsm_value *out) {
    tsm_tensor *self = arg_tensor(in, 0), *index = arg_tensor(in, 2);
    tsm_dim sizes[TSM_MAX_DIMS] = {1};
    scatter_job j = {.op = op,
                     .index = index,
                     .index_is_line = true,
                     .from_end = !has_source, /* index_fill only, as in PyTorch */
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
    if (j.source && !has_sizes(j.source, sizes, self->dims, index->elements))
        return TSM_RAISE(x, "%s: source has another shape than self and index want", tsm_op_name(x));
    return scatter_copy(x, self, &j, out);
}

TSM_KERNEL(aten_index_add) {
    if (!tsm_dtype_is_complex((tsm_dtype)arg_tensor(in, 0)->dtype))
        TSM_TRY(tsm_kernel_check_real(x, in));
    if (arg_tensor(in, 2)->dtype != TSM_INT32)
        return index_write(x, in, COMBINE_ADD, true, arg_float(in, 4), out);
    tsm_tensor *wide;
    TSM_TRY(tsm_tensor_to(x, arg_tensor(in, 2), TSM_INT64, &wide));
    const tsm_value places = tsm_of_tensor(wide);
    const tsm_value *const with_wide[] = {in[0], in[1], &places, in[3], in[4]};
    const tsm_status status = index_write(x, with_wide, COMBINE_ADD, true, arg_float(in, 4), out);
    tsm_tensor_drop(x, wide);
    return status;
}
TSM_KERNEL(aten_index_copy) {
    return index_write(x, in, COMBINE_PUT, true, 1, out);
}
TSM_KERNEL(aten_index_fill_int_Scalar) {
    if (arg_tensor(in, 2)->dtype != TSM_INT64)
        return TSM_RAISE(x, "index_fill_(): Expected dtype int64 for index.");
    return index_write(x, in, COMBINE_PUT, false, 1, out);
}
