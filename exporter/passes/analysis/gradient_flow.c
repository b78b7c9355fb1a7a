/* Gradient flow: a forward walk that is repeated until loops bring nothing new. */
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

struct gradient_flow {
    ir_graph *graph;
    struct {
        const ir_value *key;
        bool value;
    } * dependent, *written; /* by flow_origin; values to which something dependent was written */
    struct {
        const ir_node *key;
        gradient_mode value;
    } * modes;
    struct {
        const char *key;
        bool value;
    } * attributes; /* to which something dependent was stored, by interned name */
    entered_mode *entered;
    memory_classes *classes; /* NULL: nothing has been written yet */
    bool changed;
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

static gradient_mode mode_of_bool(const gradient_flow *f, const ir_value *v) {
    bool on;
    if (ir_constant_bool(v, &on))
        return on ? GRADIENTS_ON : GRADIENTS_OFF;
    if (v->node->schema && !strcmp(v->node->schema->name, "aten::is_grad_enabled"))
        return flow_mode(f, v->node);
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

static gradient_mode mode_left(gradient_flow *f, const ir_value *object, gradient_mode now) {
    for (size_t i = arrlenu(f->entered); i-- > 0;)
        if (f->entered[i].object == object)
            return f->entered[i].before;
    return now;
}

static gradient_mode find_modes(gradient_flow *f, const ir_block *b, gradient_mode mode) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        hmput(f->modes, n, mode);
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

gradient_mode flow_mode(const gradient_flow *f, const ir_node *n) {
    gradient_flow *g = (gradient_flow *)(uintptr_t)f; /* stb_ds's lookups write to the map's head */
    ptrdiff_t at = hmgeti(g->modes, n);
    return at < 0 ? GRADIENTS_ON : g->modes[at].value;
}

/* ---- Dependence ---- */

bool flow_depends(const gradient_flow *f, const ir_value *v) {
    gradient_flow *g = (gradient_flow *)(uintptr_t)f;
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

static void set_dependent(gradient_flow *f, const ir_value *v) {
    if (!may_hold_tensors(v->type) || flow_depends(f, v))
        return;
    hmput(f->dependent, flow_origin(v), true);
    f->changed = true;
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
    if (!f->classes)
        f->classes = memory_classes_new(f->graph, RECORDED_NAMES);
    const ir_value **holders = memory_classes_holders(f->classes, v);
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

static void visit_block(gradient_flow *f, const ir_block *b);

static void visit_if(gradient_flow *f, const ir_node *n) {
    for (size_t k = 0; k < arrlenu(n->blocks); k++) {
        visit_block(f, n->blocks[k]);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            carry(f, ir_in(n->blocks[k]->result, i), ir_out(n, i));
    }
}

static void visit_loop(gradient_flow *f, const ir_node *n) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    const ir_block *body = n->blocks[0];
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        carry(f, ir_in(n, i + BEFORE_VARIABLES), ir_out(body->param, i + 1));
        carry(f, ir_in(body->result, i + 1), ir_out(body->param, i + 1));
        carry(f, ir_out(body->param, i + 1), ir_out(n, i));
    }
    visit_block(f, body);
}

static void visit_block(gradient_flow *f, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->kind == IR_IF)
            visit_if(f, n);
        else if (n->kind == IR_LOOP)
            visit_loop(f, n);
        else if (n->kind == IR_SET_ATTR && flow_depends(f, ir_in(n, 1)))
            hmput(f->attributes, n->attribute, true);
        else if (n->kind == IR_GET_ATTR && hmgeti(f->attributes, n->attribute) >= 0)
            set_dependent(f, ir_out(n, 0));
        else
            visit_plain(f, n);
    }
}

bool flow_attribute_depends(const gradient_flow *f, const char *attribute) {
    gradient_flow *g = (gradient_flow *)(uintptr_t)f;
    return hmgeti(g->attributes, attribute) >= 0;
}

gradient_flow *flow_new(ir_graph *g) {
    gradient_flow *f = MEM_NEW(gradient_flow);
    f->graph = g;
    find_modes(f, g->block, GRADIENTS_ON);
    return f;
}

void flow_mark(gradient_flow *f, ir_value *source) {
    set_dependent(f, source);
    do {
        f->changed = false;
        visit_block(f, f->graph->block);
    } while (f->changed);
}
