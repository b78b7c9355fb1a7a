/* IR -> bytecode.
 *
 * Blocks are walked in order; a register is given to a value where it is defined and taken back where liveness says that it dies.
 * Results of branches and loops get their registers before the blocks are lowered, and the values that flow into them are
 * computed there at once where that is safe, so that most moves disappear.
 *
 * While lowering, a register is written as class << 14 | number (in operand lists: class << 24 | number); when the function is
 * done and the number of registers of each class is known, all are renumbered into one run. */
#include "exporter/codegen/lower.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/codegen/liveness.h"
#include "exporter/codegen/place.h"
#include "exporter/codegen/select.h"

enum { CLASS_SHIFT = 14, LIST_CLASS_SHIFT = 24, MAX_REGISTERS = 1 << CLASS_SHIFT, NO_REGISTER = -1 };

/* Blocks of more nodes than this may be too long for 16-bit jumps. */
enum { SHORT_JUMP_NODES = 2000 };

typedef struct {
    uint32_t pc;
    uint32_t label;
    bool is_short;
} jump_fixup;

typedef struct {
    int destination;   /* register */
    int source;        /* register, or NO_REGISTER */
    uint32_t constant; /* when there is no source register */
    const ir_constant *value;
    bool take; /* the source dies here */
} move;

typedef struct {
    unit *unit;
    function *function;
    image_function *code;
    liveness lives;
    struct {
        const ir_value *key;
        int value;
    } *registers; /* of values alive now */
    struct {
        const ir_value *key;
        int value;
    } *hints; /* registers that values should be computed into */
    struct {
        const ir_value *key;
        int value;
    } *pinned; /* loop variables: their register is not given back when the value dies */
    struct {
        const ir_node *key;
        int value;
    } *fused; /* comparisons that their branch does */
    int *free_registers[REGISTER_CLASSES];
    int used[REGISTER_CLASSES];
    uint32_t *labels; /* pc of each */
    jump_fixup *fixups;
    image_with_range *open_withs; /* `end` not known yet */
    uint32_t frame;
} lowering;

/* ---- Emitting ---- */

static uint32_t here(const lowering *l) { return (uint32_t)arrlenu(l->code->code); }

static void emit(lowering *l, opcode op, uint16_t a, uint16_t b, uint16_t c) {
    if (l->frame != IMAGE_NO_INDEX) {
        image_debug_entry *d = l->code->debug;
        if (!arrlenu(d) || d[arrlenu(d) - 1].frame != l->frame) {
            image_debug_entry entry = {here(l), l->frame};
            arrput(l->code->debug, entry);
        }
    }
    image_instruction i = {(uint16_t)op, a, b, c};
    arrput(l->code->code, i);
}

static void emit_wide(lowering *l, opcode op, uint16_t a, uint32_t d) {
    emit(l, op, a, (uint16_t)(d & 0xffff), (uint16_t)(d >> 16));
}

static uint16_t narrow(const lowering *l, uint32_t v, const char *what) {
    if (v > UINT16_MAX)
        diag_fail("function %s has too many %s", l->function->name, what);
    return (uint16_t)v;
}

static uint32_t new_label(lowering *l) {
    arrput(l->labels, 0);
    return (uint32_t)arrlenu(l->labels) - 1;
}

static void place_label(lowering *l, uint32_t label) { l->labels[label] = here(l); }

static void emit_jump(lowering *l, opcode op, uint16_t a, uint32_t label) {
    jump_fixup f = {here(l), label, false};
    arrput(l->fixups, f);
    emit(l, op, a, 0, 0);
}

static void emit_short_jump(lowering *l, opcode op, uint16_t a, uint16_t b, uint32_t label) {
    jump_fixup f = {here(l), label, true};
    arrput(l->fixups, f);
    emit(l, op, a, b, 0);
}

/* ---- Registers ---- */

static register_class class_of_register(int r) { return (register_class)(r >> CLASS_SHIFT); }

static int take_register(lowering *l, register_class c) {
    int number;
    if (arrlenu(l->free_registers[c]))
        number = arrpop(l->free_registers[c]);
    else
        number = l->used[c]++;
    if (number >= MAX_REGISTERS)
        diag_fail("function %s needs more than %d registers", l->function->name, MAX_REGISTERS);
    return (int)c << CLASS_SHIFT | number;
}

static void give_register(lowering *l, int r) {
    arrput(l->free_registers[class_of_register(r)], r & (MAX_REGISTERS - 1));
}

static int register_of(const lowering *l, const ir_value *v) {
    ptrdiff_t i = hmgeti(((lowering *)l)->registers, v);
    if (i < 0)
        diag_internal("value %%%u of %s (%s) has no register", v->id, l->function->name, ir_kind_name(v->node->kind));
    return l->registers[i].value;
}

static bool has_register(lowering *l, const ir_value *v) { return hmgeti(l->registers, v) >= 0; }

/* A register for a new value: the hinted one when there is one. */
static int define(lowering *l, const ir_value *v) {
    ptrdiff_t hint = hmgeti(l->hints, v);
    int r = hint >= 0 ? l->hints[hint].value : take_register(l, register_class_of(v->type));
    hmput(l->registers, v, r);
    if (hint >= 0)
        hmput(l->pinned, v, 1); /* the register belongs to the branch's or loop's result */
    return r;
}

/* The value is dead: its register is free unless it is a loop's or a branch's. */
static void end_value(lowering *l, const ir_value *v) {
    ptrdiff_t i = hmgeti(l->registers, v);
    if (i < 0)
        return;
    if (hmgeti(l->pinned, v) < 0)
        give_register(l, l->registers[i].value);
    hmdel(l->registers, v);
}

/* Drops and frees values that die without being an input of an instruction. */
static void drop_values(lowering *l, ir_value *const *values) {
    for (size_t i = 0; i < arrlenu(values); i++) {
        if (!has_register(l, values[i]))
            continue;
        int r = register_of(l, values[i]);
        if (class_of_register(r) == REGISTER_VALUE)
            emit(l, OPCODE_DROP, (uint16_t)r, 0, 0);
        end_value(l, values[i]);
    }
}

/* Frees the registers of values that die at n, before its results get theirs; the values to drop after the instruction when it
 * does not do so itself are returned as registers (stb_ds array). */
static int *release_inputs(lowering *l, const ir_node *n) {
    int *drops = NULL;
    ir_value **dying = liveness_at(&l->lives, n);
    for (size_t i = 0; i < arrlenu(dying); i++) {
        if (!has_register(l, dying[i]))
            continue;
        int r = register_of(l, dying[i]);
        if (class_of_register(r) == REGISTER_VALUE)
            arrput(drops, r);
        end_value(l, dying[i]);
    }
    return drops;
}

static void emit_drops(lowering *l, const int *drops, int except) {
    for (size_t i = 0; i < arrlenu(drops); i++)
        if (drops[i] != except)
            emit(l, OPCODE_DROP, (uint16_t)drops[i], 0, 0);
}

/* ---- Operand lists ---- */

static uint32_t list_register(int r) {
    return (uint32_t)class_of_register(r) << LIST_CLASS_SHIFT | (uint32_t)(r & (MAX_REGISTERS - 1));
}

static uint32_t begin_list(lowering *l, uint32_t inputs, uint32_t outputs) {
    uint32_t at = (uint32_t)arrlenu(l->code->operands);
    arrput(l->code->operands, inputs);
    arrput(l->code->operands, outputs);
    return at;
}

static bool occurs_later(const ir_node *n, uint32_t i) {
    for (uint32_t k = i + 1; k < ir_input_count(n); k++)
        if (n->inputs[k] == n->inputs[i])
            return true;
    return false;
}

/* The word of input i of n: a constant, or a register with its last use marked. */
static uint32_t input_word(lowering *l, const ir_node *n, uint32_t i) {
    const ir_value *v = n->inputs[i];
    if (!has_register(l, v)) {
        const ir_constant *c = ir_constant_of(v);
        if (!c)
            register_of(l, v); /* raises the fault */
        return IMAGE_OPERAND_CONSTANT | unit_constant(l->unit, c);
    }
    uint32_t word = list_register(register_of(l, v));
    if (class_of_register(register_of(l, v)) == REGISTER_VALUE && liveness_dies_at(&l->lives, n, v) && !occurs_later(n, i))
        word |= IMAGE_OPERAND_LAST_USE;
    return word;
}

/* An instruction with an operand list: inputs from `first` on, all outputs. */
static void emit_with_list(lowering *l, const ir_node *n, opcode op, uint16_t a, uint32_t first) {
    uint32_t outputs = ir_output_count(n);
    uint32_t at = begin_list(l, ir_input_count(n) - first, outputs);
    for (uint32_t i = first; i < ir_input_count(n); i++)
        arrput(l->code->operands, input_word(l, n, i));
    release_inputs(l, n);
    for (uint32_t i = 0; i < outputs; i++)
        arrput(l->code->operands, list_register(define(l, n->outputs[i])));
    emit_wide(l, op, a, at);
}

/* ---- Moves ---- */

static void emit_load(lowering *l, int to, const ir_constant *c) {
    uint16_t a = (uint16_t)to;
    switch (class_of_register(to)) {
    case REGISTER_INT:
        if (c->kind == CONST_INT && c->integer >= INT32_MIN && c->integer <= INT32_MAX) {
            emit_wide(l, OPCODE_LOADI, a, (uint32_t)(int32_t)c->integer);
            return;
        }
        break;
    case REGISTER_BOOL:
        if (c->kind == CONST_BOOL) {
            emit(l, OPCODE_LOADB, a, c->boolean, 0);
            return;
        }
        break;
    default:
        break;
    }
    emit_wide(l, class_of_register(to) == REGISTER_VALUE ? OPCODE_LOADC : OPCODE_LOADC_S, a, unit_constant(l->unit, c));
}

static void emit_move(lowering *l, int to, int from, bool take) {
    if (to == from)
        return;
    bool to_value = class_of_register(to) == REGISTER_VALUE, from_value = class_of_register(from) == REGISTER_VALUE;
    if (to_value && from_value && take)
        emit(l, OPCODE_TAKE, (uint16_t)to, (uint16_t)from, 0);
    else {
        emit(l, to_value ? OPCODE_MOVE : OPCODE_MOVE_S, (uint16_t)to, (uint16_t)from, 0);
        if (take && from_value)
            emit(l, OPCODE_DROP, (uint16_t)from, 0, 0);
    }
}

static bool is_read_by_other(const move *moves, size_t self, int r) {
    for (size_t i = 0; i < arrlenu(moves); i++)
        if (i != self && moves[i].source == r)
            return true;
    return false;
}

/* Does all moves as if at once: each destination is written when no other move still reads it; cycles go through a register.
 * `targets` are all the registers that the results end up in, those that need no move included: what lies there stays. */
static void emit_parallel_moves(lowering *l, move *moves, const int *targets) {
    for (size_t i = 0; i < arrlenu(moves); i++)
        for (size_t t = 0; t < arrlenu(targets); t++)
            moves[i].take &= moves[i].source != targets[t];
    while (arrlenu(moves)) {
        bool progress = false;
        for (size_t i = 0; i < arrlenu(moves); i++) {
            if (is_read_by_other(moves, i, moves[i].destination))
                continue;
            move m = moves[i];
            arrdel(moves, i);
            if (m.source == NO_REGISTER)
                emit_load(l, m.destination, m.value);
            else
                emit_move(l, m.destination, m.source, m.take && !is_read_by_other(moves, SIZE_MAX, m.source));
            progress = true;
            break;
        }
        if (progress)
            continue;
        int from = moves[0].source, spare = take_register(l, class_of_register(from));
        emit_move(l, spare, from, true);
        for (size_t i = 0; i < arrlenu(moves); i++)
            if (moves[i].source == from) {
                moves[i].source = spare;
                moves[i].take = true;
            }
        give_register(l, spare);
    }
}

/* The move of input i of n (a block's result node or a loop) into a register. */
static void add_move(lowering *l, move **moves, const ir_node *n, uint32_t i, int destination) {
    const ir_value *v = n->inputs[i];
    move m = {destination, NO_REGISTER, 0, NULL, false};
    if (has_register(l, v)) {
        m.source = register_of(l, v);
        m.take = liveness_dies_at(&l->lives, n, v);
        if (m.source == destination)
            return;
    } else if (ir_is_constant(v))
        m.value = ir_constant_of(v);
    else if (v->node->kind == IR_UNINITIALIZED)
        return;
    else
        register_of(l, v); /* raises the fault */
    arrput(*moves, m);
}

/* ---- Control flow ---- */

static void lower_block(lowering *l, const ir_block *b);

static uint32_t count_nodes(const ir_block *b) {
    uint32_t count = 0;
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        count++;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            count += count_nodes(n->blocks[i]);
    }
    return count;
}

/* The jump of a comparison whose inputs are in registers. */
static void emit_compare_jump(lowering *l, const int *registers, compare c, bool when, uint32_t label) {
    opcode op;
    int a, b;
    int16_t literal;
    select_compare_jump(c, when, &op, &a, &b, &literal);
    emit_short_jump(l, op, (uint16_t)registers[a], b == 2 ? (uint16_t)literal : (uint16_t)registers[b], label);
}

/* The comparison whose result n's condition is, when the branch itself can do it: nothing stands between them and nobody else
 * wants the result. */
static bool can_fuse(const ir_node *compare_node, const ir_node *branch) {
    compare c;
    if (!select_compare(compare_node, &c) || ir_use_count(ir_out(compare_node, 0)) != 1)
        return false;
    ir_use u = ir_out(compare_node, 0)->uses[0];
    if (u.user != branch || u.index != 0)
        return false;
    for (const ir_node *n = compare_node->next; n != branch; n = n->next)
        if (n->kind != IR_CONSTANT || place_is_in_register(n))
            return false;
    return true;
}

static void compare_registers(lowering *l, const ir_node *n, compare c, int registers[2]) {
    registers[0] = register_of(l, ir_in(n, 0));
    registers[1] = c.has_literal ? NO_REGISTER : register_of(l, ir_in(n, 1));
}

/* A value defined in block b that is computed straight into a result's register. */
static void hint_result(lowering *l, const ir_block *b, const ir_value *v, int r) {
    if (v->node->block == b && v->node != b->param && v->node->kind != IR_CONSTANT && v->node->kind != IR_UNINITIALIZED &&
        register_class_of(v->type) == class_of_register(r) && hmgeti(l->hints, v) < 0)
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

/* Values that die somewhere inside of the branches of n. */
static void collect_inner_deaths(const lowering *l, const ir_block *b, ir_value ***dead) {
    ir_value **at = liveness_at_start(&l->lives, b);
    for (size_t i = 0; i < arrlenu(at); i++)
        arrput(*dead, at[i]);
    for (const ir_node *n = ir_first(b);; n = n->next) {
        at = liveness_at(&l->lives, n);
        for (size_t i = 0; i < arrlenu(at); i++)
            arrput(*dead, at[i]);
        if (n == b->result)
            return;
        at = liveness_after(&l->lives, n);
        for (size_t i = 0; i < arrlenu(at); i++)
            arrput(*dead, at[i]);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect_inner_deaths(l, n->blocks[i], dead);
    }
}

/* A branch: its nodes, then its results into the registers of the node's outputs. */
static void lower_branch(lowering *l, const ir_block *b, const int *outputs) {
    drop_values(l, liveness_at_start(&l->lives, b));
    lower_block(l, b);
    move *moves = NULL;
    for (uint32_t i = 0; i < ir_input_count(b->result); i++)
        add_move(l, &moves, b->result, i, outputs[i]);
    emit_parallel_moves(l, moves, outputs);
    release_inputs(l, b->result);
}

static void lower_if(lowering *l, const ir_node *n) {
    const ir_node *test = ir_in(n, 0)->node;
    bool is_fused = hmgeti(l->fused, test) >= 0;
    uint32_t label_else = new_label(l), label_end = new_label(l);
    if (is_fused) {
        compare c;
        int registers[2];
        select_compare(test, &c);
        compare_registers(l, test, c, registers);
        emit_compare_jump(l, registers, c, false, label_else);
        release_inputs(l, test);
    } else {
        emit_jump(l, OPCODE_JF, (uint16_t)register_of(l, ir_in(n, 0)), label_else);
        release_inputs(l, n);
    }
    int *outputs = NULL;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        arrput(outputs, define(l, n->outputs[i]));
        for (size_t b = 0; b < 2; b++)
            hint_result(l, n->blocks[b], n->blocks[b]->result->inputs[i], outputs[i]);
    }
    /* Both branches start from the same registers. What dies in one dies in the other, so that they end alike as well. */
    register_state start = save_registers(l);
    ir_value **dead = NULL;
    collect_inner_deaths(l, n->blocks[1], &dead);
    struct {
        const ir_value *value;
        int r;
    } *alive = NULL;
    for (size_t i = 0; i < arrlenu(dead); i++)
        if (has_register(l, dead[i])) {
            arrsetlen(alive, arrlenu(alive) + 1);
            alive[arrlenu(alive) - 1].value = dead[i];
            alive[arrlenu(alive) - 1].r = register_of(l, dead[i]);
        }
    lower_branch(l, n->blocks[0], outputs);
    bool has_else = (ir_first(n->blocks[1]) != n->blocks[1]->result || ir_output_count(n) ||
                                arrlenu(liveness_at_start(&l->lives, n->blocks[1])));
    if (has_else)
        emit_jump(l, OPCODE_JMP, 0, label_end);
    place_label(l, label_else);
    restore_registers(l, start);
    for (size_t i = 0; i < arrlenu(alive); i++)
        hmput(l->registers, alive[i].value, alive[i].r);
    lower_branch(l, n->blocks[1], outputs);
    place_label(l, label_end);
}

/* The body's result may be computed into the loop variable's register when nothing reads the variable any more by then. */
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
    bool has_trip_limit; /* the trip count is not the "forever" of while loops */
    bool needs_counter;
    bool starts_true;    /* the condition before the first turn is the constant True */
    bool stays_true;     /* so is the one after each turn */
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
    s.is_short = count_nodes(body) < SHORT_JUMP_NODES;
    return s;
}

/* The jump back to the start of the body, taken while the loop goes on. */
static void emit_loop_end(lowering *l, const ir_node *n, loop_shape s, int counter, int limit, uint32_t top, uint32_t exit,
                          bool fused, const compare *c, const int *compare_in) {
    const ir_node *result = n->blocks[0]->result;
    const ir_value *condition = ir_in(result, 0);
    bool stops = ir_is_constant(condition) && !s.stays_true;
    if (stops)
        return;
    if (!s.stays_true && s.has_trip_limit)
        emit_jump(l, OPCODE_JF, (uint16_t)register_of(l, condition), exit);
    if (s.has_trip_limit) {
        if (s.is_short)
            emit_short_jump(l, OPCODE_LOOP, (uint16_t)counter, (uint16_t)limit, top);
        else {
            int spare = take_register(l, REGISTER_BOOL);
            emit(l, OPCODE_ADDK_I, (uint16_t)counter, (uint16_t)counter, 1);
            emit(l, OPCODE_LT_I, (uint16_t)spare, (uint16_t)counter, (uint16_t)limit);
            emit_jump(l, OPCODE_JT, (uint16_t)spare, top);
            give_register(l, spare);
        }
        return;
    }
    if (s.needs_counter)
        emit(l, OPCODE_ADDK_I, (uint16_t)counter, (uint16_t)counter, 1);
    if (s.stays_true)
        emit_jump(l, OPCODE_JMP, 0, top);
    else if (fused)
        emit_compare_jump(l, compare_in, *c, true, top);
    else
        emit_jump(l, OPCODE_JT, (uint16_t)register_of(l, condition), top);
}

/* Whether a register is written by one of the moves. */
static bool is_written(const move *moves, int r) {
    for (size_t i = 0; i < arrlenu(moves); i++)
        if (moves[i].destination == r)
            return true;
    return false;
}

static void lower_loop(lowering *l, const ir_node *n) {
    const ir_block *body = n->blocks[0];
    loop_shape s = shape_of(n);
    uint32_t carried = ir_output_count(n), top = new_label(l), exit = new_label(l);
    int limit = s.has_trip_limit ? register_of(l, ir_in(n, 0)) : NO_REGISTER;
    int condition = s.starts_true ? NO_REGISTER : has_register(l, ir_in(n, 1)) ? register_of(l, ir_in(n, 1)) : NO_REGISTER;

    /* Loop variables take over the registers of initial values that die here. */
    int *variables = NULL;
    for (uint32_t k = 0; k < carried; k++) {
        const ir_value *init = ir_in(n, k + 2), *param = body->param->outputs[k + 1];
        register_class wanted = register_class_of(param->type);
        bool reuse = has_register(l, init) && liveness_dies_at(&l->lives, n, init) && hmgeti(l->pinned, init) < 0 &&
                     class_of_register(register_of(l, init)) == wanted && init != ir_in(n, 0) && init != ir_in(n, 1);
        for (uint32_t j = 0; j < k && reuse; j++)
            reuse = ir_in(n, j + 2) != init;
        arrput(variables, reuse ? register_of(l, init) : take_register(l, wanted));
        if (reuse)
            hmput(l->pinned, init, 1);
    }
    move *moves = NULL;
    for (uint32_t k = 0; k < carried; k++)
        add_move(l, &moves, n, k + 2, variables[k]);
    emit_parallel_moves(l, moves, variables);

    int counter = s.needs_counter ? take_register(l, REGISTER_INT) : NO_REGISTER;
    if (s.needs_counter)
        emit_wide(l, OPCODE_LOADI, (uint16_t)counter, 0);
    if (s.has_trip_limit) {
        int spare = take_register(l, REGISTER_BOOL);
        if (s.is_short)
            emit_short_jump(l, OPCODE_JLTK_I, (uint16_t)limit, 1, exit);
        else {
            emit(l, OPCODE_GTK_I, (uint16_t)spare, (uint16_t)limit, 0);
            emit_jump(l, OPCODE_JF, (uint16_t)spare, exit);
        }
        give_register(l, spare);
    }
    if (!s.starts_true) {
        if (condition == NO_REGISTER)
            emit_jump(l, OPCODE_JMP, 0, exit); /* the constant False */
        else
            emit_jump(l, OPCODE_JF, (uint16_t)condition, exit);
    }

    /* Inputs that die here, but the limit, which every turn reads. */
    const ir_value *limit_value = ir_in(n, 0);
    bool limit_dies = false;
    ir_value **dying = liveness_at(&l->lives, n);
    for (size_t i = 0; i < arrlenu(dying); i++) {
        if (dying[i] == limit_value && s.has_trip_limit)
            limit_dies = true;
        else
            end_value(l, dying[i]);
    }

    place_label(l, top);
    if (s.needs_counter) {
        hmput(l->registers, body->param->outputs[0], counter);
        hmput(l->pinned, body->param->outputs[0], 1);
    }
    for (uint32_t k = 0; k < carried; k++) {
        hmput(l->registers, body->param->outputs[k + 1], variables[k]);
        hmput(l->pinned, body->param->outputs[k + 1], 1);
        hint_loop_result(l, body, k, variables[k]);
    }
    drop_values(l, liveness_at_start(&l->lives, body));
    lower_block(l, body);

    moves = NULL;
    for (uint32_t k = 0; k < carried; k++)
        add_move(l, &moves, body->result, k + 1, variables[k]);
    const ir_node *test = ir_in(body->result, 0)->node;
    bool fused = hmgeti(l->fused, test) >= 0 && test->block == body;
    compare c = {0};
    int compare_in[2] = {NO_REGISTER, NO_REGISTER};
    if (fused) {
        select_compare(test, &c);
        compare_registers(l, test, c, compare_in);
        if (is_written(moves, compare_in[0]) || is_written(moves, compare_in[1])) {
            /* The variables change before the jump: keep the comparison's result instead. */
            selection sel;
            int r = take_register(l, REGISTER_BOOL);
            select_instruction(test, &sel);
            uint16_t operands[3] = {(uint16_t)r, 0, 0};
            for (int i = 1; i < 3; i++)
                operands[i] = sel.pattern[i] == '0'   ? (uint16_t)compare_in[0]
                              : sel.pattern[i] == '1' ? (uint16_t)compare_in[1]
                                                      : select_literal(test, sel.pattern[i]);
            emit(l, sel.op, operands[0], operands[1], operands[2]);
            hmput(l->registers, ir_out(test, 0), r);
            fused = false;
        }
    }
    emit_parallel_moves(l, moves, variables);
    emit_loop_end(l, n, s, counter, limit, top, exit, fused, &c, compare_in);
    if (hmgeti(l->fused, test) >= 0 && test->block == body)
        release_inputs(l, test);
    release_inputs(l, body->result);
    place_label(l, exit);

    if (s.needs_counter)
        give_register(l, counter);
    if (limit_dies)
        end_value(l, limit_value);
    for (uint32_t k = 0; k < carried; k++)
        hmput(l->registers, n->outputs[k], variables[k]);
}

/* ---- Nodes ---- */

/* R[a] keeps input 2 when the instruction has no result of its own; it must not be a register that the instruction reads. */
static void lower_with_default(lowering *l, const ir_node *n, opcode op, const uint16_t operands[3]) {
    int result = define(l, ir_out(n, 0));
    const ir_value *otherwise = ir_in(n, 2);
    if (has_register(l, otherwise))
        emit_move(l, result, register_of(l, otherwise), false);
    else
        emit_load(l, result, ir_constant_of(otherwise));
    emit(l, op, (uint16_t)result, operands[1], operands[2]);
    emit_drops(l, release_inputs(l, n), NO_REGISTER);
}

static void lower_selected(lowering *l, const ir_node *n, selection s) {
    uint16_t operands[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        char letter = s.pattern[i];
        if (letter >= '0' && letter <= '2')
            operands[i] = (uint16_t)register_of(l, ir_in(n, (uint32_t)(letter - '0')));
        else if (letter != 'd' && letter != 'h' && letter != '-')
            operands[i] = select_literal(n, letter);
    }
    if (s.pattern[0] == 'h') {
        lower_with_default(l, n, s.op, operands);
        return;
    }
    bool changes_first = s.pattern[0] == '0';
    int result = NO_REGISTER;
    if (changes_first && ir_output_count(n) && ir_use_count(ir_out(n, 0))) {
        /* aten::append and _set_item return the list. */
        emit(l, s.op, operands[0], operands[1], operands[2]);
        int from = register_of(l, ir_in(n, 0));
        result = take_register(l, REGISTER_VALUE);
        emit(l, OPCODE_MOVE, (uint16_t)result, (uint16_t)from, 0);
        hmput(l->registers, ir_out(n, 0), result);
        emit_drops(l, release_inputs(l, n), NO_REGISTER);
        return;
    }
    int *drops = release_inputs(l, n);
    if (!changes_first && ir_output_count(n)) {
        result = define(l, ir_out(n, 0));
        operands[0] = (uint16_t)result;
    }
    emit(l, s.op, operands[0], operands[1], operands[2]);
    emit_drops(l, drops, result);
}

/* An instruction R[a] := f(R[b], c) whose result is a value register; a scalar result goes through a spare one. */
static void lower_value_result(lowering *l, const ir_node *n, opcode op, uint16_t c) {
    int from = register_of(l, ir_in(n, 0));
    int *drops = release_inputs(l, n);
    int result = define(l, ir_out(n, 0));
    bool scalar = class_of_register(result) != REGISTER_VALUE;
    int to = scalar ? take_register(l, REGISTER_VALUE) : result;
    emit(l, op, (uint16_t)to, (uint16_t)from, c);
    if (scalar) {
        emit(l, OPCODE_MOVE_S, (uint16_t)result, (uint16_t)to, 0);
        emit(l, OPCODE_DROP, (uint16_t)to, 0, 0);
        give_register(l, to);
    }
    emit_drops(l, drops, to);
}

static void lower_cast(lowering *l, const ir_node *n) {
    int from = register_of(l, ir_in(n, 0));
    bool dies = liveness_dies_at(&l->lives, n, ir_in(n, 0));
    bool same_class = register_class_of(ir_out(n, 0)->type) == class_of_register(from);
    if (dies && same_class && hmgeti(l->hints, ir_out(n, 0)) < 0 && hmgeti(l->pinned, ir_in(n, 0)) < 0) {
        hmdel(l->registers, ir_in(n, 0)); /* only the type changes: the register is handed on */
        hmput(l->registers, ir_out(n, 0), from);
        return;
    }
    release_inputs(l, n);
    int to = define(l, ir_out(n, 0));
    emit_move(l, to, from, dies);
}

/* x is None, x is not None, a is b. */
static void lower_identity(lowering *l, const ir_node *n) {
    bool negated = n->kind == IR_IS_NOT;
    for (uint32_t i = 0; i < 2; i++)
        if (ir_in(n, i)->type->kind == TYPE_NONE) {
            const ir_value *other = ir_in(n, 1 - i);
            int r;
            if (other->type->kind == TYPE_NONE) {
                release_inputs(l, n);
                r = define(l, ir_out(n, 0));
                emit(l, OPCODE_LOADB, (uint16_t)r, !negated, 0);
                return;
            }
            int from = register_of(l, other);
            int *drops = release_inputs(l, n);
            r = define(l, ir_out(n, 0));
            emit(l, negated ? OPCODE_NOT_NONE : OPCODE_IS_NONE, (uint16_t)r, (uint16_t)from, 0);
            emit_drops(l, drops, NO_REGISTER);
            return;
        }
    selection s = {OPCODE_IS, "d01"};
    lower_selected(l, n, s);
    if (negated) {
        uint16_t r = (uint16_t)register_of(l, ir_out(n, 0));
        emit(l, OPCODE_NOT_B, r, r, 0);
    }
}

static void lower_isinstance(lowering *l, const ir_node *n) {
    uint32_t list = begin_list(l, (uint32_t)arrlenu(n->types), 0);
    for (size_t i = 0; i < arrlenu(n->types); i++)
        arrput(l->code->operands, unit_type(l->unit, n->types[i]));
    int from = register_of(l, ir_in(n, 0));
    int *drops = release_inputs(l, n);
    int to = define(l, ir_out(n, 0));
    emit(l, OPCODE_ISINSTANCE, (uint16_t)to, (uint16_t)from, narrow(l, list, "operand lists"));
    emit_drops(l, drops, NO_REGISTER);
}

/* Lists and dicts: the output word is the type. */
static void lower_container(lowering *l, const ir_node *n, opcode op) {
    uint32_t at = begin_list(l, ir_input_count(n), 1);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        arrput(l->code->operands, input_word(l, n, i));
    arrput(l->code->operands, unit_type(l->unit, ir_out(n, 0)->type));
    release_inputs(l, n);
    emit_wide(l, op, (uint16_t)define(l, ir_out(n, 0)), at);
}

static void lower_tuple(lowering *l, const ir_node *n) {
    const type *t = ir_out(n, 0)->type;
    uint32_t at = begin_list(l, ir_input_count(n), 0);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        arrput(l->code->operands, input_word(l, n, i));
    release_inputs(l, n);
    uint16_t to = (uint16_t)define(l, ir_out(n, 0));
    if (t->kind == TYPE_TUPLE && t->field_names)
        emit(l, OPCODE_NAMED_TUPLE_CONSTRUCT, to, narrow(l, unit_type(l->unit, t), "types"), narrow(l, at, "operand lists"));
    else
        emit_wide(l, OPCODE_TUPLE_CONSTRUCT, to, at);
}

static void lower_unpack(lowering *l, const ir_node *n, opcode op) {
    int from = register_of(l, ir_in(n, 0));
    uint32_t at = begin_list(l, 0, ir_output_count(n));
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        arrput(l->code->operands, list_register(define(l, n->outputs[i])));
    emit_wide(l, op, (uint16_t)from, at);
    int *drops = release_inputs(l, n);
    emit_drops(l, drops, NO_REGISTER);
}

static void lower_tuple_slice(lowering *l, const ir_node *n) {
    uint32_t at = begin_list(l, 2, 0);
    arrput(l->code->operands, (uint32_t)n->begin);
    arrput(l->code->operands, (uint32_t)n->end);
    lower_value_result(l, n, OPCODE_TUPLE_SLICE, narrow(l, at, "operand lists"));
}

static void lower_call(lowering *l, const ir_node *n, opcode op, uint32_t first) {
    emit_with_list(l, n, op, narrow(l, unit_function(l->unit, n->callee), "functions"), first);
}

/* A call of obj.NAME(arguments) that a `with` statement makes. */
static function *context_method(const ir_value *object, const char *name) {
    function *f = object->type->definition ? class_find_method(object->type->definition, name) : NULL;
    if (!f)
        diag_internal("%s has no method %s", object->type->text, name);
    return f;
}

static void lower_enter(lowering *l, const ir_node *n) {
    function *enter = context_method(ir_in(n, 0), "__enter__");
    uint32_t object = list_register(register_of(l, ir_in(n, 0)));
    uint32_t at = begin_list(l, 1, 1);
    arrput(l->code->operands, object);
    int result = define(l, ir_out(n, 0));
    arrput(l->code->operands, list_register(result));
    emit_wide(l, OPCODE_CALL, narrow(l, unit_function(l->unit, enter), "functions"), at);
    image_with_range range = {here(l), 0, object, unit_function(l->unit, context_method(ir_in(n, 0), "__exit__"))};
    arrput(l->open_withs, range);
}

static void lower_exit(lowering *l, const ir_node *n) {
    image_with_range range = arrpop(l->open_withs);
    range.end = here(l);
    arrput(l->code->withs, range); /* inner ones end first */
    uint32_t none = IMAGE_OPERAND_CONSTANT | unit_constant(l->unit, const_none());
    uint32_t at = begin_list(l, 4, 1);
    arrput(l->code->operands, input_word(l, n, 0));
    for (int i = 0; i < 3; i++)
        arrput(l->code->operands, none);
    release_inputs(l, n);
    int ignored = take_register(l, register_class_of(context_method(ir_in(n, 0), "__exit__")->schema->returns[0].type));
    arrput(l->code->operands, list_register(ignored));
    emit_wide(l, OPCODE_CALL, narrow(l, range.exit_function, "functions"), at);
    if (class_of_register(ignored) == REGISTER_VALUE)
        emit(l, OPCODE_DROP, (uint16_t)ignored, 0, 0);
    give_register(l, ignored);
}

static void lower_operator(lowering *l, const ir_node *n) {
    const char *name = n->schema ? n->schema->full_name : ir_kind_name(n->kind);
    emit_with_list(l, n, OPCODE_OP, narrow(l, unit_operator(l->unit, name), "operators"), 0);
}

static void lower_node(lowering *l, const ir_node *n) {
    selection s;
    switch (n->kind) {
    case IR_CONSTANT:
        if (place_is_in_register(n))
            emit_load(l, define(l, ir_out(n, 0)), ir_constant_of(ir_out(n, 0)));
        return;
    case IR_UNINITIALIZED: /* any value of the register's class will do, and a free value register holds None */
        define(l, ir_out(n, 0));
        return;
    case IR_IF:
        lower_if(l, n);
        return;
    case IR_LOOP:
        lower_loop(l, n);
        return;
    case IR_UNCHECKED_CAST:
        lower_cast(l, n);
        return;
    case IR_UNWRAP_OPTIONAL:
        lower_value_result(l, n, OPCODE_UNWRAP, 0);
        return;
    case IR_WAIT:
        lower_value_result(l, n, OPCODE_WAIT, 0);
        return;
    case IR_IS:
    case IR_IS_NOT:
        lower_identity(l, n);
        return;
    case IR_ISINSTANCE:
        lower_isinstance(l, n);
        return;
    case IR_LIST_CONSTRUCT:
        lower_container(l, n, OPCODE_LIST_CONSTRUCT);
        return;
    case IR_DICT_CONSTRUCT:
        lower_container(l, n, OPCODE_DICT_CONSTRUCT);
        return;
    case IR_TUPLE_CONSTRUCT:
        lower_tuple(l, n);
        return;
    case IR_TUPLE_UNPACK:
        lower_unpack(l, n, OPCODE_TUPLE_UNPACK);
        return;
    case IR_LIST_UNPACK:
        lower_unpack(l, n, OPCODE_LIST_UNPACK);
        return;
    case IR_TUPLE_SLICE:
        lower_tuple_slice(l, n);
        return;
    case IR_CREATE_OBJECT:
        emit_wide(l, OPCODE_CREATE_OBJECT, (uint16_t)define(l, ir_out(n, 0)), unit_type(l->unit, ir_out(n, 0)->type));
        return;
    case IR_CALL_FUNCTION:
        lower_call(l, n, OPCODE_CALL, ir_input_count(n) && ir_in(n, 0)->type->kind == TYPE_FUNCTION ? 1 : 0);
        return;
    case IR_CALL_METHOD:
        lower_call(l, n, OPCODE_CALL, 0);
        return;
    case IR_FORK:
        lower_call(l, n, OPCODE_FORK, 0);
        return;
    case IR_INTERFACE_CALL:
        emit_with_list(l, n, OPCODE_INTERFACE_CALL, narrow(l, unit_method_name(l->unit, n->attribute), "method names"), 0);
        return;
    case IR_ENTER:
        lower_enter(l, n);
        return;
    case IR_EXIT:
        lower_exit(l, n);
        return;
    case IR_PRINT:
        emit_with_list(l, n, OPCODE_PRINT, 0, 0);
        return;
    case IR_WARN:
        emit_with_list(l, n, OPCODE_WARN, narrow(l, unit_warning_site(l->unit), "warnings"), 0);
        return;
    case IR_RAISE_EXCEPTION:
        emit_with_list(l, n, OPCODE_RAISE, 0, 0);
        return;
    default:
        break;
    }
    if (select_instruction(n, &s))
        lower_selected(l, n, s);
    else if (n->kind == IR_TUPLE_INDEX) {
        int index = register_of(l, ir_in(n, 1));
        lower_value_result(l, n, OPCODE_TUPLE_INDEX, (uint16_t)index);
    } else
        lower_operator(l, n);
}

static void lower_block(lowering *l, const ir_block *b) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        l->frame = unit_frame(l->unit, l->function->name, n->scope, n->range);
        const ir_node *user = ir_output_count(n) == 1 && ir_use_count(ir_out(n, 0)) == 1 ? ir_out(n, 0)->uses[0].user : NULL;
        bool is_branch = user && user->block == b &&
                         ((user->kind == IR_IF && count_nodes(user->blocks[0]) < SHORT_JUMP_NODES) ||
                          (user == b->result && b->owner && b->owner->kind == IR_LOOP && !shape_of(b->owner).has_trip_limit &&
                           shape_of(b->owner).is_short));
        if (is_branch && can_fuse(n, user)) {
            hmput(l->fused, n, 1); /* inputs stay alive until the branch */
            continue;
        }
        lower_node(l, n);
        drop_values(l, liveness_after(&l->lives, n));
    }
}

/* ---- The function ---- */

static uint16_t final_register(const int *base, uint16_t r) {
    return (uint16_t)(base[r >> CLASS_SHIFT] + (r & (MAX_REGISTERS - 1)));
}

static bool is_register_letter(char c) { return strchr("VIFBSX", c) != NULL; }

static void renumber_words(const int *base, uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!(words[i] & IMAGE_OPERAND_CONSTANT)) {
            uint32_t flags = words[i] & IMAGE_OPERAND_LAST_USE, w = words[i] & IMAGE_OPERAND_INDEX;
            words[i] = flags | ((uint32_t)base[w >> LIST_CLASS_SHIFT] + (w & ((1u << LIST_CLASS_SHIFT) - 1)));
        }
}

/* Lists whose words are registers; those of types and literals hold plain numbers. */
static bool list_holds_registers(opcode op) { return op != OPCODE_ISINSTANCE && op != OPCODE_TUPLE_SLICE; }

static void renumber(lowering *l) {
    int base[REGISTER_CLASSES + 1] = {0};
    for (int c = 0; c < REGISTER_CLASSES; c++)
        base[c + 1] = base[c] + l->used[c];
    if (base[REGISTER_CLASSES] > UINT16_MAX)
        diag_fail("function %s needs more than 65535 registers", l->function->name);
    image_function *f = l->code;
    f->value_registers = (uint16_t)l->used[REGISTER_VALUE];
    f->int_registers = (uint16_t)l->used[REGISTER_INT];
    f->float_registers = (uint16_t)l->used[REGISTER_FLOAT];
    f->bool_registers = (uint16_t)l->used[REGISTER_BOOL];
    for (size_t i = 0; i < arrlenu(f->code); i++) {
        image_instruction *in = &f->code[i];
        const char *letters = opcode_table[in->op].operands;
        uint16_t *fields[3] = {&in->a, &in->b, &in->c};
        for (int k = 0; letters[k]; k++) {
            if (is_register_letter(letters[k]))
                *fields[k] = final_register(base, *fields[k]);
            else if ((letters[k] == 'L' || letters[k] == 'l') && list_holds_registers((opcode)in->op)) {
                uint32_t at = letters[k] == 'L' ? (uint32_t)in->b | (uint32_t)in->c << 16 : *fields[k];
                bool typed = in->op == OPCODE_LIST_CONSTRUCT || in->op == OPCODE_DICT_CONSTRUCT;
                renumber_words(base, f->operands + at + 2, f->operands[at] + (typed ? 0 : f->operands[at + 1]));
            }
        }
    }
    for (size_t i = 0; i < arrlenu(f->parameters); i++)
        f->parameters[i] = final_register(base, f->parameters[i]);
    for (size_t i = 0; i < arrlenu(f->withs); i++) {
        uint32_t w = f->withs[i].object;
        f->withs[i].object = (uint32_t)base[w >> LIST_CLASS_SHIFT] + (w & ((1u << LIST_CLASS_SHIFT) - 1));
    }
}

static void resolve_jumps(lowering *l) {
    for (size_t i = 0; i < arrlenu(l->fixups); i++) {
        jump_fixup f = l->fixups[i];
        int64_t offset = (int64_t)l->labels[f.label] - (int64_t)f.pc - 1;
        image_instruction *in = &l->code->code[f.pc];
        if (f.is_short) {
            if (offset < INT16_MIN || offset > INT16_MAX)
                diag_internal("a short jump of %s is too long", l->function->name);
            in->c = (uint16_t)(int16_t)offset;
        } else {
            in->b = (uint16_t)((uint32_t)offset & 0xffff);
            in->c = (uint16_t)((uint32_t)offset >> 16);
        }
    }
}

void lower_function(unit *u, function *f, uint32_t index) {
    ir_graph *g = function_graph(f);
    place_constants(g);
    lowering l = {0};
    image_function code = {0};
    l.unit = u;
    l.function = f;
    l.code = &code;
    code.name = f->name;
    l.lives = liveness_compute(g);
    l.frame = IMAGE_NO_INDEX;
    for (uint32_t i = 0; i < ir_output_count(g->block->param); i++)
        arrput(code.parameters, (uint16_t)define(&l, g->block->param->outputs[i]));
    drop_values(&l, liveness_at_start(&l.lives, g->block));
    lower_block(&l, g->block);
    emit_with_list(&l, g->block->result, OPCODE_RET, 0, 0);
    resolve_jumps(&l);
    renumber(&l);
    unit_image(u)->functions[index] = code;
}
