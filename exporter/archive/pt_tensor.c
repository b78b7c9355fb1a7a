/* Tensors of archives: types, sizes, elements in order, and what makes one unusable. */
#include "exporter/archive/pt_tensor.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

typedef struct {
    const char *name;
    size_t size;
    int packed;
    const char *storage_class;
} dtype_facts;

#define DTYPE_FACTS(NAME, number, name, size, packed, storage) [number] = {name, size, packed, storage},
static const dtype_facts dtypes[PT_DTYPE_COUNT] = {PT_DTYPES(DTYPE_FACTS)};

static const struct {
    const char *name;
    pt_dtype dtype;
} dtype_aliases[] = {
    {"half", PT_FLOAT16}, {"float", PT_FLOAT32}, {"double", PT_FLOAT64},   {"short", PT_INT16},
    {"int", PT_INT32},    {"long", PT_INT64},    {"cfloat", PT_COMPLEX64}, {"cdouble", PT_COMPLEX128},
};

/* What an expanded tensor (several elements at one place) may take when written out. */
static const uint64_t free_expansion = (uint64_t)256 << 20;

const char *pt_dtype_name(pt_dtype dtype) {
    return dtypes[dtype].name;
}

bool pt_dtype_is_usable(pt_dtype dtype) {
    return dtype < PT_QUINT4X2 || dtype > PT_BITS16;
}

bool pt_dtype_is_floating(pt_dtype dtype) {
    return dtype == PT_FLOAT16 || dtype == PT_BFLOAT16 || dtype == PT_FLOAT32 || dtype == PT_FLOAT64 ||
           (dtype >= PT_FLOAT8_E5M2 && dtype <= PT_FLOAT8_E4M3FNUZ);
}

bool pt_dtype_is_complex(pt_dtype dtype) {
    return dtype == PT_COMPLEX32 || dtype == PT_COMPLEX64 || dtype == PT_COMPLEX128;
}

size_t pt_dtype_size(pt_dtype dtype) {
    return dtypes[dtype].size;
}

int pt_dtype_packed(pt_dtype dtype) {
    return dtypes[dtype].packed;
}

bool pt_dtype_from_name(const char *name, pt_dtype *dtype) {
    for (int i = 0; i < PT_DTYPE_COUNT; i++)
        if (!strcmp(name, dtypes[i].name)) {
            *dtype = (pt_dtype)i;
            return true;
        }
    for (size_t i = 0; i < sizeof dtype_aliases / sizeof *dtype_aliases; i++)
        if (!strcmp(name, dtype_aliases[i].name)) {
            *dtype = dtype_aliases[i].dtype;
            return true;
        }
    return false;
}

bool pt_dtype_from_storage_class(const char *name, pt_dtype *dtype) {
    for (int i = 0; i < PT_DTYPE_COUNT; i++)
        if (!strcmp(name, dtypes[i].storage_class)) {
            *dtype = (pt_dtype)i;
            return true;
        }
    return false;
}

/* Bytes that n consecutive elements take, the last storage element filled up. */
static uint64_t bytes_of(pt_dtype dtype, uint64_t n) {
    uint64_t packed = (uint64_t)dtypes[dtype].packed;
    return (n + packed - 1) / packed * dtypes[dtype].size;
}

static int64_t saturated_product(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t pt_sizes_numel(int ndim, const int64_t *sizes) {
    int64_t n = 1;
    bool is_empty = false;
    for (int d = 0; d < ndim; d++) {
        is_empty |= sizes[d] == 0;
        n = saturated_product(n, sizes[d]);
    }
    return is_empty ? 0 : n;
}

void pt_contiguous_strides(int ndim, const int64_t *sizes, int64_t *strides) {
    int64_t step = 1;
    for (int d = ndim; d-- > 0;) {
        strides[d] = step;
        step = saturated_product(step, sizes[d] ? sizes[d] : 1);
    }
}

int64_t pt_tensor_numel(const pt_tensor *t) {
    return pt_sizes_numel(t->ndim, t->sizes);
}

double pt_tensor_number(const pt_tensor *t, int64_t i) {
    const int64_t at = t->offset + i * t->strides[0];
    const void *data = t->storage->data;
    switch (t->dtype) {
    case PT_FLOAT64:
        return ((const double *)data)[at];
    case PT_FLOAT32:
        return (double)((const float *)data)[at];
    case PT_INT64:
        return (double)((const int64_t *)data)[at];
    default:
        return (double)((const int32_t *)data)[at];
    }
}

size_t pt_tensor_bytes(const pt_tensor *t) {
    return (size_t)bytes_of(t->dtype, (uint64_t)pt_tensor_numel(t));
}

bool pt_tensor_is_contiguous(const pt_tensor *t) {
    int64_t expected = 1;
    if (t->layout != PT_STRIDED)
        return false;
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (t->sizes[i] != 1 && t->strides[i] != expected)
            return pt_tensor_numel(t) == 0;
        expected = saturated_product(expected, t->sizes[i]);
    }
    return true;
}

/* Copies the elements in row-major order, counting through the indices as an odometer does. */
static const void *gather(const pt_tensor *t) {
    size_t size = pt_dtype_size(t->dtype);
    int64_t count = pt_tensor_numel(t);
    int64_t index[PT_MAX_DIMS] = {0};
    uint8_t *to = mem_alloc_aligned(pt_tensor_bytes(t), 64);
    const uint8_t *from = t->storage->data + (uint64_t)t->offset * size;
    for (int64_t n = 0; n < count; n++) {
        memcpy(to + (uint64_t)n * size, from, size);
        for (int d = t->ndim - 1; d >= 0; d--) {
            from += t->strides[d] * (int64_t)size;
            if (++index[d] < t->sizes[d])
                break;
            from -= t->strides[d] * (int64_t)size * t->sizes[d];
            index[d] = 0;
        }
    }
    return to;
}

const void *pt_tensor_data(const pt_tensor *t) {
    int packed = pt_dtype_packed(t->dtype);
    bool contiguous = pt_tensor_is_contiguous(t);
    if (t->layout != PT_STRIDED)
        diag_internal("pt_tensor_data of a sparse tensor");
    if (packed > 1 && (!contiguous || t->offset % packed))
        diag_fail("a %s tensor that is not contiguous is not supported", pt_dtype_name(t->dtype));
    if (!contiguous)
        return gather(t);
    if (!t->storage->data)
        return mem_alloc(1);
    return t->storage->data + (uint64_t)(t->offset / packed) * pt_dtype_size(t->dtype);
}

/* Counts the elements of t into *numel; says what is wrong with its sizes. */
static const char *sizes_fault(const pt_tensor *t, int64_t *numel) {
    int64_t product = 1; /* of the sizes but zeros, so that [0, 2^40, 2^40] is refused as PyTorch does */
    bool empty = false;
    for (int i = 0; i < t->ndim; i++) {
        if (t->sizes[i] < 0)
            return mem_printf("dimension %d has the negative size %lld", i, (long long)t->sizes[i]);
        empty |= t->sizes[i] == 0;
        if (t->sizes[i] && __builtin_mul_overflow(product, t->sizes[i], &product))
            return "it has too many elements to count";
    }
    if (product > INT64_MAX / 16)
        return "it has too many elements to count";
    *numel = empty ? 0 : product;
    return NULL;
}

/* Whether the view lies inside its storage. */
static const char *view_fault(const pt_tensor *t, int64_t numel) {
    int64_t last = t->offset;
    if (t->offset < 0)
        return mem_printf("its storage offset %lld is negative", (long long)t->offset);
    for (int i = 0; i < t->ndim; i++) {
        int64_t reach;
        if (t->strides[i] < 0)
            return mem_printf("dimension %d has the negative stride %lld", i, (long long)t->strides[i]);
        if (numel && (__builtin_mul_overflow(t->sizes[i] - 1, t->strides[i], &reach) ||
                      __builtin_add_overflow(last, reach, &last)))
            return "its strides overflow";
    }
    if (!numel)
        return NULL;
    if (last >= INT64_MAX / 16 || bytes_of(t->dtype, (uint64_t)last + 1) > t->storage->size)
        return mem_printf("its last element, number %lld, lies outside of the storage '%s' of %zu bytes",
                          (long long)last, t->storage->key, t->storage->size);
    uint64_t dense = bytes_of(t->dtype, (uint64_t)numel);
    if (dense > t->storage->size && dense > free_expansion)
        return mem_printf("it repeats %zu bytes to %llu", t->storage->size, (unsigned long long)dense);
    return NULL;
}

static bool is_vector(const pt_tensor *t, int64_t size) {
    return t->layout == PT_STRIDED && t->ndim == 1 && (size < 0 || t->sizes[0] == size);
}

static const char *quantizer_fault(const pt_tensor *t) {
    bool quantized_type = t->dtype == PT_QINT8 || t->dtype == PT_QUINT8 || t->dtype == PT_QINT32 ||
                          t->dtype == PT_QUINT4X2 || t->dtype == PT_QUINT2X4;
    if (t->qscheme == PT_NOT_QUANTIZED)
        return quantized_type ? mem_printf("it is of type %s but has no scale", pt_dtype_name(t->dtype)) : NULL;
    if (!quantized_type)
        return mem_printf("it has a scale but is of type %s", pt_dtype_name(t->dtype));
    if (t->qscheme == PT_PER_TENSOR_AFFINE)
        return NULL;
    if (t->axis < 0 || t->axis >= t->ndim)
        return mem_printf("its quantization axis %d is not one of its %d dimensions", t->axis, t->ndim);
    if (!is_vector(t->scales, t->sizes[t->axis]) || !is_vector(t->zero_points, t->sizes[t->axis]))
        return "its scales or zero points are not as many as the quantized axis is long";
    bool floating = t->qscheme == PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS;
    bool scales_ok = t->scales->dtype == PT_FLOAT64 || t->scales->dtype == PT_FLOAT32;
    bool zero_points_ok = floating ? t->zero_points->dtype == PT_FLOAT32 || t->zero_points->dtype == PT_FLOAT64
                                   : t->zero_points->dtype == PT_INT64 || t->zero_points->dtype == PT_INT32;
    if (!scales_ok || !zero_points_ok)
        return mem_printf("its scales are %s and its zero points %s", pt_dtype_name(t->scales->dtype),
                          pt_dtype_name(t->zero_points->dtype));
    return NULL;
}

/* Reads element i of an int32 or int64 vector, or element [d, i] of a matrix, where it lies. */
static int64_t index_at(const pt_tensor *t, int64_t d, int64_t i) {
    int64_t at = t->offset + i * t->strides[t->ndim - 1] + (t->ndim > 1 ? d * t->strides[0] : 0);
    return t->dtype == PT_INT64 ? ((const int64_t *)t->storage->data)[at] : ((const int32_t *)t->storage->data)[at];
}

static const char *coo_fault(const pt_tensor *t) {
    const pt_tensor *indices = t->indices, *values = t->values;
    if (indices->layout != PT_STRIDED || values->layout != PT_STRIDED || indices->ndim != 2 ||
        indices->dtype != PT_INT64)
        return "its indices are not an int64 matrix";
    int64_t sparse_dims = indices->sizes[0];
    if (values->ndim < 1 || values->sizes[0] != indices->sizes[1])
        return "it has not as many values as indices";
    if (sparse_dims + values->ndim - 1 != t->ndim)
        return "its indices and values do not add up to its dimensions";
    for (int i = 1; i < values->ndim; i++)
        if (values->sizes[i] != t->sizes[sparse_dims + i - 1])
            return mem_printf("the values' dimension %d does not fit its sizes", i);
    for (int64_t d = 0; d < sparse_dims; d++)
        for (int64_t i = 0; i < indices->sizes[1]; i++) {
            int64_t index = index_at(indices, d, i);
            if (index < 0 || index >= t->sizes[d])
                return mem_printf("index %lld is outside of dimension %lld", (long long)index, (long long)d);
        }
    return NULL;
}

static const char *csr_fault(const pt_tensor *t) {
    const pt_tensor *rows = t->row_starts, *columns = t->columns;
    if (t->ndim != 2)
        return mem_printf("sparse CSR tensors of %d dimensions are not supported", t->ndim);
    if (!is_vector(rows, t->sizes[0] + 1) || !is_vector(columns, -1) || !is_vector(t->values, columns->sizes[0]))
        return "its row starts, columns and values do not fit its sizes";
    if ((rows->dtype != PT_INT64 && rows->dtype != PT_INT32) || columns->dtype != rows->dtype)
        return "its row starts and columns are not of one integer type";
    int64_t count = columns->sizes[0], previous = 0;
    for (int64_t i = 0; i <= t->sizes[0]; i++) {
        int64_t start = index_at(rows, 0, i);
        if (start < previous || start > count)
            return mem_printf("its row starts are out of order at row %lld", (long long)i);
        previous = start;
    }
    if (index_at(rows, 0, 0) != 0 || previous != count)
        return "its row starts do not cover its values";
    for (int64_t i = 0; i < count; i++) {
        int64_t column = index_at(columns, 0, i);
        if (column < 0 || column >= t->sizes[1])
            return mem_printf("column %lld is outside of its sizes", (long long)column);
    }
    return NULL;
}

/* Sizes may be larger than any memory: a sparse tensor is valid then, though it cannot be written out as a dense one.
 */
static const char *sparse_fault(const pt_tensor *t) {
    if (t->values->dtype != t->dtype)
        return "its values have another type";
    return t->layout == PT_SPARSE_COO ? coo_fault(t) : csr_fault(t);
}

const char *pt_tensor_fault(const pt_tensor *t) {
    int64_t numel;
    const char *fault = sizes_fault(t, &numel);
    if (!fault)
        fault = t->layout == PT_STRIDED ? view_fault(t, numel) : sparse_fault(t);
    return fault ? fault : quantizer_fault(t);
}

/* Bytes of a number of a floating type, or of a part of a complex one; 0 for other types. */
static size_t signed_part(pt_dtype dtype, bool *is_complex) {
    *is_complex = pt_dtype_is_complex(dtype);
    return *is_complex ? pt_dtype_size(dtype) / 2 : pt_dtype_is_floating(dtype) ? pt_dtype_size(dtype) : 0;
}

/* Signs are the highest bits of the numbers' last bytes. */
bool pt_tensor_resolve(pt_tensor *t, bool conjugated, bool negated) {
    bool is_complex;
    size_t part = signed_part(t->dtype, &is_complex);
    if (!conjugated && !negated)
        return true;
    if (!part || (conjugated && !is_complex))
        return false;
    pt_storage *s = MEM_NEW(pt_storage);
    *s = *t->storage;
    uint8_t *data = mem_alloc(s->size);
    if (s->size)
        memcpy(data, s->data, s->size);
    for (size_t n = 0; n < s->size / part; n++)
        if (negated != (conjugated && n % 2))
            data[n * part + part - 1] ^= 0x80;
    s->data = data;
    t->storage = s;
    return true;
}
