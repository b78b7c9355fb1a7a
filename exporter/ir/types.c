/* Types: interned structures, their texts, subtyping and unification. */
#include "exporter/ir/types.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/registry.h"
#include "exporter/ir/class.h"

static const char *const kind_texts[] = {
#define TYPE_KIND(KIND, text) text,
#include "exporter/ir/type_kinds.def"
#undef TYPE_KIND
};

/* Types are made once, so that equal ones are the same pointer: those without parts, numbered by kind; the others by a
 * key of their parts' addresses. */
static const registry basic_types = {"types without parts"}, structural_types = {"types with parts"};

/* ---- Texts ---- */

static void add_list(strbuf *b, const char *open, const type *const *items, uint32_t count, const char *close,
                     const char *(*text)(const type *)) {
    strbuf_add(b, open);
    for (uint32_t i = 0; i < count; i++) {
        strbuf_add(b, i ? ", " : "");
        strbuf_add(b, text(items[i]));
    }
    strbuf_add(b, close);
}

static const char *text_of(const type *t) {
    return t->text;
}

/* As graphs and schemas show the type: "int[]", "Dict(str, Tensor?)". */
static const char *make_text(const type *t) {
    strbuf b = {0};
    switch (t->kind) {
    case TYPE_LIST:
        return intern(mem_printf("%s[]", t->items[0]->text));
    case TYPE_OPTIONAL:
        return intern(mem_printf("%s?", t->items[0]->text));
    case TYPE_DICT:
        add_list(&b, "Dict(", t->items, 2, ")", text_of);
        break;
    case TYPE_TUPLE:
        if (t->name)
            return t->name;
        add_list(&b, "(", t->items, t->count, ")", text_of);
        break;
    case TYPE_UNION:
        add_list(&b, "Union(", t->items, t->count, ")", text_of);
        break;
    case TYPE_FUTURE:
        add_list(&b, "Future(", t->items, 1, ")", text_of);
        break;
    case TYPE_RREF:
        add_list(&b, "RRef(", t->items, 1, ")", text_of);
        break;
    case TYPE_ENUM:
        return intern(mem_printf("Enum<%s>", t->name));
    default:
        return t->name ? t->name : kind_texts[t->kind];
    }
    return intern(b.text);
}

const char *type_annotation(const type *t) {
    stack_check();
    strbuf b = {0};
    switch (t->kind) {
    case TYPE_LIST:
    case TYPE_OPTIONAL:
    case TYPE_DICT:
    case TYPE_UNION:
    case TYPE_FUTURE:
    case TYPE_RREF:
        add_list(&b, mem_printf("%s[", kind_texts[t->kind]), t->items, t->count, "]", type_annotation);
        return intern(b.text);
    case TYPE_TUPLE:
        if (t->name)
            return t->name;
        add_list(&b, "Tuple[", t->items, t->count, t->count ? "]" : "()]", type_annotation);
        return intern(b.text);
    case TYPE_NUMBER:
        return "number";
    case TYPE_ENUM:
        return intern(mem_printf("Enum<%s>", t->name));
    default:
        return t->name ? t->name : t->text;
    }
}

/* ---- Making ---- */

const type *type_basic(type_kind kind) {
    for (size_t k = registry_count(&basic_types); k <= kind; k++) {
        type *t = MEM_NEW(type);
        t->kind = (type_kind)k;
        t->text = kind_texts[k];
        registry_enter(&basic_types, mem_printf("%zu", k), t);
    }
    return registry_value(&basic_types, kind);
}

/* Refuses what would take too long to walk: types share their parts, so a few of them can make a huge text. */
static void measure(type *t) {
    t->depth = t->parts = 1;
    for (uint32_t i = 0; i < t->count && !t->name; i++) {
        t->depth = t->items[i]->depth >= t->depth ? t->items[i]->depth + 1 : t->depth;
        t->parts += t->items[i]->parts;
        if (t->depth > LIMIT_TYPE_DEPTH)
            limit_fail(OVER_TYPE_DEPTH);
        if (t->parts > LIMIT_TYPE_PARTS)
            limit_fail(OVER_TYPE_PARTS);
    }
}

static const type *make_structural(type_kind kind, const char *name, const type *const *items, uint32_t count) {
    strbuf key = {0};
    strbuf_printf(&key, "%d %s", kind, name ? name : "");
    for (uint32_t i = 0; i < count; i++)
        strbuf_printf(&key, " %p", (const void *)items[i]);
    ptrdiff_t at = registry_find(&structural_types, key.text);
    if (at >= 0)
        return registry_value(&structural_types, (size_t)at);
    type *t = MEM_NEW(type);
    t->kind = kind;
    t->name = name;
    t->count = count;
    const type **copy = MEM_ARRAY(const type *, count ? count : 1);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = items[i];
    t->items = copy;
    measure(t);
    t->text = make_text(t);
    registry_enter(&structural_types, key.text, t);
    return t;
}

const type *type_list(const type *element) {
    return make_structural(TYPE_LIST, NULL, &element, 1);
}

const type *type_dict(const type *key, const type *value) {
    static const type_kind keys[] = {TYPE_INT, TYPE_FLOAT,  TYPE_BOOL,   TYPE_COMPLEX, TYPE_STR,
                                     TYPE_ANY, TYPE_TENSOR, TYPE_DEVICE, TYPE_VAR};
    size_t i = 0;
    while (i < sizeof keys / sizeof *keys && keys[i] != key->kind)
        i++;
    if (i == sizeof keys / sizeof *keys)
        diag_fail("Cannot create dict for key type '%s', only int, float, complex, Tensor, device and string keys are "
                  "supported",
                  key->text);
    return make_structural(TYPE_DICT, NULL, (const type *[]){key, value}, 2);
}

const type *type_tuple(const type *const *items, uint32_t count) {
    return make_structural(TYPE_TUPLE, NULL, items, count);
}

const type *type_named_tuple(const char *name, const char *const *fields, const type *const *items, uint32_t count,
                             class_def *definition) {
    type *t = type_nominal(TYPE_TUPLE, name, definition);
    const type **types = MEM_ARRAY(const type *, count ? count : 1);
    const char **names = MEM_ARRAY(const char *, count ? count : 1);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = items[i];
        names[i] = fields[i];
    }
    t->items = types;
    t->field_names = names;
    t->count = count;
    return t;
}

const type *type_tuple_with_fields(const char *const *fields, const type *const *items, uint32_t count) {
    strbuf text = {0};
    strbuf_add(&text, "NamedTuple(");
    for (uint32_t i = 0; i < count; i++)
        strbuf_printf(&text, "%s%s : %s", i ? ", " : "", fields[i], items[i]->text);
    strbuf_add(&text, ")");
    ptrdiff_t at = registry_find(&structural_types, text.text);
    if (at >= 0)
        return registry_value(&structural_types, (size_t)at);
    type *t = (type *)type_named_tuple(text.text, fields, items, count, NULL);
    t->name = NULL;
    registry_enter(&structural_types, text.text, t);
    return t;
}

const type *type_future(const type *inner) {
    return make_structural(TYPE_FUTURE, NULL, &inner, 1);
}
const type *type_rref(const type *inner) {
    return make_structural(TYPE_RREF, NULL, &inner, 1);
}
const type *type_var(const char *name) {
    return make_structural(TYPE_VAR, intern(name), NULL, 0);
}

const type *type_torchbind(const char *name) {
    return make_structural(TYPE_CLASS, intern(name), NULL, 0);
}

type *type_nominal(type_kind kind, const char *name, class_def *definition) {
    type *t = MEM_NEW(type);
    t->kind = kind;
    t->name = intern(name);
    t->definition = definition;
    t->text = make_text(t);
    return t;
}

bool type_is_real(const type *t) {
    return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_BOOL;
}

bool type_is_immutable(const type *t) {
    switch (t->kind) {
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_COMPLEX:
    case TYPE_BOOL:
    case TYPE_STR:
    case TYPE_NONE:
    case TYPE_NUMBER:
    case TYPE_DEVICE:
    case TYPE_ENUM:
        return true;
    default:
        return false;
    }
}

bool type_admits_none(const type *t) {
    stack_check();
    if (t->kind == TYPE_UNION)
        for (uint32_t i = 0; i < t->count; i++)
            if (type_admits_none(t->items[i]))
                return true;
    return t->kind == TYPE_NONE || t->kind == TYPE_OPTIONAL || t->kind == TYPE_ANY;
}

const type *type_optional(const type *inner) {
    if (inner->kind == TYPE_UNION && !type_admits_none(inner)) {
        const type **members = NULL;
        for (uint32_t i = 0; i < inner->count; i++)
            arrput(members, inner->items[i]);
        arrput(members, type_basic(TYPE_NONE));
        return type_union(members, (uint32_t)arrlenu(members));
    }
    return type_admits_none(inner) ? inner : make_structural(TYPE_OPTIONAL, NULL, &inner, 1);
}

/* PyTorch sorts a union's members by kind, in the order of its own enumeration, then by text. */
static int union_rank(const type *t) {
    static const type_kind order[] = {TYPE_ANY,     TYPE_ENUM,      TYPE_ANY_ENUM, TYPE_TENSOR,  TYPE_STORAGE,
                                      TYPE_TUPLE,   TYPE_LIST,      TYPE_DICT,     TYPE_NUMBER,  TYPE_FLOAT,
                                      TYPE_COMPLEX, TYPE_FUTURE,    TYPE_RREF,     TYPE_INT,     TYPE_NONE,
                                      TYPE_STR,     TYPE_GENERATOR, TYPE_BOOL,     TYPE_VAR,     TYPE_DEVICE,
                                      TYPE_STREAM,  TYPE_FUNCTION,  TYPE_CLASS,    TYPE_CAPSULE, TYPE_INTERFACE};
    int n = (int)(sizeof order / sizeof *order);
    for (int i = 0; i < n; i++)
        if (order[i] == t->kind)
            return i;
    return n;
}

static bool sorts_before(const type *a, const type *b) {
    int ra = union_rank(a), rb = union_rank(b);
    return ra != rb ? ra < rb : strcmp(a->text, b->text) < 0;
}

static void flatten_union(const type *t, const type ***members) {
    stack_check();
    if (t->kind == TYPE_UNION) {
        for (uint32_t i = 0; i < t->count; i++)
            flatten_union(t->items[i], members);
    } else if (t->kind == TYPE_OPTIONAL) {
        flatten_union(t->items[0], members);
        arrput(*members, type_basic(TYPE_NONE));
    } else
        arrput(*members, t);
}

const type *type_union(const type *const *given, uint32_t count) {
    stack_check();
    const type **all = NULL, **members = NULL;
    for (uint32_t i = 0; i < count; i++)
        flatten_union(given[i], &all);
    size_t n = arrlenu(all);
    for (size_t i = 0; i < n; i++) {
        bool covered = false;
        for (size_t k = 0; k < n && !covered; k++)
            covered =
                k != i && type_is_subtype(all[i], all[k], NULL) && (k < i || !type_is_subtype(all[k], all[i], NULL));
        if (!covered)
            arrput(members, all[i]);
    }
    n = arrlenu(members);
    if (n == 1)
        return members[0];
    if (n == 2 && (members[0]->kind == TYPE_NONE) != (members[1]->kind == TYPE_NONE))
        return type_optional(members[members[0]->kind == TYPE_NONE]);
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && sorts_before(members[k], members[k - 1]); k--) {
            const type *t = members[k];
            members[k] = members[k - 1];
            members[k - 1] = t;
        }
    return make_structural(TYPE_UNION, NULL, members, (uint32_t)n);
}

/* ---- Questions ---- */

const type *type_element(const type *t) {
    return t->kind == TYPE_LIST ? t->items[0] : NULL;
}

const type *type_without_none(const type *t) {
    if (t->kind == TYPE_OPTIONAL)
        return t->items[0];
    if (t->kind != TYPE_UNION)
        return t;
    const type **rest = NULL;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i]->kind != TYPE_NONE)
            arrput(rest, t->items[i]);
    return type_union(rest, (uint32_t)arrlenu(rest));
}

static bool items_are_subtypes(const type *a, const type *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!type_is_subtype(a->items[i], b->items[i], NULL))
            return false;
    return true;
}

static bool each_is_subtype(const type *a, const type *b) {
    for (uint32_t i = 0; i < a->count; i++)
        if (!type_is_subtype(a->items[i], b, NULL))
            return false;
    return true;
}

static bool fits_some_member(const type *a, const type *b) {
    for (uint32_t i = 0; i < b->count; i++)
        if (type_is_subtype(a, b->items[i], NULL))
            return true;
    return false;
}

bool type_is_subtype(const type *a, const type *b, strbuf *why) {
    stack_check();
    if (a == b || b->kind == TYPE_ANY)
        return true;
    if (a->kind == TYPE_UNION)
        return each_is_subtype(a, b);
    if (a->kind == TYPE_OPTIONAL)
        return type_admits_none(b) && b->kind != TYPE_NONE && type_is_subtype(a->items[0], b, NULL);
    switch (b->kind) {
    case TYPE_OPTIONAL:
        return a->kind == TYPE_NONE || type_is_subtype(a, b->items[0], why);
    case TYPE_UNION:
        return fits_some_member(a, b);
    case TYPE_NUMBER:
        return a->kind == TYPE_INT || a->kind == TYPE_FLOAT || a->kind == TYPE_COMPLEX;
    case TYPE_ANY_LIST:
        return a->kind == TYPE_LIST;
    case TYPE_ANY_TUPLE:
        return a->kind == TYPE_TUPLE;
    case TYPE_ANY_ENUM:
        return a->kind == TYPE_ENUM;
    case TYPE_ANY_CLASS:
        return a->kind == TYPE_CLASS;
    case TYPE_TUPLE:
        return a->kind == TYPE_TUPLE && !b->name && items_are_subtypes(a, b);
    case TYPE_FUTURE:
        return a->kind == TYPE_FUTURE && type_is_subtype(a->items[0], b->items[0], NULL);
    case TYPE_INTERFACE:
        return (a->kind == TYPE_CLASS || a->kind == TYPE_INTERFACE) &&
               class_implements(a->definition, b->definition, why);
    default:
        return false;
    }
}

/* Kinds of which no value is of two have different families. VAR: values of such a type may be of other kinds. */
static type_kind family_of(type_kind kind) {
    switch (kind) {
    case TYPE_TENSOR:
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_COMPLEX:
    case TYPE_BOOL:
    case TYPE_STR:
    case TYPE_NONE:
    case TYPE_DEVICE:
    case TYPE_LIST:
    case TYPE_DICT:
    case TYPE_TUPLE:
    case TYPE_CLASS:
    case TYPE_ENUM:
        return kind;
    case TYPE_ANY_LIST:
        return TYPE_LIST;
    case TYPE_ANY_TUPLE:
        return TYPE_TUPLE;
    case TYPE_ANY_ENUM:
        return TYPE_ENUM;
    case TYPE_ANY_CLASS:
    case TYPE_INTERFACE:
        return TYPE_CLASS;
    default:
        return TYPE_VAR;
    }
}

static bool is_number(type_kind kind) {
    return kind == TYPE_INT || kind == TYPE_FLOAT || kind == TYPE_COMPLEX;
}

bool type_excludes(const type *a, const type *b) {
    stack_check();
    if (a->kind == TYPE_UNION || a->kind == TYPE_OPTIONAL) {
        for (uint32_t i = 0; i < a->count; i++)
            if (!type_excludes(a->items[i], b))
                return false;
        return a->kind == TYPE_UNION || type_excludes(type_basic(TYPE_NONE), b);
    }
    if (b->kind == TYPE_UNION || b->kind == TYPE_OPTIONAL)
        return type_excludes(b, a);
    if (a->kind == TYPE_NUMBER)
        return !is_number(b->kind) && b->kind != TYPE_NUMBER && family_of(b->kind) != TYPE_VAR;
    if (b->kind == TYPE_NUMBER)
        return type_excludes(b, a);
    type_kind left = family_of(a->kind), right = family_of(b->kind);
    return left != right && left != TYPE_VAR && right != TYPE_VAR;
}

static const type *unify_tuples(const type *a, const type *b, bool to_union) {
    if (a->count != b->count)
        return NULL;
    const type **items = NULL;
    for (uint32_t i = 0; i < a->count; i++) {
        const type *t = type_unify(a->items[i], b->items[i], to_union);
        if (!t)
            return NULL;
        arrput(items, t);
    }
    return type_tuple(items, a->count);
}

static const type *unify_plain(const type *a, const type *b) {
    if (type_is_subtype(a, b, NULL))
        return b;
    if (type_is_subtype(b, a, NULL))
        return a;
    if (a->kind == TYPE_NONE)
        return type_optional(b);
    if (b->kind == TYPE_NONE)
        return type_optional(a);
    if (a->kind == TYPE_OPTIONAL || b->kind == TYPE_OPTIONAL) {
        const type *inner = type_unify(type_without_none(a), type_without_none(b), false);
        return inner ? type_optional(inner) : NULL;
    }
    if (a->kind == TYPE_TUPLE && b->kind == TYPE_TUPLE)
        return unify_tuples(a, b, false);
    if (a->kind == TYPE_FUTURE && b->kind == TYPE_FUTURE) {
        const type *inner = type_unify(a->items[0], b->items[0], false);
        return inner ? type_future(inner) : NULL;
    }
    return NULL;
}

const type *type_unify(const type *a, const type *b, bool to_union) {
    stack_check();
    const type *t = unify_plain(a, b);
    if (!t && to_union)
        t = type_union((const type *[]){a, b}, 2);
    return t;
}

/* ---- Substitution ---- */

bool type_has_variables(const type *t) {
    stack_check();
    if (t->kind == TYPE_VAR)
        return true;
    if (t->name) /* nominal types contain none */
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        if (type_has_variables(t->items[i]))
            return true;
    return false;
}

const type *type_substitute(const type *t, const char *const *names, const type *const *types, uint32_t count) {
    stack_check();
    if (!type_has_variables(t))
        return t;
    if (t->kind == TYPE_VAR) {
        for (uint32_t i = 0; i < count; i++)
            if (names[i] == t->name)
                return types[i];
        return NULL;
    }
    const type **items = NULL;
    for (uint32_t i = 0; i < t->count; i++) {
        const type *item = type_substitute(t->items[i], names, types, count);
        if (!item)
            return NULL;
        arrput(items, item);
    }
    if (t->kind == TYPE_OPTIONAL)
        return type_optional(items[0]);
    if (t->kind == TYPE_UNION)
        return type_union(items, t->count);
    return make_structural(t->kind, NULL, items, t->count);
}
