/* Names of sizes, their bounds, and the calls that follow from them. */
#include "exporter/execute/bounds.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/diag.h"
#include "exporter/base/size_samples.h"
#include "exporter/execute/enlarge.h"
#include "exporter/passes/analysis/symbolic_shapes.h"

static const int64_t LARGEST_SIZE = (int64_t)1 << 32, MOST_ELEMENTS = (int64_t)1 << 28;

/* A size: a number, or a number times a name. */
typedef struct {
    int64_t factor;
    const char *name; /* NULL: a number */
} named_size;

typedef struct {
    const char *argument;
    named_size *sizes; /* stb_ds array */
} named_shape;

typedef struct {
    const char *name;
    int64_t least, most;
    bool is_used;
} size_bound;

struct size_bounds {
    named_shape *shapes; /* stb_ds arrays */
    size_bound *bounds;
};

/* ---- Reading ---- */

static const char *read_name(const char **at) {
    const char *begin = *at;
    while (isalnum((unsigned char)**at) || **at == '_')
        ++*at;
    return isalpha((unsigned char)*begin) || *begin == '_' ? mem_strndup(begin, (size_t)(*at - begin)) : NULL;
}

static bool read_number(const char **at, int64_t *number) {
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    *at = end;
    return !errno && *number <= LARGEST_SIZE;
}

/* SIZE: NUMBER, NAME or NUMBER*NAME. */
static bool read_size(const char **at, named_size *s) {
    *s = (named_size){1, NULL};
    if (isdigit((unsigned char)**at)) {
        if (!read_number(at, &s->factor))
            return false;
        if (**at != '*')
            return true;
        ++*at;
    }
    s->name = read_name(at);
    return s->name && s->factor > 0;
}

/* NAME=LEAST..MOST */
static size_bound read_bound(const char *text) {
    const char *at = text;
    size_bound b = {.name = read_name(&at)};
    if (!b.name || *at++ != '=' || !read_number(&at, &b.least) || strncmp(at, "..", 2) || (at += 2, false) ||
        !read_number(&at, &b.most) || *at)
        diag_fail("--bound wants NAME=LEAST..MOST, not %s", text);
    if (b.least > b.most)
        diag_fail("--bound %s: nothing lies in this range", text);
    return b;
}

static size_bound *bound_of(const size_bounds *b, const char *name) {
    for (size_t i = 0; i < arrlenu(b->bounds); i++)
        if (!strcmp(b->bounds[i].name, name))
            return &b->bounds[i];
    return NULL;
}

/* ARGUMENT:SIZE,SIZE,... */
static named_shape read_shape(const size_bounds *b, const char *text) {
    const char *at = text;
    named_shape s = {read_name(&at), NULL};
    bool is_right = s.argument && *at == ':';
    while (is_right && *at) {
        named_size size;
        at++;
        is_right = read_size(&at, &size) && (*at == ',' || !*at);
        if (!is_right)
            break;
        arrput(s.sizes, size);
        size_bound *bound = size.name ? bound_of(b, size.name) : NULL;
        if (size.name && !bound)
            diag_fail("--shape %s: give --bound %s=LEAST..MOST", text, size.name);
        if (bound)
            bound->is_used = true;
    }
    if (!is_right || !s.sizes)
        diag_fail("--shape wants ARGUMENT:SIZE,SIZE,... where a size is a number, a name, or NUMBER*NAME, not %s",
                  text);
    return s;
}

size_bounds *bounds_read(const char *const *shapes, const char *const *bounds) {
    size_bounds *b = MEM_NEW(size_bounds);
    for (size_t i = 0; i < arrlenu(bounds); i++) {
        const size_bound bound = read_bound(bounds[i]);
        if (bound_of(b, bound.name))
            diag_fail("--bound %s: %s has a bound already", bounds[i], bound.name);
        arrput(b->bounds, bound);
    }
    for (size_t i = 0; i < arrlenu(shapes); i++) {
        const named_shape s = read_shape(b, shapes[i]);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(b->shapes[k].argument, s.argument))
                diag_fail("--shape %s: '%s' has a shape already", shapes[i], s.argument);
        arrput(b->shapes, s);
    }
    for (size_t i = 0; i < arrlenu(b->bounds); i++)
        if (!b->bounds[i].is_used)
            diag_fail("--bound %s: no --shape names %s", bounds[i], b->bounds[i].name);
    return b->shapes ? b : NULL;
}

/* ---- Against the example ---- */

static const named_shape *shape_of_argument(const size_bounds *b, const char *name) {
    for (size_t i = 0; i < arrlenu(b->shapes); i++)
        if (!strcmp(b->shapes[i].argument, name))
            return &b->shapes[i];
    return NULL;
}

static const char *name_of_argument(const example *e, size_t i) {
    return e->entry->schema->arguments[i + (e->entry->owner ? 1 : 0)].name;
}

static void check_names(const size_bounds *b, const example *e) {
    for (size_t i = 0; i < arrlenu(b->shapes); i++) {
        bool is_found = false;
        for (size_t k = 0; k < arrlenu(e->arguments); k++)
            is_found |= !strcmp(name_of_argument(e, k), b->shapes[i].argument);
        if (!is_found)
            diag_fail("--shape %s: the example of %s has no such argument", b->shapes[i].argument, e->entry->base_name);
    }
}

/* The example's sizes of an argument fit its shape; `values` gets what its names are in the example. */
static void check_argument(const size_bounds *b, const named_shape *s, const ir_constant *c, int64_t *values) {
    const pt_tensor *t = c->kind == CONST_TENSOR ? c->tensor : NULL;
    if (!t)
        diag_fail("--shape %s: the argument is no tensor", s->argument);
    if ((size_t)t->ndim != arrlenu(s->sizes))
        diag_fail("--shape %s: %zu sizes, and the example's tensor has %d dimensions", s->argument, arrlenu(s->sizes),
                  t->ndim);
    for (int d = 0; d < t->ndim; d++) {
        const named_size *size = &s->sizes[d];
        const size_bound *bound = size->name ? bound_of(b, size->name) : NULL;
        const int64_t value = t->sizes[d] / size->factor;
        if (!bound ? t->sizes[d] != size->factor : t->sizes[d] % size->factor != 0)
            diag_fail("--shape %s: size %d is %" PRId64 "%s%s, and the example's is %" PRId64, s->argument, d,
                      size->factor, bound ? " times " : "", bound ? bound->name : "", t->sizes[d]);
        if (!bound)
            continue;
        if (value < bound->least || value > bound->most)
            diag_fail("--shape %s: %s is %" PRId64 " in the example, and its bounds are %" PRId64 " and %" PRId64,
                      s->argument, bound->name, value, bound->least, bound->most);
        int64_t *known = &values[bound - b->bounds];
        if (*known >= 0 && *known != value)
            diag_fail("--shape %s: %s is %" PRId64 " in the example, and %" PRId64 " before", s->argument, bound->name,
                      value, *known);
        *known = value;
    }
}

static void check_example(const size_bounds *b, const example *e) {
    int64_t *values = MEM_ARRAY(int64_t, arrlenu(b->bounds) + 1);
    for (size_t i = 0; i < arrlenu(b->bounds); i++)
        values[i] = -1;
    check_names(b, e);
    for (size_t i = 0; i < arrlenu(e->arguments); i++) {
        const named_shape *s = shape_of_argument(b, name_of_argument(e, i));
        if (s)
            check_argument(b, s, e->arguments[i], values);
    }
}

/* ---- Calls ---- */

static bool is_container(const ir_constant *c) {
    return c->kind == CONST_LIST || c->kind == CONST_TUPLE || c->kind == CONST_DICT;
}

/* A copy whose tensors can be made larger. */
static ir_constant *copied(const ir_constant *c) {
    stack_check();
    ir_constant *made = MEM_NEW(ir_constant);
    *made = *c;
    if (!is_container(c))
        return made;
    made->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++)
        made->list.items[i] = copied(c->list.items[i]);
    return made;
}

/* The sizes of all tensors in a value, in order: those of the shape, with its names' values, or their own. */
static void add_sizes(const size_bounds *b, const named_shape *s, const ir_constant *c, const int64_t *values,
                      int64_t ***all) {
    stack_check();
    int64_t *sizes = NULL;
    for (uint32_t i = 0; is_container(c) && i < c->list.count; i++)
        add_sizes(b, NULL, c->list.items[i], values, all);
    if (c->kind != CONST_TENSOR)
        return;
    for (int d = 0; d < c->tensor->ndim; d++) {
        const named_size *size = s ? &s->sizes[d] : NULL;
        const int64_t n = !size        ? c->tensor->sizes[d]
                          : size->name ? size->factor * values[bound_of(b, size->name) - b->bounds]
                                       : size->factor;
        arrput(sizes, n);
    }
    arrput(*all, sizes);
}

/* The example's call with other values of the names. */
static ir_constant **call_of(const size_bounds *b, const example *e, const int64_t *values) {
    int64_t **sizes = NULL;
    ir_constant **arguments = NULL;
    for (size_t i = 0; i < arrlenu(e->arguments); i++) {
        add_sizes(b, shape_of_argument(b, name_of_argument(e, i)), e->arguments[i], values, &sizes);
        arrput(arguments, copied(e->arguments[i]));
    }
    if (enlarge_elements(sizes) > MOST_ELEMENTS)
        diag_fail("--bound: the largest call has %" PRId64 " elements of arguments, more than %" PRId64 " (2^28)",
                  enlarge_elements(sizes), MOST_ELEMENTS);
    if (!enlarge_arguments(arguments, sizes, MOST_ELEMENTS))
        diag_fail("--shape: tensors that are sparse, quantized or packed cannot be made larger");
    return arguments;
}

void bounds_apply(const size_bounds *b, example *e) {
    size_range *ranges = NULL;
    check_example(b, e);
    for (size_t i = 0; i < arrlenu(b->bounds); i++) {
        const size_range r = {b->bounds[i].least, b->bounds[i].most};
        arrput(ranges, r);
    }
    const size_samples s = size_samples_of(ranges, arrlenu(ranges));
    ir_constant **largest = call_of(b, e, s.values[0]);
    for (size_t i = 1; i < arrlenu(s.values); i++) {
        if (i == s.corners)
            arrput(e->others, e->arguments);
        ir_constant **smaller = call_of(b, e, s.values[i]);
        arrput(e->others, smaller);
    }
    if (s.corners == arrlenu(s.values))
        arrput(e->others, e->arguments);
    e->samples = arrlenu(s.values) - s.corners;
    e->arguments = largest;
}

static const symbolic_shape *formulas_of(const named_shape *s) {
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    made->kind = SYMBOLIC_TENSOR;
    for (size_t d = 0; d < arrlenu(s->sizes) && d < SYMBOLIC_MAX_DIMS; d++) {
        const symbolic_int *factor = symbolic_constant(s->sizes[d].factor);
        made->sizes[made->dims++] =
            s->sizes[d].name ? symbolic_multiply(factor, symbolic_name(s->sizes[d].name)) : factor;
    }
    return made;
}

static const char *describe(const void *known_, const ir_value *v) {
    symbolic_map known = *(symbolic_map *)known_;
    return symbolic_description(known ? hmget(known, v) : NULL);
}

static bool has_shape(const size_bounds *b, const symbolic_shape *s, const shape *seen) {
    const char **names = NULL;
    int64_t *values = NULL, size;
    for (size_t i = 0; i < arrlenu(b->bounds); i++) {
        arrput(names, b->bounds[i].name);
        arrput(values, b->bounds[i].most);
    }
    bool fits = s->dims == seen->dims;
    for (int d = 0; fits && d < s->dims; d++)
        fits = !s->sizes[d] || !symbolic_value(s->sizes[d], names, values, (int)arrlenu(names), &size) ||
               size == seen->sizes[d];
    return fits;
}

/* A formula that the run of the largest call contradicts is a fault of a rule. */
static void check_formulas(const size_bounds *b, symbolic_map known, shape_map seen) {
    for (size_t i = 0; i < hmlenu(known); i++) {
        const ptrdiff_t at = seen ? hmgeti(seen, known[i].key) : -1;
        const shape *given = at < 0 ? NULL : seen[at].value;
        if (given && given->kind == SHAPE_TENSOR && known[i].value->kind == SYMBOLIC_TENSOR &&
            !has_shape(b, known[i].value, given))
            diag_internal("%s has not the shape %s", ir_place_text(known[i].key->node),
                          symbolic_description(known[i].value));
    }
}

void bounds_print_graph(const size_bounds *b, const function *f, const example *examples, strbuf *out) {
    const ir_graph *g = function_graph((function *)f);
    symbolic_map known = NULL;
    for (uint32_t i = 0; i < f->schema->argument_count && i < ir_output_count(g->block->param); i++) {
        const named_shape *s = shape_of_argument(b, f->schema->arguments[i].name);
        if (s)
            hmput(known, g->block->param->outputs[i], formulas_of(s));
    }
    if (known)
        symbolic_shapes_learn(g->block, &known);
    for (size_t i = 0; i < arrlenu(examples); i++)
        if (examples[i].entry == f)
            check_formulas(b, known, examples[i].seen);
    ir_print_described(g, describe, &known, out);
}

void bounds_print(const size_bounds *b, strbuf *out) {
    for (size_t i = 0; i < arrlenu(b->shapes); i++) {
        const named_shape *s = &b->shapes[i];
        strbuf_printf(out, "# %s: [", s->argument);
        for (size_t d = 0; d < arrlenu(s->sizes); d++) {
            strbuf_add(out, d ? ", " : "");
            if (!s->sizes[d].name || s->sizes[d].factor != 1)
                strbuf_printf(out, "%" PRId64 "%s", s->sizes[d].factor, s->sizes[d].name ? "*" : "");
            strbuf_add(out, s->sizes[d].name ? s->sizes[d].name : "");
        }
        strbuf_add(out, "]\n");
    }
    for (size_t i = 0; i < arrlenu(b->bounds); i++)
        strbuf_printf(out, "# %s: %" PRId64 "..%" PRId64 "\n", b->bounds[i].name, b->bounds[i].least,
                      b->bounds[i].most);
}
