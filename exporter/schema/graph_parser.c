/* Graphs from their text: what ir_print writes, and what PyTorch prints of its own graphs.
 *
 * Comments (`# file:line:column`) are skipped. Tensor types with shapes (`Float(2, 3, strides=[3, 1], device=cpu)`) are
 * read as Tensor. Constants whose text does not hold their value (tensors, objects, generators) cannot be read back. */
#include "exporter/schema/graph_parser.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/limits.h"
#include "exporter/ir/class.h"
#include "exporter/schema/schema.h"

typedef struct {
    const char *text, *at;
    const type *(*find_class)(void *data, const char *name);
    void *data;
    ir_graph *graph;
    struct {
        char *key;
        ir_value *value;
    } * values; /* by printed name, without the % */
    struct {
        uint32_t key;
        bool value;
    } * ids; /* taken */
} ir_reader;

/* ---- Characters and words ---- */

static _Noreturn void fail(const ir_reader *r, const char *message) {
    int line = 1, column = 1;
    for (const char *p = r->text; p < r->at; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    diag_fail("IR text, line %d, column %d: %s", line, column, message);
}

static void skip_space(ir_reader *r) {
    for (;; r->at++) {
        if (*r->at == '#')
            while (r->at[1] && r->at[1] != '\n')
                r->at++;
        else if (!isspace((unsigned char)*r->at))
            return;
    }
}

static bool accept(ir_reader *r, const char *word) {
    skip_space(r);
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static void expect(ir_reader *r, const char *word) {
    if (!accept(r, word))
        fail(r, mem_printf("'%s' expected", word));
}

static bool is_name_part(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* name := (letter | digit | '_' | '.')+ */
static const char *read_name(ir_reader *r, const char *what) {
    skip_space(r);
    const char *start = r->at;
    while (is_name_part(*r->at))
        r->at++;
    if (r->at == start)
        fail(r, mem_printf("%s expected", what));
    return mem_strndup(start, (size_t)(r->at - start));
}

/* ---- Types ---- */

static const type *read_type(ir_reader *r);

static bool is_scalar_type_name(const char *name) {
    static const char *const names[] = {"Float",         "Double",      "Half", "BFloat16", "Long",
                                        "Int",           "Short",       "Char", "Byte",     "ComplexFloat",
                                        "ComplexDouble", "ComplexHalf", "Bool", "QInt8",    "QUInt8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* What stands in the brackets of a tensor type with a shape. */
static void skip_brackets(ir_reader *r) {
    int depth = 0;
    do {
        if (!*r->at)
            fail(r, "')' expected");
        depth += *r->at == '(' ? 1 : *r->at == ')' ? -1 : 0;
        r->at++;
    } while (depth);
}

static const type **read_types_until(ir_reader *r, const char *close) {
    const type **types = NULL;
    while (!accept(r, close)) {
        if (arrlenu(types))
            expect(r, ",");
        arrput(types, read_type(r));
    }
    return types;
}

static const type *nominal_type(ir_reader *r, const char *name) {
    const type *t = r->find_class ? r->find_class(r->data, name) : NULL;
    if (!t)
        fail(r, mem_printf("unknown type '%s'", name));
    return t;
}

static const type *named_type(ir_reader *r) {
    static const struct {
        const char *name;
        type_kind kind;
    } simple[] = {{"Tensor", TYPE_TENSOR},
                  {"int", TYPE_INT},
                  {"float", TYPE_FLOAT},
                  {"complex", TYPE_COMPLEX},
                  {"bool", TYPE_BOOL},
                  {"str", TYPE_STR},
                  {"Device", TYPE_DEVICE},
                  {"Scalar", TYPE_NUMBER},
                  {"NoneType", TYPE_NONE},
                  {"Any", TYPE_ANY},
                  {"Generator", TYPE_GENERATOR},
                  {"Storage", TYPE_STORAGE},
                  {"Stream", TYPE_STREAM},
                  {"Capsule", TYPE_CAPSULE},
                  {"AnyEnumType", TYPE_ANY_ENUM},
                  {"AnyClassType", TYPE_ANY_CLASS},
                  {"Function", TYPE_FUNCTION}};
    const char *name = read_name(r, "a type");
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (!strcmp(name, simple[i].name)) {
            if (simple[i].kind == TYPE_TENSOR && *r->at == '(')
                skip_brackets(r);
            return type_basic(simple[i].kind);
        }
    if (is_scalar_type_name(name)) {
        if (*r->at == '(')
            skip_brackets(r);
        return type_basic(TYPE_TENSOR);
    }
    return nominal_type(r, name);
}

/* type := ('(' types ')' | 'Dict' '(' type ',' type ')' | 'Future' '(' type ')' | 'RRef' '(' type ')' | 'Union' '['
 * types ']' | 'Enum' '<' name '>' | 'NamedTuple' ... | name) ('[' ']' | '?')* */
static const type *read_type(ir_reader *r) {
    stack_check();
    const type *t;
    if (accept(r, "(")) {
        const type **items = read_types_until(r, ")");
        t = type_tuple(items, (uint32_t)arrlenu(items));
    } else if (accept(r, "Dict(")) {
        const type *key = read_type(r);
        expect(r, ",");
        t = type_dict(key, read_type(r));
        expect(r, ")");
    } else if (accept(r, "Future(")) {
        t = type_future(read_type(r));
        expect(r, ")");
    } else if (accept(r, "RRef(")) {
        t = type_rref(read_type(r));
        expect(r, ")");
    } else if (accept(r, "Union(")) {
        const type **members = read_types_until(r, ")");
        t = type_union(members, (uint32_t)arrlenu(members));
    } else if (accept(r, "Enum<")) {
        t = nominal_type(r, read_name(r, "the name of an enum"));
        expect(r, ">");
    } else {
        t = named_type(r);
    }
    for (;;) {
        if (accept(r, "[]"))
            t = type_list(t);
        else if (accept(r, "?"))
            t = type_optional(t);
        else
            return t;
    }
}

/* ---- Values ---- */

static const uint32_t UNNUMBERED = UINT32_MAX;

/* value := '%' name ; the number behind the last point makes names unique and is not part of them. */
static const char *read_value_name(ir_reader *r) {
    expect(r, "%");
    return read_name(r, "a value");
}

static void define(ir_reader *r, ir_value *v, const char *printed) {
    if (shgeti(r->values, printed) >= 0)
        fail(r, mem_printf("%%%s is defined twice", printed));
    const char *point = strrchr(printed, '.'), *number = point ? point + 1 : printed;
    bool is_numbered = *number != 0;
    for (const char *p = number; *p; p++)
        is_numbered &= isdigit((unsigned char)*p) != 0;
    v->name = !is_numbered ? mem_strdup(printed) : point ? mem_strndup(printed, (size_t)(point - printed)) : NULL;
    uint32_t id = (uint32_t)strtoul(number, NULL, 10);
    /* PyTorch numbers each name on its own: %a.1 and %b.1 may both be there, and only the first keeps its number. */
    v->id = is_numbered && hmgeti(r->ids, id) < 0 ? id : UNNUMBERED;
    if (v->id != UNNUMBERED) {
        hmput(r->ids, id, true);
        if (id >= r->graph->next_id)
            r->graph->next_id = id + 1;
    }
    shput(r->values, printed, v);
}

static ir_value *use(ir_reader *r) {
    const char *name = read_value_name(r);
    ptrdiff_t at = shgeti(r->values, name);
    if (at < 0)
        fail(r, mem_printf("%%%s is not defined", name));
    return r->values[at].value;
}

/* uses := '(' [value (',' value)*] ')' */
static void read_uses(ir_reader *r, ir_node *n) {
    expect(r, "(");
    while (!accept(r, ")")) {
        if (ir_input_count(n))
            expect(r, ",");
        ir_node_add_input(n, use(r));
    }
}

/* definition := value ':' type */
static const type *read_definition(ir_reader *r, const char **name) {
    *name = read_value_name(r);
    expect(r, ":");
    return read_type(r);
}

static void read_parameters(ir_reader *r, ir_block *b) {
    expect(r, "(");
    while (!accept(r, ")")) {
        const char *name;
        if (ir_output_count(b->param))
            expect(r, ",");
        const type *t = read_definition(r, &name);
        define(r, ir_block_add_param(b, NULL, t), name);
    }
    expect(r, ":");
}

/* ---- Constants ---- */

static int digit_value(ir_reader *r) {
    if (*r->at < '0' || *r->at > '7')
        fail(r, "an octal digit expected");
    return *r->at++ - '0';
}

/* string := '"' (character | '\' ('n' | 't' | '"' | '\' | octal octal octal))* '"' */
static strbuf read_string(ir_reader *r) {
    strbuf b = {0};
    strbuf_add(&b, "");
    expect(r, "\"");
    for (; *r->at != '"';) {
        if (!*r->at)
            fail(r, "the string does not end");
        char c = *r->at++;
        if (c == '\\') {
            char escape = *r->at;
            if (isdigit((unsigned char)escape)) {
                int high = digit_value(r), middle = digit_value(r);
                c = (char)(high * 64 + middle * 8 + digit_value(r));
            } else {
                c = escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
                r->at++;
            }
        }
        strbuf_add_n(&b, &c, 1);
    }
    r->at++;
    return b;
}

static double read_double(ir_reader *r) {
    skip_space(r);
    char *end;
    double v = strtod(r->at, &end);
    if (end == r->at)
        fail(r, "a number expected");
    r->at = end;
    return v;
}

static ir_constant *read_constant(ir_reader *r, const type *t);

static ir_constant *read_items(ir_reader *r, ir_constant_kind kind, const type *t, const char *close) {
    ir_constant *c = const_new(kind, t), **items = NULL;
    bool is_dict = kind == CONST_DICT;
    while (!accept(r, close)) {
        size_t i = arrlenu(items);
        if (i)
            expect(r, is_dict && i % 2 ? ":" : ",");
        if (accept(r, close)) /* (1,) */
            break;
        if (kind == CONST_TUPLE && i >= t->count)
            fail(r, "the tuple has more items than its type");
        arrput(items, read_constant(r, t->items[kind == CONST_TUPLE ? i : is_dict ? i % 2 : 0]));
    }
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

static ir_constant *read_enum(ir_reader *r, const type *t) {
    size_t n = strlen(t->text);
    skip_space(r);
    if (strncmp(r->at, t->text, n) != 0 || r->at[n] != '.')
        fail(r, mem_printf("a member of %s expected", t->text));
    r->at += n + 1;
    const char *member = read_name(r, "a member");
    ir_constant *c = const_new(CONST_ENUM, t);
    const class_constant *found = t->definition ? class_find_constant(t->definition, member) : NULL;
    if (!found)
        fail(r, mem_printf("%s has no member %s", t->text, member));
    c->integer = found - t->definition->constants;
    return c;
}

/* constant := 'None' | number | string | '[' items ']' | '(' items ')' | '{' items '}' | member of an enum; as the type
 * says */
static ir_constant *read_constant(ir_reader *r, const type *t) {
    stack_check();
    if (accept(r, "None"))
        return const_none();
    t = t->kind == TYPE_OPTIONAL ? type_without_none(t) : t;
    switch (t->kind) {
    case TYPE_BOOL:
        return const_bool(read_double(r) != 0);
    case TYPE_INT: {
        skip_space(r);
        char *end;
        errno = 0;
        long long v = strtoll(r->at, &end, 10);
        if (end == r->at || errno)
            fail(r, "an integer expected");
        r->at = end;
        return const_int(v);
    }
    case TYPE_FLOAT:
        return const_float(read_double(r));
    case TYPE_COMPLEX: {
        double re = read_double(r), im = read_double(r);
        expect(r, "j");
        return const_complex(re, im);
    }
    case TYPE_STR:
    case TYPE_DEVICE: {
        strbuf b = read_string(r);
        ir_constant *c = const_str(b.text, b.length);
        c->kind = t->kind == TYPE_STR ? CONST_STR : CONST_DEVICE;
        c->type = t;
        return c;
    }
    case TYPE_LIST:
        expect(r, "[");
        return read_items(r, CONST_LIST, t, "]");
    case TYPE_TUPLE:
        expect(r, "(");
        return read_items(r, CONST_TUPLE, t, ")");
    case TYPE_DICT:
        expect(r, "{");
        return read_items(r, CONST_DICT, t, "}");
    case TYPE_ENUM:
        return read_enum(r, t);
    default:
        fail(r, mem_printf("constants of type %s cannot be read", t->text));
    }
}

/* ---- Nodes ---- */

static const char *read_quoted(ir_reader *r) {
    strbuf b = read_string(r);
    return intern_n(b.text, b.length);
}

/* attributes := '[' 'value' '=' constant ']' | '[' 'name' '=' string ']' | '[' 'beg' '=' n ',' 'end' '=' n ']' | '['
 * 'types' '=' '[' types ']' ']' */
static void read_attributes(ir_reader *r, ir_node *n) {
    if (!accept(r, "["))
        return;
    if (accept(r, "value=")) {
        if (n->kind != IR_CONSTANT)
            fail(r, "only prim::Constant has a value");
        n->constant = read_constant(r, n->outputs[0]->type);
    } else if (accept(r, "name=")) {
        n->attribute = read_quoted(r);
    } else if (accept(r, "beg=")) {
        n->begin = (int64_t)read_double(r);
        expect(r, ",");
        expect(r, "end=");
        n->end = (int64_t)read_double(r);
    } else if (accept(r, "types=")) {
        expect(r, "[");
        n->types = read_types_until(r, "]");
    } else {
        fail(r, "an attribute expected");
    }
    expect(r, "]");
}

static bool input_fits(const ir_value *v, const schema_argument *a) {
    return type_has_variables(a->type) ? v->type->kind == a->type->kind || a->type->kind == TYPE_VAR
                                       : type_is_subtype(v->type, a->type, NULL);
}

/* The overload that a node's inputs fit; PyTorch's text does not name it. */
static const op_schema *find_overload(const ir_node *n) {
    uint32_t count;
    const op_schema *const *all = schema_overloads(ir_kind_name(n->kind), &count);
    for (uint32_t i = 0; i < count; i++) {
        const op_schema *s = all[i];
        bool fits = s->variable_arguments || s->argument_count == ir_input_count(n);
        fits &= s->variable_returns || s->return_count == ir_output_count(n);
        for (uint32_t k = 0; fits && k < ir_input_count(n) && k < s->argument_count; k++)
            fits = input_fits(ir_in(n, k), &s->arguments[k]);
        if (fits)
            return s;
    }
    return NULL;
}

static void read_block_body(ir_reader *r, ir_block *b, const char *end);

static void read_node(ir_reader *r, ir_block *b) {
    stack_check();
    const char *names[64];
    const type *types[64];
    uint32_t outputs = 0;
    skip_space(r);
    while (*r->at == '%') {
        if (outputs == 64)
            fail(r, "a node has more than 64 outputs");
        types[outputs] = read_definition(r, &names[outputs]);
        outputs++;
        if (!accept(r, ","))
            expect(r, "=");
        skip_space(r);
    }
    const char *space = read_name(r, "an operator");
    expect(r, "::");
    ir_node *n = ir_node_new(r->graph, ir_kind_of(mem_printf("%s::%s", space, read_name(r, "an operator"))), outputs);
    for (uint32_t i = 0; i < outputs; i++)
        n->outputs[i]->type = types[i];
    read_attributes(r, n);
    read_uses(r, n);
    n->schema = find_overload(n);
    if (!n->schema && n->kind >= IR_KNOWN_KINDS)
        fail(r, mem_printf("no operator %s takes these inputs", ir_kind_name(n->kind)));
    for (uint32_t i = 0; accept(r, mem_printf("block%u", i)); i++) {
        ir_block *inner = ir_node_add_block(n);
        read_parameters(r, inner);
        read_block_body(r, inner, "->");
    }
    for (uint32_t i = 0; i < outputs; i++)
        define(r, n->outputs[i], names[i]);
    ir_append(b, n);
}

/* body := node* end uses */
static void read_block_body(ir_reader *r, ir_block *b, const char *end) {
    while (!accept(r, end)) {
        if (!*r->at)
            fail(r, mem_printf("'%s' expected", end));
        read_node(r, b);
    }
    read_uses(r, b->result);
}

/* graph := 'graph' '(' [definition (',' definition)*] ')' ':' body with 'return' */
ir_graph *ir_parse(const char *text, const type *(*find_class)(void *data, const char *name), void *data) {
    ir_reader r = {.text = text, .at = text, .find_class = find_class, .data = data, .graph = ir_graph_new("graph")};
    sh_new_strdup(r.values);
    expect(&r, "graph");
    read_parameters(&r, r.graph->block);
    read_block_body(&r, r.graph->block, "return");
    skip_space(&r);
    if (*r.at)
        fail(&r, "nothing more expected");
    for (size_t i = 0; i < shlenu(r.values); i++)
        if (r.values[i].value->id == UNNUMBERED)
            r.values[i].value->id = r.graph->next_id++;
    return r.graph;
}
