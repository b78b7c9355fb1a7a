/* Gradient flow: what depends brings the nodes that use it onto a list of work, until that is empty. */
#include "exporter/passes/analysis/gradient_flow.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/memory_classes.h"
#include "exporter/program/program.h"
#include "exporter/schema/schema.h"

typedef struct {
    const ir_value *object;
    gradient_mode before;
} entered_mode;

/* What does not depend on the tensors that are asked about. */
typedef struct {
    ir_graph *graph;
    struct {
        const ir_node *key;
        gradient_mode value;
    } * modes;
    entered_mode *entered;
    const ir_node **reads;   /* of attributes */
    memory_classes *classes; /* NULL: nothing has been written yet */
} graph_facts;

struct gradient_flow {
    graph_facts *facts;
    struct {
        const ir_value *key;
        bool value;
    } * dependent, *written; /* by flow_origin; values to which something dependent was written */
    struct {
        const char *key;
        bool value;
    } * attributes;       /* to which something dependent was stored, by interned name */
    const ir_node **work; /* whose inputs or, of branches and loops, variables have come to depend */
};

/* ---- Names of one value ---- */

/* The input that v is: the same value behind a cast, the same tensor behind an operator that works in place. NULL: it
 * is itself. */
static const ir_value *handed_on(const ir_value *v) {
    const ir_node *n = v->node;
    if (n->kind == IR_UNCHECKED_CAST || n->kind == IR_UNWRAP_OPTIONAL)
        return ir_in(n, 0);
    const op_schema *s = n->schema;
    for (uint32_t i = 0; s && v->offset < s->return_count && i < s->argument_count; i++)
        if (s->arguments[i].is_write && s->arguments[i].alias_set & s->returns[v->offset].alias_set)
            return ir_in(n, i);
    return NULL;
}

ir_value *flow_origin(const ir_value *v) {
    for (const ir_value *from; (from = handed_on(v));)
        v = from;
    return (ir_value *)(uintptr_t)v;
}

/* ---- Modes ---- */

static gradient_mode mode_at(graph_facts *f, const ir_node *n) {
    ptrdiff_t at = hmgeti(f->modes, n);
    return at < 0 ? GRADIENTS_ON : f->modes[at].value;
}

gradient_mode flow_mode(const gradient_flow *f, const ir_node *n) {
    return mode_at(f->facts, n);
}

static gradient_mode mode_of_bool(graph_facts *f, const ir_value *v) {
    bool on;
    if (ir_constant_bool(v, &on))
        return on ? GRADIENTS_ON : GRADIENTS_OFF;
    if (v->node->schema && !strcmp(v->node->schema->name, "aten::is_grad_enabled"))
        return mode_at(f, v->node);
    return GRADIENTS_UNKNOWN;
}

static bool is_mode_object(const ir_value *v, const char *class_name) {
    return v->type->kind == TYPE_CLASS && v->type->name && !strcmp(v->type->name, class_name);
}

static const char no_grad_class[] = "__torch__.torch.autograd.grad_mode.no_grad",
                  enable_grad_class[] = "__torch__.torch.autograd.grad_mode.enable_grad";

bool flow_is_mode(const ir_value *object) {
    return is_mode_object(object, no_grad_class) || is_mode_object(object, enable_grad_class);
}

static gradient_mode mode_entered(const ir_value *object, gradient_mode now) {
    return is_mode_object(object, no_grad_class)       ? GRADIENTS_OFF
           : is_mode_object(object, enable_grad_class) ? GRADIENTS_ON
                                                       : now;
}

static gradient_mode mode_left(const graph_facts *f, const ir_value *object, gradient_mode now) {
    for (size_t i = arrlenu(f->entered); i-- > 0;)
        if (f->entered[i].object == object)
            return f->entered[i].before;
    return now;
}

static gradient_mode find_modes(graph_facts *f, const ir_block *b, gradient_mode mode) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        hmput(f->modes, n, mode);
        if (n->kind == IR_GET_ATTR)
            arrput(f->reads, n);
        gradient_mode after = mode;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (find_modes(f, n->blocks[i], mode) != mode)
                after = GRADIENTS_UNKNOWN;
        if (n->kind == IR_ENTER) {
            entered_mode e = {ir_in(n, 0), mode};
            arrput(f->entered, e);
            after = mode_entered(ir_in(n, 0), mode);
        } else if (n->kind == IR_EXIT) {
            after = mode_left(f, ir_in(n, 0), mode);
        } else if (n->schema && !strcmp(n->schema->name, "aten::set_grad_enabled")) {
            after = mode_of_bool(f, ir_in(n, 0));
        }
        mode = after;
    }
    return mode;
}

/* ---- Dependence ---- */

bool flow_depends(const gradient_flow *f, const ir_value *v) {
    gradient_flow *g = (gradient_flow *)(uintptr_t)f; /* stb_ds's lookups write to the map's head */
    return hmgeti(g->dependent, flow_origin(v)) >= 0;
}

static bool is_container(const type *t) {
    return t->kind != TYPE_TENSOR && type_without_none(t)->kind != TYPE_TENSOR;
}

/* No gradient passes through numbers and strings. */
static bool may_hold_tensors(const type *t) {
    stack_check();
    t = type_without_none(t);
    if (t->kind == TYPE_LIST)
        return may_hold_tensors(type_element(t));
    return !type_is_immutable(t) && t->kind != TYPE_GENERATOR;
}

/* What a result of a block is used by is the branch or the loop that the block is of. */
static const ir_node *user_of(const ir_use *u) {
    const ir_block *b = u->user->block;
    return u->user == b->result ? b->owner : u->user;
}

/* Nodes to look at when the value comes to depend: its users, those of its other names, and the branch or loop that
 * gives it, which may hand on what it is in the other direction. */
static void add_work(gradient_flow *f, const ir_value *origin) {
    const ir_node *made_by = origin->node == origin->node->block->param ? origin->node->block->owner : origin->node;
    if (made_by && arrlenu(made_by->blocks))
        arrput(f->work, made_by);
    const ir_value **names = NULL;
    arrput(names, origin);
    while (arrlenu(names)) {
        const ir_value *v = arrpop(names);
        for (size_t i = 0; i < arrlenu(v->uses); i++) {
            const ir_node *user = user_of(&v->uses[i]);
            if (!user)
                continue;
            arrput(f->work, user);
            for (uint32_t k = 0; user == v->uses[i].user && k < ir_output_count(user); k++)
                if (handed_on(ir_out(user, k)) == v)
                    arrput(names, ir_out(user, k));
        }
    }
    arrfree(names);
}

static void set_dependent(gradient_flow *f, const ir_value *v) {
    if (!may_hold_tensors(v->type) || flow_depends(f, v))
        return;
    const ir_value *origin = flow_origin(v);
    hmput(f->dependent, origin, true);
    add_work(f, origin);
}

/* These hand their items on, whatever the gradient mode. */
bool flow_is_container_operator(const op_schema *s) {
    for (uint32_t i = 0; s && i < s->argument_count; i++)
        if (type_has_variables(s->arguments[i].type))
            return true;
    return false;
}

bool flow_has_dependent_input(const gradient_flow *f, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (flow_depends(f, ir_in(n, i)))
            return true;
    return false;
}

/* What is written to a view is written to the tensor and its other views; what is put into a container is in all that
 * may be the container, or hold it. */
static void set_written(gradient_flow *f, const ir_value *v) {
    set_dependent(f, v);
    if (hmgeti(f->written, v) >= 0)
        return;
    hmput(f->written, v, true);
    const bool is_tensor = v->type->kind == TYPE_TENSOR;
    graph_facts *facts = f->facts;
    if (!facts->classes)
        facts->classes = memory_classes_new(facts->graph, RECORDED_NAMES);
    const ir_value **holders = memory_classes_holders(facts->classes, v);
    for (size_t i = 0; i < arrlenu(holders); i++)
        if (is_tensor || is_container(holders[i]->type))
            set_dependent(f, holders[i]);
}

static void visit_plain(gradient_flow *f, const ir_node *n) {
    if (!flow_has_dependent_input(f, n))
        return;
    const op_schema *s = n->schema;
    if (s && (schema_has_trait(s, TRAIT_NO_GRADIENT) ||
              (!flow_is_container_operator(s) && flow_mode(f, n) == GRADIENTS_OFF)))
        return;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        set_dependent(f, ir_out(n, i));
    for (uint32_t i = 0; s && i < s->argument_count; i++)
        if (s->arguments[i].is_write) /* running statistics have no gradient */
            set_written(f, ir_in(n, i));
}

/* `to` gets the value of `from`. Dependence of a tensor passes forward only. A container is the same object under
 * both names, so dependence passes in both directions. */
static void carry(gradient_flow *f, const ir_value *from, const ir_value *to) {
    if (flow_depends(f, from))
        set_dependent(f, to);
    if (is_container(to->type) && flow_depends(f, to))
        set_dependent(f, from);
}

static void visit_if(gradient_flow *f, const ir_node *n) {
    for (size_t k = 0; k < arrlenu(n->blocks); k++)
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            carry(f, ir_in(n->blocks[k]->result, i), ir_out(n, i));
}

static void visit_loop(gradient_flow *f, const ir_node *n) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    const ir_block *body = n->blocks[0];
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        carry(f, ir_in(n, i + BEFORE_VARIABLES), ir_out(body->param, i + 1));
        carry(f, ir_in(body->result, i + 1), ir_out(body->param, i + 1));
        carry(f, ir_out(body->param, i + 1), ir_out(n, i));
    }
}

bool flow_attribute_depends(const gradient_flow *f, const char *attribute) {
    gradient_flow *g = (gradient_flow *)(uintptr_t)f;
    return hmgeti(g->attributes, attribute) >= 0;
}

static void visit_store(gradient_flow *f, const ir_node *n) {
    if (!flow_depends(f, ir_in(n, 1)) || flow_attribute_depends(f, n->attribute))
        return;
    hmput(f->attributes, n->attribute, true);
    for (size_t i = 0; i < arrlenu(f->facts->reads); i++)
        if (f->facts->reads[i]->attribute == n->attribute)
            set_dependent(f, ir_out(f->facts->reads[i], 0));
}

static void visit(gradient_flow *f, const ir_node *n) {
    if (n->kind == IR_IF)
        visit_if(f, n);
    else if (n->kind == IR_LOOP)
        visit_loop(f, n);
    else if (n->kind == IR_SET_ATTR)
        visit_store(f, n);
    else
        visit_plain(f, n);
}

gradient_flow *flow_new(ir_graph *g) {
    gradient_flow *f = MEM_NEW(gradient_flow);
    f->facts = MEM_NEW(graph_facts);
    f->facts->graph = g;
    find_modes(f->facts, g->block, GRADIENTS_ON);
    return f;
}

gradient_flow *flow_like(const gradient_flow *f) {
    gradient_flow *other = MEM_NEW(gradient_flow);
    other->facts = f->facts;
    return other;
}

void flow_mark(gradient_flow *f, ir_value *source) {
    set_dependent(f, source);
    while (arrlenu(f->work))
        visit(f, arrpop(f->work));
}
