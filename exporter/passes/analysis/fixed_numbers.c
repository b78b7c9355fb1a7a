/* The search through loops, branches and calculations for what may differ from run to run. */
#include "exporter/passes/analysis/fixed_numbers.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

enum { MOST_STEPS = 4096 };

/* Variables of loops that are looked at are fixed unless something says otherwise. */
typedef struct {
    const ir_value **assumed; /* an stb_ds array */
    uint32_t steps;
} search;

static bool is_fixed(search *s, const ir_value *v);

static bool is_number(const type *t) {
    return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_BOOL;
}

static bool ends_fixed(search *s, const ir_node *loop) {
    return is_fixed(s, ir_in(loop, 0)) && is_fixed(s, ir_in(loop, 1)) && is_fixed(s, ir_in(loop->blocks[0]->result, 0));
}

/* Variable i of a loop, inside of it and behind it. */
static bool is_fixed_variable(search *s, const ir_node *loop, uint32_t i) {
    const ir_value *v = loop->blocks[0]->param->outputs[i + 1];
    for (size_t k = 0; k < arrlenu(s->assumed); k++)
        if (s->assumed[k] == v)
            return true;
    arrput(s->assumed, v);
    const bool fixed =
        is_fixed(s, ir_in(loop, i + 2)) && is_fixed(s, ir_in(loop->blocks[0]->result, i + 1)) && ends_fixed(s, loop);
    (void)arrpop(s->assumed);
    return fixed;
}

/* The turns of a loop, counted. */
static bool is_fixed_counter(search *s, const ir_node *loop) {
    const ir_value *v = loop->blocks[0]->param->outputs[0];
    for (size_t k = 0; k < arrlenu(s->assumed); k++)
        if (s->assumed[k] == v)
            return true;
    arrput(s->assumed, v);
    const bool fixed = ends_fixed(s, loop);
    (void)arrpop(s->assumed);
    return fixed;
}

static bool is_fixed_parameter(search *s, const ir_value *v) {
    const ir_node *loop = v->node->block->owner;
    if (!loop || loop->kind != IR_LOOP)
        return false;
    uint32_t i = 0;
    while (v->node->outputs[i] != v)
        i++;
    return i ? is_fixed_variable(s, loop, i - 1) : is_fixed_counter(s, loop);
}

static bool is_fixed_output(search *s, const ir_value *v) {
    const ir_node *n = v->node;
    uint32_t i = 0;
    while (n->outputs[i] != v)
        i++;
    if (n->kind == IR_LOOP)
        return is_fixed_variable(s, n, i);
    if (n->kind == IR_IF)
        return is_fixed(s, ir_in(n, 0)) && is_fixed(s, ir_in(n->blocks[0]->result, i)) &&
               is_fixed(s, ir_in(n->blocks[1]->result, i));
    if (!n->schema || operator_has_effects(n) || schema_has_trait(n->schema, TRAIT_RANDOM) ||
        schema_has_trait(n->schema, TRAIT_SETTING))
        return false;
    for (uint32_t k = 0; k < ir_input_count(n); k++)
        if (!is_fixed(s, ir_in(n, k)))
            return false;
    return ir_input_count(n) > 0;
}

static bool is_fixed(search *s, const ir_value *v) {
    stack_check();
    if (ir_is_constant(v)) /* a tensor or a list may be written to */
        return !type_can_alias(v->type);
    if (!is_number(v->type) || s->steps++ > MOST_STEPS)
        return false;
    return v->node == v->node->block->param ? is_fixed_parameter(s, v) : is_fixed_output(s, v);
}

bool number_is_fixed(const ir_value *v) {
    search s = {0};
    return is_fixed(&s, v);
}

bool loop_is_fixed(const ir_node *loop) {
    search s = {0};
    return ends_fixed(&s, loop);
}

bool node_runs_fixed(const ir_node *n, const ir_block *b) {
    for (const ir_block *around = n->block; around != b; around = around->owner->block) {
        const ir_node *owner = around->owner;
        if (!owner ||
            !(owner->kind == IR_LOOP ? loop_is_fixed(owner) : owner->kind == IR_IF && number_is_fixed(ir_in(owner, 0))))
            return false;
    }
    return true;
}
