/* How TorchScript's print, str and format show values.
 *
 * Tensors appear as PyTorch's C++ stream output shows them: all elements as doubles, in columns whose width, style and
 * common scale follow from the largest and smallest magnitude of each matrix. The chosen number style outlives the
 * matrix it was chosen for, as it does in a C++ stream; number_style carries it along. */
#include <math.h>
#include <string.h>

#include "runtime/core/chars.h"
#include "runtime/core/exec.h"

enum {
    LINE_WIDTH = 80,
    MAX_NESTING = 64, /* of containers; bounds the recursion */
};

static tsm_status add_text(tsm_exec *x, tsm_text *t, const char *s) {
    return tsm_text_add(x, t, s, tsm_chars_length(s));
}

static tsm_status add_spaces(tsm_exec *x, tsm_text *t, int64_t n) {
    for (; n > 0; n--)
        TSM_TRY(tsm_text_add(x, t, " ", 1));
    return TSM_OK;
}

static tsm_status add_int(tsm_exec *x, tsm_text *t, int64_t v) {
    char text[TSM_NUMBER_TEXT];
    return tsm_text_add(x, t, text, tsm_format_int(text, v));
}

static tsm_status add_double(tsm_exec *x, tsm_text *t, double v) {
    char text[TSM_NUMBER_TEXT];
    return tsm_text_add(x, t, text, tsm_format_double(text, v));
}

/* ---- Tensors ---- */

typedef struct {
    char style; /* of tsm_format_number */
    int precision;
} number_style;

/* The elements being printed, in row-major order: a tensor's, or one of a quantizer's arrays. */
typedef struct {
    tsm_exec *x;
    tsm_text *out;
    const tsm_tensor *tensor;
    const double *doubles;
    const int64_t *ints;
    number_style style;
} printer;

/* A column format of one matrix. */
typedef struct {
    double scale;
    int64_t width;
} columns;

/* Element i of a quantized tensor; computed in 32 bits, as PyTorch dequantizes. */
static double dequantized(const tsm_tensor *t, tsm_dim i) {
    const tsm_quantizer *q = t->quantizer;
    tsm_dim at = 0, channel = 0;
    for (int d = t->dims - 1; d >= 0; d--) {
        tsm_dim position = i % t->sizes[d];
        at += position * t->strides[d];
        channel = d == q->axis ? position : channel;
        i /= t->sizes[d];
    }
    int64_t stored = t->dtype == TSM_QINT32   ? ((const int32_t *)t->data)[at]
                     : t->dtype == TSM_QUINT8 ? ((const uint8_t *)t->data)[at]
                                              : ((const int8_t *)t->data)[at];
    channel = channel < q->channels ? channel : 0;
    return (float)(stored - q->zero_points[channel]) * (float)q->scales[channel];
}

static tsm_status element(const printer *p, tsm_dim i, double *v) {
    if (p->doubles) {
        *v = p->doubles[i];
        return TSM_OK;
    }
    if (p->ints) {
        *v = (double)p->ints[i];
        return TSM_OK;
    }
    if (p->tensor->quantizer) {
        *v = dequantized(p->tensor, i);
        return TSM_OK;
    }
    tsm_status status = TSM_OK;
    tsm_value item = tsm_tensor_item(p->x, p->tensor, i, &status);
    TSM_TRY(status);
    switch (item.tag) {
    case TSM_TAG_FLOAT:
        *v = item.as.f;
        break;
    case TSM_TAG_COMPLEX:
        *v = tsm_as_complex(item)->re;
        break; /* PyTorch shows real parts only */
    case TSM_TAG_BOOL:
        *v = item.as.b;
        break;
    default:
        *v = (double)item.as.i;
        break;
    }
    tsm_drop(p->x, item);
    return TSM_OK;
}

/* Writes a number right-aligned. */
static tsm_status add_number(const printer *p, double v, int64_t width) {
    char text[TSM_NUMBER_TEXT_FIXED];
    size_t n = tsm_format_number(text, v, p->style.style, p->style.precision);
    TSM_TRY(add_spaces(p->x, p->out, width - (int64_t)n));
    return tsm_text_add(p->x, p->out, text, n);
}

/* Magnitudes of `count` elements from `first`: decimal exponents of the least and the greatest finite one, and whether
 * all are integers. PyTorch compares the signed value with the greatest magnitude so far, so only positive elements
 * raise it. */
static tsm_status measure(const printer *p, tsm_dim first, tsm_dim count, bool *integral, double *lowest,
                          double *highest) {
    double least = 0, greatest = 0;
    bool any = false;
    *integral = true;
    for (tsm_dim i = first; i < first + count; i++) {
        double v;
        TSM_TRY(element(p, i, &v));
        if (!isfinite(v))
            continue;
        *integral = *integral && v == ceil(v);
        double size = fabs(v);
        least = !any || size < least ? size : least;
        greatest = !any || v > greatest ? size : greatest;
        any = true;
    }
    *lowest = any && least != 0 ? floor(log10(least)) + 1 : 1;
    *highest = any && greatest != 0 ? floor(log10(greatest)) + 1 : 1;
    return TSM_OK;
}

/* Chooses style and columns for a matrix. */
static tsm_status choose_columns(printer *p, tsm_dim first, tsm_dim count, columns *c) {
    bool integral;
    double lowest, highest;
    TSM_TRY(measure(p, first, count, &integral, &lowest, &highest));
    c->scale = 1;
    if (integral && highest <= 9) {
        c->width = (int64_t)highest + 1;
        p->style.style = 'g'; /* the precision stays what it was */
        return TSM_OK;
    }
    p->style.precision = 4;
    if (integral || highest - lowest > 4) {
        c->width = 11 + (!integral && (fabs(highest) > 99 || fabs(lowest) > 99));
        p->style.style = 'e';
        return TSM_OK;
    }
    p->style.style = 'f';
    c->width = highest > 0 && highest <= 5 ? (int64_t)highest + 6 : 7;
    if (highest > 5 || highest < 0)
        c->scale = pow(10, highest - 1);
    return TSM_OK;
}

static tsm_status add_scale(const printer *p, double scale) {
    char text[TSM_NUMBER_TEXT];
    TSM_TRY(tsm_text_add(p->x, p->out, text, tsm_format_number(text, scale, 'g', p->style.precision)));
    return add_text(p->x, p->out, " *\n");
}

static tsm_status add_vector(printer *p, tsm_dim n) {
    columns c;
    TSM_TRY(choose_columns(p, 0, n, &c));
    if (c.scale != 1)
        TSM_TRY(add_scale(p, c.scale));
    for (tsm_dim i = 0; i < n; i++) {
        double v;
        TSM_TRY(element(p, i, &v));
        TSM_TRY(add_number(p, v / c.scale, c.width));
        TSM_TRY(add_text(p->x, p->out, "\n"));
    }
    return TSM_OK;
}

/* Columns [from, to) of all rows. */
static tsm_status add_rows(const printer *p, const columns *c, tsm_dim first, tsm_dim rows, tsm_dim width, tsm_dim from,
                           tsm_dim to, int indent) {
    for (tsm_dim row = 0; row < rows; row++) {
        if (row)
            TSM_TRY(add_spaces(p->x, p->out, indent + (c->scale != 1)));
        for (tsm_dim i = from; i < to; i++) {
            double v;
            TSM_TRY(element(p, first + row * width + i, &v));
            TSM_TRY(add_number(p, v / c->scale, c->width));
            TSM_TRY(add_text(p->x, p->out, i + 1 < to ? " " : "\n"));
        }
    }
    return TSM_OK;
}

/* A matrix whose elements start at `first`, in strips of as many columns as fit on a line. */
static tsm_status add_matrix(printer *p, tsm_dim first, tsm_dim rows, tsm_dim width, int indent) {
    columns c;
    TSM_TRY(choose_columns(p, first, rows * width, &c));
    TSM_TRY(add_spaces(p->x, p->out, indent));
    tsm_dim strip = (tsm_dim)((LINE_WIDTH - indent) / (c.width + 1));
    for (tsm_dim from = 0; from < width; from += strip) {
        tsm_dim to = from + strip < width ? from + strip : width;
        if (strip < width) {
            TSM_TRY(add_text(p->x, p->out, from ? "\nColumns " : "Columns "));
            TSM_TRY(add_int(p->x, p->out, from + 1));
            TSM_TRY(add_text(p->x, p->out, " to "));
            TSM_TRY(add_int(p->x, p->out, to));
            TSM_TRY(add_spaces(p->x, p->out, indent));
        }
        if (c.scale != 1) {
            TSM_TRY(add_scale(p, c.scale));
            TSM_TRY(add_spaces(p->x, p->out, indent));
        }
        TSM_TRY(add_rows(p, &c, first, rows, width, from, to, indent));
    }
    return TSM_OK;
}

/* "(1,2,.,.) = " and the matrix for each position in the leading dimensions; the first dimension counts fastest. */
static tsm_status add_matrices(printer *p, int dims, const tsm_dim *sizes) {
    tsm_dim rows = sizes[dims - 2], width = sizes[dims - 1], at[TSM_MAX_DIMS] = {0};
    for (bool more = true, started = false; more; started = true) {
        TSM_TRY(add_text(p->x, p->out, started ? "\n(" : "("));
        tsm_dim matrix = 0;
        for (int i = 0; i < dims - 2; i++) {
            matrix = matrix * sizes[i] + at[i];
            TSM_TRY(add_int(p->x, p->out, at[i] + 1));
            TSM_TRY(add_text(p->x, p->out, ","));
        }
        TSM_TRY(add_text(p->x, p->out, ".,.) = \n"));
        TSM_TRY(add_matrix(p, matrix * rows * width, rows, width, 1));
        int i = 0;
        for (; i < dims - 2 && ++at[i] == sizes[i]; i++)
            at[i] = 0;
        more = i < dims - 2;
    }
    return TSM_OK;
}

/* Elements and the line "[ CPUFloatType{2,3}"; the caller closes the bracket. */
static tsm_status add_elements(printer *p, const char *type, int dims, const tsm_dim *sizes) {
    tsm_dim elements = 1;
    for (int i = 0; i < dims; i++)
        elements *= sizes[i];
    if (dims == 0) {
        double v;
        TSM_TRY(element(p, 0, &v));
        p->style.style = 'g';
        TSM_TRY(add_number(p, v, 0));
        TSM_TRY(add_text(p->x, p->out, "\n"));
    } else if (elements && dims == 1) {
        TSM_TRY(add_vector(p, elements));
    } else if (elements && dims == 2) {
        TSM_TRY(add_matrix(p, 0, sizes[0], sizes[1], 0));
    } else if (elements) {
        TSM_TRY(add_matrices(p, dims, sizes));
    }
    TSM_TRY(add_text(p->x, p->out, "[ "));
    TSM_TRY(add_text(p->x, p->out, type));
    TSM_TRY(add_text(p->x, p->out, "Type{"));
    for (int i = 0; i < dims; i++) {
        TSM_TRY(add_text(p->x, p->out, i ? "," : ""));
        TSM_TRY(add_int(p->x, p->out, sizes[i]));
    }
    return add_text(p->x, p->out, "}");
}

/* A quantizer's scales or zero points as a tensor of their own. */
static tsm_status add_channels(const printer *p, const char *head, const char *type, tsm_dim channels,
                               const double *scales, const int64_t *zero_points) {
    TSM_TRY(add_text(p->x, p->out, head));
    printer inner = {p->x, p->out, NULL, scales, zero_points, p->style};
    TSM_TRY(add_elements(&inner, type, 1, &channels));
    return add_text(p->x, p->out, " ]");
}

static tsm_status add_quantizer(const printer *p, const tsm_quantizer *q) {
    if (q->axis < 0) {
        TSM_TRY(add_text(p->x, p->out, ", qscheme: per_tensor_affine, scale: "));
        TSM_TRY(add_number(p, q->scales[0], 0));
        TSM_TRY(add_text(p->x, p->out, ", zero_point: "));
        return add_int(p->x, p->out, q->zero_points[0]);
    }
    TSM_TRY(add_text(p->x, p->out, ", qscheme: per_channel_affine"));
    TSM_TRY(add_channels(p, ", scales: ", "CPUDouble", q->channels, q->scales, NULL));
    TSM_TRY(add_channels(p, ", zero_points: ", "CPULong", q->channels, NULL, q->zero_points));
    TSM_TRY(add_text(p->x, p->out, ", axis: "));
    return add_int(p->x, p->out, q->axis);
}

static tsm_status add_tensor(tsm_exec *x, tsm_text *out, const tsm_tensor *t) {
    static const char *const types[TSM_DTYPE_COUNT] = {
        [TSM_UINT8] = "CPUByte",
        [TSM_INT8] = "CPUChar",
        [TSM_INT16] = "CPUShort",
        [TSM_INT32] = "CPUInt",
        [TSM_INT64] = "CPULong",
        [TSM_FLOAT16] = "CPUHalf",
        [TSM_FLOAT32] = "CPUFloat",
        [TSM_FLOAT64] = "CPUDouble",
        [TSM_COMPLEX32] = "CPUComplexHalf",
        [TSM_COMPLEX64] = "CPUComplexFloat",
        [TSM_COMPLEX128] = "CPUComplexDouble",
        [TSM_BOOL] = "CPUBool",
        [TSM_QINT8] = "QuantizedCPUQInt8",
        [TSM_QUINT8] = "QuantizedCPUQUInt8",
        [TSM_QINT32] = "QuantizedCPUQInt32",
        [TSM_BFLOAT16] = "CPUBFloat16",
    };
    printer p = {x, out, t, NULL, NULL, {'g', 6}};
    TSM_TRY(add_elements(&p, types[t->dtype], t->dims, t->sizes));
    if (t->quantizer)
        TSM_TRY(add_quantizer(&p, t->quantizer));
    return add_text(x, out, " ]");
}

/* ---- Other values ---- */

static tsm_status add_complex(tsm_exec *x, tsm_text *t, const tsm_complex_object *c) {
    TSM_TRY(add_double(x, t, c->re));
    TSM_TRY(add_text(x, t, c->im >= 0 ? "+" : "-"));
    TSM_TRY(add_double(x, t, fabs(c->im)));
    return add_text(x, t, "j");
}

static const char *after_last_dot(const char *name) {
    const char *dot = tsm_chars_last(name, '.');
    return dot ? dot + 1 : name;
}

static tsm_status add_enum(tsm_exec *x, tsm_text *t, const tsm_enum *e) {
    TSM_TRY(add_text(x, t, "Enum<"));
    TSM_TRY(add_text(x, t, after_last_dot(tsm_type_name(x, e->type))));
    TSM_TRY(add_text(x, t, "."));
    TSM_TRY(add_text(x, t, e->name));
    return add_text(x, t, ">");
}

static tsm_status add_object(tsm_exec *x, tsm_text *t, const tsm_object *o) {
    char address[TSM_NUMBER_TEXT];
    TSM_TRY(add_text(x, t, "<"));
    TSM_TRY(add_text(x, t, tsm_type_name(x, o->type)));
    TSM_TRY(add_text(x, t, " object at 0x"));
    TSM_TRY(tsm_text_add(x, t, address, tsm_format_unsigned(address, (uintptr_t)o, 16)));
    return add_text(x, t, ">");
}

static tsm_status add_value(tsm_exec *x, tsm_text *t, tsm_value v, int depth);

static tsm_status add_sequence(tsm_exec *x, tsm_text *t, const tsm_value *items, size_t n, int depth) {
    for (size_t i = 0; i < n; i++) {
        if (i)
            TSM_TRY(add_text(x, t, ", "));
        TSM_TRY(add_value(x, t, items[i], depth));
    }
    return TSM_OK;
}

static tsm_status add_dict(tsm_exec *x, tsm_text *t, const tsm_dict *d, int depth) {
    TSM_TRY(add_text(x, t, "{"));
    size_t at = 0;
    tsm_dict_entry *entry;
    for (bool first = true; tsm_dict_next(d, &at, &entry); first = false) {
        if (!first)
            TSM_TRY(add_text(x, t, ", "));
        TSM_TRY(add_value(x, t, entry->key, depth));
        TSM_TRY(add_text(x, t, ": "));
        TSM_TRY(add_value(x, t, entry->item, depth));
    }
    return add_text(x, t, "}");
}

static tsm_status add_container(tsm_exec *x, tsm_text *t, tsm_value v, int depth) {
    if (depth == MAX_NESTING)
        return TSM_RAISE(x, "cannot show a value with more than %d nested containers", MAX_NESTING);
    if (v.tag == TSM_TAG_DICT)
        return add_dict(x, t, tsm_as_dict(v), depth + 1);
    if (v.tag == TSM_TAG_LIST) {
        TSM_TRY(add_text(x, t, "["));
        TSM_TRY(add_sequence(x, t, tsm_as_list(v)->items, tsm_as_list(v)->length, depth + 1));
        return add_text(x, t, "]");
    }
    TSM_TRY(add_text(x, t, "("));
    TSM_TRY(add_sequence(x, t, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length, depth + 1));
    return add_text(x, t, tsm_as_tuple(v)->length == 1 ? ",)" : ")");
}

static tsm_status add_device(tsm_exec *x, tsm_text *t, tsm_value v) {
    char text[24];
    return tsm_text_add(x, t, text, tsm_device_text(v, text, sizeof text));
}

static tsm_status add_value(tsm_exec *x, tsm_text *t, tsm_value v, int depth) {
    switch ((tsm_tag)v.tag) {
    case TSM_TAG_NONE:
        return add_text(x, t, "None");
    case TSM_TAG_BOOL:
        return add_text(x, t, v.as.b ? "True" : "False");
    case TSM_TAG_INT:
        return add_int(x, t, v.as.i);
    case TSM_TAG_FLOAT:
        return add_double(x, t, v.as.f);
    case TSM_TAG_DEVICE:
        return add_device(x, t, v);
    case TSM_TAG_COMPLEX:
        return add_complex(x, t, tsm_as_complex(v));
    case TSM_TAG_STR:
        return tsm_text_add(x, t, tsm_as_str(v)->text, tsm_as_str(v)->length);
    case TSM_TAG_TENSOR:
        return add_tensor(x, t, tsm_as_tensor(v));
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
    case TSM_TAG_DICT:
        return add_container(x, t, v, depth);
    case TSM_TAG_OBJECT:
        return add_object(x, t, tsm_as_object(v));
    case TSM_TAG_ENUM:
        return add_enum(x, t, tsm_as_enum(v));
    case TSM_TAG_FUTURE:
        return add_text(x, t, "Future");
    case TSM_TAG_GENERATOR:
        return add_text(x, t, "Generator");
    case TSM_TAG_COUNT:
        break;
    }
    return tsm_fail(x, TSM_INTERNAL, "cannot show a value of unknown kind %u", v.tag);
}

tsm_status tsm_text_add_value(tsm_exec *x, tsm_text *t, tsm_value v) {
    return add_value(x, t, v, 0);
}
