/* Reads of attributes: a walk in the program's order that knows what each attribute is. */
#include "exporter/passes/lower/unite_attributes.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/ir/class.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/lower/keep_gradients.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/schema/schema.h"

typedef struct {
    const char *key;
    bool value;
} * attribute_names; /* an stb_ds hash map; names are interned */

typedef struct {
    ir_value *object;
    const char *attribute;
    ir_value *value;
    const struct pt_tensor *tensor; /* which it holds all the time; NULL: not known */
} known_attribute;

typedef struct held_attributes {
    attribute_names stored; /* to which something else than what was read is stored */
    attribute_names all_stored;
    bool has_calls; /* which may store to any */
    known_attribute *known;
    const ir_value *self;
    const ir_constant *module;       /* what self is; NULL: not known */
    attribute_names stored_anywhere; /* by this or another function, else as `stored` */
    attribute_names lists;           /* that some function changes or keeps */
} unification;

static bool is_in(attribute_names names, const char *name) {
    return hmgeti(names, name) >= 0;
}

/* Archives have a copy of torch.no_grad of their own, which stores to its own object only. */
static bool enters_other_code(const ir_node *n, const char *method) {
    const class_def *c = ir_in(n, 0)->type->definition;
    const function *f = c ? class_find_method(c, method) : NULL;
    return !flow_is_mode(ir_in(n, 0)) && (!f || !f->is_builtin);
}

/* An archive's class of torch.no_grad prepares its object by a call. */
static bool makes_mode(const ir_node *n) {
    return n->kind == IR_CALL_METHOD && flow_is_mode(ir_in(n, 0));
}

static bool may_store_anything(const ir_node *n) {
    if (makes_mode(n))
        return false;
    return n->kind == IR_CALL_METHOD || n->kind == IR_CALL_FUNCTION || n->kind == IR_INTERFACE_CALL ||
           n->kind == IR_FORK || (n->kind == IR_ENTER && enters_other_code(n, "__enter__")) ||
           (n->kind == IR_EXIT && enters_other_code(n, "__exit__"));
}

/* Two ways to one object, through attributes that nothing stores to. */
static bool is_same_object(const unification *u, const ir_value *a, const ir_value *b) {
    stack_check();
    if (a == b)
        return true;
    return a->node->kind == IR_GET_ATTR && b->node->kind == IR_GET_ATTR && a->node->attribute == b->node->attribute &&
           !u->has_calls && !is_in(u->all_stored, a->node->attribute) &&
           is_same_object(u, ir_in(a->node, 0), ir_in(b->node, 0));
}

/* self.w -= d: what is stored is the tensor that is there. */
static bool stores_what_was_read(const unification *u, const ir_node *n) {
    const ir_node *read = flow_origin(ir_in(n, 1))->node;
    return read->kind == IR_GET_ATTR && read->attribute == n->attribute &&
           is_same_object(u, ir_in(read, 0), ir_in(n, 0));
}

static void find_all_stored(unification *u, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_all_stored(u, n->blocks[i]);
        if (n->kind == IR_SET_ATTR)
            hmput(u->all_stored, n->attribute, true);
        u->has_calls |= may_store_anything(n);
    }
}

static void find_stored(unification *u, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_stored(u, n->blocks[i]);
        if (n->kind == IR_SET_ATTR && !stores_what_was_read(u, n))
            hmput(u->stored, n->attribute, true);
    }
}

/* A request that has not been answered yet will store to attributes for gradients. */
static bool is_ever_stored(const unification *u, const char *attribute) {
    return u->has_calls || is_in(u->stored, attribute) || gradient_is_kept_in(attribute);
}

static bool will_store_gradients(const ir_node *n) {
    return n->schema && !strcmp(n->schema->name, "aten::backward");
}

/* ---- What attributes hold ---- */

static void find_changed_lists(unification *u, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_changed_lists(u, n->blocks[i]);
        for (size_t i = 0; n->kind == IR_GET_ATTR && i < arrlenu(ir_out(n, 0)->uses); i++)
            if (!use_leaves_list(&ir_out(n, 0)->uses[i]))
                hmput(u->lists, n->attribute, true);
    }
}

static void find_stored_anywhere(unification *u, function *const *functions) {
    for (size_t i = 0; i < arrlenu(functions); i++) {
        unification other = {0};
        find_all_stored(&other, function_graph(functions[i])->block);
        find_stored(&other, function_graph(functions[i])->block);
        find_changed_lists(u, function_graph(functions[i])->block);
        for (size_t k = 0; k < hmlenu(other.stored); k++)
            hmput(u->stored_anywhere, other.stored[k].key, true);
    }
}

/* What an attribute of a known object holds from the first call on; NULL: that may change, or is not known. */
static const ir_constant *held_by(const unification *u, const ir_node *read);

static const ir_constant *known_object(const unification *u, const ir_value *v) {
    if (v == u->self)
        return u->module;
    return v->node->kind == IR_GET_ATTR ? held_by(u, v->node) : NULL;
}

static const ir_constant *held_by(const unification *u, const ir_node *read) {
    stack_check();
    const ir_constant *object = known_object(u, ir_in(read, 0));
    if (!object || object->kind != CONST_OBJECT || is_in(u->stored_anywhere, read->attribute))
        return NULL;
    return object->list.items[class_find_attribute(object->type->definition, read->attribute)];
}

static const struct pt_tensor *tensor_held_by(const unification *u, const ir_node *read) {
    const ir_constant *c = held_by(u, read);
    return c && c->kind == CONST_TENSOR ? c->tensor : NULL;
}

/* ---- The walk ---- */

static known_attribute *find_known(const unification *u, const ir_value *object, const char *attribute) {
    for (size_t i = 0; i < arrlenu(u->known); i++)
        if (u->known[i].attribute == attribute && u->known[i].object == object)
            return &u->known[i];
    return NULL;
}

static known_attribute *find_holder(const unification *u, const struct pt_tensor *tensor) {
    for (size_t i = 0; tensor && i < arrlenu(u->known); i++)
        if (u->known[i].tensor == tensor)
            return &u->known[i];
    return NULL;
}

/* Forgets an attribute of all objects (two values may be one object); NULL: all that are ever stored to. */
static void forget(unification *u, const char *attribute) {
    for (size_t i = arrlenu(u->known); i-- > 0;)
        if (attribute ? u->known[i].attribute == attribute : is_ever_stored(u, u->known[i].attribute))
            arrdel(u->known, i);
}

static void forget_gradients(unification *u) {
    for (size_t i = arrlenu(u->known); i-- > 0;)
        if (gradient_is_kept_in(u->known[i].attribute))
            arrdel(u->known, i);
}

static void forget_stored_in(unification *u, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            forget_stored_in(u, n->blocks[i]);
        if (n->kind == IR_SET_ATTR && is_ever_stored(u, n->attribute))
            forget(u, n->attribute);
        else if (may_store_anything(n))
            forget(u, NULL);
        else if (will_store_gradients(n))
            forget_gradients(u);
    }
}

/* Moves a read to right behind the node that makes its object (which is moved first where it is a read in an inner
 * block): there it dominates all other reads of the attribute. */
static void move_to_object(ir_node *read) {
    stack_check();
    ir_node *made = ir_in(read, 0)->node;
    if (made->kind == IR_GET_ATTR && made->block != read->graph->block)
        move_to_object(made);
    ir_node *first = made == made->block->param ? ir_first(made->block) : made->next;
    if (first != read)
        ir_move_before(first, read);
}

/* Settings of layers (training, p) decide branches before gradients are asked for. */
static bool is_setting(const ir_constant *c) {
    return c && (c->kind == CONST_BOOL || c->kind == CONST_INT || c->kind == CONST_FLOAT || c->kind == CONST_STR ||
                 c->kind == CONST_NONE);
}

static bool replace_by_setting(const unification *u, ir_node *n) {
    const ir_constant *c = held_by(u, n);
    if (!is_setting(c) || (c->kind == CONST_NONE && ir_out(n, 0)->type->kind != TYPE_NONE))
        return false;
    ir_replace_uses(ir_out(n, 0), ir_insert_constant(n, (ir_constant *)(uintptr_t)c));
    ir_destroy(n);
    return true;
}

/* Adds the attributes that lead from the object to the tensor, each of which holds all the time what it does, last one
 * first. Returns whether there are such. */
static bool add_path(const unification *u, const ir_constant *object, const ir_constant *tensor, const char ***path) {
    stack_check();
    const class_def *c = object->type->definition;
    for (size_t i = 0; i < arrlenu(c->attributes); i++) {
        const ir_constant *held = object->list.items[i];
        if (!held || is_in(u->stored_anywhere, c->attributes[i].name))
            continue;
        const bool is_it = held->kind == CONST_TENSOR && held->tensor == tensor->tensor;
        if (is_it || (held->kind == CONST_OBJECT && c->is_module && add_path(u, held, tensor, path))) {
            arrput(*path, c->attributes[i].name);
            return true;
        }
    }
    return false;
}

/* Where a tensor is read of: an object that the graph knows, and the attributes from there, last one first. */
typedef struct {
    ir_value *object;
    const char **path;
} tensor_path;

/* Of the object itself, else of the module. */
static bool find_path(const unification *u, ir_value *object, const ir_constant *tensor, tensor_path *found) {
    *found = (tensor_path){object, NULL};
    if (add_path(u, known_object(u, object), tensor, &found->path))
        return true;
    found->object = (ir_value *)(uintptr_t)u->self;
    return add_path(u, u->module, tensor, &found->path);
}

static ir_value *insert_path(const unification *u, ir_node *at, const tensor_path *p) {
    ir_value *v = p->object;
    const ir_constant *object = known_object(u, v);
    for (size_t i = arrlenu(p->path); i-- > 0;) {
        const int slot = class_find_attribute(object->type->definition, p->path[i]);
        v = ir_insert_read(at, v, p->path[i], object->type->definition->attributes[slot].type);
        object = object->list.items[slot];
    }
    return v;
}

/* Lists and dicts of parameters (_flat_weights of recurrent layers) become displays of the attributes that hold their
 * items. */
static bool replace_by_display(const unification *u, ir_node *n) {
    const ir_constant *list = held_by(u, n);
    const bool is_dict = list && list->kind == CONST_DICT;
    if (!list || (list->kind != CONST_LIST && !is_dict) || is_in(u->lists, n->attribute))
        return false;
    tensor_path *paths = NULL;
    for (uint32_t i = is_dict; i < list->list.count; i += 1 + is_dict) {
        tensor_path path;
        if (list->list.items[i]->kind != CONST_TENSOR || !find_path(u, ir_in(n, 0), list->list.items[i], &path))
            return false;
        arrput(paths, path);
    }
    ir_node *display = ir_node_new(n->graph, is_dict ? IR_DICT_CONSTRUCT : IR_LIST_CONSTRUCT, 1);
    ir_out(display, 0)->type = ir_out(n, 0)->type;
    display->range = n->range;
    display->scope = n->scope;
    for (size_t i = 0; i < arrlenu(paths); i++) {
        if (is_dict)
            ir_node_add_input(display, ir_insert_constant(n, list->list.items[2 * i]));
        ir_node_add_input(display, insert_path(u, n, &paths[i]));
    }
    ir_insert_before(n, display);
    ir_replace_uses(ir_out(n, 0), ir_out(display, 0));
    ir_destroy(n);
    return true;
}

static void visit_read(unification *u, ir_node *n) {
    if (replace_by_setting(u, n) || replace_by_display(u, n))
        return;
    const struct pt_tensor *tensor = tensor_held_by(u, n);
    known_attribute *known = find_known(u, ir_in(n, 0), n->attribute);
    if (!known)
        known = find_holder(u, tensor);
    if (!known) {
        known_attribute k = {ir_in(n, 0), n->attribute, ir_out(n, 0), tensor};
        arrput(u->known, k);
        return;
    }
    if (known->value->type != ir_out(n, 0)->type)
        return;
    if (known->value->node->block != n->block && !ir_is_before(known->value->node, n))
        move_to_object(known->value->node);
    ir_replace_uses(ir_out(n, 0), known->value);
    ir_destroy(n);
}

static void visit_store(unification *u, const ir_node *n) {
    const known_attribute *known = find_known(u, ir_in(n, 0), n->attribute);
    if (known && flow_origin(ir_in(n, 1)) == flow_origin(known->value))
        return;
    forget(u, n->attribute);
    known_attribute k = {ir_in(n, 0), n->attribute, ir_in(n, 1), NULL};
    arrput(u->known, k);
}

/* ---- Variables ----
 *
 * A tensor that branches or loops store to an attribute is a variable of theirs too: what is read of it, in them and
 * behind them, is that. */

typedef struct {
    ir_value *object;
    const char *attribute;
    ir_value *now; /* what it is: before the node, in a block, behind the node */
} stored_tensor;

static bool stands_in(const ir_node *n, const ir_node *owner) {
    for (; n; n = n->block->owner)
        if (n == owner)
            return true;
    return false;
}

static bool is_read_in_or_behind(const ir_node *owner, const ir_value *object, const char *attribute) {
    for (size_t i = 0; i < arrlenu(object->uses); i++) {
        const ir_node *user = object->uses[i].user;
        if (user->kind == IR_GET_ATTR && user->attribute == attribute &&
            (stands_in(user, owner) || ir_is_before(owner, user)))
            return true;
    }
    return false;
}

/* Adds the attributes that are stored to in the block; returns whether no other code may store there. */
static bool add_stored(stored_tensor **all, attribute_names *mixed, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (!add_stored(all, mixed, n->blocks[i]))
                return false;
        if (may_store_anything(n))
            return false;
        if (n->kind != IR_SET_ATTR)
            continue;
        bool is_new = true;
        for (size_t i = 0; i < arrlenu(*all); i++) {
            if ((*all)[i].attribute != n->attribute)
                continue;
            is_new = false;
            if ((*all)[i].object != ir_in(n, 0))
                hmput(*mixed, n->attribute, true);
        }
        if (ir_in(n, 1)->type->kind != TYPE_TENSOR)
            hmput(*mixed, n->attribute, true);
        stored_tensor t = {ir_in(n, 0), n->attribute, NULL};
        if (is_new)
            arrput(*all, t);
    }
    return true;
}

static bool is_tensor_attribute(const ir_value *object, const char *attribute) {
    const class_def *c = object->type->kind == TYPE_CLASS ? object->type->definition : NULL;
    const int at = c ? class_find_attribute(c, attribute) : -1;
    return at >= 0 && c->attributes[at].type->kind == TYPE_TENSOR;
}

/* Those that become variables of the node. */
static stored_tensor *variables_of(const unification *u, const ir_node *n) {
    stored_tensor *all = NULL, *chosen = NULL;
    attribute_names mixed = NULL;
    bool is_known = n->kind == IR_LOOP || n->kind == IR_IF;
    for (size_t i = 0; i < arrlenu(n->blocks) && is_known; i++)
        is_known = add_stored(&all, &mixed, n->blocks[i]);
    for (size_t i = 0; i < arrlenu(all) && is_known; i++)
        if (is_ever_stored(u, all[i].attribute) && !is_in(mixed, all[i].attribute) &&
            is_tensor_attribute(all[i].object, all[i].attribute) && ir_is_before(all[i].object->node, n) &&
            is_read_in_or_behind(n, all[i].object, all[i].attribute))
            arrput(chosen, all[i]);
    return chosen;
}

static void set_known(unification *u, const stored_tensor *t) {
    known_attribute *known = find_known(u, t->object, t->attribute);
    known_attribute k = {t->object, t->attribute, t->now, NULL};
    if (known)
        *known = k;
    else
        arrput(u->known, k);
}

static ir_value *known_at(unification *u, ir_node *at, const stored_tensor *t) {
    const known_attribute *known = find_known(u, t->object, t->attribute);
    return known ? known->value : ir_insert_read(at, t->object, t->attribute, type_basic(TYPE_TENSOR));
}

static void visit_block(unification *u, ir_block *b);

/* What a block learns of attributes that are stored to holds inside of it only. */
static void visit_inner(unification *u, ir_block *b, stored_tensor *variables) {
    known_attribute *before = NULL;
    for (size_t i = 0; i < arrlenu(u->known); i++)
        if (is_ever_stored(u, u->known[i].attribute))
            arrput(before, u->known[i]);
    visit_block(u, b);
    for (size_t i = 0; i < arrlenu(variables); i++)
        ir_block_add_result(b, known_at(u, b->result, &variables[i]));
    forget(u, NULL);
    for (size_t i = 0; i < arrlenu(before); i++)
        arrput(u->known, before[i]);
}

static void visit_blocks(unification *u, ir_node *n) {
    stored_tensor *variables = variables_of(u, n);
    const type *tensor = type_basic(TYPE_TENSOR);
    for (size_t i = 0; i < arrlenu(variables) && n->kind == IR_LOOP; i++)
        variables[i].now = known_at(u, n, &variables[i]);
    for (size_t i = 0; n->kind == IR_LOOP && i < arrlenu(n->blocks); i++)
        forget_stored_in(u, n->blocks[i]);
    for (size_t i = 0; i < arrlenu(variables) && n->kind == IR_LOOP; i++) {
        ir_node_add_input(n, variables[i].now);
        variables[i].now = ir_block_add_param(n->blocks[0], NULL, tensor);
        set_known(u, &variables[i]);
    }
    for (size_t i = 0; i < arrlenu(n->blocks); i++)
        visit_inner(u, n->blocks[i], variables);
    for (size_t i = 0; i < arrlenu(n->blocks); i++)
        forget_stored_in(u, n->blocks[i]);
    for (size_t i = 0; i < arrlenu(variables); i++) {
        variables[i].now = ir_node_add_output(n, tensor);
        set_known(u, &variables[i]);
    }
}

static void visit_block(unification *u, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        if (n->kind == IR_GET_ATTR) {
            visit_read(u, n);
            continue;
        }
        if (n->kind == IR_SET_ATTR && !is_ever_stored(u, n->attribute)) {
            ir_destroy(n); /* stores what was read */
            continue;
        }
        if (n->kind == IR_SET_ATTR)
            visit_store(u, n);
        else if (may_store_anything(n))
            forget(u, NULL);
        else if (will_store_gradients(n))
            forget_gradients(u);
        if (arrlenu(n->blocks))
            visit_blocks(u, n);
    }
}

held_attributes *held_attributes_new(const ir_graph *g, const ir_constant *self, function *const *functions) {
    unification *u = MEM_NEW(unification);
    u->module = self;
    if (self)
        u->self = ir_out(g->block->param, 0);
    find_stored_anywhere(u, functions);
    find_all_stored(u, g->block);
    find_stored(u, g->block);
    return u;
}

const ir_constant *held_attribute(const held_attributes *h, const ir_node *read) {
    return held_by(h, read);
}

void unite_attributes(ir_graph *g, const ir_constant *self, function *const *functions) {
    visit_block(held_attributes_new(g, self, functions), g->block);
}

/* ---- What stays apart ---- */

static const ir_node *common_loop(const ir_node *a, const ir_node *b) {
    for (const ir_block *at = a->block; at->owner; at = at->owner->block)
        if (at->owner->kind == IR_LOOP && stands_in(b, at->owner))
            return at->owner;
    return NULL;
}

static bool has_store_before(const ir_block *b, const ir_node *read) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->kind == IR_SET_ATTR && n->attribute == read->attribute &&
            (saved_precedes(n, read) || common_loop(n, read)))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (has_store_before(n->blocks[i], read))
                return true;
    }
    return false;
}

bool attribute_is_stored_before(const ir_node *read) {
    return has_store_before(read->graph->block, read);
}

static ir_node *find_read(ir_block *b, const ir_node *like, const ir_node **after) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->kind == IR_GET_ATTR && n->attribute == like->attribute && ir_in(n, 0) == ir_in(like, 0) && n != like) {
            if (!*after)
                return n;
            if (n == *after)
                *after = NULL;
        }
        for (size_t i = 0; i < arrlenu(n->blocks); i++) {
            ir_node *found = find_read(n->blocks[i], like, after);
            if (found)
                return found;
        }
    }
    return NULL;
}

ir_node *next_separate_read(const ir_node *read, const ir_node *after) {
    return find_read(read->graph->block, read, &after);
}
