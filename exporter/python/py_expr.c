/* Expressions. */
#include <math.h>
#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/python/py_eval.h"

bool py_truth(py_machine *m, py_value *v) {
    stack_check();
    double number;
    switch (v->kind) {
    case PY_NONE:
        return false;
    case PY_STR:
    case PY_BYTES:
        return v->string.length > 0;
    case PY_COMPLEX:
        return v->parts.re != 0 || v->parts.im != 0;
    case PY_LIST:
    case PY_TUPLE:
    case PY_SET:
        return arrlenu(v->items) > 0;
    case PY_DICT:
        return arrlenu(v->entries) > 0;
    case PY_TENSOR:
        return py_truth(m, py_tensor_item(m, v));
    case PY_OBJECT: {
        py_value *length = py_attribute_or_null(m, v, "__len__");
        return length ? py_truth(m, py_call(m, length, &(py_arguments){0})) : true;
    }
    default:
        return py_number(v, &number) ? number != 0 : true;
    }
}

static py_value **characters(const py_value *v) {
    py_value **items = NULL;
    for (size_t i = 0, n; i < v->string.length; i += n) {
        for (n = 1; i + n < v->string.length && ((uint8_t)v->string.bytes[i + n] & 0xc0) == 0x80; n++)
            ;
        arrput(items, py_str_n(v->string.bytes + i, n));
    }
    return items;
}

py_value **py_iterate(py_machine *m, py_value *v) {
    stack_check();
    py_value **items = NULL;
    py_value *method;
    switch (v->kind) {
    case PY_LIST:
    case PY_TUPLE:
    case PY_SET:
        for (size_t i = 0; i < arrlenu(v->items); i++)
            arrput(items, v->items[i]);
        return items;
    case PY_DICT:
        for (size_t i = 0; i < arrlenu(v->entries); i++)
            arrput(items, v->entries[i].key);
        return items;
    case PY_STR:
        return characters(v);
    case PY_BYTES:
        for (size_t i = 0; i < v->string.length; i++)
            arrput(items, py_int((uint8_t)v->string.bytes[i]));
        return items;
    case PY_TENSOR:
        for (int64_t i = 0, n = v->tensor->ndim ? v->tensor->sizes[0] : 0; i < n; i++)
            arrput(items, py_tensor_index(m, v, py_int(i)));
        if (!v->tensor->ndim)
            py_fail(m, "TypeError: iteration over a 0-d tensor");
        return items;
    case PY_CLASS:
        if (v->class_def->is_enum)
            return py_enum_members(m, v->class_def);
        break;
    case PY_OBJECT:
        if (py_is_named_tuple(v->object->class_def))
            return py_tuple_items(v);
        method = py_attribute_or_null(m, v, "__iter__");
        if (method)
            return py_iterate(m, py_call(m, method, &(py_arguments){0}));
        break;
    default:
        break;
    }
    py_fail(m, "'%s' object is not iterable at compile time", py_type_name(v));
}

/* ---- Numbers ---- */

static int64_t floor_divide(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static py_value *integer_power(py_machine *m, int64_t a, int64_t b) {
    int64_t result = 1;
    if (b < 0)
        return py_float(pow((double)a, (double)b));
    for (int64_t i = 0; i < b; i++)
        if (__builtin_mul_overflow(result, a, &result) || i > 1000000)
            return py_wide_binary(m, AST_POW, py_int(a), py_int(b));
    return py_int(result);
}

static int64_t integer_division(py_machine *m, ast_kind op, int64_t a, int64_t b, bool *overflows) {
    if (!b)
        py_fail(m, "ZeroDivisionError: integer division or modulo by zero");
    *overflows = a == INT64_MIN && b == -1;
    if (*overflows)
        return 0;
    return op == AST_MOD ? a - floor_divide(a, b) * b : floor_divide(a, b);
}

/* NULL when integers have no such operator. */
static py_value *integer_binary(py_machine *m, ast_kind op, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflows = false;
    switch (op) {
    case AST_ADD:
        overflows = __builtin_add_overflow(a, b, &result);
        break;
    case AST_SUB:
        overflows = __builtin_sub_overflow(a, b, &result);
        break;
    case AST_MUL:
        overflows = __builtin_mul_overflow(a, b, &result);
        break;
    case AST_FLOOR_DIV:
    case AST_MOD:
        result = integer_division(m, op, a, b, &overflows);
        break;
    case AST_POW:
        return integer_power(m, a, b);
    case AST_LSHIFT:
        overflows = b < 0 || b > 62 || __builtin_mul_overflow(a, (int64_t)1 << b, &result);
        break;
    case AST_RSHIFT:
        overflows = b < 0;
        result = a >> (b > 63 ? 63 : b & 63);
        break;
    case AST_BIT_AND:
        result = a & b;
        break;
    case AST_BIT_OR:
        result = a | b;
        break;
    case AST_BIT_XOR:
        result = a ^ b;
        break;
    default:
        return NULL;
    }
    return overflows ? py_wide_binary(m, op, py_int(a), py_int(b)) : py_int(result);
}

static py_value *float_binary(py_machine *m, ast_kind op, double a, double b) {
    if (b == 0 && (op == AST_DIV || op == AST_FLOOR_DIV || op == AST_MOD))
        py_fail(m, "ZeroDivisionError: division by zero");
    switch (op) {
    case AST_ADD:
        return py_float(a + b);
    case AST_SUB:
        return py_float(a - b);
    case AST_MUL:
        return py_float(a * b);
    case AST_DIV:
        return py_float(a / b);
    case AST_FLOOR_DIV:
        return py_float(floor(a / b));
    case AST_MOD: {
        double r = fmod(a, b);
        return py_float(r != 0 && (r < 0) != (b < 0) ? r + b : r);
    }
    case AST_POW:
        return py_float(pow(a, b));
    default:
        return NULL;
    }
}

/* ---- Tensors ---- */

static py_value *tensor_binary(py_machine *m, ast_kind op, py_value *a, py_value *b) {
    static const struct {
        ast_kind op;
        const char *name;
    } names[] = {
        {AST_ADD, "aten::add"},
        {AST_SUB, "aten::sub"},
        {AST_MUL, "aten::mul"},
        {AST_DIV, "aten::div"},
        {AST_FLOOR_DIV, "aten::floor_divide"},
        {AST_MOD, "aten::remainder"},
        {AST_POW, "aten::pow"},
        {AST_MATMUL, "aten::matmul"},
        {AST_LT, "aten::lt"},
        {AST_GT, "aten::gt"},
        {AST_LE, "aten::le"},
        {AST_GE, "aten::ge"},
        {AST_EQ, "aten::eq"},
        {AST_NE, "aten::ne"},
        {AST_BIT_AND, "aten::bitwise_and"},
        {AST_BIT_OR, "aten::bitwise_or"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].op == op)
            return py_tensor_operator(m, names[i].name, (py_value *[]){a, b}, 2, NULL, 0);
    py_fail(m, "operator %s of tensors is not supported at compile time", ast_kind_name(op));
}

/* ---- Comparison ---- */

/* -1, 0, 1; raises when the values have no order. */
static int compare(py_machine *m, const py_value *a, const py_value *b) {
    stack_check();
    double x, y;
    if (py_number(a, &x) && py_number(b, &y))
        return (x > y) - (x < y);
    if (a->kind == PY_STR && b->kind == PY_STR) {
        int order = strcmp(a->string.bytes, b->string.bytes);
        return (order > 0) - (order < 0);
    }
    bool sequences = a->kind == b->kind && (a->kind == PY_TUPLE || a->kind == PY_LIST);
    if (!sequences)
        py_fail(m, "'%s' and '%s' cannot be compared", py_type_name(a), py_type_name(b));
    size_t n = arrlenu(a->items), k = arrlenu(b->items);
    for (size_t i = 0; i < n && i < k; i++) {
        int order = py_equal(a->items[i], b->items[i]) ? 0 : compare(m, a->items[i], b->items[i]);
        if (order)
            return order;
    }
    return (n > k) - (n < k);
}

static bool contains(py_machine *m, py_value *container, py_value *item) {
    if (container->kind == PY_STR && item->kind == PY_STR)
        return strstr(container->string.bytes, item->string.bytes);
    py_value *method = container->kind == PY_OBJECT ? py_attribute_or_null(m, container, "__contains__") : NULL;
    if (method)
        return py_truth(m, py_call1(m, method, item));
    py_value **items = py_iterate(m, container);
    for (size_t i = 0; i < arrlenu(items); i++)
        if (py_equal(items[i], item))
            return true;
    return false;
}

/* `is`: a mutable value is identical only to itself; immutable values are identical when they are equal. */
static bool is_same(const py_value *a, const py_value *b) {
    bool by_value = a->kind != PY_LIST && a->kind != PY_DICT && a->kind != PY_SET && a->kind != PY_TENSOR;
    return a == b || (by_value && a->kind == b->kind && py_equal(a, b));
}

/* NULL when the operator is not a comparison. */
static py_value *comparison(py_machine *m, ast_kind op, py_value *a, py_value *b) {
    switch (op) {
    case AST_EQ:
        return py_bool(py_equal(a, b));
    case AST_NE:
        return py_bool(!py_equal(a, b));
    case AST_IS:
        return py_bool(is_same(a, b));
    case AST_IS_NOT:
        return py_bool(!is_same(a, b));
    case AST_IN:
        return py_bool(contains(m, b, a));
    case AST_LT:
        return py_bool(compare(m, a, b) < 0);
    case AST_GT:
        return py_bool(compare(m, a, b) > 0);
    case AST_LE:
        return py_bool(compare(m, a, b) <= 0);
    case AST_GE:
        return py_bool(compare(m, a, b) >= 0);
    default:
        return NULL;
    }
}

/* ---- Sequences ---- */

static bool is_sequence(const py_value *v) {
    return v->kind == PY_STR || v->kind == PY_LIST || v->kind == PY_TUPLE;
}

static py_value *repeat(py_machine *m, const py_value *v, int64_t times) {
    py_value *out = py_new(v->kind);
    strbuf text = {0};
    if (times > 1000000)
        py_fail(m, "a sequence repeated %lld times is too long", (long long)times);
    for (int64_t i = 0; i < times; i++) {
        if (v->kind == PY_STR)
            strbuf_add_n(&text, v->string.bytes, v->string.length);
        for (size_t k = 0; v->kind != PY_STR && k < arrlenu(v->items); k++)
            arrput(out->items, v->items[k]);
    }
    return v->kind == PY_STR ? py_str_n(strbuf_text(&text), text.length) : out;
}

static py_value *join(const py_value *a, const py_value *b) {
    if (a->kind == PY_STR)
        return py_str(mem_printf("%s%s", a->string.bytes, b->string.bytes));
    py_value *out = py_new(a->kind);
    for (size_t i = 0; i < arrlenu(a->items); i++)
        arrput(out->items, a->items[i]);
    for (size_t i = 0; i < arrlenu(b->items); i++)
        arrput(out->items, b->items[i]);
    return out;
}

/* ---- Operators ---- */

static bool has_item(const py_value *set, const py_value *v) {
    for (size_t i = 0; i < arrlenu(set->items); i++)
        if (py_equal(set->items[i], v))
            return true;
    return false;
}

/* a | b, a & b, a - b; NULL for other operators. */
static py_value *set_binary(ast_kind op, const py_value *a, const py_value *b) {
    py_value *out = py_new(PY_SET);
    if (op != AST_BIT_OR && op != AST_BIT_AND && op != AST_SUB)
        return NULL;
    for (size_t i = 0; i < arrlenu(a->items); i++)
        if (op == AST_BIT_OR || has_item(b, a->items[i]) == (op == AST_BIT_AND))
            arrput(out->items, a->items[i]);
    for (size_t i = 0; op == AST_BIT_OR && i < arrlenu(b->items); i++)
        if (!has_item(out, b->items[i]))
            arrput(out->items, b->items[i]);
    return out;
}

static bool is_type(const py_value *v) {
    return v->kind == PY_PATH || v->kind == PY_CLASS || v->kind == PY_NONE || v->kind == PY_TUPLE;
}

/* X | Y of types: the tuple of both, which isinstance takes as well. */
static py_value *join_types(py_value *a, py_value *b) {
    py_value *out = py_new(PY_TUPLE);
    arrput(out->items, a);
    arrput(out->items, b);
    return out;
}

static py_value *merge_dicts(const py_value *a, const py_value *b) {
    py_value *out = py_new(PY_DICT);
    for (size_t i = 0; i < arrlenu(a->entries); i++)
        py_dict_set(out, a->entries[i].key, a->entries[i].value);
    for (size_t i = 0; i < arrlenu(b->entries); i++)
        py_dict_set(out, b->entries[i].key, b->entries[i].value);
    return out;
}

py_value *py_binary(py_machine *m, ast_kind op, py_value *a, py_value *b) {
    int64_t i, k;
    double x, y;
    py_wide wide;
    bool identity = op == AST_IS || op == AST_IS_NOT || op == AST_IN;
    if ((a->kind == PY_TENSOR || b->kind == PY_TENSOR) && !identity)
        return tensor_binary(m, op, a, b);
    py_value *result = comparison(m, op, a, b);
    if (result)
        return result;
    if (a->kind == PY_SET && b->kind == PY_SET)
        result = set_binary(op, a, b);
    else if (op == AST_BIT_OR && a->kind == PY_DICT && b->kind == PY_DICT)
        result = merge_dicts(a, b);
    else if (op == AST_BIT_OR && is_type(a) && is_type(b))
        result = join_types(a, b);
    else if (a->kind == PY_STR && op == AST_MOD)
        result = py_format_percent(m, a, b);
    else if (py_integer(a, &i) && py_integer(b, &k) && op != AST_DIV)
        result = integer_binary(m, op, i, k);
    else if ((a->kind == PY_WIDE || b->kind == PY_WIDE) && op != AST_DIV && py_wide_integer(a, &wide) &&
             py_wide_integer(b, &wide))
        result = py_wide_binary(m, op, a, b);
    else if (a->kind == PY_COMPLEX || b->kind == PY_COMPLEX)
        result = py_complex_binary(m, op, a, b);
    else if (py_number(a, &x) && py_number(b, &y))
        result = float_binary(m, op, x, y);
    else if (op == AST_MUL && is_sequence(a) && py_integer(b, &i))
        result = repeat(m, a, i);
    else if (op == AST_MUL && is_sequence(b) && py_integer(a, &i))
        result = repeat(m, b, i);
    else if (op == AST_ADD && is_sequence(a) && a->kind == b->kind)
        result = join(a, b);
    if (!result)
        py_fail(m, "unsupported operand types for %s at compile time: '%s' and '%s'", ast_kind_name(op),
                py_type_name(a), py_type_name(b));
    return result;
}

static py_value *unary(py_machine *m, ast_kind op, py_value *v) {
    int64_t i;
    if (op == AST_NOT)
        return py_bool(!py_truth(m, v));
    if (v->kind == PY_TENSOR)
        return py_tensor_operator(m, op == AST_NEG ? "aten::neg" : "aten::bitwise_not", &v, 1, NULL, 0);
    if (v->kind == PY_FLOAT && op == AST_NEG)
        return py_float(-v->real);
    if (v->kind == PY_COMPLEX && op == AST_NEG)
        return py_complex(-v->parts.re, -v->parts.im);
    if (v->kind == PY_WIDE && op == AST_NEG)
        return py_wide_binary(m, AST_SUB, py_int(0), v);
    if (!py_integer(v, &i))
        py_fail(m, "bad operand type for unary operator: '%s'", py_type_name(v));
    return op == AST_NEG ? integer_binary(m, AST_SUB, 0, i) : py_int(~i);
}

/* ---- Subscripts ---- */

static int64_t slice_bound(const py_value *v, int64_t otherwise, int64_t count, bool backwards) {
    int64_t at;
    if (!py_integer(v, &at))
        return otherwise;
    at += at < 0 ? count : 0;
    int64_t lowest = backwards ? -1 : 0, highest = backwards ? count - 1 : count;
    return at < lowest ? lowest : at > highest ? highest : at;
}

static py_value *slice_of(py_machine *m, py_value *v, const py_value *slice) {
    py_value **items = py_iterate(m, v);
    int64_t count = (int64_t)arrlenu(items), step = 1;
    py_integer(slice->items[2], &step);
    if (!step)
        py_fail(m, "slice step cannot be zero");
    int64_t start = slice_bound(slice->items[0], step > 0 ? 0 : count - 1, count, step < 0);
    int64_t stop = slice_bound(slice->items[1], step > 0 ? count : -1, count, step < 0);
    py_value *out = py_new(v->kind == PY_STR ? PY_LIST : v->kind);
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
        arrput(out->items, items[i]);
    if (v->kind != PY_STR)
        return out;
    strbuf text = {0};
    for (size_t i = 0; i < arrlenu(out->items); i++)
        strbuf_add(&text, out->items[i]->string.bytes);
    return py_str(strbuf_text(&text));
}

static py_value *dict_item(py_machine *m, const py_value *dict, const py_value *key) {
    py_value *found = py_dict_get(dict, key);
    strbuf text = {0};
    if (!found && dict->factory) {
        found = py_call(m, dict->factory, &(py_arguments){0});
        py_dict_set((py_value *)dict, (py_value *)key, found);
    }
    if (!found) {
        py_show(key, true, &text);
        py_fail(m, "KeyError: %s", strbuf_text(&text));
    }
    return found;
}

py_value *py_subscript(py_machine *m, py_value *v, py_value *index) {
    stack_check();
    int64_t at;
    if (v->kind == PY_TENSOR)
        return py_tensor_index(m, v, index);
    if (v->kind == PY_DICT)
        return dict_item(m, v, index);
    py_value *method = v->kind == PY_OBJECT ? py_attribute_or_null(m, v, "__getitem__") : NULL;
    if (method)
        return py_call1(m, method, index);
    if (v->kind == PY_OBJECT && py_is_named_tuple(v->object->class_def)) {
        py_value *tuple = py_new(PY_TUPLE);
        tuple->items = py_tuple_items(v);
        return py_subscript(m, tuple, index);
    }
    py_value *member = v->kind == PY_CLASS && v->class_def->is_enum && index->kind == PY_STR
                           ? py_enum_named(m, v->class_def, index->string.bytes)
                           : NULL;
    if (member)
        return member;
    if (is_sequence(v) && index->kind == PY_SLICE)
        return slice_of(m, v, index);
    if (v->kind == PY_PATH)
        return v; /* List[int] and other types of annotations */
    if (!is_sequence(v) || !py_integer(index, &at))
        py_fail(m, "'%s' object is not subscriptable with '%s' at compile time", py_type_name(v), py_type_name(index));
    py_value **items = py_iterate(m, v);
    int64_t count = (int64_t)arrlenu(items);
    at += at < 0 ? count : 0;
    if (at < 0 || at >= count)
        py_fail(m, "IndexError: %s index out of range", py_type_name(v));
    return items[at];
}

static py_value *eval_slice(py_machine *m, py_scope *scope, const ast_node *n) {
    py_value *v = py_new(PY_SLICE);
    const ast_node *parts[] = {n->slice.start, n->slice.stop, n->slice.step};
    for (int i = 0; i < 3; i++)
        arrput(v->items, parts[i] ? py_eval(m, scope, parts[i]) : py_none());
    return v;
}

py_value *py_eval_index(py_machine *m, py_scope *scope, const ast_node *n) {
    const ast_list *indices = &n->subscript.indices;
    if (indices->count == 1)
        return py_eval(m, scope, indices->items[0]);
    py_value *tuple = py_new(PY_TUPLE);
    for (uint32_t i = 0; i < indices->count; i++)
        arrput(tuple->items, py_eval(m, scope, indices->items[i]));
    return tuple;
}

/* ---- Displays and comprehensions ---- */

static void eval_items(py_machine *m, py_scope *scope, const ast_list *list, py_value ***items) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind != AST_STARRED) {
            arrput(*items, py_eval(m, scope, list->items[i]));
            continue;
        }
        py_value **parts = py_iterate(m, py_eval(m, scope, list->items[i]->operand));
        for (size_t k = 0; k < arrlenu(parts); k++)
            arrput(*items, parts[k]);
    }
}

static py_value *eval_sequence(py_machine *m, py_scope *scope, const ast_node *n, py_kind kind) {
    py_value *v = py_new(kind);
    eval_items(m, scope, &n->sequence, &v->items);
    return v;
}

static py_value *eval_dict(py_machine *m, py_scope *scope, const ast_node *n) {
    py_value *v = py_new(PY_DICT);
    for (uint32_t i = 0; i < n->dict.keys.count; i++) {
        py_value *value = py_eval(m, scope, n->dict.values.items[i]);
        if (n->dict.keys.items[i]->kind != AST_UNSUPPORTED) {
            py_dict_set(v, py_eval(m, scope, n->dict.keys.items[i]), value);
            continue;
        }
        if (value->kind != PY_DICT) /* the operand of `**` */
            py_fail(m, "'%s' object is not a mapping", py_type_name(value));
        for (size_t k = 0; k < arrlenu(value->entries); k++)
            py_dict_set(v, value->entries[k].key, value->entries[k].value);
    }
    return v;
}

/* The clauses from `clause` on, and the element where there are no more. */
static void run_clauses(py_machine *m, py_scope *scope, const ast_node *n, uint32_t clause, py_value *out) {
    stack_check();
    if (clause == n->comprehension.clauses.count) {
        py_value *element = py_eval(m, scope, n->comprehension.element);
        if (n->comprehension.key)
            py_dict_set(out, py_eval(m, scope, n->comprehension.key), element);
        else
            arrput(out->items, element);
        return;
    }
    const ast_node *c = n->comprehension.clauses.items[clause];
    if (c->kind != AST_FOR) {
        if (py_truth(m, py_eval(m, scope, c)))
            run_clauses(m, scope, n, clause + 1, out);
        return;
    }
    py_value **items = py_iterate(m, py_eval(m, scope, c->loop.iterable));
    for (size_t i = 0; i < arrlenu(items); i++) {
        py_assign(m, scope, c->loop.target, items[i], NULL);
        run_clauses(m, scope, n, clause + 1, out);
    }
}

static py_value *eval_comprehension(py_machine *m, py_scope *scope, const ast_node *n) {
    py_value *out = py_new(n->comprehension.key ? PY_DICT : PY_LIST);
    py_value **items = py_iterate(m, py_eval(m, scope, n->comprehension.iterable));
    py_scope *inner = MEM_NEW(py_scope);
    inner->outer = scope;
    inner->file = scope->file;
    for (size_t i = 0; i < arrlenu(items); i++) {
        py_assign(m, inner, n->comprehension.target, items[i], NULL);
        run_clauses(m, inner, n, 0, out);
    }
    return out;
}

/* ---- Calls ---- */

static bool is_of_class(const py_value *v, const py_class *wanted) {
    const py_class *c = v->kind == PY_CLASS ? v->class_def : v->kind == PY_OBJECT ? v->object->class_def : NULL;
    for (size_t i = 0; c && i < arrlenu(c->order); i++)
        if (c->order[i] == wanted)
            return true;
    return false;
}

/* super(): attributes are looked up after the class that defines the method, in the order of the object's class. */
static py_value *eval_super(py_machine *m, py_scope *scope) {
    while (scope && !scope->owner)
        scope = scope->outer;
    if (!scope || !scope->self)
        py_fail(m, "super() outside of a method");
    if (!is_of_class(scope->self, scope->owner))
        py_fail(m, "TypeError: super(type, obj): obj must be an instance or subtype of type");
    py_value *v = py_new(PY_SUPER);
    v->super.self = scope->self;
    v->super.after = scope->owner;
    return v;
}

static bool is_super(const ast_node *callee) {
    return callee->kind == AST_VAR && !strcmp(callee->name, "super");
}

static void add_expansion(py_machine *m, py_arguments *a, py_value *all) {
    if (all->kind != PY_DICT)
        py_fail(m, "argument after ** must be a mapping, not %s", py_type_name(all));
    for (size_t i = 0; i < arrlenu(all->entries); i++) {
        py_keyword k = {intern(all->entries[i].key->string.bytes), all->entries[i].value};
        arrput(a->keywords, k);
    }
}

/* The value after `**` in an argument list; NULL for other arguments. */
static const ast_node *expansion_of(const ast_node *input) {
    const ast_list *parts = input->kind == AST_UNSUPPORTED ? &input->unsupported.parts : NULL;
    bool is_expansion = parts && parts->count == 1 && parts->items[0]->kind == AST_ATTRIBUTE;
    return is_expansion ? parts->items[0]->attribute.value : NULL;
}

static py_value *eval_call(py_machine *m, py_scope *scope, const ast_node *n) {
    if (is_super(n->apply.callee))
        return eval_super(m, scope);
    py_value *callee = py_eval(m, scope, n->apply.callee);
    py_arguments a = {0};
    for (uint32_t i = 0; i < n->apply.inputs.count; i++) {
        ast_node *input = n->apply.inputs.items[i];
        const ast_node *expansion = expansion_of(input);
        if (expansion)
            add_expansion(m, &a, py_eval(m, scope, expansion));
        else
            eval_items(m, scope, &(ast_list){&input, 1}, &a.items);
    }
    for (uint32_t i = 0; i < n->apply.attributes.count; i++) {
        const ast_node *attribute = n->apply.attributes.items[i];
        py_keyword k = {attribute->attribute.name, py_eval(m, scope, attribute->attribute.value)};
        arrput(a.keywords, k);
    }
    m->range = n->range;
    return py_call(m, callee, &a);
}

/* Expressions that TorchScript refuses but this interpreter can evaluate. */
static py_value *eval_unsupported(py_machine *m, py_scope *scope, const ast_node *n) {
    const ast_node *part = n->unsupported.parts.count == 1 ? n->unsupported.parts.items[0] : NULL;
    if (part && part->kind == AST_APPLY) /* an f-string with formats */
        return py_eval(m, scope, part);
    if (part && part->kind == AST_ASSIGN && part->assign.targets.items[0]->kind == AST_VAR) {
        py_value *v = py_eval(m, scope, part->assign.value);
        py_bind(scope, part->assign.targets.items[0]->name, v);
        return v;
    }
    if (part && part->kind == AST_INT)
        return py_wide_literal(m, part->number.text.bytes);
    if (part && part->kind == AST_STRING) {
        py_value *v = py_str_n(part->string.bytes, part->string.length);
        v->kind = PY_BYTES;
        return v;
    }
    if (part && part->kind == AST_DEF)
        return py_function(part->def, scope, NULL);
    if (part && part->kind == AST_LIST)
        return eval_sequence(m, scope, part, PY_SET);
    if (part && (part->kind == AST_LIST_COMP || part->kind == AST_DICT_COMP))
        return eval_comprehension(m, scope, part);
    source_fail(n->range, "%s at compile time", n->unsupported.message);
}

/* Expressions with operands. */
static py_value *eval_operator(py_machine *m, py_scope *scope, const ast_node *n) {
    if (n->kind == AST_AND || n->kind == AST_OR) {
        py_value *left = py_eval(m, scope, n->binary.left);
        return py_truth(m, left) == (n->kind == AST_OR) ? left : py_eval(m, scope, n->binary.right);
    }
    if (n->kind == AST_NEG || n->kind == AST_NOT || n->kind == AST_INVERT) {
        py_value *v = py_eval(m, scope, n->operand);
        m->range = n->range;
        return unary(m, n->kind, v);
    }
    if (n->kind < AST_ADD || n->kind > AST_IN)
        source_fail(n->range, "this expression (%s) is not supported at compile time", ast_kind_name(n->kind));
    py_value *left = py_eval(m, scope, n->binary.left), *right = py_eval(m, scope, n->binary.right);
    m->range = n->range;
    return py_binary(m, n->kind, left, right);
}

py_value *py_eval(py_machine *m, py_scope *scope, const ast_node *n) {
    stack_check();
    py_value *v;
    switch (n->kind) {
    case AST_VAR:
        m->range = n->range;
        return py_lookup(m, scope, n->name);
    case AST_INT:
        return py_int(n->number.integer);
    case AST_FLOAT:
        return py_float(n->number.real);
    case AST_IMAGINARY:
        return py_complex(0, n->number.real);
    case AST_STRING:
        return py_str_n(n->string.bytes, n->string.length);
    case AST_TRUE:
    case AST_FALSE:
        return py_bool(n->kind == AST_TRUE);
    case AST_NONE:
        return py_none();
    case AST_DOTS:
        return py_path("builtins.Ellipsis");
    case AST_TUPLE:
        return eval_sequence(m, scope, n, PY_TUPLE);
    case AST_LIST:
        return eval_sequence(m, scope, n, PY_LIST);
    case AST_DICT:
        return eval_dict(m, scope, n);
    case AST_LIST_COMP:
    case AST_DICT_COMP:
        return eval_comprehension(m, scope, n);
    case AST_SELECT:
        v = py_eval(m, scope, n->select.value);
        m->range = n->range;
        return py_attribute(m, v, n->select.name);
    case AST_SUBSCRIPT: {
        v = py_eval(m, scope, n->subscript.value);
        py_value *index = py_eval_index(m, scope, n);
        m->range = n->range;
        return py_subscript(m, v, index);
    }
    case AST_SLICE:
        return eval_slice(m, scope, n);
    case AST_APPLY:
        return eval_call(m, scope, n);
    case AST_TERNARY: {
        bool truth = py_truth(m, py_eval(m, scope, n->ternary.condition));
        return py_eval(m, scope, truth ? n->ternary.if_true : n->ternary.if_false);
    }
    case AST_UNSUPPORTED:
        return eval_unsupported(m, scope, n);
    default:
        return eval_operator(m, scope, n);
    }
}
