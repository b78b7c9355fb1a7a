/* Branches and loops: see lower_control.h.
 *
 * Their results get registers before the blocks are lowered, and the values that flow into them are computed there at
 * once where that is safe, so that most moves disappear. */
#include "exporter/codegen/lower_control.h"

#include "exporter/codegen/hoist_constants.h"

/* Blocks of more nodes than this may be too long for 16-bit jumps. */
enum { SHORT_JUMP_NODES = 2000 };

/* The jump of a comparison whose inputs are in registers. */
static void emit_compare_jump(lowering *l, const int *registers, compare c, bool when, uint32_t label) {
    opcode op;
    int a, b;
    int16_t literal;
    select_compare_jump(c, when, &op, &a, &b, &literal);
    asm_emit_short_jump(l, op, (uint16_t)registers[a], b == 2 ? (uint16_t)literal : (uint16_t)registers[b], label);
}

/* Whether the branch can do the comparison that gives its condition itself: nothing stands between them and nothing
 * else uses the result. */
static bool can_fuse(const ir_node *compare_node, const ir_node *branch) {
    compare c;
    if (!select_compare(compare_node, &c) || ir_use_count(ir_out(compare_node, 0)) != 1)
        return false;
    ir_use u = ir_out(compare_node, 0)->uses[0];
    if (u.user != branch || u.index != 0)
        return false;
    for (const ir_node *n = compare_node->next; n != branch; n = n->next)
        if (n->kind != IR_CONSTANT || hoist_is_in_register(n))
            return false;
    return true;
}

static void compare_registers(lowering *l, const ir_node *n, compare c, int registers[2]) {
    registers[0] = asm_register_of(l, ir_in(n, 0));
    registers[1] = c.has_literal ? NO_REGISTER : asm_register_of(l, ir_in(n, 1));
}

/* Lets v be computed straight into r, the register of a result, where block b itself computes it. */
static void hint_result(lowering *l, const ir_block *b, const ir_value *v, int r) {
    if (v->node->block == b && v->node != b->param && v->node->kind != IR_CONSTANT &&
        v->node->kind != IR_UNINITIALIZED && register_class_of(v->type) == asm_class_of_register(r) &&
        hmgeti(l->hints, v) < 0)
        hmput(l->hints, v, r);
}

typedef struct {
    int *free_registers[REGISTER_CLASSES];
    int used[REGISTER_CLASSES];
} register_state;

static register_state save_registers(const lowering *l) {
    register_state s;
    for (int c = 0; c < REGISTER_CLASSES; c++) {
        s.free_registers[c] = NULL;
        s.used[c] = l->used[c];
        for (size_t i = 0; i < arrlenu(l->free_registers[c]); i++)
            arrput(s.free_registers[c], l->free_registers[c][i]);
    }
    return s;
}

/* Back to the saved state; registers that were first used since then are free too. */
static void restore_registers(lowering *l, register_state s) {
    for (int c = 0; c < REGISTER_CLASSES; c++) {
        l->free_registers[c] = s.free_registers[c];
        for (int number = s.used[c]; number < l->used[c]; number++)
            arrput(l->free_registers[c], number);
    }
}

typedef struct {
    const ir_value *value;
    int r;
} held_value;

static void collect_held(lowering *l, ir_value *const *values, held_value **held) {
    for (size_t i = 0; i < arrlenu(values); i++)
        if (asm_has_register(l, values[i])) {
            const held_value v = {values[i], asm_register_of(l, values[i])};
            arrput(*held, v);
        }
}

/* Values that have registers now and die somewhere inside of the block. */
static void collect_inner_deaths(lowering *l, const ir_block *b, held_value **held) {
    stack_check();
    collect_held(l, liveness_at_start(&l->lives, b), held);
    for (const ir_node *n = ir_first(b);; n = n->next) {
        collect_held(l, liveness_at(&l->lives, n), held);
        if (n == b->result)
            return;
        collect_held(l, liveness_after(&l->lives, n), held);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect_inner_deaths(l, n->blocks[i], held);
    }
}

/* A branch: its nodes, then its results into the registers of the node's outputs. */
static void lower_branch(lowering *l, const ir_block *b, const int *outputs) {
    asm_drop_values(l, liveness_at_start(&l->lives, b));
    lower_block(l, b);
    move *moves = NULL;
    for (uint32_t i = 0; i < ir_input_count(b->result); i++)
        asm_add_move(l, &moves, b->result, i, outputs[i]);
    asm_emit_parallel_moves(l, moves, outputs);
    asm_release_inputs(l, b->result);
}

void lower_if(lowering *l, const ir_node *n) {
    const ir_node *test = ir_in(n, 0)->node;
    bool is_fused = hmgeti(l->fused, test) >= 0;
    uint32_t label_else = asm_new_label(l), label_end = asm_new_label(l);
    if (is_fused) {
        compare c;
        int registers[2];
        select_compare(test, &c);
        compare_registers(l, test, c, registers);
        emit_compare_jump(l, registers, c, false, label_else);
        asm_release_inputs(l, test);
    } else {
        asm_emit_jump(l, OPCODE_JF, (uint16_t)asm_register_of(l, ir_in(n, 0)), label_else);
        asm_release_inputs(l, n);
    }
    int *outputs = NULL;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        arrput(outputs, asm_define(l, n->outputs[i]));
        for (size_t b = 0; b < 2; b++)
            hint_result(l, n->blocks[b], n->blocks[b]->result->inputs[i], outputs[i]);
    }
    /* Both branches start from the same registers. What dies in one dies in the other, so that they end alike as well.
     */
    register_state start = save_registers(l);
    held_value *held = NULL;
    collect_inner_deaths(l, n->blocks[1], &held);
    lower_branch(l, n->blocks[0], outputs);
    bool has_else = (ir_first(n->blocks[1]) != n->blocks[1]->result || ir_output_count(n) ||
                     arrlenu(liveness_at_start(&l->lives, n->blocks[1])));
    if (has_else)
        asm_emit_jump(l, OPCODE_JMP, 0, label_end);
    asm_place_label(l, label_else);
    restore_registers(l, start);
    for (size_t i = 0; i < arrlenu(held); i++)
        hmput(l->registers, held[i].value, held[i].r);
    lower_branch(l, n->blocks[1], outputs);
    asm_place_label(l, label_end);
}

/* The body's result may be computed into the loop variable's register when nothing reads the variable any more by then.
 */
static void hint_loop_result(lowering *l, const ir_block *body, uint32_t k, int r) {
    const ir_value *param = body->param->outputs[k + 1];
    const ir_value *result = body->result->inputs[k + 1];
    if (result->node->block != body || result->node == body->param)
        return;
    for (size_t i = 0; i < arrlenu(param->uses); i++) {
        const ir_node *user = param->uses[i].user;
        bool nested = user->block != body;
        while (user->block != body)
            user = user->block->owner;
        if (user == result->node ? nested || arrlenu(user->blocks) : !ir_is_before(user, result->node))
            return;
    }
    hint_result(l, body, result, r);
}

typedef struct {
    bool has_trip_limit; /* there is a trip count: while loops have the largest int64 */
    bool needs_counter;
    bool starts_true; /* the condition before the first iteration is the constant True */
    bool stays_true;  /* so is the one after each iteration */
    bool is_short;
} loop_shape;

static loop_shape shape_of(const ir_node *n) {
    loop_shape s = {0};
    int64_t trip;
    bool condition;
    const ir_block *body = n->blocks[0];
    s.has_trip_limit = !(ir_constant_int(ir_in(n, 0), &trip) && trip == INT64_MAX);
    s.needs_counter = s.has_trip_limit || ir_use_count(body->param->outputs[0]);
    s.starts_true = ir_constant_bool(ir_in(n, 1), &condition) && condition;
    s.stays_true = ir_constant_bool(ir_in(body->result, 0), &condition) && condition;
    s.is_short = ir_count_nodes(body) < SHORT_JUMP_NODES;
    return s;
}

/* The jump back to the start of the body, taken while the loop goes on. */
static void emit_loop_end(lowering *l, const ir_node *n, loop_shape s, int counter, int limit, uint32_t top,
                          uint32_t exit, bool fused, const compare *c, const int *compare_in) {
    const ir_node *result = n->blocks[0]->result;
    const ir_value *condition = ir_in(result, 0);
    bool stops = ir_is_constant(condition) && !s.stays_true;
    if (stops)
        return;
    if (!s.stays_true && s.has_trip_limit)
        asm_emit_jump(l, OPCODE_JF, (uint16_t)asm_register_of(l, condition), exit);
    if (s.has_trip_limit) {
        if (s.is_short)
            asm_emit_short_jump(l, OPCODE_LOOP, (uint16_t)counter, (uint16_t)limit, top);
        else {
            int spare = asm_take_register(l, REGISTER_BOOL);
            asm_emit(l, OPCODE_ADDK_I, (uint16_t)counter, (uint16_t)counter, 1);
            asm_emit(l, OPCODE_LT_I, (uint16_t)spare, (uint16_t)counter, (uint16_t)limit);
            asm_emit_jump(l, OPCODE_JT, (uint16_t)spare, top);
            asm_give_register(l, spare);
        }
        return;
    }
    if (s.needs_counter)
        asm_emit(l, OPCODE_ADDK_I, (uint16_t)counter, (uint16_t)counter, 1);
    if (s.stays_true)
        asm_emit_jump(l, OPCODE_JMP, 0, top);
    else if (fused)
        emit_compare_jump(l, compare_in, *c, true, top);
    else
        asm_emit_jump(l, OPCODE_JT, (uint16_t)asm_register_of(l, condition), top);
}

/* Whether a register is written by one of the moves. */
static bool is_written(const move *moves, int r) {
    for (size_t i = 0; i < arrlenu(moves); i++)
        if (moves[i].destination == r)
            return true;
    return false;
}

/* The registers of the loop's variables: those of initial values that die here, where they fit, and new ones. */
static int *take_variables(lowering *l, const ir_node *n) {
    int *variables = NULL;
    for (uint32_t k = 0; k < ir_output_count(n); k++) {
        const ir_value *init = ir_in(n, k + 2), *param = n->blocks[0]->param->outputs[k + 1];
        register_class wanted = register_class_of(param->type);
        bool reuse = asm_has_register(l, init) && liveness_dies_at(&l->lives, n, init) && hmgeti(l->pinned, init) < 0 &&
                     asm_class_of_register(asm_register_of(l, init)) == wanted && init != ir_in(n, 0) &&
                     init != ir_in(n, 1);
        for (uint32_t j = 0; j < k && reuse; j++)
            reuse = ir_in(n, j + 2) != init;
        arrput(variables, reuse ? asm_register_of(l, init) : asm_take_register(l, wanted));
        if (reuse)
            hmput(l->pinned, init, 1);
    }
    return variables;
}

/* The jumps past a loop that runs no iteration. */
static void emit_loop_entry(lowering *l, loop_shape s, int limit, int condition, uint32_t exit) {
    if (s.has_trip_limit) {
        int spare = asm_take_register(l, REGISTER_BOOL);
        if (s.is_short)
            asm_emit_short_jump(l, OPCODE_JLTK_I, (uint16_t)limit, 1, exit);
        else {
            asm_emit(l, OPCODE_GTK_I, (uint16_t)spare, (uint16_t)limit, 0);
            asm_emit_jump(l, OPCODE_JF, (uint16_t)spare, exit);
        }
        asm_give_register(l, spare);
    }
    if (!s.starts_true) {
        if (condition == NO_REGISTER)
            asm_emit_jump(l, OPCODE_JMP, 0, exit); /* the constant False */
        else
            asm_emit_jump(l, OPCODE_JF, (uint16_t)condition, exit);
    }
}

/* Gives back the registers of inputs that die here, except that of the limit, which every iteration reads. Returns
 * whether the limit dies here. */
static bool end_dying_inputs(lowering *l, const ir_node *n, bool has_trip_limit) {
    bool limit_dies = false;
    ir_value **dying = liveness_at(&l->lives, n);
    for (size_t i = 0; i < arrlenu(dying); i++) {
        if (dying[i] == ir_in(n, 0) && has_trip_limit)
            limit_dies = true;
        else
            asm_end_value(l, dying[i]);
    }
    return limit_dies;
}

/* The body, with the variables in their registers at its start. */
static void lower_loop_body(lowering *l, const ir_node *n, const int *variables, int counter) {
    const ir_block *body = n->blocks[0];
    if (counter != NO_REGISTER) {
        hmput(l->registers, body->param->outputs[0], counter);
        hmput(l->pinned, body->param->outputs[0], 1);
    }
    for (uint32_t k = 0; k < ir_output_count(n); k++) {
        hmput(l->registers, body->param->outputs[k + 1], variables[k]);
        hmput(l->pinned, body->param->outputs[k + 1], 1);
        hint_loop_result(l, body, k, variables[k]);
    }
    asm_drop_values(l, liveness_at_start(&l->lives, body));
    lower_block(l, body);
}

/* The result of a deferred comparison in a register of its own. */
static void emit_compare_value(lowering *l, const ir_node *test, const int *compare_in) {
    selection s;
    int r = asm_take_register(l, REGISTER_BOOL);
    select_instruction(test, builder_target(l->builder), &s);
    uint16_t operands[3] = {(uint16_t)r, 0, 0};
    for (int i = 1; i < 3; i++)
        operands[i] = s.pattern[i] == '0'   ? (uint16_t)compare_in[0]
                      : s.pattern[i] == '1' ? (uint16_t)compare_in[1]
                                            : select_literal(test, s.pattern[i]);
    asm_emit(l, s.op, operands[0], operands[1], operands[2]);
    hmput(l->registers, ir_out(test, 0), r);
}

void lower_loop(lowering *l, const ir_node *n) {
    const ir_block *body = n->blocks[0];
    loop_shape s = shape_of(n);
    uint32_t carried = ir_output_count(n), top = asm_new_label(l), exit = asm_new_label(l);
    int limit = s.has_trip_limit ? asm_register_of(l, ir_in(n, 0)) : NO_REGISTER;
    int condition = s.starts_true                      ? NO_REGISTER
                    : asm_has_register(l, ir_in(n, 1)) ? asm_register_of(l, ir_in(n, 1))
                                                       : NO_REGISTER;
    int *variables = take_variables(l, n);
    move *moves = NULL;
    for (uint32_t k = 0; k < carried; k++)
        asm_add_move(l, &moves, n, k + 2, variables[k]);
    asm_emit_parallel_moves(l, moves, variables);

    int counter = s.needs_counter ? asm_take_register(l, REGISTER_INT) : NO_REGISTER;
    if (s.needs_counter)
        asm_emit_wide(l, OPCODE_LOADI, (uint16_t)counter, 0);
    emit_loop_entry(l, s, limit, condition, exit);
    bool limit_dies = end_dying_inputs(l, n, s.has_trip_limit);

    asm_place_label(l, top);
    lower_loop_body(l, n, variables, counter);

    moves = NULL;
    for (uint32_t k = 0; k < carried; k++)
        asm_add_move(l, &moves, body->result, k + 1, variables[k]);
    const ir_node *test = ir_in(body->result, 0)->node;
    bool deferred = hmgeti(l->fused, test) >= 0 && test->block == body, fused = deferred;
    compare c = {0};
    int compare_in[2] = {NO_REGISTER, NO_REGISTER};
    if (deferred) {
        select_compare(test, &c);
        compare_registers(l, test, c, compare_in);
        /* When the variables change before the jump, the comparison's result is kept instead. */
        fused = !is_written(moves, compare_in[0]) && !is_written(moves, compare_in[1]);
        if (!fused)
            emit_compare_value(l, test, compare_in);
    }
    asm_emit_parallel_moves(l, moves, variables);
    emit_loop_end(l, n, s, counter, limit, top, exit, fused, &c, compare_in);
    if (deferred)
        asm_release_inputs(l, test);
    asm_release_inputs(l, body->result);
    asm_place_label(l, exit);

    if (s.needs_counter)
        asm_give_register(l, counter);
    if (limit_dies)
        asm_end_value(l, ir_in(n, 0));
    for (uint32_t k = 0; k < carried; k++)
        hmput(l->registers, n->outputs[k], variables[k]);
}

bool lower_defers_compare(lowering *l, const ir_block *b, const ir_node *n) {
    const ir_node *user =
        ir_output_count(n) == 1 && ir_use_count(ir_out(n, 0)) == 1 ? ir_out(n, 0)->uses[0].user : NULL;
    if (!user || user->block != b)
        return false;
    bool ends_if = user->kind == IR_IF && ir_count_nodes(user->blocks[0]) < SHORT_JUMP_NODES;
    bool ends_loop = user == b->result && b->owner && b->owner->kind == IR_LOOP && !shape_of(b->owner).has_trip_limit &&
                     shape_of(b->owner).is_short;
    if (!(ends_if || ends_loop) || !can_fuse(n, user))
        return false;
    hmput(l->fused, n, 1); /* inputs stay alive until the branch */
    return true;
}
