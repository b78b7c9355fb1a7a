/* Reads a file of tsmrun --values and compares what operators give with it. */
#include "platform/runner/expected_values.h"

#include "platform/runner/die.h"
#include "platform/runner/element.h"
#include "platform/runner/json_read.h"
#include "platform/runner/statistics.h"
#include <math.h>
#include <string.h>

/* A call of an operator in the file. */
typedef struct {
    const char *operator, * line;
    json_node outputs;
} entry;

struct expected_values {
    const json_file *file;
    entry *entries;
    size_t count, next;
};

static json_node need(const json_file *file, json_node object, const char *name, const char *path) {
    const json_node found = json_is_object(file, object) ? json_member(file, object, name) : -1;
    if (found < 0)
        die(EXIT_BAD_INPUT, "%s: is no file of --values: there is no \"%s\"", path, name);
    return found;
}

expected_values *expected_open(const char *path) {
    expected_values *e = keep(sizeof *e);
    const json_file *file = json_open(path);
    const json_node all = need(file, JSON_ROOT, "operators", path);
    *e = (expected_values){.file = file, .count = json_array_size(file, all, "the operators")};
    e->entries = keep((e->count + 1) * sizeof *e->entries);
    json_node node = json_first(all);
    for (size_t i = 0; i < e->count; i++, node = json_next(file, node)) {
        const json_node lines = need(file, node, "lines", path), outputs = need(file, node, "outputs", path);
        json_array_size(file, outputs, "the outputs of an operator");
        e->entries[i] =
            (entry){json_text(file, need(file, node, "operator", path)),
                    json_array_size(file, lines, "the lines") ? json_text(file, json_first(lines)) : "", outputs};
    }
    return e;
}

/* The next call of the operator on that line; NULL: there is none. */
static const entry *find(expected_values *e, const char *operator, const char * line) {
    for (size_t i = e->next; i < e->count; i++)
        if (!strcmp(e->entries[i].operator, operator) && !strcmp(e->entries[i].line, line)) {
            e->next = i + 1;
            return &e->entries[i];
        }
    return NULL;
}

static void add(expected_difference *d, double got, double want) {
    const bool same = got == want || (isnan(got) && isnan(want));
    const double by = same ? 0 : isfinite(got) && isfinite(want) ? fabs(got - want) : INFINITY;
    d->largest = by > d->largest ? by : d->largest;
    d->agrees &= by <= EXPECTED_TOLERANCE + EXPECTED_TOLERANCE * (isfinite(want) ? fabs(want) : 0);
}

static bool has_shape(const json_file *file, json_node shape, const tsm_tensor_view *t) {
    if (json_array_size(file, shape, "the shape") != (size_t)t->dims)
        return false;
    json_node size = json_first(shape);
    for (int d = 0; d < t->dims; d++, size = json_next(file, size))
        if (json_number(file, size) != (double)t->sizes[d])
            return false;
    return true;
}

/* A float32 is written in as many digits as bring it back. */
static double element_at(const json_file *file, json_node node, tsm_dtype dtype) {
    const double x = json_number(file, node);
    return dtype == TSM_FLOAT32 || dtype == TSM_COMPLEX64 ? (double)(float)x : x;
}

/* The parts of a complex number are compared one by one. */
static void compare_elements(expected_difference *d, const json_file *file, json_node data, const tsm_tensor_view *t) {
    const element_kind kind = element_kind_of(t->dtype);
    const tsm_dim n = element_count(t);
    if (json_array_size(file, data, "the elements") != (size_t)n) {
        d->why = "the number of elements";
        return;
    }
    element_walk walk;
    element_walk_start(&walk, t);
    json_node node = json_first(data);
    for (tsm_dim i = 0; i < n; i++, node = json_next(file, node)) {
        const element x = element_load(t->dtype, walk.at);
        if (kind == ELEMENT_COMPLEX && json_array_size(file, node, "a complex number") == 2) {
            add(d, x.re, element_at(file, json_first(node), t->dtype));
            add(d, x.im, element_at(file, json_next(file, json_first(node)), t->dtype));
        } else
            add(d, kind == ELEMENT_FLOAT ? x.re : (double)x.i, element_at(file, node, t->dtype));
        if (i + 1 < n)
            element_walk_next(&walk);
    }
}

static void compare_statistic(expected_difference *d, const json_file *file, json_node object, const char *name,
                              bool is_known, double got) {
    const json_node node = json_member(file, object, name);
    const bool is_expected = node >= 0 && !json_is_null(file, node);
    if (is_expected && is_known)
        add(d, got, json_number(file, node));
    else if (is_expected != is_known)
        d->why = "which elements are finite";
}

static void compare_tensor(expected_difference *d, const json_file *file, json_node object, const tsm_tensor_view *t) {
    const json_node dtype = json_member(file, object, "dtype"), shape = json_member(file, object, "shape"),
                    value = json_member(file, object, "value");
    if (dtype < 0 || shape < 0 || strcmp(json_text(file, dtype), tsm_dtype_name(t->dtype)))
        d->why = "the dtype";
    else if (!has_shape(file, shape, t))
        d->why = "the shape";
    if (d->why)
        return;
    const json_node tensor = value >= 0 && json_is_object(file, value) ? json_member(file, value, "tensor") : -1,
                    data = tensor >= 0 && json_is_object(file, tensor) ? json_member(file, tensor, "data") : -1;
    if (data >= 0) {
        d->elements = true;
        compare_elements(d, file, data, t);
        return;
    }
    const statistics s = statistics_of(t);
    compare_statistic(d, file, object, "min", s.finite > 0, s.least);
    compare_statistic(d, file, object, "max", s.finite > 0, s.most);
    compare_statistic(d, file, object, "mean", s.finite > 0, s.finite ? s.sum / (double)s.finite : 0);
    compare_statistic(d, file, object, "nan", true, (double)s.nan);
    compare_statistic(d, file, object, "inf", true, (double)s.inf);
}

static void compare_output(expected_difference *d, const json_file *file, json_node object, tsm_value v) {
    tsm_tensor_view t;
    if (!json_is_object(file, object))
        d->why = "the kind of value";
    else if (v.tag == TSM_TAG_TENSOR && tsm_tensor_get(v, &t))
        compare_tensor(d, file, object, &t);
    else if (json_member(file, object, "shape") >= 0)
        d->why = "the kind of value";
}

expected_difference expected_compare(expected_values *e, const char *operator, const char * line,
                                     const tsm_value *outputs, size_t n) {
    const entry *found = find(e, operator, line);
    expected_difference d = {.is_known = found != NULL, .agrees = true};
    if (!found)
        return d;
    if (json_array_size(e->file, found->outputs, "the outputs") != n)
        d.why = "the number of outputs";
    json_node node = json_first(found->outputs);
    for (size_t i = 0; i < n && !d.why; i++, node = json_next(e->file, node))
        compare_output(&d, e->file, node, outputs[i]);
    d.agrees &= !d.why;
    return d;
}
