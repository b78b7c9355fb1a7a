/* Jumps, comparisons and dead numbers of written instructions: see optimize_code.h. */
#include "exporter/codegen/optimize_code.h"

#include <string.h>

#include "exporter/codegen/coalesce_moves.h"
#include "exporter/codegen/code_flow.h"
#include "exporter/codegen/reuse_loads.h"

static uint32_t length_of(const lowering *l) {
    return (uint32_t)arrlenu(l->code->code);
}

static image_instruction *at(const lowering *l, uint32_t pc) {
    return &l->code->code[pc];
}

/* Flags for all instructions, all false; freed by the caller. */
static bool *new_flags(const lowering *l) {
    bool *flags = NULL;
    arrsetlen(flags, length_of(l));
    memset(flags, 0, length_of(l));
    return flags;
}

/* Of the jumps to an instruction: 0 for none, the place of the only one + 1, or MANY. */
#define MANY UINT32_MAX

static void add_jump(uint32_t *is_target, uint32_t from, uint32_t to) {
    is_target[to] = is_target[to] ? MANY : from + 1;
}

/* The jumps to all instructions; freed by the caller. */
static uint32_t *find_targets(const lowering *l) {
    uint32_t *is_target = NULL;
    arrsetlen(is_target, length_of(l));
    memset(is_target, 0, length_of(l) * sizeof *is_target);
    for (uint32_t pc = 0; pc < length_of(l); pc++)
        if (flow_is_jump(l, pc))
            add_jump(is_target, pc, flow_target(l, pc));
    return is_target;
}

static void compact(lowering *l, bool *is_dead) {
    flow_compact(l, is_dead);
    arrfree(is_dead);
}

/* ---- Known conditions ---- */

enum { UNKNOWN = -1 };

static bool tests_bool(const image_instruction *in) {
    return in->op == OPCODE_JF || in->op == OPCODE_JT;
}

enum { MOST_FACTS = 8, MOST_STEPS_BACK = 256 };

/* What is known of bool registers at a place that is gone back from. */
typedef struct {
    int r[MOST_FACTS], value[MOST_FACTS];
    int count;
} facts;

static void learn(facts *known, int r, int value) {
    if (known->count < MOST_FACTS) {
        known->r[known->count] = r;
        known->value[known->count++] = value;
    }
}

static void forget(facts *known, int r) {
    int kept = 0;
    for (int i = 0; i < known->count; i++)
        if (known->r[i] != r) {
            known->r[kept] = known->r[i];
            known->value[kept++] = known->value[i];
        }
    known->count = kept;
}

static int recall(const facts *known, int r) {
    for (int i = 0; i < known->count; i++)
        if (known->r[i] == r)
            return known->value[i];
    return UNKNOWN;
}

/* The instruction that always comes before the one at pc, and whether it does so by a jump; false when there is none.
 */
static bool comes_before(const lowering *l, const uint32_t *is_target, uint32_t *pc, bool *is_taken) {
    bool falls = *pc > 0 && flow_falls_through(l, *pc - 1);
    *is_taken = is_target[*pc] != 0;
    if (*is_taken ? falls || is_target[*pc] == MANY : !falls)
        return false;
    *pc = *is_taken ? is_target[*pc] - 1 : *pc - 1;
    return true;
}

/* The value that a bool register has behind instruction pc, or when the jump there is taken, as far as the instructions
 * tell that always come before it: 0, 1 or UNKNOWN. */
static int known_bool(const lowering *l, const uint32_t *is_target, uint32_t pc, bool is_taken, int r) {
    facts known = {0};
    int flipped = 0;
    for (int steps = 0; steps < MOST_STEPS_BACK; steps++) {
        const image_instruction *in = at(l, pc);
        if (tests_bool(in))
            learn(&known, in->a, (in->op == OPCODE_JT) == is_taken);
        const scalar_operand *o = flow_operands(l, pc);
        bool is_written = false;
        for (size_t i = 0; i < arrlenu(o); i++)
            if (o[i].is_written) {
                if (o[i].r != r)
                    forget(&known, o[i].r);
                is_written |= o[i].r == r;
            }
        if (recall(&known, r) != UNKNOWN)
            return recall(&known, r) ^ flipped;
        if (is_written) {
            forget(&known, r);
            if (in->op == OPCODE_LOADB)
                return in->b ^ flipped;
            bool is_copy =
                in->op == OPCODE_NOT_B || (in->op == OPCODE_MOVE_S && asm_class_of_register(in->b) == REGISTER_BOOL);
            if (!is_copy)
                return UNKNOWN;
            flipped ^= in->op == OPCODE_NOT_B;
            r = in->b;
            if (recall(&known, r) != UNKNOWN)
                return recall(&known, r) ^ flipped;
        }
        if (!comes_before(l, is_target, &pc, &is_taken))
            return UNKNOWN;
    }
    return UNKNOWN;
}

/* Where the test at pc goes on when its register has this value. */
static uint32_t after_test(const lowering *l, uint32_t pc, int value) {
    return (at(l, pc)->op == OPCODE_JT) == (value != 0) ? flow_target(l, pc) : pc + 1;
}

enum { MOST_HOPS = 8 };

/* A way that a jump could take, on which instructions are left out that only write registers. */
typedef struct {
    uint32_t at;
    struct {
        int r, value;
    } skipped[MOST_HOPS]; /* the registers, and what a bool one has behind them: 0, 1 or UNKNOWN */
    int count;
} way;

/* The value that a bool register has on the way of the jump at pc. */
static int known_on(const lowering *l, const uint32_t *is_target, uint32_t pc, const way *w, int r) {
    for (int i = w->count; i-- > 0;)
        if (w->skipped[i].r == r)
            return w->skipped[i].value;
    return known_bool(l, is_target, pc, true, r);
}

/* One step on: through a jump, a test whose result is known, or an instruction that only writes a register. */
static bool go_on(const lowering *l, const uint32_t *is_target, uint32_t pc, way *w) {
    const image_instruction *in = at(l, w->at);
    if (in->op == OPCODE_JMP) {
        w->at = flow_target(l, w->at);
        return true;
    }
    if (tests_bool(in)) {
        int value = known_on(l, is_target, pc, w, in->a);
        if (value == UNKNOWN)
            return false;
        w->at = after_test(l, w->at, value);
        return true;
    }
    if (!flow_is_pure(l, w->at) || w->count == MOST_HOPS)
        return false;
    int value = UNKNOWN;
    if (in->op == OPCODE_LOADB)
        value = in->b;
    else if (in->op == OPCODE_MOVE_S && asm_class_of_register(in->a) == REGISTER_BOOL)
        value = known_on(l, is_target, pc, w, in->b);
    w->skipped[w->count].r = in->a;
    w->skipped[w->count++].value = value;
    w->at++;
    return true;
}

/* Both ways of another jump may lead to one place. */
static bool go_through_both(const lowering *l, const uint32_t *is_target, uint32_t pc, way *w) {
    const image_instruction *in = at(l, w->at);
    if (!flow_is_jump(l, w->at) || in->op == OPCODE_LOOP)
        return false;
    way taken = *w, other = *w;
    taken.at = flow_target(l, w->at);
    other.at = w->at + 1;
    for (int hops = 0; hops < MOST_HOPS && other.at != taken.at; hops++)
        if (!go_on(l, is_target, pc, &other))
            return false;
    if (other.at != taken.at)
        return false;
    for (int i = w->count; i < other.count; i++)
        other.skipped[i].value = UNKNOWN; /* the other way does not write it */
    *w = other;
    return true;
}

/* Nobody reads what the instructions that were left out would have written. */
static bool skips_nothing_alive(const lowering *l, const live_scalars *lives, const way *w) {
    for (int i = 0; i < w->count; i++)
        if (live_in_front(l, lives, w->at, w->skipped[i].r))
            return false;
    return true;
}

/* A jump goes on where those behind it would, as far as that is known. */
static bool thread_jump(lowering *l, uint32_t *is_target, const live_scalars *lives, uint32_t pc) {
    uint32_t to = flow_target(l, pc);
    way w = {.at = to};
    for (int hops = 0; hops < 2 * MOST_HOPS; hops++) {
        if (!go_on(l, is_target, pc, &w) && !go_through_both(l, is_target, pc, &w))
            break;
        if (skips_nothing_alive(l, lives, &w))
            to = w.at;
    }
    if (to == flow_target(l, pc))
        return false;
    flow_set_target(l, pc, to);
    add_jump(is_target, pc, to); /* what is known there is no longer what comes before it */
    return true;
}

/* The instruction becomes a jump. */
static void jump_from(lowering *l, uint32_t *is_target, uint32_t pc, uint32_t to) {
    *at(l, pc) = (image_instruction){OPCODE_JMP, 0, 0, 0};
    flow_set_target(l, pc, to);
    add_jump(is_target, pc, to);
}

/* A test of what is known is a jump, or none. */
static bool decide_test(lowering *l, uint32_t *is_target, uint32_t pc) {
    const image_instruction *in = at(l, pc);
    uint32_t before = pc;
    bool is_taken;
    if (!tests_bool(in) || !comes_before(l, is_target, &before, &is_taken))
        return false;
    int value = known_bool(l, is_target, before, is_taken, in->a);
    if (value == UNKNOWN)
        return false;
    jump_from(l, is_target, pc, after_test(l, pc, value));
    return true;
}

/* x := y, and then y := x: the second says nothing. Where other ways lead to it too, it is jumped over, as far as x is
 * no longer needed. */
static bool skip_move_back(lowering *l, uint32_t *is_target, const live_scalars *lives, uint32_t pc) {
    const image_instruction move = *at(l, pc);
    if (move.op != OPCODE_MOVE_S || move.a == move.b || asm_class_of_register(move.b) == REGISTER_VALUE)
        return false;
    bool jumps = at(l, pc + 1)->op == OPCODE_JMP;
    uint32_t to = jumps ? flow_target(l, pc + 1) : pc + 1;
    const image_instruction *back = at(l, to);
    if (back->op != OPCODE_MOVE_S || back->a != move.b || back->b != move.a)
        return false;
    if (jumps) {
        if (is_target[pc + 1]) /* x is something else there */
            return false;
        jump_from(l, is_target, pc + 1, to + 1);
        return true;
    }
    if (live_behind(lives, to, move.a))
        return false;
    jump_from(l, is_target, pc, to + 1);
    return true;
}

/* A constant that only the test behind it reads is a jump. */
static bool thread_constant(lowering *l, uint32_t *is_target, const live_scalars *lives, uint32_t pc) {
    const image_instruction *in = at(l, pc), *test = in + 1;
    if (in->op != OPCODE_LOADB || !tests_bool(test) || test->a != in->a || live_behind(lives, pc + 1, in->a))
        return false;
    jump_from(l, is_target, pc, after_test(l, pc + 1, in->b));
    return true;
}

static bool thread_jumps(lowering *l) {
    bool changed = false;
    live_scalars lives = flow_liveness(l);
    uint32_t *is_target = find_targets(l);
    for (uint32_t pc = 0; pc + 1 < length_of(l); pc++)
        changed |= thread_constant(l, is_target, &lives, pc) || skip_move_back(l, is_target, &lives, pc);
    live_free(&lives);
    arrfree(is_target);
    is_target = find_targets(l);
    lives = flow_liveness(l);
    for (uint32_t pc = 0; pc < length_of(l); pc++)
        if (flow_is_jump(l, pc) && at(l, pc)->op != OPCODE_LOOP)
            changed |= thread_jump(l, is_target, &lives, pc);
    arrfree(is_target);
    is_target = find_targets(l);
    for (uint32_t pc = 0; pc < length_of(l); pc++)
        changed |= decide_test(l, is_target, pc);
    arrfree(is_target);
    live_free(&lives);
    return changed;
}

/* ---- Jumps around jumps ---- */

/* The jump for the opposite condition; false when there is none. */
static bool invert(image_instruction *in) {
    static const opcode pairs[][2] = {{OPCODE_JT, OPCODE_JF},         {OPCODE_JEQ_I, OPCODE_JNE_I},
                                      {OPCODE_JEQK_I, OPCODE_JNEK_I}, {OPCODE_JLTK_I, OPCODE_JGEK_I},
                                      {OPCODE_JLT_F, OPCODE_JNLT_F},  {OPCODE_JNONE, OPCODE_JNOTNONE},
                                      {OPCODE_JLT_I, OPCODE_JLE_I}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int k = 0; k < 2; k++)
            if (in->op == pairs[i][k]) {
                uint16_t a = in->a;
                in->op = (uint16_t)pairs[i][1 - k];
                if (pairs[i][0] == OPCODE_JLT_I) { /* not a < b is b <= a */
                    in->a = in->b;
                    in->b = a;
                }
                return true;
            }
    return false;
}

static bool straighten(lowering *l) {
    bool changed = false, *is_dead = new_flags(l);
    uint32_t *is_target = find_targets(l);
    for (uint32_t pc = 0; pc + 1 < length_of(l); pc++) {
        if (!flow_is_jump(l, pc))
            continue;
        bool jumps_next = at(l, pc + 1)->op == OPCODE_JMP && !is_target[pc + 1] && flow_target(l, pc) == pc + 2;
        uint32_t to = jumps_next ? flow_target(l, pc + 1) : 0;
        if (jumps_next && invert(at(l, pc))) {
            flow_set_target(l, pc, to);
            is_dead[pc + 1] = changed = true;
        } else if (flow_target(l, pc) == pc + 1 && at(l, pc)->op != OPCODE_LOOP)
            is_dead[pc] = changed = true;
    }
    arrfree(is_target);
    compact(l, is_dead);
    return changed;
}

/* ---- What cannot be reached, and what nobody reads ---- */

static bool drop_unreachable(lowering *l) {
    bool *is_dead = new_flags(l), changed = false;
    uint32_t *work = NULL;
    memset(is_dead, true, length_of(l));
    arrput(work, 0);
    while (arrlenu(work)) {
        uint32_t pc = arrpop(work);
        if (!is_dead[pc])
            continue;
        is_dead[pc] = false;
        if (flow_falls_through(l, pc))
            arrput(work, pc + 1);
        if (flow_is_jump(l, pc))
            arrput(work, flow_target(l, pc));
    }
    for (uint32_t pc = 0; pc < length_of(l); pc++)
        changed |= is_dead[pc];
    arrfree(work);
    compact(l, is_dead);
    return changed;
}

static bool drop_unread(lowering *l) {
    bool *is_dead = new_flags(l), changed = false;
    live_scalars lives = flow_liveness(l);
    for (uint32_t pc = 0; pc < length_of(l); pc++) {
        const image_instruction *in = at(l, pc);
        bool is_idle = in->op == OPCODE_MOVE_S && in->a == in->b;
        is_dead[pc] = is_idle || (flow_is_pure(l, pc) && !live_behind(&lives, pc, in->a));
        changed |= is_dead[pc];
    }
    live_free(&lives);
    compact(l, is_dead);
    return changed;
}

/* ---- Pairs that are one instruction ---- */

/* Moves come before the steps of counters, which then stand beside the comparisons that they can be one with. */
static void sink_steps(lowering *l) {
    uint32_t *is_target = find_targets(l);
    for (uint32_t pc = 0; pc + 1 < length_of(l); pc++) {
        const image_instruction step = *at(l, pc), move = *at(l, pc + 1);
        if (step.op != OPCODE_ADDK_I || step.a != step.b || move.op != OPCODE_MOVE_S || is_target[pc + 1] ||
            move.a == step.a || move.b == step.a)
            continue;
        *at(l, pc) = move;
        *at(l, pc + 1) = step;
    }
    arrfree(is_target);
}

/* A step of one and the comparison that ends a loop. */
static bool fuse_step(const lowering *l, uint32_t pc) {
    image_instruction *step = at(l, pc), *end = step + 1;
    if (step->op != OPCODE_ADDK_I || step->a != step->b || step->c != 1 || end->op != OPCODE_JLT_I ||
        end->a != step->a || end->b == step->a)
        return false;
    uint32_t to = flow_target(l, pc + 1);
    *end = (image_instruction){OPCODE_LOOP, end->a, end->b, 0};
    flow_set_target((lowering *)l, pc + 1, to);
    return true;
}

/* The jump that is taken when a comparison holds. */
static bool jump_for(const image_instruction *test, image_instruction *jump) {
    static const struct {
        opcode test, jump;
        int more; /* added to the literal */
        bool is_literal;
    } table[] = {{OPCODE_EQ_I, OPCODE_JEQ_I, 0, false},  {OPCODE_NE_I, OPCODE_JNE_I, 0, false},
                 {OPCODE_LT_I, OPCODE_JLT_I, 0, false},  {OPCODE_LE_I, OPCODE_JLE_I, 0, false},
                 {OPCODE_EQK_I, OPCODE_JEQK_I, 0, true}, {OPCODE_NEK_I, OPCODE_JNEK_I, 0, true},
                 {OPCODE_LTK_I, OPCODE_JLTK_I, 0, true}, {OPCODE_GEK_I, OPCODE_JGEK_I, 0, true},
                 {OPCODE_LEK_I, OPCODE_JLTK_I, 1, true}, {OPCODE_GTK_I, OPCODE_JGEK_I, 1, true},
                 {OPCODE_LT_F, OPCODE_JLT_F, 0, false},  {OPCODE_NOT_B, OPCODE_JF, 0, false}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (test->op != table[i].test || (table[i].more && test->c == INT16_MAX))
            continue;
        *jump = (image_instruction){(uint16_t)table[i].jump, test->b, test->c, 0};
        if (table[i].is_literal)
            jump->b = (uint16_t)(test->c + table[i].more);
        return true;
    }
    return false;
}

/* A comparison and the jump that is all that reads it. */
static bool fuse_test(const lowering *l, const live_scalars *lives, uint32_t pc) {
    const image_instruction *test = at(l, pc);
    image_instruction *jump = at(l, pc + 1), fused;
    if (!tests_bool(jump) || jump->a != test->a || live_behind(lives, pc + 1, test->a) || !jump_for(test, &fused) ||
        (jump->op == OPCODE_JF && !invert(&fused)))
        return false;
    uint32_t to = flow_target(l, pc + 1);
    *jump = fused;
    flow_set_target((lowering *)l, pc + 1, to);
    return true;
}

static bool fuse_pairs(lowering *l) {
    uint32_t *is_target = find_targets(l);
    bool *is_dead = new_flags(l), changed = false;
    live_scalars lives = flow_liveness(l);
    for (uint32_t pc = 0; pc + 1 < length_of(l); pc++)
        if (!is_target[pc + 1] && (fuse_step(l, pc) || fuse_test(l, &lives, pc)))
            is_dead[pc] = changed = true;
    live_free(&lives);
    arrfree(is_target);
    compact(l, is_dead);
    return changed;
}

/* ---- All of it ---- */

enum { MOST_ROUNDS = 20 };

void optimize_code(lowering *l) {
    if (flow_is_too_long(l))
        return;
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        sink_steps(l);
        changed = thread_jumps(l);
        changed |= straighten(l);
        changed |= drop_unreachable(l);
        changed |= drop_unread(l);
        if (!changed) {
            changed = reuse_loads(l);
            separate_lives(l);
            changed |= reuse_loads(l);
            coalesce_moves(l);
        }
        changed |= drop_unread(l);
        changed |= fuse_pairs(l);
    }
}
