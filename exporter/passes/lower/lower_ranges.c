/* Loops over ranges: a variable for the range's numbers. */
#include "exporter/passes/lower/lower_ranges.h"

#include "exporter/schema/operator_node.h"

/* ---- Values ---- */

static bool same_value(const ir_value *a, const ir_value *b) {
    int64_t i, k;
    return a == b || (ir_constant_int(a, &i) && ir_constant_int(b, &k) && i == k);
}

/* ---- Counters of turns ---- */

static bool adds_one_to(const ir_value *v, const ir_value *to) {
    int64_t one;
    return ir_is_operator(v->node, "aten::add.int") && ir_in(v->node, 0) == to &&
           ir_constant_int(ir_in(v->node, 1), &one) && one == 1;
}

/* Whether parameter i of the loop's body is 0 in the first turn and one more in each: that of the turns, or a variable
 * of a `while` that stands for a loop that may be left. */
static bool counts_turns(const ir_node *loop, uint32_t i) {
    int64_t first;
    const ir_block *body = loop->blocks[0];
    return i == 0 || (ir_constant_int(ir_in(loop, i + 1), &first) && first == 0 &&
                      adds_one_to(ir_in(body->result, i), body->param->outputs[i]));
}

static bool is_same_in_all_turns(const ir_value *v, const ir_block *body) {
    return ir_is_constant(v) || !ir_is_inside(v, body);
}

/* A number of a range in the loop's body, of the same range in each turn; NULL: there is none. */
static ir_node *find_derived(const ir_block *body, const ir_value *counter) {
    for (size_t i = 0; i < arrlenu(counter->uses); i++) {
        ir_node *n = counter->uses[i].user;
        if (n->kind == IR_DERIVE_INDEX && n->block == body && ir_in(n, 0) == counter &&
            is_same_in_all_turns(ir_in(n, 1), body) && is_same_in_all_turns(ir_in(n, 2), body))
            return n;
    }
    return NULL;
}

/* ---- The range's numbers ---- */

typedef struct {
    ir_value *start, *step;
    ir_value *number, *following; /* in this turn and in the next */
} range_variable;

/* A constant stands before the loop when it is needed there. */
static ir_value *outside(ir_node *loop, ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c ? ir_insert_constant(loop, (ir_constant *)c) : v;
}

static range_variable add_variable(ir_node *loop, const ir_node *derived) {
    ir_block *body = loop->blocks[0];
    const type *t = ir_out(derived, 0)->type;
    range_variable v = {outside(loop, ir_in(derived, 1)), outside(loop, ir_in(derived, 2)), NULL, NULL};
    v.number = ir_block_add_param(body, ir_out(derived, 0)->name, t);
    v.following = operator_insert(body->result, "aten::add.int", v.number, v.step);
    ir_node_add_input(loop, v.start);
    ir_block_add_result(body, v.following);
    ir_node_add_output(loop, t);
    return v;
}

/* Each use of the counter for a number of this range takes the variable. */
static void replace_derived(const ir_block *body, const ir_value *counter, range_variable v) {
    for (size_t i = arrlenu(counter->uses); i-- > 0;) {
        ir_node *n = counter->uses[i].user;
        if (n->kind != IR_DERIVE_INDEX || n->block != body || !same_value(ir_in(n, 1), v.start) ||
            !same_value(ir_in(n, 2), v.step))
            continue;
        ir_replace_uses(ir_out(n, 0), v.number);
        ir_destroy(n);
    }
}

/* ---- The loop's end ---- */

static bool is_true(const ir_value *v) {
    bool value;
    return ir_constant_bool(v, &value) && value;
}

/* The end of the variable's range when its length is the loop's number of turns; NULL: it is not. */
static ir_value *end_of_range(ir_node *loop, range_variable v, int64_t step) {
    int64_t turns, start, end;
    const ir_node *length = ir_in(loop, 0)->node;
    if (length->kind == IR_RANGE_LENGTH && same_value(ir_in(length, 0), v.start) &&
        same_value(ir_in(length, 2), v.step))
        return ir_in(length, 1);
    if (!ir_constant_int(ir_in(loop, 0), &turns) || turns < 0 || !ir_constant_int(v.start, &start) ||
        __builtin_mul_overflow(turns, step, &end) || __builtin_add_overflow(start, end, &end))
        return NULL;
    return ir_insert_constant(loop, const_int(end));
}

/* Whether one of the ends tells that the range, whatever the other end is, has fewer than 2^63 numbers. */
static bool is_short(const ir_value *low, const ir_value *high) {
    int64_t n;
    return (ir_constant_int(low, &n) && n >= 0) || (ir_constant_int(high, &n) && n < 0);
}

/* Whether one of the ends tells that high - low, where that is negative, does not wrap around. */
static bool keeps_sign(const ir_value *low, const ir_value *high) {
    int64_t n;
    return (ir_constant_int(low, &n) && n <= 0) || (ir_constant_int(high, &n) && n >= -1);
}

/* Whether there is a first turn. The length of a range of 2^63 numbers or more wraps around to a negative one: PyTorch
 * takes no turn then. */
static ir_value *is_entered(ir_node *loop, ir_value *start, ir_value *end, int64_t step) {
    int64_t turns;
    if (ir_constant_int(ir_in(loop, 0), &turns))
        return ir_insert_constant(loop, const_bool(turns > 0));
    ir_value *low = step > 0 ? start : end, *high = step > 0 ? end : start;
    if (is_short(low, high))
        return operator_insert(loop, "aten::lt.int", low, high);
    ir_value *length = operator_insert(loop, "aten::sub.int", high, low);
    ir_value *is_positive = operator_insert(loop, "aten::gt.int", length, ir_insert_constant(loop, const_int(0)));
    if (keeps_sign(low, high))
        return is_positive;
    ir_value *is_ordered = operator_insert(loop, "aten::lt.int", low, high);
    return operator_insert(loop, "aten::__and__.bool", is_ordered, is_positive);
}

/* Steps of one number only: the next number cannot pass the end, nor wrap around. */
static void end_by_comparison(ir_node *loop, range_variable v) {
    ir_block *body = loop->blocks[0];
    int64_t step;
    if (ir_use_count(body->param->outputs[0]) || !ir_constant_int(v.step, &step) || (step != 1 && step != -1) ||
        !is_true(ir_in(loop, 1)) || !is_true(ir_in(body->result, 0)))
        return;
    ir_value *end = end_of_range(loop, v, step);
    if (!end)
        return;
    ir_node *length = ir_in(loop, 0)->node;
    const char *name = step > 0 ? "aten::lt.int" : "aten::gt.int";
    ir_node_set_input(loop, 1, is_entered(loop, v.start, end, step));
    ir_node_set_input(loop, 0, ir_insert_constant(loop, const_int(INT64_MAX)));
    ir_node_set_input(body->result, 0, operator_insert(body->result, name, v.following, end));
    if (length->kind == IR_RANGE_LENGTH && !ir_use_count(ir_out(length, 0)))
        ir_destroy(length);
}

static void lower_loop_ranges(ir_node *loop) {
    const ir_block *body = loop->blocks[0];
    uint32_t counters = ir_output_count(body->param);
    for (uint32_t i = 0; i < counters; i++) {
        const ir_value *counter = body->param->outputs[i];
        if (!counts_turns(loop, i))
            continue;
        for (ir_node *derived; (derived = find_derived(body, counter));) {
            range_variable v = add_variable(loop, derived);
            replace_derived(body, counter, v);
            if (i == 0)
                end_by_comparison(loop, v);
        }
    }
}

static void lower_in_block(ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            lower_in_block(n->blocks[i]);
        if (n->kind == IR_LOOP)
            lower_loop_ranges(n);
    }
}

void lower_ranges(ir_graph *g) {
    lower_in_block(g->block);
}
