/* How TorchScript's print, str and format show values.
 *
 * Tensors appear as PyTorch's C++ stream output shows them: all elements as doubles, in columns whose width, style and
 * common scale follow from the largest and smallest magnitude of each matrix. The number style that one matrix sets
 * stays in force for the next, as it does in a C++ stream; number_style holds it.
 *
 * A failure is kept in the tsm_text, which takes nothing more from then on, so only the end checks for it. */
#include <math.h>
#include <string.h>

#include "runtime/tensor/promotion.h"
#include "runtime/tensor/tensor.h"
#include "runtime/tensor/work.h"
#include "runtime/value/chars.h"
#include "runtime/value/parts.h"

enum {
    LINE_WIDTH = 80,
    MAX_NESTING = 64, /* of containers; bounds the recursion */
};

static void add_text(tsm_exec *x, tsm_text *t, const char *s) {
    tsm_text_add(x, t, s, tsm_chars_length(s));
}

static void add_spaces(tsm_exec *x, tsm_text *t, int64_t n) {
    for (; n > 0; n--)
        tsm_text_add(x, t, " ", 1);
}

static void add_int(tsm_exec *x, tsm_text *t, int64_t v) {
    char text[TSM_NUMBER_TEXT];
    tsm_text_add(x, t, text, tsm_format_int(text, v));
}

static void add_double(tsm_exec *x, tsm_text *t, double v) {
    char text[TSM_NUMBER_TEXT];
    tsm_text_add(x, t, text, tsm_format_double(text, v));
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
} text_columns;

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
    return (float)((double)stored - tsm_quantizer_zero_point(q, channel)) * (float)q->scales[channel];
}

static double element(const printer *p, tsm_dim i) {
    if (p->doubles)
        return p->doubles[i];
    if (p->ints)
        return (double)p->ints[i];
    if (p->tensor->quantizer)
        return dequantized(p->tensor, i);
    tsm_status status = TSM_OK;
    tsm_value item = tsm_tensor_item(p->x, p->tensor, i, &status);
    if (status != TSM_OK) {
        p->out->status = status;
        return 0;
    }
    double v = item.tag == TSM_TAG_FLOAT     ? item.as.f
               : item.tag == TSM_TAG_COMPLEX ? tsm_as_complex(item)->re /* PyTorch shows real parts only */
               : item.tag == TSM_TAG_BOOL    ? item.as.b
                                             : (double)item.as.i;
    tsm_drop(p->x, item);
    return v;
}

/* Writes a number right-aligned. */
static void add_number(const printer *p, double v, int64_t width) {
    char text[TSM_NUMBER_TEXT_FIXED];
    size_t n = tsm_format_number(text, v, p->style.style, p->style.precision);
    add_spaces(p->x, p->out, width - (int64_t)n);
    tsm_text_add(p->x, p->out, text, n);
}

/* Magnitudes of `count` elements from `first`: decimal exponents of the least and the greatest finite one, and whether
 * all are integers. PyTorch compares the signed value with the greatest magnitude so far, so only positive elements
 * raise it. */
static void measure(const printer *p, tsm_dim first, tsm_dim count, bool *integral, double *lowest, double *highest) {
    double least = 0, greatest = 0;
    bool any = false;
    *integral = true;
    for (tsm_dim i = first; i < first + count; i++) {
        double v = element(p, i);
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
}

/* Chooses style and columns for a matrix. */
static void choose_columns(printer *p, tsm_dim first, tsm_dim count, text_columns *c) {
    bool integral;
    double lowest, highest;
    measure(p, first, count, &integral, &lowest, &highest);
    c->scale = 1;
    if (integral && highest <= 9) {
        c->width = (int64_t)highest + 1;
        p->style.style = 'g'; /* the precision stays what it was */
        return;
    }
    p->style.precision = 4;
    if (integral || highest - lowest > 4) {
        c->width = 11 + (!integral && (fabs(highest) > 99 || fabs(lowest) > 99));
        p->style.style = 'e';
        return;
    }
    p->style.style = 'f';
    c->width = highest > 0 && highest <= 5 ? (int64_t)highest + 6 : 7;
    if (highest > 5 || highest < 0)
        c->scale = pow(10, highest - 1);
}

static void add_scale(const printer *p, double scale) {
    char text[TSM_NUMBER_TEXT];
    tsm_text_add(p->x, p->out, text, tsm_format_number(text, scale, 'g', p->style.precision));
    add_text(p->x, p->out, " *\n");
}

static void add_vector(printer *p, tsm_dim n) {
    text_columns c;
    choose_columns(p, 0, n, &c);
    if (c.scale != 1)
        add_scale(p, c.scale);
    for (tsm_dim i = 0; i < n; i++) {
        double v = element(p, i);
        add_number(p, v / c.scale, c.width);
        add_text(p->x, p->out, "\n");
    }
}

/* Columns [from, to) of all rows. */
static void add_rows(const printer *p, const text_columns *c, tsm_dim first, tsm_dim rows, tsm_dim width, tsm_dim from,
                     tsm_dim to, int indent) {
    for (tsm_dim row = 0; row < rows; row++) {
        if (row)
            add_spaces(p->x, p->out, indent + (c->scale != 1));
        for (tsm_dim i = from; i < to; i++) {
            double v = element(p, first + row * width + i);
            add_number(p, v / c->scale, c->width);
            add_text(p->x, p->out, i + 1 < to ? " " : "\n");
        }
    }
}

/* A matrix whose elements start at `first`, in strips of as many columns as fit on a line. */
static void add_matrix(printer *p, tsm_dim first, tsm_dim rows, tsm_dim width, int indent) {
    text_columns c;
    choose_columns(p, first, rows * width, &c);
    add_spaces(p->x, p->out, indent);
    tsm_dim strip = (tsm_dim)((LINE_WIDTH - indent) / (c.width + 1));
    for (tsm_dim from = 0; from < width; from += strip) {
        tsm_dim to = from + strip < width ? from + strip : width;
        if (strip < width) {
            add_text(p->x, p->out, from ? "\nColumns " : "Columns ");
            add_int(p->x, p->out, from + 1);
            add_text(p->x, p->out, " to ");
            add_int(p->x, p->out, to);
            add_spaces(p->x, p->out, indent);
        }
        if (c.scale != 1) {
            add_scale(p, c.scale);
            add_spaces(p->x, p->out, indent);
        }
        add_rows(p, &c, first, rows, width, from, to, indent);
    }
}

/* "(1,2,.,.) = " and the matrix for each position in the leading dimensions; the first dimension counts fastest. */
static void add_matrices(printer *p, int dims, const tsm_dim *sizes) {
    tsm_dim rows = sizes[dims - 2], width = sizes[dims - 1], at[TSM_MAX_DIMS] = {0};
    for (bool more = true, started = false; more; started = true) {
        add_text(p->x, p->out, started ? "\n(" : "(");
        tsm_dim matrix = 0;
        for (int i = 0; i < dims - 2; i++) {
            matrix = matrix * sizes[i] + at[i];
            add_int(p->x, p->out, at[i] + 1);
            add_text(p->x, p->out, ",");
        }
        add_text(p->x, p->out, ".,.) = \n");
        add_matrix(p, matrix * rows * width, rows, width, 1);
        int i = 0;
        for (; i < dims - 2 && ++at[i] == sizes[i]; i++)
            at[i] = 0;
        more = i < dims - 2;
    }
}

/* Elements and the line "[ CPUFloatType{2,3}"; the caller closes the bracket. */
static void add_elements(printer *p, const char *place, tsm_dtype dtype, int dims, const tsm_dim *sizes) {
    tsm_dim elements = 1;
    for (int i = 0; i < dims; i++)
        elements = tsm_dim_mul(elements, sizes[i]);
    if (dims == 0) {
        double v = element(p, 0);
        p->style.style = 'g';
        add_number(p, v, 0);
        add_text(p->x, p->out, "\n");
    } else if (elements && dims == 1) {
        add_vector(p, elements);
    } else if (elements && dims == 2) {
        add_matrix(p, 0, sizes[0], sizes[1], 0);
    } else if (elements) {
        add_matrices(p, dims, sizes);
    }
    add_text(p->x, p->out, "[ ");
    add_text(p->x, p->out, place);
    add_text(p->x, p->out, tsm_dtype_class_name(dtype));
    add_text(p->x, p->out, "Type{");
    for (int i = 0; i < dims; i++) {
        add_text(p->x, p->out, i ? "," : "");
        add_int(p->x, p->out, sizes[i]);
    }
    add_text(p->x, p->out, "}");
}

/* A quantizer's scales or zero points as a tensor of their own, which is of floats in PyTorch where both are. */
static void add_channels(const printer *p, const char *head, const tsm_quantizer *q, const double *floats,
                         const int64_t *ints) {
    add_text(p->x, p->out, head);
    printer inner = {p->x, p->out, NULL, floats, ints, p->style};
    add_elements(&inner, "CPU",
                 ints                       ? TSM_INT64
                 : q->has_float_zero_points ? TSM_FLOAT32
                                            : TSM_FLOAT64,
                 1, &q->channels);
    add_text(p->x, p->out, " ]");
}

static void add_quantizer(const printer *p, const tsm_quantizer *q) {
    if (q->axis < 0) {
        add_text(p->x, p->out, ", qscheme: per_tensor_affine, scale: ");
        add_number(p, q->scales[0], 0);
        add_text(p->x, p->out, ", zero_point: ");
        add_int(p->x, p->out, q->zero_points[0]);
        return;
    }
    const bool floats = q->has_float_zero_points;
    add_text(p->x, p->out, ", qscheme: per_channel_affine");
    add_text(p->x, p->out, floats ? "_float_qparams" : "");
    add_channels(p, ", scales: ", q, q->scales, NULL);
    add_channels(p, ", zero_points: ", q, floats ? q->float_zero_points : NULL, floats ? NULL : q->zero_points);
    add_text(p->x, p->out, ", axis: ");
    add_int(p->x, p->out, q->axis);
}

TSM_PART void tsm_text_add_tensor(tsm_exec *x, tsm_text *out, const tsm_tensor *t) {
    enum { UNITS_PER_NUMBER = 10 };
    const uint64_t channels = t->quantizer ? (uint64_t)t->quantizer->channels : 0;
    if (x->is_limited)
        out->status = tsm_charge_limited(x, tsm_work((uint64_t)t->elements + channels, UNITS_PER_NUMBER));
    if (out->status != TSM_OK)
        return;
    printer p = {x, out, t, NULL, NULL, {'g', 6}};
    add_elements(&p, t->quantizer ? "QuantizedCPU" : "CPU", (tsm_dtype)t->dtype, t->dims, t->sizes);
    if (t->quantizer)
        add_quantizer(&p, t->quantizer);
    add_text(x, out, " ]");
}

/* ---- Other values ---- */

static void add_complex(tsm_exec *x, tsm_text *t, const tsm_complex_object *c) {
    add_double(x, t, c->re);
    add_text(x, t, c->im >= 0 ? "+" : "-");
    add_double(x, t, fabs(c->im));
    add_text(x, t, "j");
}

static const char *after_last_dot(const char *name) {
    const char *dot = tsm_chars_last(name, '.');
    return dot ? dot + 1 : name;
}

static void add_enum(tsm_exec *x, tsm_text *t, const tsm_enum *e) {
    add_text(x, t, "Enum<");
    add_text(x, t, after_last_dot(tsm_type_name(x, e->type)));
    add_text(x, t, ".");
    add_text(x, t, e->name);
    add_text(x, t, ">");
}

static void add_object(tsm_exec *x, tsm_text *t, const tsm_object *o) {
    char address[TSM_NUMBER_TEXT];
    add_text(x, t, "<");
    add_text(x, t, tsm_type_name(x, o->type));
    add_text(x, t, " object at 0x");
    tsm_text_add(x, t, address, tsm_format_unsigned(address, (uintptr_t)o, 16));
    add_text(x, t, ">");
}

static void add_value(tsm_exec *x, tsm_text *t, tsm_value v, int depth);

static void add_sequence(tsm_exec *x, tsm_text *t, const tsm_value *items, size_t n, int depth) {
    for (size_t i = 0; i < n; i++) {
        if (i)
            add_text(x, t, ", ");
        add_value(x, t, items[i], depth);
    }
}

static void add_dict(tsm_exec *x, tsm_text *t, const tsm_dict *d, int depth) {
    add_text(x, t, "{");
    size_t at = 0;
    tsm_dict_entry *entry;
    for (bool first = true; tsm_dict_next(d, &at, &entry); first = false) {
        if (!first)
            add_text(x, t, ", ");
        add_value(x, t, entry->key, depth);
        add_text(x, t, ": ");
        add_value(x, t, entry->item, depth);
    }
    add_text(x, t, "}");
}

static void add_container(tsm_exec *x, tsm_text *t, tsm_value v, int depth) {
    if (depth == MAX_NESTING) {
        t->status = TSM_RAISE(x, "cannot show a value with more than %d nested containers", MAX_NESTING);
    } else if (v.tag == TSM_TAG_DICT) {
        add_dict(x, t, tsm_as_dict(v), depth + 1);
    } else if (v.tag == TSM_TAG_LIST) {
        add_text(x, t, "[");
        add_sequence(x, t, tsm_as_list(v)->items, tsm_as_list(v)->length, depth + 1);
        add_text(x, t, "]");
    } else {
        add_text(x, t, "(");
        add_sequence(x, t, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length, depth + 1);
        add_text(x, t, tsm_as_tuple(v)->length == 1 ? ",)" : ")");
    }
}

static void add_device(tsm_exec *x, tsm_text *t, tsm_value v) {
    char text[24];
    tsm_text_add(x, t, text, tsm_device_text(v, text, sizeof text));
}

static void add_value(tsm_exec *x, tsm_text *t, tsm_value v, int depth) {
    if (t->status != TSM_OK)
        return;
    switch ((tsm_tag)v.tag) {
    case TSM_TAG_NONE:
        add_text(x, t, "None");
        break;
    case TSM_TAG_BOOL:
        add_text(x, t, v.as.b ? "True" : "False");
        break;
    case TSM_TAG_INT:
        add_int(x, t, v.as.i);
        break;
    case TSM_TAG_FLOAT:
        add_double(x, t, v.as.f);
        break;
    case TSM_TAG_DEVICE:
        add_device(x, t, v);
        break;
    case TSM_TAG_COMPLEX:
        add_complex(x, t, tsm_as_complex(v));
        break;
    case TSM_TAG_STR:
        tsm_text_add(x, t, tsm_as_str(v)->text, tsm_as_str(v)->length);
        break;
    case TSM_TAG_TENSOR:
        tsm_text_add_tensor(x, t, tsm_as_tensor(v));
        break;
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
    case TSM_TAG_DICT:
        add_container(x, t, v, depth);
        break;
    case TSM_TAG_OBJECT:
        add_object(x, t, tsm_as_object(v));
        break;
    case TSM_TAG_ENUM:
        add_enum(x, t, tsm_as_enum(v));
        break;
    case TSM_TAG_FUTURE:
        add_text(x, t, tsm_as_future(v)->is_rref ? "RRef" : "Future");
        break;
    default: /* TSM_TAG_GENERATOR */
        add_text(x, t, "Generator");
        break;
    }
}

tsm_status tsm_text_add_value(tsm_exec *x, tsm_text *t, tsm_value v) {
    add_value(x, t, v, 0);
    return t->status;
}
