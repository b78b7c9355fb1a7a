/* Fuzzing harness: calls of operators with hostile arguments, through the interpreter's own call.
 *
 * An input is a sequence of calls, each a header of HEADER_BYTES and, for each argument, a record of RECORD_BYTES from
 * which a value is made that the operator's row in the table accepts (which is all that a file can bring about). Any
 * bytes are well formed; what is missing counts as zero. Arguments may be values of earlier arguments and results.
 *
 * Checked, beside what sanitizers and guard pages see: results and changed arguments are consistent, nothing stays
 * allocated at the end, and no result depends on what the buffer held before. With HARNESS_FAILURES in the environment
 * each input runs again for every allocation of its operators, which then fails: the call ends with TSM_OUT_OF_MEMORY,
 * or does without and gives what it gave. With HARNESS_DTYPES it runs again with all tensors of each dtype. Where the
 * library counts its basic blocks (count_blocks.c), inputs also run with larger tensors, lists and texts, and operators
 * charge for what they do. With HARNESS_SHOW in the environment the calls are printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/interpreter/machine.h"
#include "runtime/interpreter/operators.h"
#include "runtime/tensor/tensor.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/show.h"
#include "tests/memory/failing_heap.h"
#include "tests/unit/heap_check.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define HARNESS_MSAN 1
#endif
#if __has_feature(thread_sanitizer)
#include <pthread.h>
#define HARNESS_TSAN 1
#endif
#endif

enum {
    HEADER_BYTES = 8,
    SHORT_WAY = 128, /* of the third byte: the operator's short kernel is tried first */
    RECORD_BYTES = 24,
    MAX_CALLS = 4,
    MAX_VARIABLE = 6, /* inputs and outputs of operators that take any number of them */
    /* Registers: the arguments of the call at hand, its results, and results of earlier calls. */
    FIRST_RESULT = TSM_MAX_OPERATOR_INPUTS,
    FIRST_KEPT = FIRST_RESULT + TSM_MAX_OPERATOR_OUTPUTS,
    KEPT = 8,
    REGISTERS = FIRST_KEPT + KEPT,
    MOST_ELEMENTS = 4096,
    MOST_GROWTH = 9,
    BORROWED_BYTES = MOST_ELEMENTS * 16,
    BORROWED = 8,
    BUFFER_BYTES = 1 << 18,
    FUEL = 100000,
    MESSAGE_BYTES = 300,
    MAX_NESTING = 3,
    MOST_FAILURES = 64, /* of allocations, one for each run of an input */
    /* What operators may do for what they charge (docs/bounds.md), in basic blocks of a build that counts them. */
    BLOCKS_PER_UNIT = 128,
    BLOCKS_PER_CALL = 5000,
};

typedef struct {
    const uint8_t *at, *end;
} bytes_left;

typedef struct {
    tsm_instance inst;
    machine m;
    tsm_function function;
    tsm_value registers[REGISTERS];
    uint32_t used; /* argument registers */
    uint32_t next_kept;
    bytes_left in;
    uint8_t sizes[2], dtype; /* that most tensors of the call have */
    uint8_t growth;          /* how many times larger tensors, lists and texts are than the input says */
    uint32_t next_borrowed;
    uint8_t fill; /* what the buffer held before */
    uint64_t sum; /* of all results */
    bool all_accepted, may_leak, is_uninitialized;
    bool is_in_operator, lacked_memory; /* an operator has said TSM_OUT_OF_MEMORY */
    uint8_t only_dtype;                 /* of all tensors, or TSM_DTYPE_COUNT */
} execution;

static uint8_t *buffer, *borrowed[BORROWED], *message;
static const tsm_operator **rows;
static bool shows_calls, lets_fail, changes_dtypes;
static execution at_work;

/* Of allocations only those of operators fail. */
static bool operator_fails(void) {
    return at_work.is_in_operator && failing_heap_next();
}

/* ---- Reading the input ---- */

static const uint8_t *take_bytes(bytes_left *in, size_t n, uint8_t *room) {
    const size_t left = (size_t)(in->end - in->at), have = n < left ? n : left;
    memset(room, 0, n);
    memcpy(room, in->at, have);
    in->at += have;
    return room;
}

/* The record of item i of a container: like the container's, or different in a few bytes. */
static void item_record(const uint8_t *record, size_t i, uint8_t *to) {
    memcpy(to, record, RECORD_BYTES);
    uint64_t sum = record[23];
    for (size_t k = 0; k < 3; k++)
        sum = harness_mix(sum, (uint64_t)record[k + 16] << 8 | i);
    to[0] = (uint8_t)(sum | 0x40); /* made, not taken from elsewhere */
    to[4] = (uint8_t)(sum >> 8);
    if (record[22] & 1)
        to[5 + (sum >> 16) % 8] = (uint8_t)(sum >> 24);
    if (record[22] & 2)
        to[1 + (sum >> 32) % 4] = (uint8_t)(sum >> 40);
    to[16] = (uint8_t)(sum >> 48);
}

/* ---- Numbers and strings ---- */

static int64_t make_int(uint8_t code, const uint8_t *raw) {
    if (code < 192)
        return code % 16 - 4;
    if (code < 248)
        return harness_extreme_int(code - 192u);
    int64_t v;
    memcpy(&v, raw, sizeof v);
    return v;
}

static double make_float(uint8_t code, const uint8_t *raw) {
    if (code < 128)
        return (code % 32 - 8) / 4.0;
    if (code < 248)
        return harness_extreme_float(code - 128u);
    double v;
    memcpy(&v, raw, sizeof v);
    return v;
}

static tsm_status make_text(execution *e, const uint8_t *r, tsm_value *out) {
    static const char *const texts[] = {
        "",        "a",         "mean",     "sum",       "none",     "max",   "floor",        "trunc",    "constant",
        "reflect", "replicate", "circular", "ij,jk->ik", "i,j",      "ii->i", "...ij->...ji", "bilinear", "nearest",
        "area",    "bicubic",   "left",     "right",     "same",     "valid", "tanh",         "%d",       "%s%s",
        "{}",      "{} {}",     "{0}",      "cpu",       "cuda:1",   "1e400", "-12",          "0x1F",     " 7 ",
        "nan",     "abcabc",    "a b\tc\n", "\xc3\xa9",  "\xff\xfe", "utf-8", "ignore",       "inf",      "S",
        "fro",     "nuc",       "ij",       "xy",        "A"};
    const bool is_known = r[4] < 224;
    const char *text = is_known ? texts[r[4] % (sizeof texts / sizeof *texts)] : (const char *)r + 5;
    const size_t n = is_known ? strlen(text) : r[4] % 17u;
    char grown[MOST_GROWTH * 32];
    for (size_t i = 0; i < e->growth; i++)
        memcpy(grown + i * n, text, n);
    return tsm_make_str(&e->inst.exec, grown, n * e->growth, out);
}

/* ---- Tensors ---- */

static uint8_t make_dtype(const execution *e, uint8_t code) {
    if (e->only_dtype < TSM_DTYPE_COUNT)
        return e->only_dtype;
    const uint8_t position = (code < 128 ? e->dtype : code) % (TSM_DTYPE_COUNT - TSM_DTYPE_GAP);
    return position > TSM_BFLOAT16 ? position + TSM_DTYPE_GAP : position;
}

static tsm_dim make_size(const execution *e, uint8_t code) {
    static const uint8_t sizes[] = {1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 16, 17, 31, 33, 64, 65};
    const tsm_dim size = code < 144 ? e->sizes[code % 2] : code < 160 ? 1 : sizes[code % 16];
    return size > 1 ? size * e->growth : size;
}

/* Sizes of at most MOST_ELEMENTS elements; returns their number. */
static tsm_dim make_sizes(const execution *e, const uint8_t *codes, int dims, tsm_dim *sizes) {
    tsm_dim elements = 1;
    for (int d = 0; d < dims; d++) {
        sizes[d] = make_size(e, codes[d]);
        if (sizes[d] && elements > MOST_ELEMENTS / sizes[d])
            sizes[d] = 1;
        elements *= sizes[d];
    }
    return elements;
}

enum { CONTIGUOUS, TRANSPOSED, CHANNELS_LAST, SLICED, EXPANDED, HUGE_EXPANDED, OVERLAPPING, LAYOUTS };

/* Strides and, for some layouts, other sizes. Elements reach at most MOST_ELEMENTS * 2 elements far. */
static void make_strides(int layout, const uint8_t *codes, int dims, tsm_dim *sizes, tsm_dim *strides) {
    tsm_strides_contiguous(dims, sizes, strides);
    const int d = dims ? codes[7] % dims : 0;
    switch (layout) {
    case TRANSPOSED:
        for (int a = 0, b = dims - 1; a < b; a++, b--) {
            const tsm_dim size = sizes[a], stride = strides[a];
            sizes[a] = sizes[b], strides[a] = strides[b];
            sizes[b] = size, strides[b] = stride;
        }
        break;
    case CHANNELS_LAST:
        if (dims == 4 || dims == 5)
            tsm_strides_channels_last(dims, sizes, strides);
        break;
    case SLICED:
        for (int k = 0; k < dims; k++)
            strides[k] *= 2;
        break;
    case EXPANDED:
        if (dims)
            strides[d] = 0;
        break;
    case HUGE_EXPANDED:
        if (dims) {
            const int64_t huge = harness_extreme_int(codes[6]);
            strides[d] = 0;
            sizes[d] = huge > 0 ? tsm_dim_min((tsm_dim)(huge & PTRDIFF_MAX), PTRDIFF_MAX / 16) : 70000;
        }
        break;
    case OVERLAPPING:
        for (int k = 0; k < dims; k++)
            strides[k] = 1;
        break;
    default:
        break;
    }
}

static void fill_elements(uint8_t *data, size_t bytes, tsm_dtype dtype, const uint8_t *r) {
    const size_t n = bytes / tsm_dtype_size(dtype);
    const bool is_float =
        dtype == TSM_FLOAT32 || dtype == TSM_FLOAT64 || dtype == TSM_COMPLEX64 || dtype == TSM_COMPLEX128;
    const bool is_double = dtype == TSM_FLOAT64 || dtype == TSM_COMPLEX128;
    memset(data, 0, bytes);
    if (dtype == TSM_BOOL) {
        for (size_t i = 0; i < n; i++)
            data[i] = (r[4] >> i % 8 & 1) != 0;
        return;
    }
    if (is_float) {
        const size_t size = is_double ? 8 : 4;
        for (size_t i = 0; i < bytes / size; i++) {
            const double v = make_float((uint8_t)(r[4] + 37 * i * (r[4] & 1)), r + 16);
            const float f = (float)v;
            memcpy(data + i * size, is_double ? (const void *)&v : (const void *)&f, size);
        }
        return;
    }
    const size_t size = tsm_dtype_size(dtype);
    for (size_t i = 0; i < n; i++) {
        const uint8_t code = (uint8_t)(r[4] + 37 * i * (r[4] & 1));
        int64_t v = r[4] & 2 ? code % 4 : make_int(code, r + 16);
        memcpy(data + i * size, &v, size < 8 ? size : 8);
    }
}

static tsm_status add_quantizer(execution *e, tsm_value v, const uint8_t *r) {
    const tsm_tensor *t = tsm_as_tensor(v);
    double scales[MOST_ELEMENTS], float_zero_points[MOST_ELEMENTS];
    int64_t zero_points[MOST_ELEMENTS];
    int axis = -1;
    tsm_dim channels = 1;
    if (r[13] & 1 && t->dims && t->sizes[r[13] / 2 % t->dims] > 0 && t->sizes[r[13] / 2 % t->dims] <= MOST_ELEMENTS) {
        axis = r[13] / 2 % t->dims;
        channels = t->sizes[axis];
    }
    for (tsm_dim i = 0; i < channels; i++) {
        scales[i] = r[14] < 192 ? 0.25 * (double)(1 + (r[14] + i) % 8) : make_float((uint8_t)(r[14] + i), r + 16);
        zero_points[i] = r[15] < 192 ? (r[15] + i) % 8 : make_int((uint8_t)(r[15] + i), r + 16);
        float_zero_points[i] = make_float((uint8_t)(r[15] + i), r + 16);
    }
    if (axis >= 0 && r[13] & 128)
        return tsm_tensor_set_float_quantizer(&e->inst, v, axis, channels, scales, float_zero_points);
    return tsm_tensor_set_quantizer(&e->inst, v, axis, channels, scales, zero_points);
}

static tsm_status make_tensor(execution *e, const uint8_t *r, tsm_value *out) {
    const tsm_dtype dtype = (tsm_dtype)make_dtype(e, r[1]);
    const int dims = r[2] < 240 ? r[2] % 6 : r[2] % (TSM_MAX_DIMS + 1);
    const int layout = r[3] < 128 ? CONTIGUOUS : r[3] % LAYOUTS;
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    make_sizes(e, r + 5, dims, sizes);
    make_strides(layout, r + 5, dims, sizes, strides);
    size_t bytes;
    if (!tsm_tensor_reach(dims, sizes, strides, tsm_dtype_size(dtype), &bytes) || bytes > BORROWED_BYTES)
        return TSM_OUT_OF_MEMORY;
    uint8_t *data;
    if (r[0] & 0x20) {
        data = borrowed[e->next_borrowed++ % BORROWED] + BORROWED_BYTES - bytes;
        TSM_TRY(tsm_tensor_wrap(&e->inst, out, dtype, dims, sizes, strides, data));
    } else {
        tsm_tensor *t;
        TSM_TRY(tsm_tensor_make_strided(&e->inst.exec, dtype, dims, sizes, strides, &t));
        *out = tsm_of_tensor(t);
        data = t->data;
    }
    fill_elements(data, bytes, dtype, r);
    if (r[13] & 0x40)
        tsm_as_tensor(*out)->flags |= TSM_TENSOR_REQUIRES_GRAD;
    if (r[13] & 0x80 && r[0] & 0x20)
        tsm_as_tensor(*out)->storage->flags |= TSM_STORAGE_CONSTANT;
    return dtype == TSM_QINT8 || dtype == TSM_QUINT8 || dtype == TSM_QINT32 ? add_quantizer(e, *out, r) : TSM_OK;
}

/* ---- Values of any kind ---- */

static tsm_status make_value(execution *e, const uint8_t *r, uint32_t accepted, int depth, tsm_value *out);

static tsm_status make_list(execution *e, const uint8_t *r, uint32_t items, int depth, tsm_value *out) {
    static const uint8_t lengths[] = {2, 1, 0, 3, 4, 2, 1, 6};
    tsm_list *l;
    const size_t n = depth >= MAX_NESTING ? 0 : e->growth * (r[2] < 240 ? lengths[r[2] % 8] : r[2] % 20u);
    if (items == TSM_ACCEPTS_ALL_ITEMS >> TSM_ACCEPTS_ITEMS) {
        /* Lists of one kind of items, mostly. */
        static const uint8_t tags[] = {TSM_TAG_INT,  TSM_TAG_FLOAT, TSM_TAG_STR, TSM_TAG_TENSOR,
                                       TSM_TAG_BOOL, TSM_TAG_TUPLE, TSM_TAG_LIST};
        if (r[3] < 192)
            items = UINT32_C(1) << tags[r[3] % sizeof tags];
    }
    TSM_TRY(tsm_make_list(&e->inst.exec, n, &l));
    *out = tsm_of(TSM_TAG_LIST, l);
    for (size_t i = 0; i < n; i++) {
        uint8_t record[RECORD_BYTES];
        tsm_value item = tsm_none();
        item_record(r, i, record);
        tsm_status status = make_value(e, record, items | TSM_ACCEPTS_ALL_ITEMS, depth + 1, &item);
        status = status == TSM_OK ? tsm_list_append(&e->inst.exec, l, item) : status;
        tsm_drop(&e->inst.exec, item);
        TSM_TRY(status);
    }
    return TSM_OK;
}

static tsm_status make_tuple(execution *e, const uint8_t *r, int depth, tsm_value *out) {
    tsm_tuple *t;
    TSM_TRY(tsm_make_tuple(&e->inst.exec, depth < MAX_NESTING ? r[2] % 4 : 0, 0, &t));
    *out = tsm_of(TSM_TAG_TUPLE, t);
    for (size_t i = 0; i < t->length; i++) {
        uint8_t record[RECORD_BYTES];
        item_record(r, i, record);
        TSM_TRY(make_value(e, record, TSM_ACCEPTS_ALL, depth + 1, &t->items[i]));
    }
    return TSM_OK;
}

static tsm_status make_dict(execution *e, const uint8_t *r, int depth, tsm_value *out) {
    static const uint32_t keys[] = {TSM_ACCEPTS(INT),  TSM_ACCEPTS(STR),     TSM_ACCEPTS(FLOAT), TSM_ACCEPTS(TENSOR),
                                    TSM_ACCEPTS(BOOL), TSM_ACCEPTS(COMPLEX), TSM_ACCEPTS(ENUM),  TSM_ACCEPTS_ALL};
    TSM_TRY(tsm_dict_new(&e->inst, out));
    for (size_t i = 0; i < r[2] % 12 && depth < MAX_NESTING; i++) {
        uint8_t record[RECORD_BYTES];
        tsm_value key = tsm_none(), item = tsm_none();
        item_record(r, 2 * i, record);
        tsm_status status = make_value(e, record, keys[r[3] % 8], depth + 1, &key);
        item_record(r, 2 * i + 1, record);
        if (status == TSM_OK)
            status = make_value(e, record, TSM_ACCEPTS_ALL, depth + 1, &item);
        if (status == TSM_OK)
            status = tsm_dict_set(&e->inst, *out, key, item);
        tsm_drop(&e->inst.exec, key);
        tsm_drop(&e->inst.exec, item);
        TSM_TRY(status);
    }
    return TSM_OK;
}

static tsm_status make_object(execution *e, const uint8_t *r, int depth, tsm_value *out) {
    tsm_object *o;
    TSM_TRY(tsm_make_object(&e->inst.exec, 0, depth < MAX_NESTING ? r[2] % 3 : 0, &o));
    *out = tsm_of(TSM_TAG_OBJECT, o);
    for (size_t i = 0; i < o->length; i++) {
        uint8_t record[RECORD_BYTES];
        item_record(r, i, record);
        TSM_TRY(make_value(e, record, TSM_ACCEPTS_ALL, depth + 1, &o->slots[i]));
    }
    return TSM_OK;
}

static tsm_status make_future(execution *e, const uint8_t *r, int depth, tsm_value *out) {
    tsm_future *f;
    uint8_t record[RECORD_BYTES];
    TSM_TRY(tsm_make_future(&e->inst.exec, &f));
    *out = tsm_of(TSM_TAG_FUTURE, f);
    item_record(r, 0, record);
    return make_value(e, record, depth < MAX_NESTING ? TSM_ACCEPTS_ALL : TSM_ACCEPTS(INT), depth + 1, &f->value);
}

/* One of the tags in a mask. */
static uint32_t choose_tag(uint32_t mask, uint8_t code, int depth) {
    const uint32_t containers =
        TSM_ACCEPTS(LIST) | TSM_ACCEPTS(TUPLE) | TSM_ACCEPTS(DICT) | TSM_ACCEPTS(OBJECT) | TSM_ACCEPTS(FUTURE);
    mask &= (UINT32_C(1) << TSM_TAG_COUNT) - 1;
    if (depth >= MAX_NESTING && mask & ~containers)
        mask &= ~containers;
    if (mask & ~TSM_ACCEPTS(NONE) && code % 8 != 7)
        mask &= ~TSM_ACCEPTS(NONE);
    if (mask & ~TSM_ACCEPTS(GENERATOR))
        mask &= ~TSM_ACCEPTS(GENERATOR);
    unsigned at = code / 8u % (unsigned)__builtin_popcount(mask);
    while (at--)
        mask &= mask - 1;
    return (uint32_t)__builtin_ctz(mask);
}

/* A value of a tag that is accepted; a count of it in *out, also when that fails half way. */
static tsm_status make_value(execution *e, const uint8_t *r, uint32_t accepted, int depth, tsm_value *out) {
    tsm_exec *x = &e->inst.exec;
    *out = tsm_none();
    switch (choose_tag(accepted, (uint8_t)(r[0] + 8 * r[23]), depth)) {
    case TSM_TAG_BOOL:
        *out = tsm_bool(r[4] & 1);
        return TSM_OK;
    case TSM_TAG_INT:
        *out = tsm_int(make_int(r[4], r + 16));
        return TSM_OK;
    case TSM_TAG_FLOAT:
        *out = tsm_float(make_float(r[4], r + 16));
        return TSM_OK;
    case TSM_TAG_DEVICE:
        return tsm_device_parse(&e->inst, out, r[4] & 1 ? "cpu" : r[4] & 2 ? "cuda:1" : "meta");
    case TSM_TAG_COMPLEX:
        return tsm_make_complex(x, make_float(r[4], r + 16), make_float(r[5], r + 16), out);
    case TSM_TAG_STR:
        return make_text(e, r, out);
    case TSM_TAG_TENSOR:
        return make_tensor(e, r, out);
    case TSM_TAG_LIST:
        return make_list(e, r, accepted >> TSM_ACCEPTS_ITEMS, depth, out);
    case TSM_TAG_TUPLE:
        return make_tuple(e, r, depth, out);
    case TSM_TAG_DICT:
        return make_dict(e, r, depth, out);
    case TSM_TAG_OBJECT:
        return make_object(e, r, depth, out);
    case TSM_TAG_ENUM:
        return tsm_make_enum(x, 0, r[4] % 3, "MEMBER", tsm_int(r[4] % 3), out);
    case TSM_TAG_FUTURE:
        return make_future(e, r, depth, out);
    case TSM_TAG_GENERATOR: { /* as the constants of files hold it */
        tsm_object *o;
        TSM_TRY(tsm_make_object(x, 0, 0, &o));
        *out = tsm_of(TSM_TAG_OBJECT, o);
        return TSM_OK;
    }
    default:
        return TSM_OK;
    }
}

/* ---- Consistency ---- */

static void check_tensor(const tsm_tensor *t) {
    if (t->dtype >= TSM_DTYPE_COUNT || t->dims > TSM_MAX_DIMS || !t->storage || !t->storage->references)
        harness_fault("a tensor without dtype, dimensions or storage");
    size_t reach = 0;
    tsm_dim elements;
    /* Strides of dimensions with fewer than two entries, and of tensors without elements, mean nothing. */
    for (int d = 0; d < t->dims; d++)
        if (t->sizes[d] < 0 || (t->elements && t->sizes[d] > 1 && t->strides[d] < 0))
            harness_fault("a tensor with negative sizes or strides");
    if (!tsm_count_elements(t->dims, t->sizes, &elements) || elements != t->elements)
        harness_fault("a tensor whose elements are miscounted");
    if (elements && !tsm_tensor_reach(t->dims, t->sizes, t->strides, tsm_dtype_size((tsm_dtype)t->dtype), &reach))
        harness_fault("a tensor whose elements are miscounted");
    const uint8_t *data = t->data;
    if (reach && (data < t->storage->data || reach > t->storage->bytes ||
                  (size_t)(data - t->storage->data) > t->storage->bytes - reach))
        harness_fault("a tensor that reaches out of its storage");
    const bool is_quantized = t->dtype == TSM_QINT8 || t->dtype == TSM_QUINT8 || t->dtype == TSM_QINT32;
    if (t->quantizer && !is_quantized)
        harness_fault("a tensor with a quantizer that is not quantized");
    /* Tensors without channels have no scales, as in PyTorch. */
    if (t->quantizer && (!t->quantizer->references || t->quantizer->axis < -1 ||
                         t->quantizer->channels < (t->quantizer->axis < 0 ? 1 : 0)))
        harness_fault("a tensor with a bad quantizer");
}

static void check_value(tsm_value v, int depth) {
    if (v.tag >= TSM_TAG_COUNT || (tsm_is_object(v) && (!v.as.o->references || v.as.o->tag != v.tag)))
        harness_fault("a value that is none");
    const tsm_value *items = NULL;
    size_t n = 0;
    switch (v.tag) {
    case TSM_TAG_TENSOR:
        check_tensor(tsm_as_tensor(v));
        break;
    case TSM_TAG_LIST:
        items = tsm_as_list(v)->items;
        n = tsm_as_list(v)->length;
        if (n > tsm_as_list(v)->capacity)
            harness_fault("a list longer than its block");
        break;
    case TSM_TAG_TUPLE:
        items = tsm_as_tuple(v)->items;
        n = tsm_as_tuple(v)->length;
        break;
    default:
        break;
    }
    for (size_t i = 0; depth < MAX_NESTING && i < n; i++)
        check_value(items[i], depth + 1);
}

static uint64_t sum_bytes(uint64_t sum, const void *data, size_t n) {
    const uint8_t *p = data;
#ifdef HARNESS_MSAN
    __msan_check_mem_is_initialized(p, n);
#endif
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        sum = harness_mix(sum, v);
    }
    for (; n; n--)
        sum = harness_mix(sum, *p++);
    return sum;
}

static uint64_t sum_tensor(uint64_t sum, const tsm_tensor *t) {
    sum = harness_mix(sum, t->dtype + 16u * t->dims);
    for (int d = 0; d < t->dims; d++)
        sum = harness_mix(sum, (uint64_t)t->sizes[d]);
    if (t->elements == 0 || t->elements > MOST_ELEMENTS)
        return sum;
    tsm_dim at[TSM_MAX_DIMS] = {0};
    const size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    for (tsm_dim i = 0; i < t->elements; i++) {
        tsm_dim offset = 0;
        for (int d = 0; d < t->dims; d++)
            offset += at[d] * t->strides[d];
        sum = sum_bytes(sum, (const uint8_t *)t->data + (size_t)offset * size, size);
        for (int d = t->dims - 1; d >= 0 && ++at[d] == t->sizes[d]; d--)
            at[d] = 0;
    }
    return sum;
}

static uint64_t sum_value(uint64_t sum, tsm_value v, int depth) {
    sum = harness_mix(sum, v.tag);
    switch (v.tag) {
    case TSM_TAG_BOOL:
        return harness_mix(sum, v.as.b);
    case TSM_TAG_INT:
        return harness_mix(sum, (uint64_t)v.as.i);
    case TSM_TAG_FLOAT:
        return sum_bytes(sum, &v.as.f, 8);
    case TSM_TAG_STR:
        return sum_bytes(sum, tsm_as_str(v)->text, tsm_as_str(v)->length);
    case TSM_TAG_TENSOR:
        return sum_tensor(sum, tsm_as_tensor(v));
    case TSM_TAG_LIST:
        for (uint32_t i = 0; i < tsm_as_list(v)->length && depth < MAX_NESTING; i++)
            sum = sum_value(sum, tsm_as_list(v)->items[i], depth + 1);
        return sum;
    case TSM_TAG_TUPLE:
        for (uint32_t i = 0; i < tsm_as_tuple(v)->length && depth < MAX_NESTING; i++)
            sum = sum_value(sum, tsm_as_tuple(v)->items[i], depth + 1);
        return sum;
    default:
        return sum;
    }
}

/* ---- Calls ---- */

/* Of operators that take any number of inputs: those that the schema names, and some more. */
static uint32_t input_count(const tsm_operator *op, const uint8_t *header) {
    uint32_t named = 0;
    if (op->inputs != 255)
        return op->inputs;
    while (op->accepted_types[named])
        named++;
    return named + header[5] % (MAX_VARIABLE + 1);
}

/* Whether its results are not determined: uninitialized memory, addresses of objects. */
static bool gives_anything(const tsm_operator *op) {
    return strstr(op->name, "empty") || strstr(op->name, "resize") || strstr(op->name, "data_ptr") ||
           strstr(op->name, "::id") || strstr(op->name, "::hash") || strstr(op->name, "aten::set_");
}

/* A register that holds a value of an accepted tag already, or UINT32_MAX. */
static uint32_t find_register(const execution *e, uint32_t accepted, uint8_t from) {
    const uint32_t n = e->used + KEPT;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (from + i) % n, reg = at < e->used ? at : FIRST_KEPT + at - e->used;
        const tsm_value v = e->registers[reg];
        if (v.tag != TSM_TAG_NONE && accepted >> v.tag & 1)
            return reg;
    }
    return UINT32_MAX;
}

/* Puts argument i into a register and its word into the list. */
static tsm_status make_argument(execution *e, uint32_t accepted, uint32_t *word) {
    uint8_t r[RECORD_BYTES];
    take_bytes(&e->in, RECORD_BYTES, r);
    const uint32_t found = r[0] < 0x40 ? find_register(e, accepted, r[1]) : UINT32_MAX;
    if (found != UINT32_MAX && r[2] & 1) {
        *word = found | (r[3] & 1 ? TSM_WORD_LAST_USE : 0);
        return TSM_OK;
    }
    const uint32_t reg = e->used++;
    *word = reg | (r[3] & 1 ? TSM_WORD_LAST_USE : 0);
    if (found != UINT32_MAX) {
        e->registers[reg] = tsm_hold(e->registers[found]);
        return TSM_OK;
    }
    return make_value(e, r, accepted, 0, &e->registers[reg]);
}

/* A register may be marked as used last only where nothing else of the call names it. */
static void mend_last_uses(uint32_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            if (k != i && (words[k] & TSM_WORD_INDEX) == (words[i] & TSM_WORD_INDEX))
                words[i] &= TSM_WORD_INDEX;
}

static void drop_register(execution *e, uint32_t reg) {
    const tsm_value v = e->registers[reg];
    e->registers[reg] = tsm_none();
    tsm_drop(&e->inst.exec, v);
}

static void keep_result(execution *e, uint32_t reg) {
    const uint32_t to = FIRST_KEPT + e->next_kept++ % KEPT;
    drop_register(e, to);
    e->registers[to] = e->registers[reg];
    e->registers[reg] = tsm_none();
}

/* Whether the call changes a list or a dict, which may then hold itself. */
static bool changes_container(const execution *e, const tsm_operator *op, const uint32_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n && i < 32; i++)
        if (op->written >> i & 1 && e->registers[words[i] & TSM_WORD_INDEX].tag != TSM_TAG_TENSOR)
            return true;
    return false;
}

/* Runs the operator, and holds what it does against what it charges. */
static tsm_status run_counted(execution *e, uint32_t index, const uint32_t *list, bool tries_short) {
    const tsm_exec *x = &e->inst.exec;
    const tsm_operator *op = &tsm_operator_table[index];
    const uint64_t work = x->work, left = work < FUEL ? FUEL - work : 0, before = harness_blocks();
    e->is_in_operator = true;
    tsm_status status = TSM_OK;
    if (!tries_short || !op->on_values || op->result_tag || !tsm_machine_run_on_values(&e->m, op, list))
        status = tsm_machine_run_operator(&e->m, index, list);
    e->is_in_operator = false;
    e->lacked_memory |= status == TSM_OUT_OF_MEMORY;
    const uint64_t blocks = harness_blocks() - before, charged = x->work - work;
    const uint64_t paid = charged < left ? charged : left; /* the charge that is refused is for nothing */
    if (shows_calls)
        fprintf(stderr, "    gives status %d, charges %llu units, takes %llu blocks\n", status,
                (unsigned long long)paid, (unsigned long long)blocks);
    if (blocks > BLOCKS_PER_CALL + BLOCKS_PER_UNIT * paid)
        harness_fault("%llu basic blocks for %llu units of work", (unsigned long long)blocks, (unsigned long long)paid);
    return status;
}

static void run_call(execution *e, const uint8_t *header) {
    const uint32_t index = (uint32_t)(header[0] | header[1] << 8) % (uint32_t)tsm_operator_count;
    const tsm_operator *op = &tsm_operator_table[index];
    uint32_t list[2 + TSM_MAX_OPERATOR_INPUTS + TSM_MAX_OPERATOR_OUTPUTS];
    e->sizes[0] = header[2] % 8;
    e->sizes[1] = header[3] % 4 + 1;
    e->dtype = header[4] < 128 ? TSM_FLOAT32 : header[4] % TSM_DTYPE_COUNT;
    const uint32_t n = input_count(op, header);
    list[0] = n;
    list[1] = op->outputs == 255 ? header[6] % (MAX_VARIABLE + 1) : op->outputs;
    harness_at(op->name);
    const uint32_t *accepted = op->accepted_types;
    for (uint32_t i = 0; i < n; i++)
        if (make_argument(e, *accepted ? *accepted++ : TSM_ACCEPTS_ALL, &list[2 + i]) != TSM_OK) {
            e->all_accepted = false;
            return;
        }
    mend_last_uses(list + 2, n);
    for (uint32_t i = 0; i < list[1]; i++)
        list[2 + n + i] = FIRST_RESULT + i;
    e->may_leak |= changes_container(e, op, list + 2, n);
    e->is_uninitialized |= gives_anything(op);
    if (shows_calls)
        show_call(op, e->registers, list + 2, n);
    const tsm_status status = run_counted(e, index, list, header[2] & SHORT_WAY);
    e->all_accepted &= status == TSM_OK;
    e->is_uninitialized |= status != TSM_OK && op->kind == TSM_OP_OUT; /* may be resized and not written */
    e->sum = harness_mix(e->sum, status);
    if (!heap_check(&e->inst.exec.heap))
        harness_fault("the heap is damaged");
    for (uint32_t i = 0; i < REGISTERS; i++)
        check_value(e->registers[i], 0);
    for (uint32_t i = 0; status == TSM_OK && i < list[1]; i++) {
        if (!e->is_uninitialized)
            e->sum = sum_value(e->sum, e->registers[FIRST_RESULT + i], 0);
        keep_result(e, FIRST_RESULT + i);
    }
}

/* ---- Executions ---- */

static const char *type_text(tsm_exec *x, uint32_t type, bool is_annotation) {
    (void)x, (void)type;
    return is_annotation ? "List[Thing]" : "__torch__.Thing";
}

static void count_text(void *context, const char *text, size_t n) {
    execution *e = context;
    e->sum = sum_bytes(e->sum, text, n);
}

static bool count_write(void *context, const char *file, uint64_t offset, const void *data, size_t n) {
    execution *e = context;
    e->sum = sum_bytes(e->sum, file, strlen(file));
    if (!e->is_uninitialized)
        e->sum = sum_bytes(harness_mix(e->sum, offset), data, n);
    return true;
}

#ifdef HARNESS_TSAN
typedef struct {
    void (*task)(void *argument, size_t index);
    void *argument;
    size_t index;
} thread_work;

static void *run_thread(void *argument) {
    const thread_work *w = argument;
    w->task(w->argument, w->index);
    return NULL;
}

/* Every task on a thread of its own. */
static void run_threads(void *context, void (*task)(void *argument, size_t index), void *argument, size_t tasks) {
    enum { MOST = 64 };
    static pthread_t threads[MOST];
    static thread_work work[MOST];
    (void)context;
    if (tasks > MOST)
        harness_fault("there are more tasks than the harness has room for");
    for (size_t i = 0; i < tasks; i++) {
        work[i] = (thread_work){task, argument, i};
        if (pthread_create(&threads[i], NULL, run_thread, &work[i]))
            harness_fault("there is no thread");
    }
    for (size_t i = 0; i < tasks; i++)
        pthread_join(threads[i], NULL);
}
enum { TICKS = 1000 }; /* threads cannot be left by a jump */
#define PARALLEL run_threads
#else
enum { TICKS = 2 };
#define PARALLEL run_backwards

/* Tasks may run in any order. */
static void run_backwards(void *context, void (*task)(void *argument, size_t index), void *argument, size_t tasks) {
    (void)context;
    while (tasks--)
        task(argument, tasks);
}
#endif

static void start(execution *e, size_t bytes) {
    tsm_exec *x = &e->inst.exec;
    uint8_t *begin = buffer + BUFFER_BYTES - bytes;
    tsm_heap_forget(begin, bytes);
#ifdef HARNESS_MSAN
    __msan_poison(begin, bytes);
#else
    memset(begin, e->fill, bytes);
#endif
    tsm_heap_init(&x->heap, begin, bytes);
    x->type_text = type_text;
    x->grad_enabled = true;
    x->fuel = FUEL;
    x->is_limited = true;
    x->message = (char *)message;
    x->message_bytes = MESSAGE_BYTES;
    x->platform = (tsm_platform){
        .context = e, .print = count_text, .warn = count_text, .write = count_write, .parallel = PARALLEL};
    e->inst.operators = rows;
    e->function.values = e->function.ints = e->function.floats = REGISTERS;
    e->m = (machine){.inst = &e->inst, .x = x, .f = &e->function, .r = e->registers};
}

static void finish(execution *e, size_t used) {
    tsm_exec *x = &e->inst.exec;
    for (uint32_t i = 0; i < REGISTERS; i++)
        drop_register(e, i);
    tsm_heap_free(&x->heap, x->random);
    tsm_heap_settle(&x->heap);
    if (!e->may_leak && x->heap.used != used)
        harness_fault("%zu bytes stay allocated", x->heap.used - used);
}

static void execute(void *context) {
    execution *e = context;
    uint8_t header[HEADER_BYTES] = {0};
    /* Small ones mostly: filling them takes longer than most operators. */
    static const uint32_t bytes[] = {1 << 15, 1 << 15, 1 << 15, 1 << 13, 1 << 15, 1 << 14, 1 << 16, BUFFER_BYTES};
    if (e->in.at < e->in.end)
        header[7] = e->in.end - e->in.at > 7 ? e->in.at[7] : 0;
    start(e, e->growth > 1 ? BUFFER_BYTES : bytes[header[7] % 8]);
    const size_t used = e->inst.exec.heap.used;
    for (int i = 0; i < MAX_CALLS && e->in.at < e->in.end; i++) {
        take_bytes(&e->in, HEADER_BYTES, header);
        run_call(e, header);
        for (e->used = e->used ? e->used : 0; e->used;)
            drop_register(e, --e->used);
    }
    finish(e, used);
}

/* How an input runs. */
typedef struct {
    uint8_t fill, growth, only_dtype;
    uint64_t failing; /* the number of the allocation that fails */
} variant;
static const variant usual = {0xA5, 1, TSM_DTYPE_COUNT, FAILING_NEVER};

/* False: it was stopped. */
static bool run_input(const uint8_t *data, size_t bytes, variant v) {
    memset(&at_work, 0, sizeof at_work);
    at_work.fill = v.fill;
    at_work.growth = v.growth;
    at_work.only_dtype = v.only_dtype;
    failing_heap_at(v.failing);
    at_work.in = (bytes_left){data, data + bytes};
    at_work.sum = 1;
    at_work.all_accepted = true;
    return harness_run(execute, &at_work, TICKS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static const tsm_operator *table[4096];
    if (tsm_operator_count > sizeof table / sizeof *table)
        harness_fault("there are more operators than the harness has room for");
    for (size_t i = 0; i < tsm_operator_count; i++)
        table[i] = &tsm_operator_table[i];
    rows = table;
    failing_heap.fails = operator_fails;
    lets_fail = getenv("HARNESS_FAILURES") != NULL;
    changes_dtypes = getenv("HARNESS_DTYPES") != NULL;
    shows_calls = getenv("HARNESS_SHOW") != NULL;
    buffer = harness_guarded(BUFFER_BYTES);
    message = harness_guarded(MESSAGE_BYTES);
    for (int i = 0; i < BORROWED; i++)
        borrowed[i] = harness_guarded(BORROWED_BYTES);
    return 0;
}

/* Whether the results are the same over another content of the buffer; uninitialized ones need not be. */
static void check_independence(const uint8_t *data, size_t bytes, variant v) {
    const uint64_t sum = at_work.sum;
    v.fill = 0x3C;
    if (!at_work.is_uninitialized && run_input(data, bytes, v) && at_work.sum != sum)
        harness_fault("a result depends on what the buffer held before");
}

static void let_fail(const uint8_t *data, size_t bytes, uint64_t sum, uint64_t requests) {
    variant v = usual;
    for (v.failing = 0; v.failing < requests && v.failing < MOST_FAILURES; v.failing++)
        if (run_input(data, bytes, v) && !at_work.lacked_memory && !at_work.is_uninitialized && at_work.sum != sum)
            harness_fault("without allocation %u the result is another one", (unsigned)v.failing);
}

static void change_dtypes(const uint8_t *data, size_t bytes) {
    variant v = usual;
    for (v.only_dtype = 0; v.only_dtype < TSM_DTYPE_COUNT; v.only_dtype++)
        if (tsm_dtype_exists(v.only_dtype) && run_input(data, bytes, v))
            check_independence(data, bytes, v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    const bool ended = run_input(data, bytes, usual);
    const uint64_t sum = at_work.sum;
    const uint64_t requests = failing_heap.requests;
    harness_count(ended && at_work.all_accepted);
    if (ended && bytes % 2 == 0)
        check_independence(data, bytes, usual);
    variant grown = usual;
    for (grown.growth = 3; harness_blocks() && grown.growth <= MOST_GROWTH; grown.growth *= 3)
        run_input(data, bytes, grown);
    if (lets_fail)
        let_fail(data, bytes, sum, requests);
    if (changes_dtypes)
        change_dtypes(data, bytes);
    return 0;
}

/* ---- Mutation ---- */

static size_t call_bytes(const uint8_t *call, size_t left) {
    if (left < HEADER_BYTES)
        return left;
    const tsm_operator *op = &tsm_operator_table[(size_t)(call[0] | call[1] << 8) % tsm_operator_count];
    const size_t bytes = HEADER_BYTES + input_count(op, call) * (size_t)RECORD_BYTES;
    return bytes < left ? bytes : left;
}

static void random_bytes(harness_random *r, uint8_t *to, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)harness_next(r);
}

static size_t random_call(harness_random *r, uint8_t *to, size_t most) {
    uint8_t call[HEADER_BYTES + TSM_MAX_OPERATOR_INPUTS * RECORD_BYTES];
    random_bytes(r, call, sizeof call);
    const size_t bytes = call_bytes(call, sizeof call);
    if (bytes > most)
        return 0;
    memcpy(to, call, bytes);
    return bytes;
}

/* Where call number `at` begins. */
static size_t find_call(const uint8_t *data, size_t bytes, size_t at) {
    size_t from = 0;
    while (at-- && from < bytes)
        from += call_bytes(data + from, bytes - from);
    return from;
}

static size_t count_calls(const uint8_t *data, size_t bytes) {
    size_t n = 0;
    for (size_t from = 0; from < bytes; n++)
        from += call_bytes(data + from, bytes - from);
    return n;
}

/* Changes bytes of one record, or of the header. */
static void change_record(harness_random *r, uint8_t *call, size_t bytes) {
    const size_t records = bytes < HEADER_BYTES + RECORD_BYTES ? 0 : (bytes - HEADER_BYTES) / RECORD_BYTES;
    if (!records || !harness_below(r, 6)) {
        if (bytes > 2)
            call[2 + harness_below(r, bytes - 2 < 6 ? bytes - 2 : 6)] = (uint8_t)harness_next(r);
        return;
    }
    uint8_t *record = call + HEADER_BYTES + RECORD_BYTES * harness_below(r, records);
    switch (harness_below(r, 4)) {
    case 0:
        random_bytes(r, record, RECORD_BYTES);
        break;
    case 1:
        memcpy(record, call + HEADER_BYTES + RECORD_BYTES * harness_below(r, records), RECORD_BYTES);
        break;
    default:
        for (size_t n = 1 + harness_below(r, 3); n > 0; n--)
            record[harness_below(r, harness_below(r, 3) ? 8 : RECORD_BYTES)] = (uint8_t)harness_next(r);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed) {
    harness_random r = {seed};
    const size_t calls = count_calls(data, bytes);
    if (!calls || (calls < MAX_CALLS && !harness_below(&r, 6)))
        return bytes + random_call(&r, data + bytes, most - bytes);
    const size_t at = find_call(data, bytes, harness_below(&r, calls)), size = call_bytes(data + at, bytes - at);
    if (calls > 1 && !harness_below(&r, 8)) { /* without this call */
        memmove(data + at, data + at + size, bytes - at - size);
        return bytes - size;
    }
    if (!harness_below(&r, 8)) { /* another operator, which then reads the same records */
        random_bytes(&r, data + at, bytes - at < 2 ? bytes - at : 2);
        return bytes;
    }
    change_record(&r, data + at, size);
    return bytes;
}
