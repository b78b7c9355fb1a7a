/* Python's builtin functions, math, copy, and what dotted paths mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/program/builtins.h"
#include "exporter/python/py_eval.h"

/* ---- Sequences ---- */

static py_value *call_len(py_machine *m, py_arguments *a) {
    py_value *v = py_required(m, a, 0, "obj");
    if (v->kind == PY_TENSOR && v->tensor->ndim)
        return py_int(v->tensor->sizes[0]);
    py_value *method = v->kind == PY_OBJECT ? py_attribute_or_null(m, v, "__len__") : NULL;
    return method ? py_call(m, method, &(py_arguments){0}) : py_int((int64_t)arrlenu(py_iterate(m, v)));
}

static int64_t integer_argument(const py_machine *m, const py_arguments *a, size_t position) {
    int64_t v;
    py_value *argument = py_required(m, a, position, NULL);
    if (!py_integer(argument, &v))
        py_fail(m, "'%s' object cannot be interpreted as an integer", py_type_name(argument));
    return v;
}

static py_value *call_range(py_machine *m, py_arguments *a) {
    enum { LONGEST_RANGE = 1000000 };
    py_value *list = py_new(PY_LIST);
    size_t count = arrlenu(a->items);
    int64_t start = count > 1 ? integer_argument(m, a, 0) : 0, stop = integer_argument(m, a, count > 1);
    int64_t step = count > 2 ? integer_argument(m, a, 2) : 1;
    if (!step)
        py_fail(m, "range() arg 3 must not be zero");
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
        if (arrlenu(list->items) >= LONGEST_RANGE)
            py_fail(m, "range() is too long");
        arrput(list->items, py_int(i));
    }
    list->is_range = true;
    return list;
}

/* bytes(X), bytearray(X): of bytes or numbers. */
static py_value *call_bytes(py_machine *m, py_arguments *a) {
    strbuf text = {0};
    py_value **items = arrlenu(a->items) ? py_iterate(m, a->items[0]) : NULL;
    for (size_t i = 0; i < arrlenu(items); i++) {
        int64_t byte;
        if (!py_integer(items[i], &byte) || byte < 0 || byte > 255)
            py_fail(m, "bytes must be in range(0, 256)");
        strbuf_add_n(&text, (char[]){(char)byte}, 1);
    }
    py_value *v = py_str_n(strbuf_text(&text), text.length);
    v->kind = PY_BYTES;
    return v;
}

/* An object of which nothing is known but that it is one. */
static py_value *call_object(py_machine *m, py_arguments *a) {
    (void)m, (void)a;
    return py_path("builtins.object()");
}

static py_value *pair(py_value *x, py_value *y) {
    py_value *tuple = py_new(PY_TUPLE);
    arrput(tuple->items, x);
    arrput(tuple->items, y);
    return tuple;
}

static py_value *call_enumerate(py_machine *m, py_arguments *a) {
    py_value **items = py_iterate(m, py_required(m, a, 0, "iterable")), *list = py_new(PY_LIST);
    py_value *from = py_argument(a, 1, "start");
    int64_t start = 0;
    if (from)
        py_integer(from, &start);
    for (size_t i = 0; i < arrlenu(items); i++)
        arrput(list->items, pair(py_int(start + (int64_t)i), items[i]));
    return list;
}

static py_value *call_zip(py_machine *m, py_arguments *a) {
    py_value *list = py_new(PY_LIST), ***parts = NULL;
    size_t count = SIZE_MAX;
    for (size_t i = 0; i < arrlenu(a->items); i++) {
        py_value **items = py_iterate(m, a->items[i]);
        count = arrlenu(items) < count ? arrlenu(items) : count;
        arrput(parts, items);
    }
    for (size_t i = 0; parts && i < count; i++) {
        py_value *tuple = py_new(PY_TUPLE);
        for (size_t k = 0; k < arrlenu(parts); k++)
            arrput(tuple->items, parts[k][i]);
        arrput(list->items, tuple);
    }
    return list;
}

static py_value *collect(py_machine *m, const py_arguments *a, py_kind kind) {
    py_value *v = py_new(kind);
    if (arrlenu(a->items))
        v->items = py_iterate(m, a->items[0]);
    return v;
}

static py_value *call_list(py_machine *m, py_arguments *a) {
    return collect(m, a, PY_LIST);
}

static py_value *call_tuple(py_machine *m, py_arguments *a) {
    return collect(m, a, PY_TUPLE);
}

static py_value *call_set(py_machine *m, py_arguments *a) {
    py_value *all = collect(m, a, PY_SET), *set = py_new(PY_SET);
    for (size_t i = 0; i < arrlenu(all->items); i++) {
        bool known = false;
        for (size_t k = 0; k < arrlenu(set->items) && !known; k++)
            known = py_equal(set->items[k], all->items[i]);
        if (!known)
            arrput(set->items, all->items[i]);
    }
    return set;
}

static void update_from_pairs(py_machine *m, py_value *dict, py_value *source) {
    py_value **pairs = py_iterate(m, source);
    for (size_t i = 0; i < arrlenu(pairs); i++) {
        py_value **parts = py_iterate(m, pairs[i]);
        if (arrlenu(parts) != 2)
            py_fail(m, "dictionary update sequence element #%zu has length %zu; 2 is required", i, arrlenu(parts));
        py_dict_set(dict, parts[0], parts[1]);
    }
}

static void update_dict(py_machine *m, py_value *dict, const py_arguments *a) {
    py_value *source = py_argument(a, 0, NULL);
    if (source && source->kind != PY_DICT)
        update_from_pairs(m, dict, source);
    for (size_t i = 0; source && source->kind == PY_DICT && i < arrlenu(source->entries); i++)
        py_dict_set(dict, source->entries[i].key, source->entries[i].value);
    for (size_t i = 0; i < arrlenu(a->keywords); i++)
        py_dict_set(dict, py_str(a->keywords[i].name), a->keywords[i].value);
}

static py_value *call_dict(py_machine *m, py_arguments *a) {
    py_value *dict = py_new(PY_DICT);
    update_dict(m, dict, a);
    return dict;
}

static py_value *call_ordered_dict(py_machine *m, py_arguments *a) {
    py_value *dict = call_dict(m, a);
    dict->is_ordered = true;
    return dict;
}

static py_value *call_reversed(py_machine *m, py_arguments *a) {
    py_value *all = collect(m, a, PY_LIST), *list = py_new(PY_LIST);
    for (size_t i = arrlenu(all->items); i-- > 0;)
        arrput(list->items, all->items[i]);
    return list;
}

static py_value *call_sorted(py_machine *m, py_arguments *a) {
    py_value *list = collect(m, a, PY_LIST), *key = py_argument(a, SIZE_MAX, "key"),
             *reverse = py_argument(a, SIZE_MAX, "reverse");
    ast_kind before = reverse && py_truth(m, reverse) ? AST_GT : AST_LT;
    for (size_t i = 1; i < arrlenu(list->items); i++)
        for (size_t k = i; k > 0; k--) {
            py_value *x = list->items[k - 1], *y = list->items[k];
            py_value *kx = key ? py_call1(m, key, x) : x, *ky = key ? py_call1(m, key, y) : y;
            if (!py_binary(m, before, ky, kx)->boolean)
                break;
            list->items[k - 1] = y;
            list->items[k] = x;
        }
    return list;
}

static py_value *call_map(py_machine *m, py_arguments *a) {
    py_value *f = py_required(m, a, 0, NULL), *list = py_new(PY_LIST);
    py_arguments sequences = {0};
    for (size_t i = 1; i < arrlenu(a->items); i++)
        arrput(sequences.items, a->items[i]);
    py_value **calls = call_zip(m, &sequences)->items;
    for (size_t i = 0; i < arrlenu(calls); i++)
        arrput(list->items, py_call(m, f, &(py_arguments){calls[i]->items, NULL}));
    return list;
}

static py_value *call_filter(py_machine *m, py_arguments *a) {
    py_value *f = py_required(m, a, 0, NULL), **items = py_iterate(m, py_required(m, a, 1, NULL));
    py_value *list = py_new(PY_LIST);
    for (size_t i = 0; i < arrlenu(items); i++)
        if (py_truth(m, f->kind == PY_NONE ? items[i] : py_call1(m, f, items[i])))
            arrput(list->items, items[i]);
    return list;
}

/* Iterators are lists at compile time: next() removes the first item. */
static py_value *call_next(py_machine *m, py_arguments *a) {
    py_value *list = py_required(m, a, 0, NULL), *otherwise = py_argument(a, 1, NULL);
    if (list->kind != PY_LIST)
        py_fail(m, "TypeError: '%s' object is not an iterator", py_type_name(list));
    if (!arrlenu(list->items) && !otherwise)
        py_fail(m, "StopIteration");
    if (!arrlenu(list->items))
        return otherwise;
    py_value *first = list->items[0];
    arrdel(list->items, 0);
    return first;
}

static py_value *call_slice(py_machine *m, py_arguments *a) {
    py_value *v = py_new(PY_SLICE);
    size_t count = arrlenu(a->items);
    py_required(m, a, 0, NULL);
    arrput(v->items, count > 1 ? a->items[0] : py_none());
    arrput(v->items, a->items[count > 1]);
    arrput(v->items, count > 2 ? a->items[2] : py_none());
    return v;
}

static py_value *call_ord(py_machine *m, py_arguments *a) {
    py_value *v = py_required(m, a, 0, "c");
    if (v->kind != PY_STR || v->string.length != 1)
        py_fail(m, "TypeError: ord() expected a character");
    return py_int((uint8_t)v->string.bytes[0]);
}

static py_value *call_chr(py_machine *m, py_arguments *a) {
    int64_t code = integer_argument(m, a, 0);
    if (code < 0 || code > 127)
        py_fail(m, "chr() of %lld is not supported at compile time", (long long)code);
    return py_str_n(&(char){(char)code}, 1);
}

static bool has_truth(py_machine *m, py_arguments *a, bool wanted) {
    py_value **items = py_iterate(m, py_required(m, a, 0, "iterable"));
    for (size_t i = 0; i < arrlenu(items); i++)
        if (py_truth(m, items[i]) == wanted)
            return true;
    return false;
}

static py_value *call_all(py_machine *m, py_arguments *a) {
    return py_bool(!has_truth(m, a, false));
}

static py_value *call_any(py_machine *m, py_arguments *a) {
    return py_bool(has_truth(m, a, true));
}

static py_value *extreme(py_machine *m, py_arguments *a, ast_kind wanted) {
    py_value **items = arrlenu(a->items) == 1 ? py_iterate(m, a->items[0]) : a->items;
    py_value *key = py_argument(a, SIZE_MAX, "key"), *otherwise = py_argument(a, SIZE_MAX, "default");
    if (!arrlenu(items) && !otherwise)
        py_fail(m, "max() or min() of an empty sequence");
    py_value *best = arrlenu(items) ? items[0] : otherwise;
    for (size_t i = 1; i < arrlenu(items); i++) {
        py_value *x = key ? py_call1(m, key, items[i]) : items[i], *y = key ? py_call1(m, key, best) : best;
        best = py_truth(m, py_binary(m, wanted, x, y)) ? items[i] : best;
    }
    return best;
}

static py_value *call_max(py_machine *m, py_arguments *a) {
    return extreme(m, a, AST_GT);
}

static py_value *call_min(py_machine *m, py_arguments *a) {
    return extreme(m, a, AST_LT);
}

static py_value *fold(py_machine *m, py_value *items, ast_kind op, py_value *start) {
    py_value **list = py_iterate(m, items);
    for (size_t i = 0; i < arrlenu(list); i++)
        start = py_binary(m, op, start, list[i]);
    return start;
}

static py_value *call_sum(py_machine *m, py_arguments *a) {
    py_value *start = py_argument(a, 1, "start");
    return fold(m, py_required(m, a, 0, "iterable"), AST_ADD, start ? start : py_int(0));
}

/* ---- Conversions and numbers ---- */

static py_value *call_int(py_machine *m, py_arguments *a) {
    py_value *v = py_argument(a, 0, NULL);
    double number;
    int64_t integer;
    if (!v)
        return py_int(0);
    if (py_integer(v, &integer))
        return py_int(integer);
    if (v->kind == PY_TENSOR)
        v = py_tensor_item(m, v);
    if (v->kind == PY_STR) {
        char *end;
        long long parsed = strtoll(v->string.bytes, &end, 10);
        if (*end || end == v->string.bytes)
            py_fail(m, "ValueError: invalid literal for int() with base 10: '%s'", v->string.bytes);
        return py_int(parsed);
    }
    if (!py_number(v, &number) || !(fabs(number) < 9e18))
        py_fail(m, "int() of this '%s' is not supported at compile time", py_type_name(v));
    return py_int((int64_t)number);
}

static py_value *call_float(py_machine *m, py_arguments *a) {
    py_value *v = py_argument(a, 0, NULL);
    double number = 0;
    if (v && v->kind == PY_TENSOR)
        v = py_tensor_item(m, v);
    if (v && v->kind == PY_STR)
        return py_float(strtod(v->string.bytes, NULL));
    if (v && !py_number(v, &number))
        py_fail(m, "float() of a '%s' is not supported at compile time", py_type_name(v));
    return py_float(number);
}

static py_value *call_bool(py_machine *m, py_arguments *a) {
    return py_bool(arrlenu(a->items) && py_truth(m, a->items[0]));
}

static py_value *shown(const py_value *v, bool as_repr) {
    strbuf text = {0};
    py_show(v, as_repr, &text);
    return py_str_n(strbuf_text(&text), text.length);
}

static py_value *call_str(py_machine *m, py_arguments *a) {
    (void)m;
    return arrlenu(a->items) ? shown(a->items[0], false) : py_str("");
}

static py_value *call_repr(py_machine *m, py_arguments *a) {
    return shown(py_required(m, a, 0, NULL), true);
}

static py_value *call_abs(py_machine *m, py_arguments *a) {
    py_value *v = py_required(m, a, 0, "x");
    if (v->kind == PY_INT)
        return v->integer < 0 ? py_binary(m, AST_SUB, py_int(0), v) : v;
    return py_float(fabs(call_float(m, a)->real));
}

static py_value *call_round(py_machine *m, py_arguments *a) {
    py_value *v = py_required(m, a, 0, "number"), *digits = py_argument(a, 1, "ndigits");
    if (v->kind == PY_INT)
        return v;
    double number = call_float(m, a)->real;
    if (!digits)
        return py_int((int64_t)nearbyint(number));
    double scale = pow(10, (double)integer_argument(m, a, 1));
    return py_float(nearbyint(number * scale) / scale);
}

static py_value *call_pow(py_machine *m, py_arguments *a) {
    return py_binary(m, AST_POW, py_required(m, a, 0, "base"), py_required(m, a, 1, "exp"));
}

static py_value *call_divmod(py_machine *m, py_arguments *a) {
    py_value *x = py_required(m, a, 0, NULL), *y = py_required(m, a, 1, NULL);
    return pair(py_binary(m, AST_FLOOR_DIV, x, y), py_binary(m, AST_MOD, x, y));
}

/* ---- Objects ---- */

static py_value *call_isinstance(py_machine *m, py_arguments *a) {
    return py_bool(py_is_instance(m, py_required(m, a, 0, NULL), py_required(m, a, 1, NULL)));
}

static py_value *call_issubclass(py_machine *m, py_arguments *a) {
    py_value *c = py_required(m, a, 0, NULL), *base = py_required(m, a, 1, NULL);
    return py_bool(c->kind == PY_CLASS && base->kind == PY_CLASS && py_class_is(c->class_def, base->class_def));
}

static const char *name_argument(const py_machine *m, const py_arguments *a) {
    py_value *name = py_required(m, a, 1, "name");
    if (name->kind != PY_STR)
        py_fail(m, "attribute name must be string, not '%s'", py_type_name(name));
    return intern(name->string.bytes);
}

/* Whether a package has a member. Only torch, torch.nn and torch.nn.functional are checked; other packages are assumed
 * to have every member. */
static bool has_member(py_machine *m, const char *package, const char *name) {
    uint32_t count = 0;
    bool is_functional = !strcmp(package, "torch.nn.functional");
    if (!strcmp(package, "torch.nn"))
        return py_library_class(m, name) || !strcmp(name, "Parameter") || !strcmp(name, "Buffer");
    if (strcmp(package, "torch") && !is_functional)
        return true;
    const char *function_name = mem_printf("__torch__.%s.%s", package, name);
    return (schema_overloads(mem_printf("aten::%s", name), &count) && count) ||
           (builtin_library_load(m->program, package) && program_find_function(m->program, function_name)) ||
           py_resolve_path(m, mem_printf("%s.%s", package, name))->kind != PY_PATH;
}

static py_value *known_attribute(py_machine *m, py_value *object, const char *name) {
    if (object->kind == PY_PATH && !has_member(m, object->path, name))
        return NULL;
    return py_attribute_or_null(m, object, name);
}

static py_value *call_hasattr(py_machine *m, py_arguments *a) {
    return py_bool(known_attribute(m, py_required(m, a, 0, "object"), name_argument(m, a)));
}

static py_value *call_getattr(py_machine *m, py_arguments *a) {
    py_value *object = py_required(m, a, 0, "object"), *otherwise = py_argument(a, 2, "default");
    const char *name = name_argument(m, a);
    py_value *v = otherwise ? known_attribute(m, object, name) : py_attribute(m, object, name);
    return v ? v : otherwise;
}

static py_value *call_setattr(py_machine *m, py_arguments *a) {
    py_set_attribute(m, py_required(m, a, 0, "object"), name_argument(m, a), py_required(m, a, 2, "value"));
    return py_none();
}

static py_value *call_delattr(py_machine *m, py_arguments *a) {
    py_delete_attribute(m, py_required(m, a, 0, "object"), name_argument(m, a));
    return py_none();
}

static py_value *call_type(py_machine *m, py_arguments *a) {
    py_value *v = py_required(m, a, 0, "object");
    return v->kind == PY_OBJECT ? py_attribute(m, v, "__class__") : py_path(mem_printf("builtins.%s", py_type_name(v)));
}

static py_value *call_callable(py_machine *m, py_arguments *a) {
    py_value *v = py_required(m, a, 0, "object");
    return py_bool((v->kind >= PY_FUNCTION && v->kind <= PY_CLASS) || v->kind == PY_PATH || v->kind == PY_NATIVE);
}

static py_value *call_ignored(py_machine *m, py_arguments *a) {
    (void)m;
    (void)a;
    return py_none();
}

static py_value *call_partial(py_machine *m, py_arguments *a) {
    py_value *v = py_new(PY_PARTIAL), *positional = py_new(PY_TUPLE);
    v->method.function = py_required(m, a, 0, "func");
    for (size_t i = 1; i < arrlenu(a->items); i++)
        arrput(positional->items, a->items[i]);
    v->method.self = positional;
    for (size_t i = 0; i < arrlenu(a->keywords); i++) {
        py_entry entry = {py_str(a->keywords[i].name), a->keywords[i].value};
        arrput(v->method.keywords, entry);
    }
    return v;
}

/* The default of a dataclass's field. */
static py_value *call_field(py_machine *m, py_arguments *a) {
    py_value *make = py_argument(a, SIZE_MAX, "default_factory");
    return make ? py_call(m, make, &(py_arguments){0}) : py_required(m, a, SIZE_MAX, "default");
}

/* ---- copy.deepcopy ---- */

typedef struct {
    const void *key; /* object or tensor */
    py_value *value;
} copied_value;

static py_value *deep_copy(py_value *v, copied_value **done);

static py_value *copy_object(const py_value *v, copied_value **done) {
    py_value *copy = py_new(PY_OBJECT);
    copied_value entry = {v->object, copy};
    hmputs(*done, entry);
    copy->object = MEM_NEW(py_object);
    *copy->object = *v->object;
    copy->object->members = NULL;
    for (size_t i = 0; i < arrlenu(v->object->members); i++) {
        py_member member = v->object->members[i];
        member.value = deep_copy(member.value, done);
        arrput(copy->object->members, member);
    }
    copy->object->hooks = NULL;
    for (size_t i = 0; i < arrlenu(v->object->hooks); i++)
        arrput(copy->object->hooks, v->object->hooks[i]);
    return copy;
}

static py_value *copy_tensor(const py_value *v, copied_value **done) {
    py_value *copy = py_new(PY_TENSOR);
    *copy = *v;
    copy->tensor = MEM_NEW(py_tensor);
    *copy->tensor = *v->tensor;
    if (v->tensor->data) {
        copy->tensor->data = NULL;
        pt_tensor_assign(py_tensor_data(copy->tensor), v->tensor->data);
    }
    copied_value entry = {v->tensor, copy};
    hmputs(*done, entry);
    return copy;
}

static py_value *deep_copy(py_value *v, copied_value **done) {
    stack_check();
    const void *key = v->kind == PY_OBJECT ? (const void *)v->object : v->kind == PY_TENSOR ? v->tensor : NULL;
    py_value *copy = key ? hmget(*done, key) : NULL;
    if (copy)
        return copy;
    switch (v->kind) {
    case PY_OBJECT:
        return copy_object(v, done);
    case PY_TENSOR:
        return copy_tensor(v, done);
    case PY_LIST:
    case PY_TUPLE:
    case PY_SET:
        copy = py_new(v->kind);
        for (size_t i = 0; i < arrlenu(v->items); i++)
            arrput(copy->items, deep_copy(v->items[i], done));
        return copy;
    case PY_DICT:
        copy = py_new(PY_DICT);
        copy->is_ordered = v->is_ordered;
        for (size_t i = 0; i < arrlenu(v->entries); i++)
            py_dict_set(copy, v->entries[i].key, deep_copy(v->entries[i].value, done));
        return copy;
    default:
        return v;
    }
}

static py_value *call_deepcopy(py_machine *m, py_arguments *a) {
    copied_value *done = NULL;
    return deep_copy(py_required(m, a, 0, "x"), &done);
}

static py_value *call_copy(py_machine *m, py_arguments *a) {
    py_value *v = py_required(m, a, 0, "x"), *copy = py_new(v->kind);
    *copy = *v;
    if (v->kind == PY_LIST || v->kind == PY_SET)
        copy->items = py_iterate(m, v);
    if (v->kind == PY_DICT)
        copy->entries = NULL;
    for (size_t i = 0; v->kind == PY_DICT && i < arrlenu(v->entries); i++)
        arrput(copy->entries, v->entries[i]);
    if (v->kind == PY_OBJECT) {
        copy->object = MEM_NEW(py_object);
        *copy->object = *v->object;
        copy->object->members = NULL;
    }
    for (size_t i = 0; v->kind == PY_OBJECT && i < arrlenu(v->object->members); i++)
        arrput(copy->object->members, v->object->members[i]);
    return copy;
}

/* ---- math ---- */

static double number_argument(const py_machine *m, const py_arguments *a, size_t position) {
    double v;
    py_value *argument = py_required(m, a, position, NULL);
    if (!py_number(argument, &v))
        py_fail(m, "must be real number, not %s", py_type_name(argument));
    return v;
}

static const struct {
    const char *name;
    double (*compute)(double);
} math_functions[] = {
    {"sqrt", sqrt}, {"exp", exp},   {"log2", log2}, {"log10", log10}, {"log1p", log1p}, {"expm1", expm1},
    {"sin", sin},   {"cos", cos},   {"tan", tan},   {"tanh", tanh},   {"sinh", sinh},   {"cosh", cosh},
    {"atan", atan}, {"asin", asin}, {"acos", acos}, {"fabs", fabs},   {"erf", erf},     {"gamma", tgamma},
};

static py_value *greatest_divisor(int64_t p, int64_t q) {
    for (int64_t r; q; p = q, q = r)
        r = p % q;
    return py_int(p < 0 ? -p : p);
}

static bool is_close(double x, double y) {
    return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
}

static py_value *call_math(py_machine *m, const char *name, py_arguments *a) {
    if (!strcmp(name, "prod"))
        return fold(m, py_required(m, a, 0, NULL), AST_MUL, py_int(1));
    double x = number_argument(m, a, 0);
    if (!strcmp(name, "log"))
        return py_float(arrlenu(a->items) > 1 ? log(x) / log(number_argument(m, a, 1)) : log(x));
    if (!strcmp(name, "pow"))
        return py_float(pow(x, number_argument(m, a, 1)));
    if (!strcmp(name, "atan2") || !strcmp(name, "hypot"))
        return py_float((name[0] == 'a' ? atan2 : hypot)(x, number_argument(m, a, 1)));
    if (!strcmp(name, "isclose"))
        return py_bool(is_close(x, number_argument(m, a, 1)));
    if (!strcmp(name, "isqrt") && x >= 0 && x < 4503599627370496.0)
        return py_int((int64_t)sqrt(x));
    if (!strcmp(name, "ceil") || !strcmp(name, "floor") || !strcmp(name, "trunc"))
        return py_int((int64_t)(name[0] == 'c' ? ceil(x) : name[0] == 'f' ? floor(x) : trunc(x)));
    if (!strcmp(name, "gcd"))
        return greatest_divisor(integer_argument(m, a, 0), integer_argument(m, a, 1));
    if (!strcmp(name, "isnan") || !strcmp(name, "isinf"))
        return py_bool(name[2] == 'n' ? isnan(x) : isinf(x));
    for (size_t i = 0; i < sizeof math_functions / sizeof *math_functions; i++)
        if (!strcmp(math_functions[i].name, name))
            return py_float(math_functions[i].compute(x));
    py_fail(m, "math.%s is not supported at compile time", name);
}

/* ---- Paths ---- */

static const struct {
    const char *path;
    py_value *(*call)(py_machine *m, py_arguments *a);
} functions[] = {
    {"builtins.len", call_len},
    {"builtins.range", call_range},
    {"builtins.enumerate", call_enumerate},
    {"builtins.zip", call_zip},
    {"builtins.list", call_list},
    {"builtins.iter", call_list},
    {"builtins.tuple", call_tuple},
    {"builtins.set", call_set},
    {"builtins.dict", call_dict},
    {"builtins.int", call_int},
    {"builtins.float", call_float},
    {"builtins.bool", call_bool},
    {"builtins.str", call_str},
    {"builtins.repr", call_repr},
    {"builtins.max", call_max},
    {"builtins.min", call_min},
    {"builtins.sum", call_sum},
    {"builtins.abs", call_abs},
    {"builtins.round", call_round},
    {"builtins.all", call_all},
    {"builtins.any", call_any},
    {"builtins.pow", call_pow},
    {"builtins.divmod", call_divmod},
    {"builtins.reversed", call_reversed},
    {"builtins.sorted", call_sorted},
    {"builtins.map", call_map},
    {"builtins.filter", call_filter},
    {"builtins.next", call_next},
    {"builtins.slice", call_slice},
    {"builtins.ord", call_ord},
    {"builtins.chr", call_chr},
    {"builtins.frozenset", call_set},
    {"builtins.isinstance", call_isinstance},
    {"builtins.issubclass", call_issubclass},
    {"builtins.hasattr", call_hasattr},
    {"builtins.getattr", call_getattr},
    {"builtins.setattr", call_setattr},
    {"builtins.delattr", call_delattr},
    {"builtins.type", call_type},
    {"builtins.callable", call_callable},
    {"builtins.print", call_ignored},
    {"builtins.object", call_object},
    {"builtins.complex", py_call_complex},
    {"builtins.bytes", call_bytes},
    {"builtins.bytearray", call_bytes},
    {"warnings.warn", call_ignored},
    {"collections.OrderedDict", call_ordered_dict},
    {"typing.OrderedDict", call_ordered_dict},
    {"functools.partial", call_partial},
    {"copy.deepcopy", call_deepcopy},
    {"copy.copy", call_copy},
    {"dataclasses.field", call_field},
};

bool py_is_builtin(const char *name) {
    const char *path = mem_printf("builtins.%s", name);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].path, path))
            return true;
    return false;
}

py_value *py_call_path(py_machine *m, const char *path, py_arguments *a) {
    stack_check();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].path, path))
            return functions[i].call(m, a);
    if (!strncmp(path, "math.", 5))
        return call_math(m, path + 5, a);
    py_value *v = py_call_library(m, path, a);
    if (!v)
        v = py_call_torch(m, path, a);
    if (!v)
        py_fail(m, "%s cannot be called at compile time", strncmp(path, "builtins.", 9) ? path : path + 9);
    return v;
}

static const struct {
    const char *path;
    double value;
} constants[] = {
    {"math.pi", 3.14159265358979323846}, {"math.e", 2.7182818284590452354}, {"math.tau", 6.28318530717958647692},
    {"math.inf", (double)INFINITY},      {"math.nan", (double)NAN},         {"torch.pi", 3.14159265358979323846},
    {"torch.inf", (double)INFINITY},     {"torch.nan", (double)NAN},        {"numpy.pi", 3.14159265358979323846},
    {"numpy.inf", (double)INFINITY},
};

/* Members of torch.nn that are not layers in the compiler's library. */
static bool is_part_of_nn(const char *path) {
    static const char *const parts[] = {"torch.nn.functional", "torch.nn.init",   "torch.nn.parameter",
                                        "torch.nn.Parameter",  "torch.nn.Buffer", "torch.nn.utils"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t n = strlen(parts[i]);
        if (!strncmp(path, parts[i], n) && (!path[n] || path[n] == '.'))
            return true;
    }
    return false;
}

py_value *py_resolve_path(py_machine *m, const char *path) {
    pt_dtype dtype;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!strcmp(constants[i].path, path))
            return py_float(constants[i].value);
    py_value *limit = py_dtype_limit(path);
    if (limit)
        return limit;
    if (!strcmp(path, "torch.__version__"))
        return py_str("1.13.1");
    const char *last = strrchr(path, '.') ? strrchr(path, '.') + 1 : path;
    if (!strncmp(path, "torch.", 6) && last == path + 6 && pt_dtype_from_name(last, &dtype)) {
        py_value *v = py_new(PY_DTYPE);
        v->integer = dtype;
        return v;
    }
    bool is_base = !strncmp(path, "torch.nn.modules.", 17) && *last == '_'; /* _BatchNorm, _ConvNd */
    last += is_base;
    bool is_class = !strncmp(path, "torch.nn.", 9) && !is_part_of_nn(path) && *last >= 'A' && *last <= 'Z';
    if (!is_class)
        return py_path(path);
    py_value *v = py_new(PY_CLASS);
    v->class_def = py_library_class(m, last);
    if (!v->class_def)
        py_fail(m, "%s is not among the modules that the compiler has", path);
    return v;
}
