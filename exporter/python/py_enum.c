/* Enumerations, and tuples with names: what their classes and instances have without a def. */
#include <string.h>

#include "exporter/python/py_eval.h"

/* ---- Enumerations ---- */

/* The name that a statement of the class's body gives a value; NULL when it is no member. */
static const char *member_name(const ast_node *n) {
    bool binds = n->kind == AST_ASSIGN && n->assign.value && n->assign.targets.items[0]->kind == AST_VAR;
    const char *name = binds ? n->assign.targets.items[0]->name : NULL;
    return name && strncmp(name, "_", 1) ? name : NULL;
}

static py_value *enum_member(py_machine *m, py_class *c, const char *name) {
    py_value *type = py_new(PY_CLASS);
    type->class_def = c;
    return py_attribute(m, type, name);
}

py_value **py_enum_members(py_machine *m, py_class *c) {
    py_value **members = NULL;
    for (uint32_t i = 0; c->syntax && i < c->syntax->body.count; i++) {
        const char *name = member_name(c->syntax->body.items[i]);
        if (name)
            arrput(members, enum_member(m, c, name));
    }
    return members;
}

py_value *py_enum_named(py_machine *m, py_class *c, const char *name) {
    for (uint32_t i = 0; c->syntax && i < c->syntax->body.count; i++) {
        const char *known = member_name(c->syntax->body.items[i]);
        if (known && !strcmp(known, name))
            return enum_member(m, c, known);
    }
    return NULL;
}

py_value *py_enum_valued(py_machine *m, py_class *c, const py_value *value) {
    py_value **members = py_enum_members(m, c);
    for (size_t i = 0; i < arrlenu(members); i++)
        if (py_equal(members[i]->member.value, value) || py_equal(members[i], value))
            return members[i];
    return NULL;
}

py_value *py_enum_auto(py_machine *m, py_class *c, const char *name) {
    int64_t last = 0;
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const char *known = member_name(c->syntax->body.items[i]);
        if (!known)
            continue;
        if (!strcmp(known, name))
            break;
        py_integer(enum_member(m, c, known)->member.value, &last);
    }
    return py_int(last + 1);
}

/* ---- Named tuples ---- */

static bool is_named_tuple_base(const ast_node *base) {
    const char *name = ast_dotted_name(base);
    return name && (!strcmp(name, "NamedTuple") || !strcmp(name, "typing.NamedTuple"));
}

bool py_is_named_tuple(const py_class *c) {
    for (size_t i = 0; i < arrlenu(c->order); i++) {
        const ast_class *syntax = c->order[i]->syntax;
        for (uint32_t k = 0; syntax && k < syntax->bases.count; k++)
            if (is_named_tuple_base(syntax->bases.items[k]))
                return true;
        if (c->order[i]->fields)
            return true;
    }
    return false;
}

py_value **py_tuple_items(const py_value *v) {
    py_value **items = NULL;
    for (size_t i = 0; i < arrlenu(v->object->members); i++)
        arrput(items, v->object->members[i].value);
    return items;
}

void py_tuple_set_defaults(py_machine *m, py_class *c, py_value *const *defaults) {
    size_t count = arrlenu(c->fields), given = arrlenu(defaults);
    if (given > count)
        py_fail(m, "TypeError: Got more default values than field names");
    for (size_t i = 0; i < given; i++)
        c->fields[count - given + i].otherwise = defaults[i];
}

py_value *py_tuple_class(py_machine *m, const char *name, py_value *const *fields, py_value *const *defaults) {
    py_value *v = py_new(PY_CLASS);
    py_class *c = v->class_def = MEM_NEW(py_class);
    c->name = intern(name);
    arrput(c->order, c);
    for (size_t i = 0; i < arrlenu(fields); i++) {
        if (fields[i]->kind != PY_STR)
            py_fail(m, "TypeError: the field names of a namedtuple must be strings");
        arraddnptr(c->fields, 1);
        c->fields[i].name = intern(fields[i]->string.bytes);
        c->fields[i].otherwise = NULL;
    }
    py_tuple_set_defaults(m, c, defaults);
    return v;
}

static py_value *field_names(const py_value *v) {
    py_value *names = py_new(PY_TUPLE);
    if (v->kind == PY_OBJECT)
        for (size_t i = 0; i < arrlenu(v->object->members); i++)
            arrput(names->items, py_str(v->object->members[i].name));
    for (size_t i = 0; v->kind == PY_CLASS && i < arrlenu(v->class_def->fields); i++)
        arrput(names->items, py_str(v->class_def->fields[i].name));
    return names;
}

py_value *py_tuple_attribute(py_machine *m, py_value *v, const char *name) {
    (void)m;
    if (!strcmp(name, "_fields"))
        return field_names(v);
    bool is_method = v->kind == PY_OBJECT && (!strcmp(name, "_replace") || !strcmp(name, "_asdict"));
    bool is_maker = v->kind == PY_CLASS && !strcmp(name, "__new__");
    return is_method || is_maker ? py_native(v, name) : NULL;
}

py_value *py_call_tuple_method(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    py_arguments all = {0};
    py_value *dict = py_new(PY_DICT);
    for (size_t i = 0; i < arrlenu(self->object->members); i++) {
        const py_member *member = &self->object->members[i];
        py_value *given = py_argument(a, SIZE_MAX, member->name);
        py_keyword k = {member->name, given ? given : member->value};
        arrput(all.keywords, k);
        py_dict_set(dict, py_str(member->name), member->value);
    }
    return !strcmp(name, "_asdict") ? dict : py_construct(m, self->object->class_def, &all);
}
