/* Comparisons of sizes, as branches that raise. */
#include "exporter/export/guards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/base/size_samples.h"
#include "exporter/export/checks.h"

/* factor * symbol + offset; without symbol only the offset. */
typedef struct {
    bool is_known;
    const char *symbol;
    int64_t factor, offset;
} linear;

struct guards {
    translation *t;
    json ranges, metas;
    value_map *symbols; /* stb_ds hash map: "s0" -> its value */
    linear **sizes;     /* of each tensor; stb_ds arrays */
    bool is_dynamic;
};

guards *guards_new(translation *t, json ranges, json metas) {
    guards *g = MEM_NEW(guards);
    *g = (guards){.t = t, .ranges = json_object(ranges), .metas = json_object(metas)};
    return g;
}

bool guards_are_static(const guards *g) {
    return !g->is_dynamic;
}

/* ---- Expressions ---- */

static const linear unknown = {false, NULL, 0, 0};

static bool skip_text(const char **at, const char *text) {
    bool is_there = !strncmp(*at, text, strlen(text));
    *at += is_there ? strlen(text) : 0;
    return is_there;
}

static linear scaled(linear e, int64_t by) {
    e.is_known &= !__builtin_mul_overflow(e.factor, by, &e.factor) && !__builtin_mul_overflow(e.offset, by, &e.offset);
    return e;
}

static linear combined(linear a, linear b, bool is_product) {
    if (!a.is_known || !b.is_known || (a.symbol && b.symbol))
        return unknown;
    if (is_product)
        return a.symbol ? scaled(a, b.offset) : scaled(b, a.offset);
    linear sum = a.symbol ? a : b;
    sum.is_known = !__builtin_add_overflow(a.offset, b.offset, &sum.offset);
    return sum;
}

/* Symbol('NAME', ...) behind its first parenthesis. */
static linear read_symbol(const char **at) {
    if (!skip_text(at, "'"))
        return unknown;
    size_t n = strcspn(*at, "'");
    linear e = {true, intern_n(*at, n), 1, 0};
    *at += n;
    *at += strcspn(*at, ")");
    return skip_text(at, ")") ? e : unknown;
}

/* expression: Integer(N) | Symbol('NAME', ...) | Mul(expression, ...) | Add(expression, ...) */
static linear read_expression(const char **at) {
    stack_check();
    if (skip_text(at, "Symbol("))
        return read_symbol(at);
    if (skip_text(at, "Integer(")) {
        char *end;
        linear e = {true, NULL, 0, strtoll(*at, &end, 10)};
        *at = end;
        return skip_text(at, ")") ? e : unknown;
    }
    bool is_product = skip_text(at, "Mul(");
    if (!is_product && !skip_text(at, "Add("))
        return unknown;
    linear e = read_expression(at);
    while (e.is_known && skip_text(at, ", "))
        e = combined(e, read_expression(at), is_product);
    return skip_text(at, ")") ? e : unknown;
}

/* As sympy prints it: "s0", "2*s0", "2*s0 + 1". */
static const char *expression_text(linear e) {
    const char *product = e.factor == 1 ? e.symbol : mem_printf("%lld*%s", (long long)e.factor, e.symbol);
    if (!e.offset)
        return product;
    return mem_printf("%s %c %lld", product, e.offset < 0 ? '-' : '+', llabs((long long)e.offset));
}

/* A SymInt of the schema: a number or an expression. */
static linear read_size(json size) {
    json value;
    if (!strcmp(argument_kind(size, &value), "as_int"))
        return (linear){true, NULL, 0, json_integer(value)};
    const char *text = json_string(json_need(value, "expr_str"));
    linear e = read_expression(&text);
    return *text ? unknown : e;
}

/* ---- Checks ---- */

static ir_value *integer(guards *g, int64_t n) {
    return insert_constant(g->t, const_int(n));
}

static ir_value *binary(guards *g, const char *name, ir_value *a, ir_value *b) {
    ir_value *arguments[] = {a, b};
    return insert_call(g->t, name, arguments, 2);
}

/* Raises the message, in which the size is put in, unless the comparison holds. */
static void check_size(guards *g, const char *comparison, ir_value *size, ir_value *with, const char *message) {
    check_insert(g->t, binary(g, comparison, size, with), message, &size, 1);
}

/* A limit of a range: a number, or none when it is null or infinite. */
static bool read_limit(json limit, int64_t *n) {
    if (json_is_null(limit) || json_is_string(limit) || !(fabs(json_number(limit)) < (double)INT64_MAX))
        return false;
    *n = json_integer(limit);
    return true;
}

/* Sizes of 0 and 1 are allowed even where PyTorch assumed 2. */
static void check_range(guards *g, ir_value *size, const char *expression, const char *place) {
    json range = json_find(g->ranges, expression);
    int64_t n;
    if (json_is_null(range))
        return;
    if (read_limit(json_find(range, "min_val"), &n) && n > 2)
        check_size(g, "aten::ge", size, integer(g, n),
                   mem_printf("Expected input at %s to be >= %lld, but got {}", place, (long long)n));
    if (read_limit(json_find(range, "max_val"), &n))
        check_size(g, "aten::le", size, integer(g, n),
                   mem_printf("Expected input at %s to be <= %lld, but got {}", place, (long long)n));
}

/* Finds the symbol's value from the size: (size - offset) / factor, which must be a whole number. */
static void define_symbol(guards *g, linear e, ir_value *size, const char *name) {
    ir_value *v = e.offset ? binary(g, "aten::sub", size, integer(g, e.offset)) : size;
    if (e.factor != 1 && e.factor != 0) {
        ir_value *rest = binary(g, "aten::remainder", v, integer(g, e.factor));
        check_insert(g->t, binary(g, "aten::eq", rest, integer(g, 0)),
                     mem_printf("Expected input %s = {} to be of the form %s, where %s is an integer", name,
                                expression_text(e), e.symbol),
                     &size, 1);
        v = binary(g, "aten::floordiv", v, integer(g, e.factor));
    }
    shput(g->symbols, e.symbol, v);
}

/* `name` is the size's in the graph: "x.shape[0]". */
static void check_symbol(guards *g, linear e, ir_value *size, const char *place, const char *name) {
    ir_value *known = shget(g->symbols, e.symbol);
    if (!known) {
        define_symbol(g, e, size, name);
    } else {
        ir_value *wanted = e.factor == 1 ? known : binary(g, "aten::mul", known, integer(g, e.factor));
        wanted = e.offset ? binary(g, "aten::add", wanted, integer(g, e.offset)) : wanted;
        ir_value *shown[] = {wanted, size};
        check_insert(g->t, binary(g, "aten::eq", size, wanted),
                     mem_printf("Expected input at %s to be equal to {}, but got {}", place), shown, 2);
    }
    check_range(g, size, expression_text(e), place);
}

static void check_dimension(guards *g, json size, ir_value *tensor, const char *name, uint32_t d, const char *path) {
    linear e = read_size(size);
    const char *place = mem_printf("%s.shape[%u]", path, d);
    g->is_dynamic |= !e.is_known || e.symbol;
    arrput(g->sizes[arrlenu(g->sizes) - 1], e);
    if (!e.is_known)
        return;
    ir_value *given = binary(g, "aten::size", tensor, integer(g, d));
    if (e.symbol)
        check_symbol(g, e, given, place, mem_printf("%s.shape[%u]", name, d));
    else
        check_size(g, "aten::eq", given, integer(g, e.offset),
                   mem_printf("Expected input at %s to be equal to %lld, but got {}", place, (long long)e.offset));
}

void guards_check_tensor(guards *g, json name, ir_value *tensor, const char *path) {
    json sizes = json_array(json_need(json_need(g->metas, json_string(name)), "sizes"));
    ir_value *dims = insert_call(g->t, "aten::dim", &tensor, 1);
    check_size(g, "aten::eq", dims, integer(g, json_count(sizes)),
               mem_printf("Unexpected number of dimensions in input at %s.shape (expected %u, got {})", path,
                          json_count(sizes)));
    uint32_t d = 0;
    arrput(g->sizes, NULL);
    JSON_EACH(size, sizes)
    check_dimension(g, size, tensor, json_string(name), d++, path);
}

void guards_check_constant(guards *g, json value, ir_value *given, const char *path) {
    if (given->type->kind == TYPE_NONE)
        return;
    ir_value *expected = argument_value(g->t, value, given->type), *shown[] = {expected, given};
    check_insert(g->t, binary(g, "aten::eq", given, expected),
                 mem_printf("Expected input at %s to be equal to {}, but got {}", path), shown, 2);
}

/* ---- The largest sizes, and smaller ones ---- */

enum { UNBOUNDED = -1 };

/* Of the symbols, in their order; from UNBOUNDED to UNBOUNDED where there is no bound. */
static size_range *ranges_of(const guards *g) {
    size_range *ranges = NULL;
    for (size_t i = 0; i < shlenu(g->symbols); i++) {
        json range = json_find(g->ranges, g->symbols[i].key);
        size_range r = {1, UNBOUNDED};
        if (!json_is_null(range) && read_limit(json_find(range, "max_val"), &r.most))
            (void)read_limit(json_find(range, "min_val"), &r.least);
        r.least = r.least < 0 || r.least > r.most ? r.most : r.least;
        arrput(ranges, r);
    }
    return ranges;
}

static bool size_of(const guards *g, linear e, const int64_t *values, int64_t *size) {
    value_map *symbols = g->symbols;
    const ptrdiff_t symbol = e.symbol ? shgeti(symbols, e.symbol) : -1;
    if (!e.is_known || (e.symbol && (symbol < 0 || values[symbol] == UNBOUNDED)))
        return false;
    return !__builtin_mul_overflow(e.factor, e.symbol ? values[symbol] : 0, size) &&
           !__builtin_add_overflow(*size, e.offset, size) && *size >= 0;
}

/* NULL when a size has no bound, or cannot be. */
static int64_t **sizes_of(const guards *g, const int64_t *values) {
    int64_t **all = NULL;
    for (size_t i = 0; i < arrlenu(g->sizes); i++) {
        arrput(all, NULL);
        for (size_t d = 0; d < arrlenu(g->sizes[i]); d++) {
            int64_t size;
            if (!size_of(g, g->sizes[i][d], values, &size))
                return NULL;
            arrput(all[i], size);
        }
    }
    return all;
}

int64_t ***guards_largest_sizes(const guards *g, size_t *corners) {
    size_range *ranges = ranges_of(g);
    int64_t ***sets = NULL;
    *corners = 0;
    const size_samples s = size_samples_of(ranges, arrlenu(ranges));
    for (size_t i = 0; i < arrlenu(s.values); i++) {
        int64_t **sizes = sizes_of(g, s.values[i]);
        if (!sizes && !i)
            return NULL;
        if (!sizes)
            continue; /* a symbol that cannot be less */
        arrput(sets, sizes);
        *corners += i < s.corners;
    }
    return sets;
}
