/* Reads tensors from NumPy's .npy files, and writes them. */
#include "platform/runner/npy.h"

#include "platform/platform.h"
#include "platform/runner/die.h"
#include "platform/runner/element.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a header says, and its text for looking up keys. */
typedef struct {
    const char *path;
    char text[512];
    size_t data_offset;
} npy_header;

_Noreturn static void bad(const char *path, const char *what) {
    die(EXIT_BAD_INPUT, "%s: %s", path, what);
}

static void read_header(npy_header *h, const platform_file *file) {
    const uint8_t *p = file->data;
    if (file->bytes < 12 || memcmp(p, "\x93NUMPY", 6) != 0)
        bad(h->path, "this is not a .npy file");
    const bool short_length = p[6] == 1;
    const size_t start = short_length ? 10 : 12;
    size_t n = (size_t)(p[8] | p[9] << 8);
    if (!short_length)
        n |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    if (p[6] < 1 || p[6] > 3 || n >= sizeof h->text || n > file->bytes - start)
        bad(h->path, "the header is damaged or of an unknown version");
    memcpy(h->text, p + start, n);
    h->text[n] = 0;
    h->data_offset = start + n;
}

/* The text after a key of the header, which is the literal of a Python dict. */
static const char *lookup(const npy_header *h, const char *key) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(h->text, quoted);
    if (!at)
        bad(h->path, "a key is missing in the header");
    at += strlen(quoted);
    return at + strspn(at, " ");
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const char own_order = '>';
#else
static const char own_order = '<';
#endif

/* As files have them that begin with the least byte; `|` stands where there is one byte. */
static const struct {
    const char *descr;
    tsm_dtype dtype;
} names[] = {{"|b1", TSM_BOOL},      {"|u1", TSM_UINT8},      {"|i1", TSM_INT8},    {"<i2", TSM_INT16},
             {"<i4", TSM_INT32},     {"<i8", TSM_INT64},      {"<f2", TSM_FLOAT16}, {"<f4", TSM_FLOAT32},
             {"<f8", TSM_FLOAT64},   {"<u2", TSM_UINT16},     {"<u4", TSM_UINT32},  {"<u8", TSM_UINT64},
             {"<c8", TSM_COMPLEX64}, {"<c16", TSM_COMPLEX128}};

/* The element type, and whether the bytes of an element must be turned round. */
static tsm_dtype header_dtype(const npy_header *h, bool *is_swapped) {
    const char *descr = lookup(h, "descr");
    if (*descr++ != '\'')
        bad(h->path, "tensors have no elements of several fields");
    const bool has_order = *descr == '<' || *descr == '>';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *name = names[i].descr;
        const size_t n = strlen(name);
        if (has_order == (*name == '<') && strncmp(descr + 1, name + 1, n - 1) == 0 && descr[n] == '\'') {
            *is_swapped = has_order && *descr != own_order;
            return names[i].dtype;
        }
    }
    die(EXIT_BAD_INPUT, "%s: tensors have no element type like '%.*s'", h->path, (int)strcspn(descr, "'"), descr);
}

static int header_shape(const npy_header *h, tsm_dim sizes[TSM_MAX_DIMS]) {
    const char *p = lookup(h, "shape");
    int dims = 0;
    if (*p++ != '(')
        bad(h->path, "the shape in the header is damaged");
    while (*(p += strspn(p, " ,")) != ')') {
        char *end;
        const long long size = strtoll(p, &end, 10);
        if (end == p || size < 0 || size > INT32_MAX || dims == TSM_MAX_DIMS)
            bad(h->path, "the shape in the header is damaged or has too many dimensions");
        sizes[dims++] = (tsm_dim)size;
        p = end;
    }
    return dims;
}

/* Strides in elements and the number of bytes, which must fit what the file holds. A side of 0 counts as 1 in strides,
 * as in PyTorch. */
static size_t lay_out(const npy_header *h, int dims, const tsm_dim *sizes, tsm_dim *strides, size_t element,
                      size_t available) {
    const bool columns = strncmp(lookup(h, "fortran_order"), "True", 4) == 0;
    bool is_empty = false;
    for (int d = 0; d < dims; d++)
        is_empty |= sizes[d] == 0;
    const size_t most = is_empty ? INT32_MAX : available / element;
    size_t count = 1;
    for (int k = 0; k < dims; k++) {
        const int d = columns ? k : dims - 1 - k;
        strides[d] = (tsm_dim)count;
        if (sizes[d] > 0 && count > most / (size_t)sizes[d])
            bad(h->path, is_empty ? "the shape in the header is too large" : "the file is shorter than its shape");
        count *= sizes[d] > 0 ? (size_t)sizes[d] : 1;
    }
    if (!is_empty && count > most)
        bad(h->path, "the file is shorter than its shape");
    return is_empty ? 0 : count * element;
}

/* Turns round the bytes of each number; a complex one has two. */
static void swap_bytes(char *data, size_t n, tsm_dtype dtype) {
    const bool is_complex = dtype == TSM_COMPLEX64 || dtype == TSM_COMPLEX128;
    const size_t size = tsm_dtype_size(dtype) / (is_complex ? 2 : 1);
    for (size_t at = 0; at < n; at += size)
        for (size_t low = at, high = at + size - 1; low < high; low++, high--) {
            const char byte = data[low];
            data[low] = data[high];
            data[high] = byte;
        }
}

tsm_value npy_value_of(const char *name, const void *bytes, size_t n, tsm_instance *inst) {
    const platform_file file = {bytes, n};
    npy_header h = {.path = name};
    read_header(&h, &file);

    bool is_swapped;
    const tsm_dtype dtype = header_dtype(&h, &is_swapped);
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    const int dims = header_shape(&h, sizes);
    const size_t taken = lay_out(&h, dims, sizes, strides, tsm_dtype_size(dtype), n - h.data_offset);
    void *data = keep(taken); /* a copy, as the program may write to its arguments */
    memcpy(data, (const char *)bytes + h.data_offset, taken);
    if (is_swapped)
        swap_bytes(data, taken, dtype);

    tsm_value tensor;
    const tsm_status status = tsm_tensor_wrap(inst, &tensor, dtype, dims, sizes, strides, data);
    if (status != TSM_OK)
        die_of(status, tsm_error(inst));
    return tensor;
}

tsm_value npy_value(const char *path, tsm_instance *inst) {
    platform_file file;
    char reason[128];
    if (!platform_file_open(&file, path, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, reason);
    return npy_value_of(path, file.data, file.bytes, inst);
}

/* ---- Writing ---- */

/* The header, up to a multiple of 64 bytes; its length. */
static size_t make_header(const tsm_tensor_view *t, char text[NPY_MOST_HEADER]) {
    const char *descr = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        descr = names[i].dtype == t->dtype ? names[i].descr : descr;
    if (!descr)
        die(EXIT_BAD_INPUT, ".npy files have no elements of type %s; write .json", tsm_dtype_name(t->dtype));
    size_t n =
        10 + (size_t)snprintf(text + 10, NPY_MOST_HEADER - 10, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                              *descr == '|' ? '|' : own_order, descr + 1);
    for (int d = 0; d < t->dims; d++)
        n += (size_t)snprintf(text + n, NPY_MOST_HEADER - n, "%td, ", t->sizes[d]);
    n += (size_t)snprintf(text + n, NPY_MOST_HEADER - n, "), }");
    const size_t whole = (n + 64) / 64 * 64;
    memset(text + n, ' ', whole - n);
    text[whole - 1] = '\n';
    memcpy(text, "\x93NUMPY\1\0", 8);
    text[8] = (char)((whole - 10) & 255);
    text[9] = (char)((whole - 10) >> 8);
    return whole;
}

void *npy_bytes(const tsm_tensor_view *t, size_t *n) {
    char header[NPY_MOST_HEADER];
    const size_t start = make_header(t, header), size = tsm_dtype_size(t->dtype);
    const tsm_dim count = element_count(t);
    char *bytes = keep(start + (size_t)count * size), *at = bytes + start;
    memcpy(bytes, header, start);
    element_walk walk;
    element_walk_start(&walk, t);
    for (tsm_dim i = 0; i < count; i++, at += size) {
        memcpy(at, walk.at, size);
        if (i + 1 < count)
            element_walk_next(&walk);
    }
    *n = start + (size_t)count * size;
    return bytes;
}
