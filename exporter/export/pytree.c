/* Descriptions of trees read; trees built and taken apart in graphs. */
#include "exporter/export/pytree.h"

#include <stdlib.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/export/checks.h"
#include "exporter/schema/schema.h"

/* ---- Reading ---- */

static void read_dict_keys(pytree *t, json where, json keys) {
    JSON_EACH(key, keys) {
        const bool is_int = !json_is_string(key);
        if (t->keys && t->has_int_keys != is_int)
            json_fail(where, "a %s has strings and ints as keys, which is not supported", t->name);
        t->has_int_keys = is_int;
        arrput(t->keys, is_int ? mem_printf("%lld", (long long)json_integer(key)) : json_string(key));
    }
}

static bool are_names(json v) {
    JSON_EACH(name, v) {
        if (!json_is_string(name))
            return false;
    }
    return json_is_array(v);
}

static const char **read_names(json v) {
    const char **names = NULL;
    JSON_EACH(name, v)
    arrput(names, json_string(name));
    return names;
}

/* Of a dict: its keys; of a defaultdict, an object that holds them. */
static void read_dict(pytree *t, json where, json context) {
    read_dict_keys(t, where, json_is_object(context) ? json_need(context, "dict_context") : context);
    if (arrlenu(t->keys) != arrlenu(t->children))
        json_fail(where, "a %s has %zu keys and %zu items", t->name, arrlenu(t->keys), arrlenu(t->children));
}

/* Of a dataclass: [names of fields, names of those that are None]. Other classes may have any context, also the names
 * of their fields. */
static void read_fields(pytree *t, json context) {
    json names = context;
    if (json_is_array(context) && json_count(context) == 2 && json_is_array(json_first(context))) {
        names = json_first(context);
        json none = json_next(names);
        t->none = are_names(none) ? read_names(none) : NULL;
    }
    if (are_names(names) && json_count(names) == arrlenu(t->children))
        t->keys = read_names(names);
    else
        t->none = NULL;
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
    const char *text = json_is_string(context) ? json_string(context) : NULL;
    /* A namedtuple's context is the name of its class, whose fields are not in the file. */
    if (t->kind == PYTREE_NAMED && text && *text && !strchr("[{", *text)) {
        t->name = text;
        return;
    }
    json parsed = text ? json_parse("a pytree's context", text, strlen(text)) : context;
    if (t->kind == PYTREE_DICT)
        read_dict(t, where, parsed);
    else if (t->kind == PYTREE_NAMED)
        read_fields(t, parsed);
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

/* How PyTorch names the i-th part of a tree called `name`: "name['key']", fields of dataclasses, too. */
static const char *path_of_part(const pytree *t, const char *name, size_t i) {
    return !t->keys          ? mem_printf("%s[%zu]", name, i)
           : t->has_int_keys ? mem_printf("%s[%s]", name, t->keys[i])
                             : mem_printf("%s['%s']", name, t->keys[i]);
}

/* ---- Types ---- */

static bool are_equal(const type *const *types) {
    for (size_t i = 1; i < arrlenu(types); i++)
        if (types[i] != types[0])
            return false;
    return true;
}

static const type *type_of_fields(const pytree *t, const type *const *parts) {
    const char **names = NULL;
    const type **types = NULL;
    for (size_t i = 0; i < arrlenu(t->children) + arrlenu(t->none); i++) {
        const bool is_none = i >= arrlenu(t->children);
        arrput(names, is_none ? t->none[i - arrlenu(t->children)] : t->keys ? t->keys[i] : NULL);
        arrput(types, is_none ? type_basic(TYPE_NONE) : parts[i]);
    }
    const uint32_t count = (uint32_t)arrlenu(types);
    return t->keys ? type_named_tuple(intern(mem_printf("__torch__.%s", t->name)), names, types, count, NULL)
                   : type_tuple(types, count);
}

static const type *type_of_parts(const pytree *t, const type *const *parts) {
    const uint32_t count = (uint32_t)arrlenu(parts);
    const type *item = count ? parts[0] : type_basic(TYPE_TENSOR);
    switch (t->kind) {
    case PYTREE_LIST:
        return type_list(are_equal(parts) ? item : type_basic(TYPE_ANY));
    case PYTREE_DICT:
        return type_dict(type_basic(t->has_int_keys ? TYPE_INT : TYPE_STR),
                         are_equal(parts) ? item : type_basic(TYPE_ANY));
    case PYTREE_NAMED:
        return type_of_fields(t, parts);
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

/* A key as a constant. */
static ir_value *insert_key(const pytree *t, size_t i, ir_node *at) {
    const char *key = t->keys[i];
    return ir_insert_constant(at, t->has_int_keys ? const_int(strtoll(key, NULL, 10)) : const_str(key, strlen(key)));
}

/* The type of a tree that is made of the leaves from *leaf on. */
static const type *type_of_values(const pytree *t, ir_value *const *leaf) {
    const type **types = NULL;
    for (size_t i = 0; i < pytree_leaves(t); i++)
        arrput(types, leaf[i]->type);
    const type *const *next = types;
    return pytree_type(t, &next);
}

ir_value *pytree_build(const pytree *t, ir_value *const **leaf, ir_node *at) {
    stack_check();
    if (t->kind == PYTREE_LEAF)
        return *(*leaf)++;
    const type *made = type_of_values(t, *leaf);
    ir_value **inputs = NULL;
    for (size_t i = 0; i < arrlenu(t->children); i++) {
        if (made->kind == TYPE_DICT)
            arrput(inputs, insert_key(t, i, at));
        arrput(inputs, pytree_build(t->children[i], leaf, at));
    }
    for (size_t i = 0; i < arrlenu(t->none); i++)
        arrput(inputs, ir_insert_constant(at, const_none()));
    const ir_kind kind = made->kind == TYPE_DICT   ? IR_DICT_CONSTRUCT
                         : made->kind == TYPE_LIST ? IR_LIST_CONSTRUCT
                                                   : IR_TUPLE_CONSTRUCT;
    return insert_node(at, kind, made, inputs);
}

static ir_value *dict_item(ir_value *dict, ir_value *key, ir_node *at) {
    call_argument arguments[] = {{.value = dict}, {.value = key}};
    return ir_out(schema_call("aten::__getitem__", at, at->range, arguments, 2), 0);
}

/* An item of any type as the one that the tree has there; anything else raises. */
static ir_value *checked_item(translation *t, ir_value *item, const type *wanted, const char *path) {
    if (item->type->kind != TYPE_ANY || wanted->kind == TYPE_ANY)
        return item;
    ir_node *test = ir_node_new(t->at->graph, IR_ISINSTANCE, 1);
    ir_node_add_input(test, item);
    arrput(test->types, wanted);
    ir_out(test, 0)->type = type_basic(TYPE_BOOL);
    ir_insert_before(t->at, test);
    check_insert(t, ir_out(test, 0), mem_printf("Expected input at %s to be of type %s", path, wanted->text), NULL, 0);
    ir_value **inputs = NULL;
    arrput(inputs, item);
    return insert_single(t, IR_UNCHECKED_CAST, wanted, inputs);
}

/* The items of a tuple or list. */
static ir_value **unpacked(const pytree *tree, ir_value *v, ir_node *at) {
    const bool is_list = v->type->kind == TYPE_LIST;
    const size_t items = arrlenu(tree->children) + arrlenu(tree->none);
    ir_node *n = ir_node_new(at->graph, is_list ? IR_LIST_UNPACK : IR_TUPLE_UNPACK, (uint32_t)items);
    ir_node_add_input(n, v);
    ir_value **parts = NULL;
    for (size_t i = 0; i < items; i++) {
        ir_out(n, (uint32_t)i)->type = v->type->items[is_list ? 0 : i];
        arrput(parts, ir_out(n, (uint32_t)i));
    }
    ir_insert_before(at, n);
    return parts;
}

void pytree_take_apart(const pytree *tree, ir_value *v, translation *t, const type *const **leaf_type,
                       pytree_leaf_list *leaves, const char *path) {
    stack_check();
    if (tree->kind == PYTREE_LEAF) {
        ++*leaf_type;
        arrput(leaves->values, v);
        arrput(leaves->paths, path);
        return;
    }
    const size_t count = arrlenu(tree->children);
    const bool is_dict = v->type->kind == TYPE_DICT;
    ir_value **parts = is_dict ? NULL : unpacked(tree, v, t->at);
    for (size_t i = 0; is_dict && i < count; i++)
        arrput(parts, dict_item(v, insert_key(tree, i, t->at), t->at));
    for (size_t i = 0; i < count; i++) {
        const type *const *ahead = *leaf_type;
        const char *part_path = path_of_part(tree, path, i);
        ir_value *part = checked_item(t, parts[i], pytree_type(tree->children[i], &ahead), part_path);
        pytree_take_apart(tree->children[i], part, t, leaf_type, leaves, part_path);
    }
}
