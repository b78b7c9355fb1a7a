/* Reads of .grad become reads of attributes that the module gets for them. */
#include "exporter/passes/lower/keep_gradients.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/ir/class.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/analysis/memory_classes.h"
#include "exporter/passes/lower/inline_calls.h"
#include "exporter/passes/lower/reverse.h"
#include "exporter/passes/lower/unite_attributes.h"

/* A read of .grad, and the reads of attributes that may give the tensor that it is of, each tensor once. */
typedef struct {
    ir_node *node;
    bool is_known; /* there is one, and it gives the tensor */
    ir_node **reads;
} reading;

typedef struct {
    program *program;
    ir_constant *self;
    const held_attributes *held;
    memory_classes *classes;
    bool is_requested;
    ir_node **reads; /* of attributes that hold a tensor all the time */
    reading *readings;
    kept_gradient **kept;
} keeper;

static bool is_gradient_read(const ir_node *n) {
    return n->schema && ir_is_operator(n, "prim::grad");
}

static bool has_gradient_read(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (is_gradient_read(n))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (has_gradient_read(n->blocks[i]))
                return true;
    }
    return false;
}

bool gradient_is_kept_in(const char *attribute) {
    return strchr(attribute, '.') != NULL;
}

bool gradients_are_read(const ir_graph *g) {
    return has_gradient_read(g->block);
}

/* The tensor that v is whenever the program comes there; NULL: it is not known. */
static const struct pt_tensor *held_tensor(const held_attributes *held, const ir_value *v) {
    const ir_node *read = flow_origin(v)->node;
    const ir_constant *c = read->kind == IR_GET_ATTR ? held_attribute(held, read) : NULL;
    return c && c->kind == CONST_TENSOR ? c->tensor : NULL;
}

/* "fc.weight" */
static const char *path_of(const ir_node *read) {
    stack_check();
    const ir_node *object = ir_in(read, 0)->node;
    return object->kind == IR_GET_ATTR ? mem_printf("%s.%s", path_of(object), read->attribute) : read->attribute;
}

static const kept_gradient *find_kept(const kept_gradient *kept, const struct pt_tensor *tensor) {
    for (size_t i = 0; i < arrlenu(kept); i++)
        if (kept[i].tensor == tensor)
            return &kept[i];
    return NULL;
}

static const type *gradient_type(void) {
    return type_optional(type_basic(TYPE_TENSOR));
}

static void add_attribute(ir_constant *object, const char *name) {
    class_def *c = object->type->definition;
    const uint32_t count = object->list.count;
    ir_constant **items = MEM_ARRAY(ir_constant *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        items[i] = object->list.items[i];
    items[count] = const_none();
    object->list.items = items;
    object->list.count = count + 1;
    arrput(c->attributes, ((class_attribute){.name = name, .type = gradient_type()}));
}

static const char *attribute_for(keeper *k, const struct pt_tensor *tensor, const ir_node *read) {
    const kept_gradient *known = find_kept(*k->kept, tensor);
    if (known)
        return known->attribute;
    const kept_gradient made = {tensor, intern(mem_printf("%s.grad", path_of(read)))};
    add_attribute(k->self, made.attribute);
    arrput(*k->kept, made);
    return made.attribute;
}

static ir_value *insert_gradient(keeper *k, ir_node *at, const ir_node *read) {
    const char *attribute = attribute_for(k, held_tensor(k->held, ir_out(read, 0)), read);
    return ir_insert_read(at, ir_out(at->graph->block->param, 0), attribute, gradient_type());
}

/* The same read once more, before `at`, where v is not there. */
static ir_value *insert_again(ir_node *at, const ir_value *v) {
    stack_check();
    if (ir_is_before(v->node, at))
        return (ir_value *)(uintptr_t)v;
    return ir_insert_read(at, insert_again(at, ir_in(v->node, 0)), v->node->attribute, v->type);
}

/* What an item of a list is read of is one of these tensors; which is seen when the program comes there. */
static ir_value *insert_choice(keeper *k, ir_node *at, ir_node *const *reads) {
    derivation d = {.program = k->program, .request = at, .at = at};
    ir_value **leaves = NULL, **gradients = NULL;
    for (size_t i = 0; i < arrlenu(reads); i++) {
        arrput(leaves, insert_again(at, ir_out(reads[i], 0)));
        arrput(gradients, insert_gradient(k, at, reads[i]));
    }
    const uint32_t count = (uint32_t)arrlenu(reads);
    ir_value *inputs[] = {ir_in(at, 0), reverse_insert_list(&d, type_basic(TYPE_TENSOR), leaves, count),
                          reverse_insert_list(&d, gradient_type(), gradients, count)};
    return reverse_insert_helper(&d, "gradient_among", inputs, 3);
}

static void replace(keeper *k, const reading *r) {
    ir_value *gradient = r->is_known ? insert_gradient(k, r->node, r->reads[0]) : insert_choice(k, r->node, r->reads);
    ir_replace_uses(ir_out(r->node, 0), ir_insert_cast(r->node, gradient, ir_out(r->node, 0)->type));
    ir_destroy(r->node);
}

static void find_held(keeper *k, const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_held(k, n->blocks[i]);
        if (n->kind == IR_GET_ATTR && held_tensor(k->held, ir_out(n, 0)))
            arrput(k->reads, n);
    }
}

static bool has_read_of(const keeper *k, ir_node *const *reads, const struct pt_tensor *tensor) {
    for (size_t i = 0; i < arrlenu(reads); i++)
        if (held_tensor(k->held, ir_out(reads[i], 0)) == tensor)
            return true;
    return false;
}

/* Of what is stored to an attribute the gradient is known in the method that has asked for it only. */
static void check_local(const keeper *k, const ir_node *reader) {
    const ir_node *read = flow_origin(ir_in(reader, 0))->node;
    if (read->kind == IR_GET_ATTR && !k->is_requested)
        source_fail(ir_authors_range(reader),
                    "gradients of '%s' do not outlive a call, since other tensors are stored to it", read->attribute);
}

static void find_readings(keeper *k, const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_readings(k, n->blocks[i]);
        if (!is_gradient_read(n))
            continue;
        reading r = {n, held_tensor(k->held, ir_in(n, 0)), NULL};
        if (r.is_known)
            arrput(r.reads, flow_origin(ir_in(n, 0))->node);
        for (size_t i = 0; i < arrlenu(k->reads) && !r.is_known; i++)
            if (memory_classes_share(k->classes, ir_in(n, 0), ir_out(k->reads[i], 0)) &&
                !has_read_of(k, r.reads, held_tensor(k->held, ir_out(k->reads[i], 0))))
                arrput(r.reads, k->reads[i]);
        if (arrlenu(r.reads))
            arrput(k->readings, r);
        else
            check_local(k, n);
    }
}

void keep_gradients(program *p, ir_graph *g, bool is_requested, ir_constant *self, function *const *functions,
                    kept_gradient **kept) {
    keeper k = {.program = p,
                .self = self,
                .held = held_attributes_new(g, self, functions),
                .classes = memory_classes_new(g, ALL_NAMES),
                .is_requested = is_requested,
                .kept = kept};
    find_held(&k, g->block);
    find_readings(&k, g->block);
    for (size_t i = 0; i < arrlenu(k.readings); i++)
        replace(&k, &k.readings[i]);
    inline_calls(g);
}

static void find_leaves(kept_leaf **leaves, const held_attributes *held, const kept_gradient *kept, ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_leaves(leaves, held, kept, n->blocks[i]);
        const struct pt_tensor *tensor = n->kind == IR_GET_ATTR ? held_tensor(held, ir_out(n, 0)) : NULL;
        const kept_gradient *known = tensor ? find_kept(kept, tensor) : NULL;
        if (!known)
            continue;
        kept_leaf leaf = {ir_out(n, 0), ir_out(n->graph->block->param, 0), known->attribute};
        arrput(*leaves, leaf);
    }
}

kept_leaf *kept_leaves(ir_graph *g, const ir_constant *self, function *const *functions, const kept_gradient *kept) {
    kept_leaf *leaves = NULL;
    if (self && arrlenu(kept))
        find_leaves(&leaves, held_attributes_new(g, self, functions), kept, g->block);
    return leaves;
}
