/* Writes values as JSON (docs/values.md). */
#include "platform/runner/json_write.h"

#include "platform/runner/die.h"
#include "platform/runner/element.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A result in which containers are shared again and again could be of any length as a text. */
enum { MAX_NESTING = 200, MAX_VALUES = 1 << 28 };

typedef struct {
    FILE *out;
    tsm_instance *inst;
    int nesting;
    uint32_t values;
} writer;

void number_text_of(char text[NUMBER_TEXT], double x, bool single) {
    if (isnan(x) || isinf(x)) {
        strcpy(text, isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity");
        return;
    }
    snprintf(text, NUMBER_TEXT, "%.*g", single ? 6 : 15, x);
    if (single ? strtof(text, NULL) != (float)x : strtod(text, NULL) != x)
        snprintf(text, NUMBER_TEXT, "%.*g", single ? 9 : 17, x);
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
}

static void write_number(FILE *out, double x, bool single) {
    char text[NUMBER_TEXT];
    number_text_of(text, x, single);
    fputs(text, out);
}

static void write_element(FILE *out, tsm_dtype dtype, const void *at) {
    const element e = element_load(dtype, at);
    const bool single = dtype != TSM_FLOAT64 && dtype != TSM_COMPLEX128;
    switch (element_kind_of(dtype)) {
    case ELEMENT_BOOL:
        fputs(e.i ? "true" : "false", out);
        break;
    case ELEMENT_INT:
        fprintf(out, dtype == TSM_UINT64 ? "%" PRIu64 : "%" PRId64, e.i);
        break;
    case ELEMENT_FLOAT:
        write_number(out, e.re, single);
        break;
    case ELEMENT_COMPLEX:
        fputc('[', out);
        write_number(out, e.re, single);
        fputc(',', out);
        write_number(out, e.im, single);
        fputc(']', out);
        break;
    }
}

/* With a point or an exponent, which tell floats from ints. */
static void write_point(FILE *out, double x) {
    char text[NUMBER_TEXT];
    number_text_of(text, x, false);
    fprintf(out, "%s%s", text, text[strcspn(text, ".eEnN")] ? "" : ".0");
}

static void write_quantizer(FILE *out, const tsm_tensor_view *t) {
    if (t->quantizer_axis == -1) {
        fputs(",\"scale\":", out);
        write_number(out, t->scales[0], false);
        fprintf(out, ",\"zero_point\":%" PRId64, t->zero_points[0]);
        return;
    }
    fputs(",\"scales\":[", out);
    for (tsm_dim i = 0; i < t->quantizer_channels; i++) {
        fputs(i ? "," : "", out);
        write_number(out, t->scales[i], false);
    }
    fputs("],\"zero_points\":[", out);
    for (tsm_dim i = 0; i < t->quantizer_channels; i++) {
        fputs(i ? "," : "", out);
        if (t->zero_points)
            fprintf(out, "%" PRId64, t->zero_points[i]);
        else
            write_point(out, t->float_zero_points[i]);
    }
    fprintf(out, "],\"axis\":%d", t->quantizer_axis);
}

static void write_tensor(FILE *out, tsm_value v) {
    tsm_tensor_view t;
    if (!tsm_tensor_get(v, &t)) {
        fputs("null", out); /* an undefined tensor, which Python shows as None */
        return;
    }
    fprintf(out, "{\"tensor\":{\"dtype\":\"%s\",\"shape\":[", tsm_dtype_name(t.dtype));
    for (int d = 0; d < t.dims; d++)
        fprintf(out, "%s%td", d ? "," : "", t.sizes[d]);
    fputs("]", out);
    if (t.quantizer_axis >= -1)
        write_quantizer(out, &t);
    fputs(",\"data\":[", out);
    element_walk walk;
    element_walk_start(&walk, &t);
    for (tsm_dim i = element_count(&t); i > 0; i--) {
        write_element(out, t.dtype, walk.at);
        if (i > 1) {
            fputc(',', out);
            element_walk_next(&walk);
        }
    }
    fputs("]}}", out);
}

static void write_value(writer *w, tsm_value v);

static void write_sequence(writer *w, tsm_value v) {
    fputc('[', w->out);
    for (size_t i = 0, n = tsm_sequence_size(v); i < n; i++) {
        fputs(i ? "," : "", w->out);
        write_value(w, tsm_sequence_get(v, i));
    }
    fputc(']', w->out);
}

static void write_dict(writer *w, tsm_value v) {
    fputs("{\"dict\":[", w->out);
    for (size_t i = 0, n = tsm_dict_size(v); i < n; i++) {
        tsm_value key, item;
        tsm_dict_get(v, i, &key, &item);
        fputs(i ? ",[" : "[", w->out);
        write_value(w, key);
        fputc(',', w->out);
        write_value(w, item);
        fputc(']', w->out);
    }
    fputs("]}", w->out);
}

static void write_name(writer *w, const char *name) {
    json_write_text(w->out, name, strlen(name));
}

static void write_object(writer *w, tsm_value v) {
    fputs("{\"object\":{\"class\":", w->out);
    write_name(w, tsm_class_name(w->inst, v));
    fputs(",\"attrs\":{", w->out);
    for (size_t i = 0, n = tsm_object_size(v); i < n; i++) {
        tsm_value item;
        const char *name = tsm_object_attribute(w->inst, v, i, &item);
        fputs(i ? "," : "", w->out);
        write_name(w, name);
        fputc(':', w->out);
        write_value(w, item);
    }
    fputs("}}}", w->out);
}

static void write_enum(writer *w, tsm_value v) {
    tsm_value item;
    const char *name = tsm_enum_get(w->inst, v, &item);
    fputs("{\"enum\":{\"class\":", w->out);
    /* Python's name of the class, without the module that serialization put it into. */
    const char *class_name = tsm_class_name(w->inst, v), *point = strrchr(class_name, '.');
    write_name(w, point ? point + 1 : class_name);
    fputs(",\"name\":", w->out);
    write_name(w, name);
    fputs(",\"value\":", w->out);
    write_value(w, item);
    fputs("}}", w->out);
}

static void write_complex(FILE *out, tsm_value v) {
    double re = 0, im = 0;
    tsm_complex_get(v, &re, &im);
    fputs("{\"complex\":[", out);
    write_number(out, re, false);
    fputc(',', out);
    write_number(out, im, false);
    fputs("]}", out);
}

static void write_float(FILE *out, double x) {
    fputs("{\"float\":", out);
    write_number(out, x, false);
    fputc('}', out);
}

static void write_string(FILE *out, tsm_value v) {
    size_t n;
    const char *text = tsm_str_get(v, &n);
    json_write_text(out, text, n);
}

static void write_device(writer *w, tsm_value v) {
    char text[24];
    tsm_device_text(v, text, sizeof text);
    fprintf(w->out, "{\"device\":\"%s\"}", text);
}

static void write_value(writer *w, tsm_value v) {
    if (++w->nesting > MAX_NESTING)
        die(EXIT_BAD_INPUT, "the result is nested more than %d deep", MAX_NESTING);
    if (++w->values > MAX_VALUES)
        die(EXIT_BAD_INPUT, "the result has more than %d values, shared ones counted each time", MAX_VALUES);
    switch ((tsm_tag)v.tag) {
    case TSM_TAG_NONE:
        fputs("null", w->out);
        break;
    case TSM_TAG_BOOL:
        fputs(v.as.b ? "true" : "false", w->out);
        break;
    case TSM_TAG_INT:
        fprintf(w->out, "%" PRId64, v.as.i);
        break;
    case TSM_TAG_FLOAT:
        write_float(w->out, v.as.f);
        break;
    case TSM_TAG_DEVICE:
        write_device(w, v);
        break;
    case TSM_TAG_COMPLEX:
        write_complex(w->out, v);
        break;
    case TSM_TAG_STR:
        write_string(w->out, v);
        break;
    case TSM_TAG_TENSOR:
        write_tensor(w->out, v);
        break;
    case TSM_TAG_LIST:
        write_sequence(w, v);
        break;
    case TSM_TAG_TUPLE:
        fputs("{\"tuple\":", w->out);
        write_sequence(w, v);
        fputc('}', w->out);
        break;
    case TSM_TAG_DICT:
        write_dict(w, v);
        break;
    case TSM_TAG_OBJECT:
        write_object(w, v);
        break;
    case TSM_TAG_ENUM:
        write_enum(w, v);
        break;
    case TSM_TAG_FUTURE:
    case TSM_TAG_GENERATOR:
    case TSM_TAG_COUNT:
        die(EXIT_BAD_INPUT, "the result holds a %s, which has no JSON form",
            v.tag == TSM_TAG_FUTURE ? "Future" : "Generator");
    }
    w->nesting--;
}

void json_write(FILE *out, tsm_instance *inst, tsm_value v) {
    writer w = {out, inst, 0, 0};
    write_value(&w, v);
}
