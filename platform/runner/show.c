/* Prints values for a person to read; long tensors are shortened. */
#include "platform/runner/show.h"

#include "platform/json/json_text.h"
#include "platform/runner/element.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHOLE = 1000, /* tensors with more elements are shortened */
    EDGE = 3,     /* to so many at each end of a dimension */
    MAX_NESTING = 50
};

static void show_float(FILE *out, double x) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", x);
    fprintf(out, isfinite(x) && !strpbrk(text, ".e") ? "%s." : "%s", text);
}

static void show_element(FILE *out, const tsm_tensor_view *t, const void *at) {
    const element e = element_load(t->dtype, at);
    switch (element_kind_of(t->dtype)) {
    case ELEMENT_BOOL:
        fputs(e.i ? "True" : "False", out);
        break;
    case ELEMENT_INT:
        fprintf(out, t->dtype == TSM_UINT64 ? "%" PRIu64 : "%" PRId64, e.i);
        break;
    case ELEMENT_FLOAT:
        show_float(out, e.re);
        break;
    case ELEMENT_COMPLEX:
        fprintf(out, "%.6g%+.6gj", e.re, e.im);
        break;
    }
}

/* Prints dimension d and those after it, from `at`; rows after the first of a matrix stand on lines of their own. */
static void show_dimension(FILE *out, const tsm_tensor_view *t, int d, const char *at, bool shorten) {
    if (d == t->dims) {
        show_element(out, t, at);
        return;
    }
    const tsm_dim bytes = t->strides[d] * (tsm_dim)tsm_dtype_size(t->dtype);
    fputc('[', out);
    for (tsm_dim i = 0; i < t->sizes[d]; i++) {
        if (i > 0)
            fprintf(out, d + 1 == t->dims ? ", " : ",\n%*s", d + 1 == t->dims ? 0 : d + 1, "");
        if (shorten && i == EDGE && t->sizes[d] > 2 * EDGE) {
            fprintf(out, d + 1 == t->dims ? "..., " : "...,\n%*s", d + 1 == t->dims ? 0 : d + 1, "");
            i = t->sizes[d] - EDGE;
        }
        show_dimension(out, t, d + 1, at + i * bytes, shorten);
    }
    fputc(']', out);
}

static void show_tensor(FILE *out, tsm_value v) {
    tsm_tensor_view t;
    if (!tsm_tensor_get(v, &t)) {
        fputs("undefined tensor", out);
        return;
    }
    fprintf(out, "%s[", tsm_dtype_name(t.dtype));
    for (int d = 0; d < t.dims; d++)
        fprintf(out, d ? ", %ld" : "%ld", (long)t.sizes[d]);
    fputs("]", out);
    if (t.quantizer_axis == -1)
        fprintf(out, " scale %.6g zero point %" PRId64, t.scales[0], t.zero_points[0]);
    else if (t.quantizer_axis >= 0)
        fprintf(out, " quantized along dimension %d", t.quantizer_axis);
    const tsm_dim n = element_count(&t);
    fputs(t.dims > 1 && n > 1 ? "\n" : " ", out);
    show_dimension(out, &t, 0, t.data, n > WHOLE);
}

static void show_nested(FILE *out, tsm_instance *inst, tsm_value v, int nesting);

static void show_items(FILE *out, tsm_instance *inst, tsm_value v, const char *ends, int nesting) {
    const size_t n = tsm_sequence_size(v);
    fputc(ends[0], out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        show_nested(out, inst, tsm_sequence_get(v, i), nesting);
    }
    fputs(n == 1 && ends[0] == '(' ? "," : "", out);
    fputc(ends[1], out);
}

static void show_dict(FILE *out, tsm_instance *inst, tsm_value v, int nesting) {
    fputc('{', out);
    for (size_t i = 0, n = tsm_dict_size(v); i < n; i++) {
        tsm_value key, item;
        tsm_dict_get(v, i, &key, &item);
        fputs(i ? ", " : "", out);
        show_nested(out, inst, key, nesting);
        fputs(": ", out);
        show_nested(out, inst, item, nesting);
    }
    fputc('}', out);
}

static void show_object(FILE *out, tsm_instance *inst, tsm_value v, int nesting) {
    fprintf(out, "%s(", tsm_class_name(inst, v));
    for (size_t i = 0, n = tsm_object_size(v); i < n; i++) {
        tsm_value item;
        const char *name = tsm_object_attribute(inst, v, i, &item);
        fprintf(out, i ? ", %s=" : "%s=", name);
        show_nested(out, inst, item, nesting);
    }
    fputc(')', out);
}

static void show_string(FILE *out, tsm_value v) {
    size_t n;
    const char *text = tsm_str_get(v, &n);
    fputc('\'', out);
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            fputs("\\n", out);
        else if (c < 0x20 || c == 0x7F)
            fprintf(out, "\\x%02x", c);
        else
            fprintf(out, c == '\'' || c == '\\' ? "\\%c" : "%c", c);
    }
    fputc('\'', out);
}

static void show_scalar(FILE *out, tsm_value v) {
    char device[24];
    double re, im;
    switch ((tsm_tag)v.tag) {
    case TSM_TAG_BOOL:
        fputs(v.as.b ? "True" : "False", out);
        break;
    case TSM_TAG_INT:
        fprintf(out, "%" PRId64, v.as.i);
        break;
    case TSM_TAG_FLOAT:
        fprintf(out, "%.17g", v.as.f);
        break;
    case TSM_TAG_COMPLEX:
        tsm_complex_get(v, &re, &im);
        fprintf(out, "(%.17g%+.17gj)", re, im);
        break;
    case TSM_TAG_DEVICE:
        tsm_device_text(v, device, sizeof device);
        fputs(device, out);
        break;
    case TSM_TAG_FUTURE:
        fputs("a Future", out);
        break;
    case TSM_TAG_GENERATOR:
        fputs("a Generator", out);
        break;
    default:
        fputs("None", out);
    }
}

static void show_nested(FILE *out, tsm_instance *inst, tsm_value v, int nesting) {
    tsm_value item;
    if (nesting == MAX_NESTING) {
        fputs("...", out);
        return;
    }
    switch ((tsm_tag)v.tag) {
    case TSM_TAG_STR:
        show_string(out, v);
        break;
    case TSM_TAG_TENSOR:
        show_tensor(out, v);
        break;
    case TSM_TAG_LIST:
        show_items(out, inst, v, "[]", nesting + 1);
        break;
    case TSM_TAG_TUPLE:
        show_items(out, inst, v, "()", nesting + 1);
        break;
    case TSM_TAG_DICT:
        show_dict(out, inst, v, nesting + 1);
        break;
    case TSM_TAG_OBJECT:
        show_object(out, inst, v, nesting + 1);
        break;
    case TSM_TAG_ENUM:
        fprintf(out, "%s.%s", tsm_class_name(inst, v), tsm_enum_get(inst, v, &item));
        break;
    default:
        show_scalar(out, v);
    }
}

void show_value(FILE *out, tsm_instance *inst, tsm_value v) {
    show_nested(out, inst, v, 0);
}

static int by_time(const void *a, const void *b) {
    const tsm_profile_row *x = a, *y = b;
    return (x->nanoseconds < y->nanoseconds) - (x->nanoseconds > y->nanoseconds);
}

static void write_profile(FILE *out, const tsm_profile_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s{\"operator\": \"%s\", \"calls\": %" PRIu64 ", \"ms\": %.6f, \"bytes\": %" PRIu64 "}",
                i ? ",\n  " : "[", rows[i].name, rows[i].calls, (double)rows[i].nanoseconds / 1e6, rows[i].bytes);
    fputs(n ? "]" : "[]", out);
}

void show_profile(FILE *out, const tsm_instance *inst, bool as_json) {
    size_t rows = 0, n = 0;
    tsm_profile_row row;
    while (tsm_profile_get(inst, rows, &row))
        rows++;
    tsm_profile_row *called = malloc((rows + 1) * sizeof *called);
    if (!called)
        return;
    uint64_t total = 0;
    for (size_t i = 0; i < rows; i++) {
        tsm_profile_get(inst, i, &called[n]);
        total += called[n].nanoseconds;
        n += called[n].calls > 0;
    }
    qsort(called, n, sizeof *called, by_time);
    if (as_json) {
        write_profile(out, called, n);
        free(called);
        return;
    }
    fprintf(out, "%10s %6s %8s %12s  operator\n", "ms", "%", "calls", "bytes");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%10.3f %6.1f %8" PRIu64 " %12" PRIu64 "  %s\n", (double)called[i].nanoseconds / 1e6,
                100.0 * (double)called[i].nanoseconds / (double)(total ? total : 1), called[i].calls, called[i].bytes,
                called[i].name);
    free(called);
}

static void write_usage(FILE *out, const tsm_program *program, const tsm_usage *u) {
    fprintf(out,
            "{\"high_water_bytes\": %zu, \"fixed_bytes\": %zu, \"instructions\": %" PRIu64 ", \"work\": %" PRIu64
            ", \"methods\": [",
            u->high_water_bytes, u->fixed_bytes, u->instructions, u->work);
    for (size_t i = 0; i < tsm_method_count(program); i++) {
        fprintf(out, "%s{\"name\": ", i ? ", " : "");
        json_write_text(out, tsm_method_name(program, i), strlen(tsm_method_name(program, i)));
        fprintf(out, ", \"buffer_bytes\": %zu}", tsm_method_bytes(program, i));
    }
    fputs("]}", out);
}

void show_usage(FILE *out, const tsm_program *program, const tsm_instance *inst, bool as_json) {
    const tsm_usage u = tsm_instance_usage(inst);
    if (as_json) {
        write_usage(out, program, &u);
        return;
    }
    fprintf(out, "buffer: %zu bytes at most in use, %zu of them laid out at the start\n", u.high_water_bytes,
            u.fixed_bytes);
    for (size_t i = 0; i < tsm_method_count(program); i++)
        if (tsm_method_bytes(program, i))
            fprintf(out,
                    "method %s: needs a buffer of %zu bytes for arguments as in the example it was exported with\n",
                    tsm_method_name(program, i), tsm_method_bytes(program, i));
    if (u.instructions) /* something was called */
        fprintf(out, "instructions of the last call: %" PRIu64 "\n", u.instructions);
    if (u.work)
        fprintf(out, "units of work of the last call: %" PRIu64 "\n", u.work);
}
