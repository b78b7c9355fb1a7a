/* Values from files: types for what the text leaves open, and arguments for a function. */
#include "exporter/execute/values.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/file.h"

/* ---- Making values ---- */

static const type *without_none(const type *t) {
    return t && t->kind == TYPE_OPTIONAL ? t->items[0] : t;
}

const type *values_item_type(const type *wanted, type_kind kind, uint32_t i) {
    const type *t = without_none(wanted);
    return t && t->kind == kind && i < t->count ? t->items[i] : NULL;
}

bool values_wants_float(const type *wanted) {
    const type *t = without_none(wanted);
    return t && t->kind == TYPE_FLOAT;
}

ir_constant *values_enum(const char *path, const type *wanted, const char *member) {
    const type *t = without_none(wanted);
    const class_def *d = t && t->kind == TYPE_ENUM ? t->definition : NULL;
    for (size_t i = 0; d && i < arrlenu(d->constants); i++)
        if (!strcmp(d->constants[i].name, member)) {
            ir_constant *c = const_new(CONST_ENUM, t);
            c->integer = (int64_t)i;
            return c;
        }
    diag_fail("%s: there is no enum member %s where it stands", path, member);
}

static ir_constant *container(ir_constant_kind kind, const type *t, ir_constant **items) {
    ir_constant *c = const_new(kind, t);
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

ir_constant *values_list(ir_constant **items, const type *wanted) {
    const type *t = without_none(wanted);
    if (t && t->kind == TYPE_LIST)
        return container(CONST_LIST, t, items);
    const type *element = items ? items[0]->type : type_basic(TYPE_TENSOR);
    for (size_t i = 1; i < arrlenu(items); i++)
        element = type_unify(element, items[i]->type, true);
    return container(CONST_LIST, type_list(element), items);
}

ir_constant *values_tuple(ir_constant **items, const type *wanted) {
    const type *t = without_none(wanted);
    if (t && t->kind == TYPE_TUPLE && t->count == arrlenu(items))
        return container(CONST_TUPLE, t, items);
    const type **types = NULL;
    for (size_t i = 0; i < arrlenu(items); i++)
        arrput(types, items[i]->type);
    return container(CONST_TUPLE, type_tuple(types, (uint32_t)arrlenu(types)), items);
}

ir_constant *values_dict(ir_constant **items, const type *wanted) {
    const type *t = without_none(wanted);
    if (t && t->kind == TYPE_DICT)
        return container(CONST_DICT, t, items);
    const type *key = items ? items[0]->type : type_basic(TYPE_STR),
               *item = items ? items[1]->type : type_basic(TYPE_TENSOR);
    return container(CONST_DICT, type_dict(key, item), items);
}

/* ---- Files ---- */

static ir_constant *read_value(const char *path, const type *wanted) {
    size_t n;
    const char *text = file_read(path, &n);
    return n > 2 && !memcmp(text, "PK", 2) ? values_load_archive(path, wanted)
                                           : values_parse_json(path, text, n, wanted);
}

/* What a file of arguments is to hold. */
static const type *type_of_arguments(const function *f) {
    const op_schema *s = f->schema;
    const type **types = NULL;
    for (uint32_t i = f->owner ? 1 : 0; i < s->argument_count; i++)
        arrput(types, s->arguments[i].type);
    return type_tuple(types, (uint32_t)arrlenu(types));
}

static ir_constant **arguments_of(const char *path, const ir_constant *all, const function *f) {
    const size_t most = f->schema->argument_count - (f->owner ? 1 : 0);
    if (all->list.count > most)
        diag_fail("%s holds %u arguments, and %s takes %zu", path, all->list.count, f->base_name, most);
    ir_constant **arguments = NULL;
    for (uint32_t i = 0; i < all->list.count; i++)
        arrput(arguments, all->list.items[i]);
    return arguments;
}

ir_constant **values_read_arguments(const char *path, const function *f) {
    const ir_constant *all = read_value(path, type_of_arguments(f));
    if (all->kind != CONST_TUPLE)
        diag_fail("%s must hold the arguments of a call: an array (JSON) or a tuple (.pt)", path);
    return arguments_of(path, all, f);
}

ir_constant ***values_read_calls(const char *path, const function *f) {
    const ir_constant *all = read_value(path, type_list(type_of_arguments(f)));
    ir_constant ***calls = NULL;
    bool is_list = all->kind == CONST_LIST || all->kind == CONST_TUPLE;
    for (uint32_t i = 0; is_list && i < all->list.count; i++)
        is_list = all->list.items[i]->kind == CONST_TUPLE;
    if (!is_list)
        diag_fail("%s must hold a list of calls, each of which is an array of arguments (JSON) or a tuple (.pt)", path);
    for (uint32_t i = 0; i < all->list.count; i++)
        arrput(calls, arguments_of(path, all->list.items[i], f));
    if (!calls)
        diag_fail("%s holds no calls", path);
    return calls;
}

void values_add_defaults(ir_constant ***arguments, const function *f) {
    const op_schema *s = f->schema;
    for (size_t i = (f->owner ? 1 : 0) + arrlenu(*arguments); i < s->argument_count && s->arguments[i].default_value;
         i++)
        arrput(*arguments, s->arguments[i].default_value);
}

ir_constant *values_read_result(const char *path, const function *f) {
    return read_value(path, f->schema->returns[0].type);
}

static void mark_written(ir_constant *c) {
    stack_check();
    bool is_container = c->kind == CONST_LIST || c->kind == CONST_TUPLE || c->kind == CONST_DICT;
    for (uint32_t i = 0; is_container && i < c->list.count; i++)
        mark_written(c->list.items[i]);
    c->is_mutated |= c->kind == CONST_TENSOR || c->kind == CONST_LIST || c->kind == CONST_DICT;
}

void values_mark_written(ir_constant *const *arguments, const function *f, mutation *m) {
    const ir_block *body = function_graph((function *)f)->block;
    for (size_t i = 0; i < arrlenu(arguments); i++)
        if (mutation_is_written(m, body->param->outputs[i + (f->owner ? 1 : 0)]))
            mark_written(arguments[i]);
}

ir_constant *values_as_tuple(ir_constant **arguments) {
    return values_tuple(arguments, NULL);
}
