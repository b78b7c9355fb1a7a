/* The values of an archive as constants: the module tree and what CONSTANTS holds. */
#include <stdlib.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/packed_params.h"
#include "exporter/program/pickled_leaf.h"
#include "exporter/program/program_internal.h"
#include "exporter/program/type_parser.h"

static ir_constant *sequence_constant(program *p, pkl_value *v, ir_constant_kind kind, const type *t) {
    ir_constant *c = const_new(kind, t);
    ir_constant **items = NULL;
    for (size_t i = 0; i < v->seq.count; i++) {
        const type *wanted = kind == CONST_LIST ? type_element(t) : t->items[i];
        arrput(items, program_constant(p, v->seq.items[i], wanted));
    }
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

static ir_constant *tuple_constant(program *p, pkl_value *v, const type *wanted) {
    if (wanted && wanted->kind == TYPE_TUPLE && wanted->count == v->seq.count)
        return sequence_constant(p, v, CONST_TUPLE, wanted);
    ir_constant *c = const_new(CONST_TUPLE, NULL);
    ir_constant **items = NULL;
    const type **types = NULL;
    for (size_t i = 0; i < v->seq.count; i++) {
        ir_constant *item = program_constant(p, v->seq.items[i], NULL);
        arrput(items, item);
        arrput(types, item->type);
    }
    c->type = type_tuple(types, (uint32_t)v->seq.count);
    c->list.items = items;
    c->list.count = (uint32_t)v->seq.count;
    return c;
}

static ir_constant *list_constant(program *p, pkl_value *v, const type *wanted) {
    if (v->type)
        wanted = type_of_text(p, v->type);
    if (!wanted || wanted->kind != TYPE_LIST) {
        const type *element = type_basic(TYPE_TENSOR);
        if (v->seq.count)
            element = program_constant(p, v->seq.items[0], NULL)->type;
        wanted = type_list(element);
    }
    return sequence_constant(p, v, CONST_LIST, wanted);
}

static ir_constant *dict_constant(program *p, pkl_value *v, const type *wanted) {
    if (v->type)
        wanted = type_of_text(p, v->type);
    if (!wanted || wanted->kind != TYPE_DICT) {
        const type *key = type_basic(TYPE_STR), *value = type_basic(TYPE_TENSOR);
        if (v->dict.count) {
            key = program_constant(p, v->dict.entries[0].key, NULL)->type;
            value = program_constant(p, v->dict.entries[0].value, NULL)->type;
        }
        wanted = type_dict(key, value);
    }
    ir_constant *c = const_new(CONST_DICT, wanted);
    ir_constant **items = NULL;
    for (size_t i = 0; i < v->dict.count; i++) {
        arrput(items, program_constant(p, v->dict.entries[i].key, wanted->items[0]));
        arrput(items, program_constant(p, v->dict.entries[i].value, wanted->items[1]));
    }
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

static ir_constant *object_constant(program *p, pkl_value *v) {
    class_def *def = program_find_class(p, v->object.class_name);
    if (!def || def->kind != TYPE_CLASS)
        diag_fail("the archive holds an object of class %s, which its code does not define", v->object.class_name);
    function *setstate = class_find_method(def, "__setstate__");
    ir_constant *c = const_new(CONST_OBJECT, def->type);
    v->user = c;
    c->list.count = (uint32_t)arrlenu(def->attributes);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    if (setstate) {
        pkl_value *state = packed_params_state(v);
        if (!state || setstate->schema->argument_count != 2)
            diag_fail("the archive holds an object of class %s without a state, or its __setstate__ takes none",
                      def->name);
        object_restore(p, c, setstate, program_constant(p, state, setstate->schema->arguments[1].type));
        return c;
    }
    for (uint32_t i = 0; i < c->list.count; i++) {
        const class_attribute *a = &def->attributes[i];
        pkl_value *item = v->object.state ? pkl_dict_get(v->object.state, a->name) : NULL;
        if (!item && !type_admits_none(a->type))
            diag_fail("the archive holds no value for attribute '%s' of an object of class %s", a->name, def->name);
        c->list.items[i] = item ? program_constant(p, item, a->type) : const_none();
    }
    return c;
}

static ir_constant *enum_constant(program *p, pkl_value *v) {
    class_def *def = program_find_class(p, v->enumerator.class_name);
    if (!def || def->kind != TYPE_ENUM)
        diag_fail("the archive holds a member of enum %s, which its code does not define", v->enumerator.class_name);
    ir_constant *value = program_constant(p, v->enumerator.value, NULL);
    for (size_t i = 0; i < arrlenu(def->constants); i++)
        if (const_equal(def->constants[i].value, value)) {
            ir_constant *c = const_new(CONST_ENUM, def->type);
            c->integer = (int64_t)i;
            return c;
        }
    diag_fail("the archive holds a member of enum %s that its code does not define", def->name);
}

static ir_constant *make_constant(program *p, pkl_value *v, const type *wanted) {
    stack_check();
    ir_constant *leaf = pickled_leaf(v, wanted && wanted->kind == TYPE_FLOAT);
    if (leaf)
        return leaf;
    switch (v->kind) {
    case PKL_LIST:
        return list_constant(p, v, wanted);
    case PKL_TUPLE:
        return tuple_constant(p, v, wanted);
    case PKL_DICT:
        return dict_constant(p, v, wanted);
    case PKL_OBJECT:
        return object_constant(p, v);
    case PKL_ENUM:
        return enum_constant(p, v);
    default:
        diag_fail("an attribute is a %s, which is not supported", pkl_kind_name(v->kind));
    }
}

/* Values that the pickle shares stay shared, except scalars: another place may want another type. */
static ir_constant *shared_constant(program *p, pkl_value *v, const type *wanted) {
    const bool shares = v->kind >= PKL_LIST && v->kind != PKL_DEVICE && v->kind != PKL_DTYPE && v->kind != PKL_LAYOUT;
    if (shares && v->user)
        return v->user;
    ir_constant *c = make_constant(p, v, wanted);
    if (shares)
        v->user = c;
    return c;
}

ir_constant *program_constant(program *p, pkl_value *v, const type *wanted) {
    ir_constant *c = shared_constant(p, v, wanted ? type_without_none(wanted) : NULL);
    if (wanted && !type_is_subtype(c->type, wanted, NULL))
        diag_fail("the archive holds a value of type %s where one of type %s should be", type_annotation(c->type),
                  type_annotation(wanted));
    return c;
}

/* CONSTANTS.cN by number; NULL when there is none. */
static ir_constant *archive_constant(program *p, uint32_t n) {
    pkl_value *all = p->archive ? p->archive->constants : NULL;
    if (!all || all->kind != PKL_TUPLE || n >= all->seq.count)
        return NULL;
    return program_constant(p, all->seq.items[n], NULL);
}

ir_constant *program_constant_named(program *p, const char *name) {
    return name[0] == 'c' && name[1] >= '0' && name[1] <= '9' ? archive_constant(p, (uint32_t)atoi(name + 1)) : NULL;
}
