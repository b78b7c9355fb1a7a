/* Descriptions of trees read; trees built and taken apart in graphs. */
#include "exporter/export/pytree.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/schema/schema.h"

/* ---- Reading ---- */

/* A namedtuple's context is the name of its class, whose fields are not in the file. */
static void read_keys(pytree *t, json where, json context) {
    json keys = json_is_array(context) ? context : (json){NULL, 0};
    if (t->kind == PYTREE_DICT && json_is_object(context)) /* of a defaultdict */
        keys = json_find(context, "dict_context");
    /* Dataclasses: [names of fields, names of those that are None]. */
    if (t->kind == PYTREE_NAMED && json_is_array(keys) && json_count(keys) == 2 && json_is_array(json_first(keys)))
        keys = json_first(keys);
    JSON_EACH(key, keys) {
        if (!json_is_string(key))
            json_fail(where, "a %s has keys that are no strings, which is not supported", t->name);
        arrput(t->keys, json_string(key));
    }
}

static void read_context(pytree *t, json where, json context) {
    static const struct {
        const char *name;
        pytree_kind kind;
    } kinds[] = {
        {"builtins.tuple", PYTREE_TUPLE},
        {"builtins.list", PYTREE_LIST},
        {"builtins.dict", PYTREE_DICT},
        {"collections.OrderedDict", PYTREE_DICT},
        {"collections.defaultdict", PYTREE_DICT},
        {"collections.namedtuple", PYTREE_NAMED},
        {"collections.deque", PYTREE_LIST},
        {"immutable_collections.immutable_list", PYTREE_LIST},
        {"torch.fx.immutable_collections.immutable_list", PYTREE_LIST},
        {"torch.fx.immutable_collections.immutable_dict", PYTREE_DICT},
    };
    t->kind = PYTREE_NAMED;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, t->name))
            t->kind = kinds[i].kind;
    if (!json_is_string(context))
        return;
    const char *text = json_string(context);
    if (t->kind == PYTREE_NAMED && *text && !strchr("[{", *text)) {
        t->name = text;
        return;
    }
    if (t->kind == PYTREE_DICT || t->kind == PYTREE_NAMED)
        read_keys(t, where, json_parse("a pytree's context", text, strlen(text)));
}

static pytree *read_node(json where, json v) {
    stack_check();
    pytree *t = MEM_NEW(pytree);
    json name = json_find(v, "type"), children = json_array(json_need(v, "children_spec"));
    if (json_is_null(name)) {
        if (json_count(children))
            json_fail(where, "a pytree's leaf has parts");
        return t;
    }
    t->name = json_string(name);
    JSON_EACH(child, children)
    arrput(t->children, read_node(where, child));
    read_context(t, where, json_find(v, "context"));
    if (t->keys && arrlenu(t->keys) != arrlenu(t->children))
        json_fail(where, "a %s has %zu keys and %zu items", t->name, arrlenu(t->keys), arrlenu(t->children));
    return t;
}

pytree *pytree_read(json where) {
    const char *text = json_string(where);
    json v = json_parse("a pytree", text, strlen(text));
    if (!json_is_array(v) || json_count(v) != 2 || json_integer(json_first(v)) != 1)
        json_fail(where, "a pytree is not described by protocol 1");
    return read_node(where, json_next(json_first(v)));
}

size_t pytree_leaves(const pytree *t) {
    stack_check();
    size_t count = t->kind == PYTREE_LEAF;
    for (size_t i = 0; i < arrlenu(t->children); i++)
        count += pytree_leaves(t->children[i]);
    return count;
}

void pytree_paths(const pytree *t, const char *name, const char ***paths) {
    stack_check();
    if (t->kind == PYTREE_LEAF)
        arrput(*paths, name);
    for (size_t i = 0; i < arrlenu(t->children); i++) {
        const char *part = !t->keys                  ? mem_printf("%s[%zu]", name, i)
                           : t->kind == PYTREE_NAMED ? mem_printf("%s.%s", name, t->keys[i])
                                                     : mem_printf("%s['%s']", name, t->keys[i]);
        pytree_paths(t->children[i], part, paths);
    }
}

/* ---- Types ---- */

static bool are_equal(const type *const *types) {
    for (size_t i = 1; i < arrlenu(types); i++)
        if (types[i] != types[0])
            return false;
    return true;
}

static const type *type_of_parts(const pytree *t, const type *const *parts) {
    const uint32_t count = (uint32_t)arrlenu(parts);
    const type *item = count ? parts[0] : type_basic(TYPE_TENSOR);
    switch (t->kind) {
    case PYTREE_LIST:
        return are_equal(parts) ? type_list(item) : type_tuple(parts, count);
    case PYTREE_DICT:
        return are_equal(parts) ? type_dict(type_basic(TYPE_STR), item) : type_tuple_with_fields(t->keys, parts, count);
    case PYTREE_NAMED:
        return t->keys ? type_named_tuple(intern(mem_printf("__torch__.%s", t->name)), t->keys, parts, count, NULL)
                       : type_tuple(parts, count);
    default:
        return type_tuple(parts, count);
    }
}

const type *pytree_type(const pytree *t, const type *const **leaf) {
    stack_check();
    if (t->kind == PYTREE_LEAF)
        return *(*leaf)++;
    const type **parts = NULL;
    for (size_t i = 0; i < arrlenu(t->children); i++)
        arrput(parts, pytree_type(t->children[i], leaf));
    return type_of_parts(t, parts);
}

/* ---- Values ---- */

static ir_value *insert_node(ir_node *at, ir_kind kind, const type *t, ir_value *const *inputs) {
    ir_node *n = ir_node_new(at->graph, kind, 1);
    for (size_t i = 0; i < arrlenu(inputs); i++)
        ir_node_add_input(n, inputs[i]);
    ir_out(n, 0)->type = t;
    ir_insert_before(at, n);
    return ir_out(n, 0);
}

ir_value *pytree_build(const pytree *t, const type *made, ir_value *const **leaf, ir_node *at) {
    stack_check();
    if (t->kind == PYTREE_LEAF)
        return *(*leaf)++;
    ir_value **inputs = NULL;
    for (size_t i = 0; i < arrlenu(t->children); i++) {
        const type *item = made->kind == TYPE_DICT ? made->items[1] : made->items[made->kind == TYPE_LIST ? 0 : i];
        if (made->kind == TYPE_DICT)
            arrput(inputs, ir_insert_constant(at, const_str(t->keys[i], strlen(t->keys[i]))));
        arrput(inputs, pytree_build(t->children[i], item, leaf, at));
    }
    const ir_kind kind = made->kind == TYPE_DICT   ? IR_DICT_CONSTRUCT
                         : made->kind == TYPE_LIST ? IR_LIST_CONSTRUCT
                                                   : IR_TUPLE_CONSTRUCT;
    return insert_node(at, kind, made, inputs);
}

static ir_value *dict_item(ir_value *dict, const char *key, ir_node *at) {
    call_argument arguments[] = {{.value = dict}, {.value = ir_insert_constant(at, const_str(key, strlen(key)))}};
    return ir_out(schema_call("aten::__getitem__", at, at->range, arguments, 2), 0);
}

void pytree_take_apart(const pytree *t, ir_value *v, ir_node *at, ir_value ***leaves) {
    stack_check();
    if (t->kind == PYTREE_LEAF) {
        arrput(*leaves, v);
        return;
    }
    const size_t count = arrlenu(t->children);
    ir_value **parts = NULL;
    if (v->type->kind == TYPE_DICT) {
        for (size_t i = 0; i < count; i++)
            arrput(parts, dict_item(v, t->keys[i], at));
    } else {
        const bool is_list = v->type->kind == TYPE_LIST;
        ir_node *n = ir_node_new(at->graph, is_list ? IR_LIST_UNPACK : IR_TUPLE_UNPACK, (uint32_t)count);
        ir_node_add_input(n, v);
        for (size_t i = 0; i < count; i++) {
            ir_out(n, (uint32_t)i)->type = v->type->items[is_list ? 0 : i];
            arrput(parts, ir_out(n, (uint32_t)i));
        }
        ir_insert_before(at, n);
    }
    for (size_t i = 0; i < count; i++)
        pytree_take_apart(t->children[i], parts[i], at, leaves);
}
