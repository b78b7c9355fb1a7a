/* Reads tensors from NumPy's .npy files. */
#include "platform/runner/npy.h"

#include "platform/platform.h"
#include "platform/runner/die.h"
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

static tsm_dtype header_dtype(const npy_header *h) {
    static const struct {
        const char *descr;
        tsm_dtype dtype;
    } names[] = {{"|b1", TSM_BOOL},    {"|u1", TSM_UINT8},     {"|i1", TSM_INT8},       {"<i2", TSM_INT16},
                 {"<i4", TSM_INT32},   {"<i8", TSM_INT64},     {"<f2", TSM_FLOAT16},    {"<f4", TSM_FLOAT32},
                 {"<f8", TSM_FLOAT64}, {"<c8", TSM_COMPLEX64}, {"<c16", TSM_COMPLEX128}};
    const char *descr = lookup(h, "descr") + 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t n = strlen(names[i].descr);
        if (strncmp(descr, names[i].descr, n) == 0 && descr[n] == '\'')
            return names[i].dtype;
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

/* Strides in elements and the number of bytes, which must fit what the file holds. */
static size_t lay_out(const npy_header *h, int dims, const tsm_dim *sizes, tsm_dim *strides, size_t element,
                      size_t available) {
    const bool columns = strncmp(lookup(h, "fortran_order"), "True", 4) == 0;
    size_t count = 1;
    for (int k = 0; k < dims; k++) {
        const int d = columns ? k : dims - 1 - k;
        strides[d] = (tsm_dim)count;
        if (sizes[d] > 0 && count > available / element / (size_t)sizes[d])
            bad(h->path, "the file is shorter than its shape");
        count *= (size_t)sizes[d];
    }
    if (count > available / element)
        bad(h->path, "the file is shorter than its shape");
    return count * element;
}

tsm_value npy_value(const char *path, tsm_instance *inst) {
    platform_file file;
    char reason[128];
    if (!platform_file_open(&file, path, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, reason);
    npy_header h = {.path = path};
    read_header(&h, &file);

    const tsm_dtype dtype = header_dtype(&h);
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    const int dims = header_shape(&h, sizes);
    const size_t bytes = lay_out(&h, dims, sizes, strides, tsm_dtype_size(dtype), file.bytes - h.data_offset);
    void *data = keep(bytes); /* a copy, as the program may write to its arguments */
    memcpy(data, (const char *)file.data + h.data_offset, bytes);

    tsm_value tensor;
    const tsm_status status = tsm_tensor_wrap(inst, &tensor, dtype, dims, sizes, strides, data);
    if (status != TSM_OK)
        die_of(status, tsm_error(inst));
    return tensor;
}
