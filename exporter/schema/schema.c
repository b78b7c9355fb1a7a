/* Schema texts parsed, and the list of operators. */
#include "exporter/schema/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/registry.h"
#include "exporter/schema/operator_list.h"

enum { WILDCARD_ALIAS = 63 };

/* ---- Parser ---- */

typedef struct {
    const char *text; /* the whole schema, for messages */
    const char *at;
} schema_reader;

_Noreturn static void reader_fail(const schema_reader *r, const char *what) {
    diag_fail("schema '%s': expected %s at byte %zu", r->text, what, (size_t)(r->at - r->text));
}

static void skip_blanks(schema_reader *r) {
    while (*r->at == ' ')
        r->at++;
}

static bool accept(schema_reader *r, const char *token) {
    skip_blanks(r);
    size_t n = strlen(token);
    if (strncmp(r->at, token, n))
        return false;
    r->at += n;
    return true;
}

static void expect(schema_reader *r, const char *token) {
    if (!accept(r, token))
        reader_fail(r, token);
}

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* name := [A-Za-z0-9_]+ */
static const char *read_name(schema_reader *r) {
    skip_blanks(r);
    const char *start = r->at;
    while (is_name_char(*r->at))
        r->at++;
    if (r->at == start)
        reader_fail(r, "a name");
    return intern_n(start, (size_t)(r->at - start));
}

static const struct {
    const char *name;
    type_kind kind;
} base_types[] = {
    {"Tensor", TYPE_TENSOR},
    {"int", TYPE_INT},
    {"float", TYPE_FLOAT},
    {"complex", TYPE_COMPLEX},
    {"bool", TYPE_BOOL},
    {"str", TYPE_STR},
    {"Scalar", TYPE_NUMBER},
    {"number", TYPE_NUMBER},
    {"Device", TYPE_DEVICE},
    {"Generator", TYPE_GENERATOR},
    {"Storage", TYPE_STORAGE},
    {"Stream", TYPE_STREAM},
    {"Any", TYPE_ANY},
    {"AnyEnumType", TYPE_ANY_ENUM},
    {"AnyClassType", TYPE_ANY_CLASS},
    {"NoneType", TYPE_NONE},
    {"list", TYPE_ANY_LIST},
    {"tuple", TYPE_ANY_TUPLE},
    {"Capsule", TYPE_CAPSULE},
    /* What programs see as plain integers and strings. */
    {"SymInt", TYPE_INT},
    {"ScalarType", TYPE_INT},
    {"Layout", TYPE_INT},
    {"MemoryFormat", TYPE_INT},
    {"QScheme", TYPE_INT},
    {"Dimname", TYPE_STR},
};

/* alias := '(' letters ['!'] [' -> ' letters] ')'; several letters are joined by '|'. */
static bool read_alias(schema_reader *r, schema_argument *a) {
    const char *p = r->at;
    if (*p != '(' ||
        !(p[1] == '*' || (islower((unsigned char)p[1]) && (p[2] == ')' || p[2] == '!' || p[2] == '|' || p[2] == ' '))))
        return false;
    bool after = false;
    for (p++; *p && *p != ')'; p++) {
        if (*p == '!')
            a->is_write = true;
        else if (*p == '>')
            after = true;
        else if (*p == '*' && after)
            a->contained_wildcard = true;
        else if (*p == '*')
            a->alias_set |= UINT64_C(1) << WILDCARD_ALIAS;
        else if (islower((unsigned char)*p) && !after)
            a->alias_set |= UINT64_C(1) << (*p - 'a');
    }
    a->may_alias = true;
    r->at = *p ? p + 1 : p;
    return true;
}

static const type *read_type(schema_reader *r, schema_argument *a);

static const type *read_dict(schema_reader *r, schema_argument *a) {
    expect(r, "(");
    const type *key = read_type(r, a);
    expect(r, ",");
    const type *value = read_type(r, a);
    expect(r, ")");
    return type_dict(key, value);
}

static const type *read_wrapped(schema_reader *r, schema_argument *a) {
    expect(r, "(");
    const type *inner = read_type(r, a);
    expect(r, ")");
    return inner;
}

static const type *read_tuple(schema_reader *r, schema_argument *a) {
    const type **items = NULL;
    while (!accept(r, ")")) {
        arrput(items, read_type(r, a));
        accept(r, ",");
    }
    return type_tuple(items, (uint32_t)arrlenu(items));
}

static const type *read_class_name(schema_reader *r, const char *start) {
    while (is_name_char(*r->at) || *r->at == '.')
        r->at++;
    return type_torchbind(intern_n(start, (size_t)(r->at - start)));
}

/* base := 'Dict' '(' type ',' type ')' | ('Future'|'RRef') '(' type ')' | '(' types ')' | class name | basic type |
 * variable */
static const type *read_base_type(schema_reader *r, schema_argument *a) {
    if (accept(r, "("))
        return read_tuple(r, a);
    skip_blanks(r);
    const char *start = r->at;
    const char *name = read_name(r);
    if (!strcmp(name, "Dict"))
        return read_dict(r, a);
    if (!strcmp(name, "Future"))
        return type_future(read_wrapped(r, a));
    if (!strcmp(name, "RRef"))
        return type_rref(read_wrapped(r, a));
    if (!strcmp(name, "__torch__"))
        return read_class_name(r, start);
    for (size_t i = 0; i < sizeof base_types / sizeof *base_types; i++)
        if (!strcmp(base_types[i].name, name))
            return type_basic(base_types[i].kind);
    if (name[0] == 't' || strlen(name) == 1)
        return type_var(name);
    r->at = start;
    reader_fail(r, "a type");
}

/* type := base (alias | '[' [N] ']' | '?')* */
static const type *read_type(schema_reader *r, schema_argument *a) {
    stack_check();
    const type *t = read_base_type(r, a);
    for (;;) {
        if (read_alias(r, a))
            continue;
        if (*r->at == '[') {
            r->at++;
            if (isdigit((unsigned char)*r->at))
                a->list_size = (int32_t)strtol(r->at, (char **)&r->at, 10);
            expect(r, "]");
            t = type_list(t);
        } else if (*r->at == '?') {
            r->at++;
            t = type_optional(t);
        } else
            return t;
    }
}

static char unescape(char c) {
    static const char letters[] = "ntrfvab0", meanings[] = "\n\t\r\f\v\a\b";
    const char *at = strchr(letters, c);
    return at && *at ? meanings[at - letters] : c;
}

static ir_constant *read_string(schema_reader *r) {
    strbuf b = {0};
    char quote = *r->at++;
    for (; *r->at && *r->at != quote; r->at++) {
        char c = *r->at == '\\' ? unescape(*++r->at) : *r->at;
        strbuf_add_n(&b, &c, 1);
    }
    r->at += *r->at != 0;
    return const_str(strbuf_text(&b), b.length);
}

static ir_constant *read_number(schema_reader *r, const type *t) {
    char *end = NULL;
    double real = strtod(r->at, &end);
    if (end == r->at)
        reader_fail(r, "a default value");
    bool is_real = memchr(r->at, '.', (size_t)(end - r->at)) || memchr(r->at, 'e', (size_t)(end - r->at));
    int64_t integer = strtoll(r->at, NULL, 10);
    r->at = end;
    return is_real || t->kind == TYPE_FLOAT ? const_float(real) : const_int(integer);
}

static ir_constant *read_default(schema_reader *r, const type *t);

static ir_constant *list_constant(const type *t, ir_constant **items) {
    ir_constant *c = const_new(CONST_LIST, t);
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

static ir_constant *read_default_list(schema_reader *r, const type *t) {
    ir_constant **items = NULL;
    while (!accept(r, "]")) {
        skip_blanks(r);
        arrput(items, read_default(r, t->items[0]));
        accept(r, ",");
    }
    return list_constant(t, items);
}

/* default := 'None' | 'True' | 'False' | number | string | '[' defaults ']' */
static ir_constant *read_default(schema_reader *r, const type *t) {
    stack_check();
    const type *inner = type_without_none(t);
    if (accept(r, "None"))
        return const_none();
    if (accept(r, "True"))
        return const_bool(true);
    if (accept(r, "False"))
        return const_bool(false);
    if (accept(r, "["))
        return read_default_list(r, inner);
    if (*r->at == '"' || *r->at == '\'')
        return read_string(r);
    return read_number(r, inner->kind == TYPE_LIST ? inner->items[0] : inner);
}

ir_constant *schema_broadcast_default(ir_constant *c, const schema_argument *a) {
    const type *t = type_without_none(a->type);
    if (!c || !a->list_size || t->kind != TYPE_LIST || c->kind == CONST_LIST || c->kind == CONST_NONE)
        return c;
    ir_constant **items = NULL;
    for (int32_t i = 0; i < a->list_size; i++)
        arrput(items, c);
    return list_constant(t, items);
}

/* argument := type name ['=' default] */
static schema_argument read_argument(schema_reader *r) {
    schema_argument a = {.name = ""};
    a.type = read_type(r, &a);
    skip_blanks(r);
    if (is_name_char(*r->at))
        a.name = read_name(r);
    if (accept(r, "="))
        a.default_value = schema_broadcast_default(read_default(r, a.type), &a);
    return a;
}

static void read_arguments(schema_reader *r, op_schema *s) {
    schema_argument *arguments = NULL;
    bool keyword_only = false;
    expect(r, "(");
    while (!accept(r, ")")) {
        if (accept(r, "..."))
            s->variable_arguments = true;
        else if (accept(r, "*"))
            keyword_only = true;
        else {
            schema_argument a = read_argument(r);
            a.keyword_only = keyword_only;
            arrput(arguments, a);
        }
        accept(r, ",");
    }
    s->arguments = arguments;
    s->argument_count = (uint32_t)arrlenu(arguments);
}

/* returns := '...' | '(' [argument (',' argument)*] ')' | argument */
static void read_returns(schema_reader *r, op_schema *s) {
    schema_argument *returns = NULL;
    expect(r, "->");
    if (accept(r, "..."))
        s->variable_returns = true;
    else if (accept(r, "("))
        while (!accept(r, ")")) {
            arrput(returns, read_argument(r));
            accept(r, ",");
        }
    else
        arrput(returns, read_argument(r));
    s->returns = returns;
    s->return_count = (uint32_t)arrlenu(returns);
}

/* The part of a schema's text before its arguments: "aten::add.Tensor". */
static void set_names(op_schema *s, const char *text) {
    size_t n = strcspn(text, "(");
    s->full_name = intern_n(text, n);
    const char *colons = strstr(s->full_name, "::");
    const char *dot = strchr(colons ? colons : s->full_name, '.');
    s->name = dot ? intern_n(text, (size_t)(dot - s->full_name)) : s->full_name;
    s->overload = dot ? intern(dot + 1) : "";
    s->kind = ir_kind_of(s->name);
}

op_schema *schema_parse(const char *text) {
    op_schema *s = MEM_NEW(op_schema);
    schema_reader r = {text, text + strcspn(text, "(")};
    if (!*r.at)
        reader_fail(&r, "(");
    set_names(s, text);
    s->text = text;
    read_arguments(&r, s);
    read_returns(&r, s);
    skip_blanks(&r);
    if (*r.at)
        reader_fail(&r, "the end");
    return s;
}

/* ---- The operator list ---- */

typedef struct {
    const op_schema **schemas; /* stb_ds array, filled when first asked for */
    uint32_t *rows;            /* stb_ds array */
} overload_set;

/* Overload sets by name, made at the first question. */
static const registry overloads = {"rows of the operator list"};

static overload_set *overload_set_of(const char *name) {
    ptrdiff_t at = registry_find(&overloads, name);
    return at < 0 ? NULL : registry_value(&overloads, (size_t)at);
}

static void index_operator_list(void) {
    for (uint32_t i = 0; i < operator_list_count; i++) {
        const char *text = operator_list[i].schema;
        const char *name = intern_n(text, strcspn(text, "(."));
        overload_set *set = overload_set_of(name);
        if (!set) {
            set = MEM_NEW(overload_set);
            registry_enter(&overloads, name, set);
        }
        arrput(set->rows, i);
    }
}

static const op_schema *schema_of_row(const operator_row *row) {
    op_schema *s = schema_parse(row->schema);
    s->traits = operator_traits[row->traits];
    return s;
}

static overload_set *find_overloads(const char *name) {
    if (!registry_count(&overloads))
        index_operator_list();
    overload_set *set = overload_set_of(name);
    if (set && !set->schemas)
        for (size_t i = 0; i < arrlenu(set->rows); i++)
            arrput(set->schemas, schema_of_row(&operator_list[set->rows[i]]));
    return set;
}

const op_schema *const *schema_overloads(const char *name, uint32_t *count) {
    overload_set *set = find_overloads(name);
    *count = set ? (uint32_t)arrlenu(set->schemas) : 0;
    return set ? set->schemas : NULL;
}

const op_schema *schema_find(const char *full_name) {
    overload_set *set = find_overloads(intern_n(full_name, strcspn(full_name, ".")));
    for (size_t i = 0; set && i < arrlenu(set->schemas); i++)
        if (!strcmp(set->schemas[i]->full_name, full_name))
            return set->schemas[i];
    return NULL;
}

int schema_self_position(const op_schema *s) {
    for (uint32_t i = 0; i < 2 && i < s->argument_count; i++)
        if (!strcmp(s->arguments[i].name, "self"))
            return (int)i;
    return -1;
}

bool schema_is_implemented(const op_schema *s) {
    overload_set *set = find_overloads(s->name);
    for (size_t i = 0; set && i < arrlenu(set->schemas); i++)
        if (set->schemas[i]->full_name == s->full_name)
            return operator_list[set->rows[i]].is_implemented;
    return false;
}

/* ---- Properties ---- */

bool schema_is_mutating(const op_schema *s) {
    for (uint32_t i = 0; i < s->argument_count; i++)
        if (s->arguments[i].is_write)
            return true;
    return false;
}

bool schema_has_trait(const op_schema *s, op_trait t) {
    return s && s->traits.flags >> t & 1;
}

bool schema_is_nondeterministic(const op_schema *s) {
    for (uint32_t i = 0; i < s->argument_count; i++)
        if (type_without_none(s->arguments[i].type)->kind == TYPE_GENERATOR)
            return true;
    return schema_has_trait(s, TRAIT_RANDOM) || schema_has_trait(s, TRAIT_UNINITIALIZED) ||
           schema_has_trait(s, TRAIT_SETTING);
}

bool schema_has_side_effects(const op_schema *s) {
    return schema_is_mutating(s) || schema_has_trait(s, TRAIT_EFFECTS) ||
           (!s->return_count && !schema_is_implemented(s));
}
