/* Selection of elements by index tensors. */
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/tensor/iter.h"

static int64_t index_at(const tsm_tensor *t, tsm_dim offset) {
    const char *p = (const char *)t->data + offset * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    int64_t v;
    tsm_lane_load(TSM_LANE_I64, &v, (tsm_dtype)t->dtype, p, 0, 1);
    return v;
}

static tsm_dim offset_of(const tsm_tensor *t, tsm_dim linear) {
    tsm_dim at = 0;
    for (int d = t->dims - 1; d >= 0; d--) {
        at += linear % t->sizes[d] * t->strides[d];
        linear /= t->sizes[d];
    }
    return at;
}

static bool is_index(const tsm_tensor *t) {
    return t->dtype == TSM_INT64 || t->dtype == TSM_INT32;
}

/* ---- embedding, index_select, gather ---- */

/* Rows of `from` along dimension d, chosen by the elements of `index`; the result has `index`'s shape in place of d. */
static tsm_status take_rows(tsm_exec *x, const tsm_tensor *from, int d, const tsm_tensor *index, const char *name,
                            tsm_value *out) {
    tsm_dim sizes[2 * TSM_MAX_DIMS];
    int dims = 0;
    if (!is_index(index))
        return TSM_RAISE(x, "%s(): Expected dtype int32 or int64 for index", name);
    for (int k = 0; k < d; k++)
        sizes[dims++] = from->sizes[k];
    for (int k = 0; k < index->dims; k++)
        sizes[dims++] = index->sizes[k];
    for (int k = d + 1; k < from->dims; k++)
        sizes[dims++] = from->sizes[k];
    if (dims > TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    tsm_tensor *y;
    uint64_t rows = (uint64_t)index->elements;
    for (int k = 0; k < d; k++)
        rows = tsm_work(rows, (uint64_t)from->sizes[k]);
    TSM_TRY(tsm_charge(x, rows));
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)from->dtype, dims, sizes, &y));
    tsm_dim outer = 1, inner = 1, n = index->elements, size = (tsm_dim)tsm_dtype_size((tsm_dtype)from->dtype);
    for (int k = 0; k < d; k++)
        outer *= from->sizes[k];
    for (int k = d + 1; k < from->dims; k++)
        inner *= from->sizes[k];
    char *to = y->data;
    bool rows_contiguous = tsm_tensor_is_contiguous(from);
    for (tsm_dim o = 0; o < outer; o++)
        for (tsm_dim i = 0; i < n; i++, to += inner * size) {
            int64_t row = index_at(index, offset_of(index, i));
            if (row < 0 || row >= from->sizes[d]) {
                tsm_tensor_drop(x, y);
                return TSM_RAISE(x, "index out of range in self");
            }
            tsm_dim first = (o * from->sizes[d] + tsm_saturate_dim(row)) * inner;
            if (rows_contiguous)
                memcpy(to, (const char *)from->data + first * size, (size_t)(inner * size));
            else
                for (tsm_dim k = 0; k < inner; k++)
                    memcpy(to + k * size, (const char *)from->data + offset_of(from, first + k) * size, (size_t)size);
        }
    return ret_tensor(out, y);
}

TSM_KERNEL_LIGHT(aten_embedding) {
    if (arg_tensor(in, 0)->dims != 2)
        return TSM_RAISE(x, "'weight' must be 2-D");
    return take_rows(x, arg_tensor(in, 0), 0, arg_tensor(in, 1), "embedding", out);
}
TSM_KERNEL_LIGHT(aten_index_select) {
    if (arg_tensor(in, 0)->quantizer)
        return quantized_as_stored(x, in, out);
    int d;
    if (arg_tensor(in, 2)->dims > 1)
        return TSM_RAISE(x, "index_select(): Index is supposed to be a vector");
    tsm_tensor *from = arg_tensor(in, 0), *index = arg_tensor(in, 2), *row;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), from->dims, &d));
    if (from->dims)
        return take_rows(x, from, d, index, "index_select", out);
    if (index->elements != 1) /* a tensor without dimensions has one row */
        return TSM_RAISE(x, "index_select(): Index to scalar can have only 1 value, got %zd value(s)",
                         (ptrdiff_t)index->elements);
    const tsm_dim one = 1;
    TSM_TRY(tsm_tensor_view_of(x, from, 1, &one, &one, 0, &row));
    tsm_status status = take_rows(x, row, 0, index, "index_select", out);
    tsm_tensor_drop(x, row);
    if (status == TSM_OK)
        tsm_as_tensor(*out)->dims = 0;
    return status;
}
TSM_KERNEL_LIGHT(aten_gather) {
    const tsm_tensor *t = arg_tensor(in, 0), *index = arg_tensor(in, 2);
    int d;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), t->dims, &d));
    /* a tensor without dimensions counts as a line of one element */
    bool lines = index->dims <= 1 && t->dims <= 1;
    if (index->elements && (!is_index(index) || (index->dims != t->dims && !lines)))
        return TSM_RAISE(x, "Index tensor must have the same number of dimensions as input tensor");
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, index->dims, index->sizes, &y));
    size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    tsm_dim length = t->dims ? t->sizes[d] : 1;
    for (tsm_dim i = 0; i < index->elements; i++) {
        tsm_dim rest = i, at = 0;
        int64_t row = index_at(index, offset_of(index, i));
        bool bad = row < 0 || row >= length;
        const tsm_dim inside = bad ? 0 : tsm_saturate_dim(row);
        if (lines && t->dims)
            at = inside * t->strides[0];
        for (int k = index->dims - 1; k >= 0 && !lines; k--) {
            tsm_dim position = rest % index->sizes[k];
            rest /= index->sizes[k];
            at += (k == d ? inside : position) * t->strides[k];
            bad |= k != d && position >= t->sizes[k];
        }
        if (bad) {
            tsm_tensor_drop(x, y);
            return TSM_RAISE(x, "index %ld is out of bounds for dimension %d with size %zd", row, d, (ptrdiff_t)length);
        }
        memcpy((char *)y->data + (size_t)i * size, (const char *)t->data + at * (tsm_dim)size, size);
    }
    return ret_tensor(out, y);
}

/* ---- nonzero, masks ---- */

static tsm_status nonzero(tsm_exec *x, const tsm_tensor *t, tsm_tensor **out) {
    tsm_dim sizes[2] = {0, t->dims}, i;
    tsm_lane_item item;
    TSM_TRY(tsm_charge_product(x, (uint64_t)t->elements, 2, 1));
    for (int pass = 0; pass < 2; pass++) {
        tsm_dim found = 0;
        for (i = 0; i < t->elements; i++) {
            tsm_lane_load(TSM_LANE_MASK, &item, (tsm_dtype)t->dtype,
                          (const char *)t->data + offset_of(t, i) * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype), 0, 1);
            if (!item.mask)
                continue;
            tsm_dim rest = i;
            for (int d = t->dims - 1; d >= 0 && pass; d--) {
                ((int64_t *)(*out)->data)[found * t->dims + d] = rest % t->sizes[d];
                rest /= t->sizes[d];
            }
            found++;
        }
        sizes[0] = found;
        if (!pass)
            TSM_TRY(tsm_tensor_make(x, TSM_INT64, 2, sizes, out));
    }
    return TSM_OK;
}
TSM_KERNEL_LIGHT(aten_nonzero) {
    tsm_tensor *y;
    TSM_TRY(nonzero(x, arg_tensor(in, 0), &y));
    return ret_tensor(out, y);
}

/* ---- index, index_put_ ---- */

/* Index tensors after bool masks became positions: index k serves dimension k of self, NULL: all of it. */
typedef struct {
    tsm_tensor *index[TSM_MAX_DIMS]; /* counted */
    int count;
    int dims; /* of the broadcast indices */
    tsm_dim sizes[TSM_MAX_DIMS];
    bool adjacent; /* indexed dimensions are neighbours, and those of the indices replace them; else these come first */
    int first;
} indexing;

static void drop_indexing(tsm_exec *x, indexing *g) {
    for (int k = 0; k < g->count; k++)
        tsm_tensor_drop(x, g->index[k]);
}

static tsm_status add_mask(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *mask, indexing *g) {
    for (int d = 0; d < mask->dims; d++)
        if (g->count + d >= self->dims || mask->sizes[d] != self->sizes[g->count + d])
            return TSM_RAISE(
                x, "The shape of the mask at index %d does not match the shape of the indexed tensor at index %d", d,
                g->count + d);
    tsm_tensor *positions;
    TSM_TRY(nonzero(x, mask, &positions));
    for (int d = 0; d < mask->dims; d++) {
        tsm_dim n = positions->sizes[0], stride = mask->dims;
        tsm_status status = tsm_tensor_view_of(x, positions, 1, &n, &stride, d, &g->index[g->count]);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, positions);
            return status;
        }
        g->count++;
    }
    tsm_tensor_drop(x, positions);
    return TSM_OK;
}

static tsm_status read_indexing(tsm_exec *x, const tsm_tensor *self, const tsm_list *list, indexing *g) {
    memset(g, 0, sizeof *g);
    for (uint32_t i = 0; i < list->length; i++) {
        tsm_value v = list->items[i];
        if (v.tag != TSM_TAG_TENSOR && v.tag != TSM_TAG_NONE)
            return TSM_RAISE(x, "tensors used as indices must be long, byte or bool tensors");
        tsm_tensor *t = v.tag == TSM_TAG_TENSOR ? tsm_as_tensor(v) : NULL;
        if (t && (t->dtype == TSM_BOOL || t->dtype == TSM_UINT8)) {
            TSM_TRY(add_mask(x, self, t, g));
            continue;
        }
        if (g->count >= self->dims)
            return TSM_RAISE(x, "too many indices for tensor of dimension %d (got %u)", self->dims, list->length);
        if (t && !is_index(t))
            return TSM_RAISE(x, "tensors used as indices must be long, byte or bool tensors");
        if (t)
            tsm_hold(v);
        g->index[g->count++] = t;
    }
    int last = -1, used = 0;
    g->first = -1;
    for (int k = 0; k < g->count; k++)
        if (g->index[k]) {
            g->first = g->first < 0 ? k : g->first;
            last = k;
            used++;
            TSM_TRY(
                tsm_broadcast_shapes(x, g->dims, g->sizes, g->index[k]->dims, g->index[k]->sizes, &g->dims, g->sizes));
        }
    g->adjacent = used && last - g->first + 1 == used;
    return TSM_OK;
}

/* The shape of self[indices]. */
static tsm_status indexed_shape(tsm_exec *x, const tsm_tensor *self, const indexing *g, int *dims, tsm_dim *sizes) {
    *dims = 0;
    int place = g->adjacent ? g->first : 0;
    tsm_dim all[3 * TSM_MAX_DIMS];
    for (int d = 0; d <= self->dims; d++) {
        if (d == place)
            for (int k = 0; k < g->dims; k++)
                all[(*dims)++] = g->sizes[k];
        if (d < self->dims && !(d < g->count && g->index[d]))
            all[(*dims)++] = self->sizes[d];
    }
    if (*dims > TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    memcpy(sizes, all, (size_t)*dims * sizeof *sizes);
    return TSM_OK;
}

/* The offset in self of the element at `linear` of the indexed shape. */
static tsm_status source_of(tsm_exec *x, const tsm_tensor *self, const indexing *g, int dims, const tsm_dim *sizes,
                            tsm_dim linear, tsm_dim *at) {
    tsm_dim position[TSM_MAX_DIMS];
    for (int d = dims - 1; d >= 0; d--) {
        position[d] = linear % sizes[d];
        linear /= sizes[d];
    }
    int place = g->adjacent ? g->first : 0, plain = 0;
    *at = 0;
    for (int d = 0; d < self->dims; d++) {
        if (!(d < g->count && g->index[d])) {
            int p = plain < place ? plain : plain + g->dims;
            *at += position[p] * self->strides[d];
            plain++;
            continue;
        }
        const tsm_tensor *index = g->index[d];
        tsm_dim offset = 0;
        for (int k = 0; k < index->dims; k++) {
            int p = place + g->dims - index->dims + k;
            offset += (index->sizes[k] == 1 ? 0 : position[p]) * index->strides[k];
        }
        int64_t row = index_at(index, offset);
        if (row < -self->sizes[d] || row >= self->sizes[d])
            return TSM_RAISE(x, "index %ld is out of bounds for dimension %d with size %zd", row, d,
                             (ptrdiff_t)self->sizes[d]);
        *at += tsm_saturate_dim(row < 0 ? row + self->sizes[d] : row) * self->strides[d];
    }
    return TSM_OK;
}

/* How many elements lie side by side, in self and with the `other_strides` of the indexed shape (NULL: contiguous):
 * those of the last dimensions, if no tensor indexes them. */
static tsm_dim run_of(const tsm_tensor *self, const indexing *g, int dims, const tsm_dim *other_strides) {
    tsm_dim run = 1;
    for (int d = self->dims - 1, k = dims - 1; d >= 0 && k >= 0; d--, k--) {
        bool is_indexed = d < g->count && g->index[d];
        if (is_indexed || self->strides[d] != run || (other_strides && other_strides[k] != run))
            break;
        run *= self->sizes[d];
    }
    return run;
}

static tsm_status index_tensor(tsm_exec *x, tsm_tensor *self, const tsm_list *list, tsm_value *out) {
    indexing g;
    tsm_tensor *y = NULL;
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims;
    size_t size = tsm_dtype_size((tsm_dtype)self->dtype);
    tsm_status status = read_indexing(x, self, list, &g);
    if (status == TSM_OK)
        status = indexed_shape(x, self, &g, &dims, sizes);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, (tsm_dtype)self->dtype, dims, sizes, &y);
    tsm_dim run = status == TSM_OK ? run_of(self, &g, dims, NULL) : 1;
    for (tsm_dim i = 0; status == TSM_OK && i < y->elements; i += run) {
        tsm_dim at;
        status = source_of(x, self, &g, dims, sizes, i, &at);
        if (status == TSM_OK)
            memcpy((char *)y->data + (size_t)i * size, (const char *)self->data + at * (tsm_dim)size,
                   (size_t)run * size);
    }
    drop_indexing(x, &g);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}
TSM_KERNEL_LIGHT(aten_index_Tensor) {
    if (arg_tensor(in, 0)->quantizer)
        return quantized_as_stored(x, in, out);
    return index_tensor(x, arg_tensor(in, 0), arg_list(in, 1), out);
}
TSM_KERNEL_ALIAS(aten_index_Tensor_hacked_twin, aten_index_Tensor);

TSM_KERNEL_LIGHT(aten_masked_select) {
    tsm_list *l;
    tsm_tensor *self = arg_tensor(in, 0), *mask = arg_tensor(in, 1), *wide_self = NULL, *wide_mask = NULL;
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS], strides[2][TSM_MAX_DIMS];
    TSM_TRY(tsm_broadcast_shapes(x, self->dims, self->sizes, mask->dims, mask->sizes, &dims, sizes));
    if (!dims)
        sizes[dims++] = 1;
    const tsm_tensor *both[] = {self, mask};
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < dims; d++) {
            int k = d - (dims - both[i]->dims);
            strides[i][d] = k >= 0 && both[i]->sizes[k] == sizes[d] ? both[i]->strides[k] : 0;
        }
    tsm_status status = tsm_tensor_view_of(x, self, dims, sizes, strides[0], 0, &wide_self);
    if (status == TSM_OK)
        status = tsm_tensor_view_of(x, mask, dims, sizes, strides[1], 0, &wide_mask);
    if (status == TSM_OK)
        status = tsm_make_list(x, 1, &l);
    if (status == TSM_OK) {
        status = tsm_list_append(x, l, tsm_of_tensor(wide_mask));
        if (status == TSM_OK)
            status = index_tensor(x, wide_self, l, out);
        tsm_drop(x, tsm_of(TSM_TAG_LIST, l));
    }
    tsm_tensor_drop(x, wide_self);
    tsm_tensor_drop(x, wide_mask);
    return status;
}

TSM_KERNEL_LIGHT(aten_index_put_) {
    tsm_tensor *self = arg_tensor(in, 0), *values = arg_tensor(in, 2), *same = NULL;
    bool accumulate = arg_bool(in, 3);
    indexing g;
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims = 0;
    size_t size = tsm_dtype_size((tsm_dtype)self->dtype);
    if (self->dtype != values->dtype)
        return TSM_RAISE(x,
                         "Index put requires the source and destination dtypes match, got %s for the destination and "
                         "%s for the source.",
                         tsm_dtype_name((tsm_dtype)self->dtype), tsm_dtype_name((tsm_dtype)values->dtype));
    tsm_status status = read_indexing(x, self, arg_list(in, 1), &g);
    if (status == TSM_OK)
        status = indexed_shape(x, self, &g, &dims, sizes);
    tsm_dim elements = 1, strides[TSM_MAX_DIMS];
    for (int d = 0; status == TSM_OK && d < dims; d++) {
        int k = d - (dims - values->dims);
        tsm_dim have = k >= 0 ? values->sizes[k] : 1;
        elements *= sizes[d];
        if (have != 1 && have != sizes[d])
            status = TSM_RAISE(x, "shape mismatch: value tensor cannot be broadcast to indexing result");
        strides[d] = k >= 0 && have == sizes[d] ? values->strides[k] : 0;
    }
    if (status == TSM_OK && values->dims > dims)
        status = TSM_RAISE(x, "shape mismatch: value tensor cannot be broadcast to indexing result");
    if (status == TSM_OK)
        status = tsm_tensor_view_of(x, values, dims, sizes, strides, 0, &same);
    if (status == TSM_OK)
        status = tsm_charge(x, (uint64_t)elements);
    tsm_lane lane = tsm_lane_of(self->dtype == TSM_BOOL ? TSM_INT64 : (tsm_dtype)self->dtype);
    tsm_dim run = status == TSM_OK && !accumulate ? run_of(self, &g, dims, same->strides) : 1;
    for (tsm_dim i = 0; i < elements && status == TSM_OK; i += run) {
        tsm_dim at;
        status = source_of(x, self, &g, dims, sizes, i, &at);
        if (status != TSM_OK)
            break;
        char *to = (char *)self->data + at * (tsm_dim)size;
        const char *from = (const char *)same->data + offset_of(same, i) * (tsm_dim)size;
        if (!accumulate) {
            memmove(to, from, (size_t)run * size);
            continue;
        }
        tsm_lane_item a, b;
        tsm_lane_load(lane, &a, (tsm_dtype)self->dtype, to, 0, 1);
        tsm_lane_load(lane, &b, (tsm_dtype)self->dtype, from, 0, 1);
        if (lane == TSM_LANE_I64)
            a.i = (int64_t)((uint64_t)a.i + (uint64_t)b.i);
        else if (lane == TSM_LANE_F32)
            a.f32 += b.f32;
        else if (lane == TSM_LANE_F64)
            a.f64 += b.f64;
        else {
            a.c.re += b.c.re;
            a.c.im += b.c.im;
        }
        tsm_lane_store((tsm_dtype)self->dtype, to, 0, lane, &a, 1);
    }
    drop_indexing(x, &g);
    tsm_tensor_drop(x, same);
    if (status == TSM_OK)
        *out = tsm_hold(*in[0]);
    return status;
}
TSM_KERNEL_ALIAS(aten_index_put__hacked_twin, aten_index_put_);

/* ---- Rearranging ---- */

/* Element i of the result comes from source position p[d] in each dimension: flip and roll. */
static tsm_status rearrange(tsm_exec *x, const tsm_tensor *t, const tsm_dim *shift, unsigned flipped, tsm_value *out) {
    tsm_tensor *y;
    size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &y));
    for (tsm_dim i = 0; i < t->elements; i++) {
        tsm_dim rest = i, at = 0;
        for (int d = t->dims - 1; d >= 0; d--) {
            tsm_dim p = rest % t->sizes[d];
            rest /= t->sizes[d];
            p = flipped >> d & 1 ? t->sizes[d] - 1 - p : (p - shift[d] + t->sizes[d]) % t->sizes[d];
            at += p * t->strides[d];
        }
        memcpy((char *)y->data + (size_t)i * size, (const char *)t->data + at * (tsm_dim)size, size);
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_flip) {
    if (arg_tensor(in, 0)->quantizer)
        return quantized_as_stored(x, in, out);
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim dims[TSM_MAX_DIMS], none[TSM_MAX_DIMS] = {0};
    unsigned set = 0;
    int n = arg_ints(x, in, 1, dims, TSM_MAX_DIMS), d;
    if (n < 0)
        return TSM_RAISED;
    for (int k = 0; k < n; k++) {
        TSM_TRY(tsm_wrap_dim_or_scalar(x, dims[k], t->dims, &d));
        set |= 1u << d;
    }
    return rearrange(x, t, none, set, out);
}
/* All elements in one row. */
static tsm_status roll_flat(tsm_exec *x, const tsm_tensor *t, tsm_dim shift, tsm_value *out) {
    tsm_tensor *y;
    size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &y));
    for (tsm_dim i = 0; i < t->elements; i++) {
        tsm_dim to = (i + shift % t->elements + t->elements) % t->elements;
        memcpy((char *)y->data + (size_t)to * size, (const char *)t->data + offset_of(t, i) * (tsm_dim)size, size);
    }
    return ret_tensor(out, y);
}

TSM_KERNEL(aten_roll) {
    if (arg_tensor(in, 0)->quantizer)
        return quantized_as_stored(x, in, out);
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim shifts[TSM_MAX_DIMS], dims[TSM_MAX_DIMS], by[TSM_MAX_DIMS] = {0};
    int n = arg_ints(x, in, 1, shifts, TSM_MAX_DIMS), m = arg_ints(x, in, 2, dims, TSM_MAX_DIMS), d;
    if (n < 0 || m < 0)
        return TSM_RAISED;
    if (n == 1 && !m)
        return roll_flat(x, t, shifts[0], out);
    if (!n || n != m)
        return TSM_RAISE(x, "shifts and dimensions must align. shifts: %d, dims:%d", n, m);
    for (int k = 0; k < n; k++) {
        TSM_TRY(tsm_wrap_dim(x, dims[k], t->dims, &d));
        tsm_dim size = t->sizes[d] ? t->sizes[d] : 1;
        by[d] = (by[d] + shifts[k] % size + size) % size;
    }
    return rearrange(x, t, by, 0, out);
}

/* ---- Triangles ---- */

static tsm_status triangle(tsm_exec *x, const tsm_tensor *t, int64_t diagonal, bool upper, tsm_value *out) {
    tsm_tensor *y;
    size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    if (t->dims < 2)
        return TSM_RAISE(x, "%s: input tensor must have at least 2 dimensions", upper ? "triu" : "tril");
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &y));
    tsm_dim columns = t->sizes[t->dims - 1], rows = t->sizes[t->dims - 2];
    for (tsm_dim i = 0; i < t->elements; i++) {
        tsm_dim c = i % columns, r = i / columns % rows;
        bool kept = upper ? c - r >= diagonal : c - r <= diagonal;
        char *to = (char *)y->data + (size_t)i * size;
        if (kept)
            memcpy(to, (const char *)t->data + offset_of(t, i) * (tsm_dim)size, size);
        else
            memset(to, 0, size);
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_tril) {
    return triangle(x, arg_tensor(in, 0), arg_int(in, 1), false, out);
}
TSM_KERNEL(aten_triu) {
    return triangle(x, arg_tensor(in, 0), arg_int(in, 1), true, out);
}
