/* Python's standard library, as far as code that constructs modules uses it: itertools, functools, operator,
 * collections, logging; and numbers of numpy. */
#include <string.h>

#include "exporter/python/py_eval.h"

static py_value *tuple_of(py_value *const *items, size_t count) {
    py_value *tuple = py_new(PY_TUPLE);
    for (size_t i = 0; i < count; i++)
        arrput(tuple->items, items[i]);
    return tuple;
}

static py_value *call2(py_machine *m, py_value *f, py_value *x, py_value *y) {
    py_arguments a = {0};
    arrput(a.items, x);
    arrput(a.items, y);
    return py_call(m, f, &a);
}

/* ---- itertools ---- */

/* All tuples with one item of each sequence, the last one fastest. */
static py_value *call_product(py_machine *m, py_arguments *a) {
    py_value ***parts = NULL, *list = py_new(PY_LIST);
    py_value *times = py_argument(a, SIZE_MAX, "repeat");
    int64_t repeat = 1;
    if (times && !py_integer(times, &repeat))
        py_fail(m, "itertools.product: repeat must be an integer");
    for (int64_t k = 0; k < repeat; k++)
        for (size_t i = 0; i < arrlenu(a->items); i++)
            arrput(parts, py_iterate(m, a->items[i]));
    size_t depth = arrlenu(parts), total = 1;
    for (size_t i = 0; i < depth; i++)
        total *= arrlenu(parts[i]);
    for (size_t at = 0; at < total; at++) {
        py_value *tuple = py_new(PY_TUPLE);
        arrsetlen(tuple->items, depth);
        for (size_t i = depth, rest = at; i-- > 0; rest /= arrlenu(parts[i]))
            tuple->items[i] = parts[i][rest % arrlenu(parts[i])];
        arrput(list->items, tuple);
    }
    return list;
}

static py_value *chain(py_machine *m, py_value *const *sequences, size_t count) {
    py_value *list = py_new(PY_LIST);
    for (size_t i = 0; i < count; i++) {
        py_value **items = py_iterate(m, sequences[i]);
        for (size_t k = 0; k < arrlenu(items); k++)
            arrput(list->items, items[k]);
    }
    return list;
}

static py_value *call_chain(py_machine *m, py_arguments *a) {
    return chain(m, a->items, arrlenu(a->items));
}

static py_value *call_chain_iterable(py_machine *m, py_arguments *a) {
    py_value **sequences = py_iterate(m, py_required(m, a, 0, "iterable"));
    return chain(m, sequences, arrlenu(sequences));
}

static py_value *call_repeat(py_machine *m, py_arguments *a) {
    py_value *list = py_new(PY_LIST), *times = py_argument(a, 1, "times");
    int64_t count = 0;
    if (!times || !py_integer(times, &count))
        py_fail(m, "itertools.repeat without a number of times is endless");
    for (int64_t i = 0; i < count; i++)
        arrput(list->items, py_required(m, a, 0, "object"));
    return list;
}

static py_value *call_accumulate(py_machine *m, py_arguments *a) {
    py_value **items = py_iterate(m, py_required(m, a, 0, "iterable")), *list = py_new(PY_LIST);
    py_value *f = py_argument(a, 1, "func"), *sum = NULL;
    for (size_t i = 0; i < arrlenu(items); i++) {
        sum = !sum ? items[i] : f ? call2(m, f, sum, items[i]) : py_binary(m, AST_ADD, sum, items[i]);
        arrput(list->items, sum);
    }
    return list;
}

/* Pairs of adjacent items. */
static py_value *call_pairwise(py_machine *m, py_arguments *a) {
    py_value **items = py_iterate(m, py_required(m, a, 0, "iterable")), *list = py_new(PY_LIST);
    for (size_t i = 1; i < arrlenu(items); i++)
        arrput(list->items, tuple_of(items + i - 1, 2));
    return list;
}

/* ---- functools, operator ---- */

static py_value *call_reduce(py_machine *m, py_arguments *a) {
    py_value *f = py_required(m, a, 0, "function"), **items = py_iterate(m, py_required(m, a, 1, "iterable"));
    py_value *result = py_argument(a, 2, "initial");
    for (size_t i = 0; i < arrlenu(items); i++)
        result = result ? call2(m, f, result, items[i]) : items[i];
    if (!result)
        py_fail(m, "TypeError: reduce() of empty iterable with no initial value");
    return result;
}

/* functools.wraps(f): a decorator that changes nothing here. */
static py_value *call_wraps(py_machine *m, py_arguments *a) {
    (void)m;
    (void)a;
    return py_path("functools.same");
}

static py_value *call_same(py_machine *m, py_arguments *a) {
    return py_required(m, a, 0, NULL);
}

static const struct {
    const char *name;
    ast_kind op;
} operators[] = {
    {"add", AST_ADD},     {"sub", AST_SUB}, {"mul", AST_MUL}, {"truediv", AST_DIV},  {"floordiv", AST_FLOOR_DIV},
    {"mod", AST_MOD},     {"pow", AST_POW}, {"lt", AST_LT},   {"gt", AST_GT},        {"le", AST_LE},
    {"ge", AST_GE},       {"eq", AST_EQ},   {"ne", AST_NE},   {"and_", AST_BIT_AND}, {"or_", AST_BIT_OR},
    {"contains", AST_IN},
};

static py_value *call_operator(py_machine *m, const char *name, py_arguments *a) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(operators[i].name, name)) {
            py_value *x = py_required(m, a, 0, NULL), *y = py_required(m, a, 1, NULL);
            bool turned = operators[i].op == AST_IN;
            return py_binary(m, operators[i].op, turned ? y : x, turned ? x : y);
        }
    py_fail(m, "operator.%s is not supported at compile time", name);
}

/* operator.itemgetter(1): x -> x[1] */
static py_value *call_itemgetter(py_machine *m, py_arguments *a) {
    py_value *v = py_new(PY_PARTIAL);
    v->method.function = py_path("operator.item");
    v->method.self = tuple_of((py_value *[]){py_required(m, a, 0, NULL)}, 1);
    return v;
}

static py_value *call_item(py_machine *m, py_arguments *a) {
    return py_subscript(m, py_required(m, a, 1, NULL), py_required(m, a, 0, NULL));
}

/* ---- collections ---- */

static py_value *call_namedtuple(py_machine *m, py_arguments *a) {
    py_value *name = py_required(m, a, 0, "typename"), *fields = py_required(m, a, 1, "field_names");
    py_value *defaults = py_argument(a, SIZE_MAX, "defaults");
    if (name->kind != PY_STR)
        py_fail(m, "the name of a namedtuple must be a string");
    if (fields->kind == PY_STR) { /* "a b" or "a, b" */
        py_value *words = py_call_native(
            m, fields, "replace", &(py_arguments){tuple_of((py_value *[]){py_str(","), py_str(" ")}, 2)->items, NULL});
        fields = py_call_native(m, words, "split", &(py_arguments){0});
    }
    return py_tuple_class(m, name->string.bytes, py_iterate(m, fields), defaults ? py_iterate(m, defaults) : NULL);
}

/* A dict that creates values that are missing. */
static py_value *call_defaultdict(py_machine *m, py_arguments *a) {
    py_value *dict = py_new(PY_DICT);
    (void)m;
    dict->factory = py_argument(a, 0, NULL);
    return dict;
}

static py_value *call_counter(py_machine *m, py_arguments *a) {
    py_value *dict = py_new(PY_DICT), *source = py_argument(a, 0, NULL);
    py_value **items = source ? py_iterate(m, source) : NULL;
    for (size_t i = 0; i < arrlenu(items); i++) {
        py_value *known = py_dict_get(dict, items[i]);
        py_dict_set(dict, items[i], py_int(known ? known->integer + 1 : 1));
    }
    return dict;
}

/* ---- Dispatch ---- */

static const struct {
    const char *path;
    py_value *(*call)(py_machine *m, py_arguments *a);
} functions[] = {
    {"itertools.product", call_product},
    {"itertools.chain", call_chain},
    {"itertools.chain.from_iterable", call_chain_iterable},
    {"itertools.repeat", call_repeat},
    {"itertools.accumulate", call_accumulate},
    {"itertools.pairwise", call_pairwise},
    {"functools.reduce", call_reduce},
    {"functools.wraps", call_wraps},
    {"functools.same", call_same},
    {"functools.lru_cache", call_wraps},
    {"operator.itemgetter", call_itemgetter},
    {"operator.item", call_item},
    {"collections.namedtuple", call_namedtuple},
    {"collections.defaultdict", call_defaultdict},
    {"collections.Counter", call_counter},
};

/* The name in math of a function of numpy. */
static const char *math_name(const char *name) {
    static const char *const names[][2] = {{"abs", "fabs"}, {"power", "pow"}, {"arctan", "atan"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i][0], name))
            return names[i][1];
    return name;
}

py_value *py_call_library(py_machine *m, const char *path, py_arguments *a) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].path, path))
            return functions[i].call(m, a);
    if (!strncmp(path, "operator.", 9))
        return call_operator(m, path + 9, a);
    if (!strncmp(path, "logging.", 8))
        return py_path("logging.logger"); /* the result has no effect here */
    bool is_number = !strncmp(path, "numpy.", 6) && arrlenu(a->items) && a->items[0]->kind != PY_TENSOR;
    if (is_number && (!strcmp(path, "numpy.sum") || !strcmp(path, "numpy.max") || !strcmp(path, "numpy.min")))
        return py_call_path(m, mem_printf("builtins.%s", path + 6), a);
    return is_number ? py_call_path(m, mem_printf("math.%s", math_name(path + 6)), a) : NULL;
}
