/* Copies of values of a run, and how two of them differ. */
#include "exporter/execute/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/ir/ir.h"
#include "exporter/passes/analysis/value_conversion.h"
#include "runtime/tensor/lanes.h"

enum { MAX_DEPTH = 32 };

/* ---- Copies ---- */

static snapshot *copy_value(tsm_instance *inst, tsm_value v, int depth);

static void copy_sequence(tsm_instance *inst, tsm_value v, snapshot *s, int depth) {
    for (size_t i = 0; i < tsm_sequence_size(v); i++)
        arrput(s->items, copy_value(inst, tsm_sequence_get(v, i), depth + 1));
}

static void copy_dict(tsm_instance *inst, tsm_value v, snapshot *s, int depth) {
    for (size_t i = 0; i < tsm_dict_size(v); i++) {
        tsm_value key, item;
        tsm_dict_get(v, i, &key, &item);
        arrput(s->items, copy_value(inst, key, depth + 1));
        arrput(s->items, copy_value(inst, item, depth + 1));
    }
}

static void copy_object(tsm_instance *inst, tsm_value v, snapshot *s, int depth) {
    s->text = mem_strdup(tsm_class_name(inst, v));
    s->length = strlen(s->text);
    for (size_t i = 0; i < tsm_object_size(v); i++) {
        tsm_value item;
        tsm_object_attribute(inst, v, i, &item);
        arrput(s->items, copy_value(inst, item, depth + 1));
    }
}

static void copy_text(snapshot *s, const char *text, size_t n) {
    s->text = mem_strndup(text, n);
    s->length = n;
}

static snapshot *copy_value(tsm_instance *inst, tsm_value v, int depth) {
    stack_check();
    snapshot *s = MEM_NEW(snapshot);
    tsm_tensor_view view;
    ir_constant *copy;
    tsm_value item;
    size_t n;
    s->tag = (tsm_tag)v.tag;
    if (depth > MAX_DEPTH)
        return s;
    switch (s->tag) {
    case TSM_TAG_BOOL:
    case TSM_TAG_INT:
    case TSM_TAG_FLOAT:
    case TSM_TAG_DEVICE:
        s->number = v;
        break;
    case TSM_TAG_COMPLEX:
        tsm_complex_get(v, &s->re, &s->im);
        break;
    case TSM_TAG_STR: {
        const char *text = tsm_str_get(v, &n);
        copy_text(s, text, n);
        break;
    }
    case TSM_TAG_TENSOR:
        copy = tsm_tensor_get(v, &view) ? constant_from_value(v, NULL) : NULL;
        s->tensor = copy ? copy->tensor : NULL;
        break;
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
        copy_sequence(inst, v, s, depth);
        break;
    case TSM_TAG_DICT:
        copy_dict(inst, v, s, depth);
        break;
    case TSM_TAG_OBJECT:
        copy_object(inst, v, s, depth);
        break;
    case TSM_TAG_ENUM: {
        const char *member = tsm_enum_get(inst, v, &item);
        copy_text(s, member, strlen(member));
        break;
    }
    default:
        break;
    }
    return s;
}

snapshot *snapshot_of(tsm_instance *inst, tsm_value v) {
    return copy_value(inst, v, 0);
}

size_t snapshot_bytes(const snapshot *s) {
    stack_check();
    size_t n = sizeof *s + s->length + (s->tensor ? pt_tensor_bytes(s->tensor) : 0);
    for (size_t i = 0; i < arrlenu(s->items); i++)
        n += snapshot_bytes(s->items[i]);
    return n;
}

/* ---- Comparison ---- */

#define DIFFER(c, ...) ((c)->why = (c)->why ? (c)->why : mem_printf(__VA_ARGS__), false)

/* Two units in the last place, relative to the number. */
static double tolerance_of(const snapshot_comparison *c, tsm_dtype dtype) {
    double least = dtype == TSM_FLOAT16 ? 0x1p-10 : dtype == TSM_BFLOAT16 ? 0x1p-7 : 0;
    return c->tolerance > least ? c->tolerance : least;
}

static bool is_close(snapshot_comparison *c, double got, double want, double tolerance) {
    if (isfinite(want) && fabs(want) > c->greatest)
        c->greatest = fabs(want);
    if (got == want || (isnan(got) && isnan(want)))
        return true;
    double difference = fabs(got - want);
    if (!(difference <= c->largest)) /* NaN counts as larger than all */
        c->largest = isnan(difference) ? INFINITY : difference;
    return difference <= tolerance + tolerance * fabs(want);
}

static bool same_float(snapshot_comparison *c, double got, double want, const char *what) {
    return is_close(c, got, want, c->tolerance) || DIFFER(c, "%s%.9g instead of %.9g", what, got, want);
}

static bool same_elements(snapshot_comparison *c, const pt_tensor *got, const pt_tensor *want, int64_t n) {
    tsm_dtype dtype = (tsm_dtype)got->dtype;
    bool floating = tsm_dtype_is_floating(dtype), complex = tsm_dtype_is_complex(dtype), same = true;
    int64_t step = dtype == TSM_QINT8 || dtype == TSM_QUINT8 || dtype == TSM_QINT32;
    size_t size = pt_dtype_size(got->dtype);
    const uint8_t *a = pt_tensor_data(got), *b = pt_tensor_data(want);
    double tolerance = tolerance_of(c, dtype);
    tsm_lane lane = complex ? TSM_LANE_C128 : floating ? TSM_LANE_F64 : TSM_LANE_I64;
    for (int64_t i = 0; i < n; i++, a += size, b += size) {
        tsm_lane_item x, y;
        tsm_lane_load(lane, &x, dtype, a, 0, 1);
        tsm_lane_load(lane, &y, dtype, b, 0, 1);
        bool equal = complex    ? is_close(c, x.c.re, y.c.re, tolerance) && is_close(c, x.c.im, y.c.im, tolerance)
                     : floating ? is_close(c, x.f64, y.f64, tolerance)
                                : x.i - y.i <= step && y.i - x.i <= step;
        if (equal)
            continue;
        same = complex ? DIFFER(c, "element %" PRId64 ": %.9g%+.9gj instead of %.9g%+.9gj", i, x.c.re, x.c.im, y.c.re,
                                y.c.im)
               : floating ? DIFFER(c, "element %" PRId64 ": %.9g instead of %.9g", i, x.f64, y.f64)
                          : DIFFER(c, "element %" PRId64 ": %" PRId64 " instead of %" PRId64, i, x.i, y.i);
    }
    return same;
}

static const char *shape_text(const pt_tensor *t) {
    strbuf b = {0};
    strbuf_printf(&b, "%s[", pt_dtype_name(t->dtype));
    for (int d = 0; d < t->ndim; d++)
        strbuf_printf(&b, "%s%" PRId64, d ? ", " : "", t->sizes[d]);
    strbuf_add(&b, "]");
    return strbuf_text(&b);
}

static bool same_tensor(snapshot_comparison *c, const pt_tensor *got, const pt_tensor *want) {
    if (!got || !want)
        return got == want || DIFFER(c, "one of the tensors is undefined");
    bool same_shape = got->dtype == want->dtype && got->ndim == want->ndim;
    for (int d = 0; same_shape && d < got->ndim; d++)
        same_shape = got->sizes[d] == want->sizes[d];
    if (!same_shape)
        return DIFFER(c, "%s instead of %s", shape_text(got), shape_text(want));
    return same_elements(c, got, want, pt_tensor_numel(got));
}

static bool same_items(snapshot_comparison *c, const snapshot *got, const snapshot *want) {
    bool same = true;
    if (arrlenu(got->items) != arrlenu(want->items))
        return DIFFER(c, "%zu items instead of %zu", arrlenu(got->items), arrlenu(want->items));
    for (size_t i = 0; i < arrlenu(got->items); i++) {
        if (snapshot_same(got->items[i], want->items[i], c))
            continue;
        if (same)
            c->why = mem_printf("item %zu, %s", i, c->why);
        same = false;
    }
    return same;
}

static bool same_text(snapshot_comparison *c, const snapshot *got, const snapshot *want) {
    bool same = got->length == want->length && !memcmp(got->text, want->text, got->length);
    return same || DIFFER(c, "'%s' instead of '%s'", got->text, want->text);
}

static const char *const tag_names[] = {
#define X(NAME, text) text,
    TSM_TAG_LIST(X)
#undef X
};

bool snapshot_same(const snapshot *got, const snapshot *want, snapshot_comparison *c) {
    stack_check();
    if (got->tag != want->tag)
        return DIFFER(c, "%s instead of %s", tag_names[got->tag], tag_names[want->tag]);
    switch (got->tag) {
    case TSM_TAG_BOOL:
        return got->number.as.b == want->number.as.b ||
               DIFFER(c, "%s instead of %s", got->number.as.b ? "True" : "False", want->number.as.b ? "True" : "False");
    case TSM_TAG_INT:
        return got->number.as.i == want->number.as.i ||
               DIFFER(c, "%" PRId64 " instead of %" PRId64, got->number.as.i, want->number.as.i);
    case TSM_TAG_DEVICE:
        return got->number.as.device == want->number.as.device || DIFFER(c, "another device");
    case TSM_TAG_FLOAT:
        return same_float(c, got->number.as.f, want->number.as.f, "");
    case TSM_TAG_COMPLEX:
        return same_float(c, got->re, want->re, "real part ") && same_float(c, got->im, want->im, "imaginary part ");
    case TSM_TAG_TENSOR:
        return same_tensor(c, got->tensor, want->tensor);
    case TSM_TAG_OBJECT:
        return same_text(c, got, want) && same_items(c, got, want);
    case TSM_TAG_STR:
    case TSM_TAG_ENUM:
        return same_text(c, got, want);
    default:
        return same_items(c, got, want);
    }
}
