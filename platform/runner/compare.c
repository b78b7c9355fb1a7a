/* Whether a result is the expected one: numbers within a tolerance, all else exactly. */
#include "platform/runner/compare.h"

#include "platform/runner/element.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    tsm_instance *inst;
    double tolerance;
    char *why;
    size_t why_bytes;
} comparison;

#define DIFFER(c, ...) (snprintf((c)->why, (c)->why_bytes, __VA_ARGS__), false)

static const char *const tag_names[] = {
#define X(NAME, text) text,
    TSM_TAG_LIST(X)
#undef X
};

static bool close_to(const comparison *c, double got, double want) {
    return got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= c->tolerance + c->tolerance * fabs(want);
}

static bool same_element(const comparison *c, tsm_dtype dtype, element got, element want) {
    const bool quantized = dtype == TSM_QINT8 || dtype == TSM_QUINT8 || dtype == TSM_QINT32;
    switch (element_kind_of(dtype)) {
    case ELEMENT_FLOAT:
    case ELEMENT_COMPLEX:
        return close_to(c, got.re, want.re) && close_to(c, got.im, want.im);
    default:
        return got.i == want.i || (quantized && got.i - want.i <= 1 && want.i - got.i <= 1);
    }
}

static bool same_tensor(const comparison *c, tsm_value got, tsm_value want) {
    tsm_tensor_view g, w;
    if (!tsm_tensor_get(got, &g) || !tsm_tensor_get(want, &w))
        return DIFFER(c, "one of the tensors is undefined");
    if (g.dtype != w.dtype)
        return DIFFER(c, "dtype %s against %s", tsm_dtype_name(g.dtype), tsm_dtype_name(w.dtype));
    bool same_shape = g.dims == w.dims;
    for (int d = 0; same_shape && d < g.dims; d++)
        same_shape = g.sizes[d] == w.sizes[d];
    if (!same_shape)
        return DIFFER(c, "the shapes of two tensors differ");
    element_walk a, b;
    element_walk_start(&a, &g);
    element_walk_start(&b, &w);
    for (tsm_dim i = 0, n = element_count(&g); i < n; i++) {
        const element x = element_load(g.dtype, a.at), y = element_load(w.dtype, b.at);
        if (!same_element(c, g.dtype, x, y))
            return DIFFER(c, "element %td: %.9g against %.9g", i, x.re + (double)x.i, y.re + (double)y.i);
        if (i + 1 < n) {
            element_walk_next(&a);
            element_walk_next(&b);
        }
    }
    return true;
}

static bool same(const comparison *c, tsm_value got, tsm_value want);

static bool same_sequence(const comparison *c, tsm_value got, tsm_value want) {
    const size_t n = tsm_sequence_size(got);
    if (n != tsm_sequence_size(want))
        return DIFFER(c, "length %zu against %zu", n, tsm_sequence_size(want));
    for (size_t i = 0; i < n; i++)
        if (!same(c, tsm_sequence_get(got, i), tsm_sequence_get(want, i)))
            return false;
    return true;
}

static bool same_dict(const comparison *c, tsm_value got, tsm_value want) {
    const size_t n = tsm_dict_size(got);
    if (n != tsm_dict_size(want))
        return DIFFER(c, "%zu entries against %zu", n, tsm_dict_size(want));
    for (size_t i = 0; i < n; i++) {
        tsm_value keys[2], items[2];
        tsm_dict_get(got, i, &keys[0], &items[0]);
        tsm_dict_get(want, i, &keys[1], &items[1]);
        if (!same(c, keys[0], keys[1]) || !same(c, items[0], items[1]))
            return false;
    }
    return true;
}

static bool same_object(const comparison *c, tsm_value got, tsm_value want) {
    const size_t n = tsm_object_size(got);
    if (strcmp(tsm_class_name(c->inst, got), tsm_class_name(c->inst, want)) != 0 || n != tsm_object_size(want))
        return DIFFER(c, "a %s against a %s", tsm_class_name(c->inst, got), tsm_class_name(c->inst, want));
    for (size_t i = 0; i < n; i++) {
        tsm_value items[2];
        tsm_object_attribute(c->inst, got, i, &items[0]);
        tsm_object_attribute(c->inst, want, i, &items[1]);
        if (!same(c, items[0], items[1]))
            return false;
    }
    return true;
}

static bool same_string(const comparison *c, tsm_value got, tsm_value want) {
    size_t n, m;
    const char *g = tsm_str_get(got, &n), *w = tsm_str_get(want, &m);
    return (n == m && memcmp(g, w, n) == 0) || DIFFER(c, "'%.*s' against '%.*s'", (int)n, g, (int)m, w);
}

static bool same_enum(const comparison *c, tsm_value got, tsm_value want) {
    tsm_value unused;
    const char *g = tsm_enum_get(c->inst, got, &unused), *w = tsm_enum_get(c->inst, want, &unused);
    return strcmp(g, w) == 0 || DIFFER(c, "%s against %s", g, w);
}

static bool same_scalar(const comparison *c, tsm_value got, tsm_value want) {
    double g[2], w[2];
    switch ((tsm_tag)got.tag) {
    case TSM_TAG_BOOL:
        return got.as.b == want.as.b || DIFFER(c, "%d against %d", got.as.b, want.as.b);
    case TSM_TAG_INT:
        return got.as.i == want.as.i || DIFFER(c, "%" PRId64 " against %" PRId64, got.as.i, want.as.i);
    case TSM_TAG_FLOAT:
        return close_to(c, got.as.f, want.as.f) || DIFFER(c, "%.17g against %.17g", got.as.f, want.as.f);
    case TSM_TAG_DEVICE:
        return got.as.device == want.as.device || DIFFER(c, "the devices differ");
    case TSM_TAG_COMPLEX:
        tsm_complex_get(got, &g[0], &g[1]);
        tsm_complex_get(want, &w[0], &w[1]);
        return (close_to(c, g[0], w[0]) && close_to(c, g[1], w[1])) || DIFFER(c, "the complex numbers differ");
    default:
        return true;
    }
}

static bool same(const comparison *c, tsm_value got, tsm_value want) {
    if (got.tag != want.tag)
        return DIFFER(c, "a %s against a %s", tag_names[got.tag], tag_names[want.tag]);
    switch ((tsm_tag)got.tag) {
    case TSM_TAG_STR:
        return same_string(c, got, want);
    case TSM_TAG_TENSOR:
        return same_tensor(c, got, want);
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
        return same_sequence(c, got, want);
    case TSM_TAG_DICT:
        return same_dict(c, got, want);
    case TSM_TAG_OBJECT:
        return same_object(c, got, want);
    case TSM_TAG_ENUM:
        return same_enum(c, got, want);
    default:
        return same_scalar(c, got, want);
    }
}

bool compare_values(tsm_instance *inst, tsm_value got, tsm_value want, double tolerance, char *why, size_t why_bytes) {
    const comparison c = {inst, tolerance, why, why_bytes};
    why[0] = 0;
    return same(&c, got, want);
}
