/* Lives of scalar registers, which of them overlap, and new registers: see coalesce_moves.h. */
#include "exporter/codegen/coalesce_moves.h"

#include <string.h>

#include "exporter/codegen/code_flow.h"

/* A life begins where a register is written, or where ways meet that bring different ones; lives of which one goes on
 * as the other are joined (`parent`). */
typedef struct {
    lowering *l;
    live_scalars lives;
    int registers;    /* indices of live_index */
    int *parent;      /* of a life: another one that it is part of, or itself */
    int *class_of;    /* of each life */
    int *current;     /* the life of each register at the instruction at hand */
    int *at_meeting;  /* of each instruction where ways meet: the first of its registers' lives; -1: of others */
    int *of_operand;  /* the lives of all operands, in the order of flow_operands */
    uint64_t *matrix; /* overlap, a row of `words` for each life */
    size_t words;
    bool is_joined; /* else each life gets a register of its own */
} coalescing;

static uint32_t length_of(const coalescing *c) {
    return (uint32_t)arrlenu(c->l->code->code);
}

/* ---- Lives ---- */

static int find(coalescing *c, int life) {
    while (c->parent[life] != life)
        life = c->parent[life] = c->parent[c->parent[life]];
    return life;
}

static int new_life(coalescing *c, int class) {
    int life = (int)arrlenu(c->parent);
    arrput(c->parent, life);
    arrput(c->class_of, class);
    return life;
}

static int class_of_index(const coalescing *c, int index) {
    int class = REGISTER_INT;
    while (index >= c->lives.base[class + 1])
        class ++;
    return class;
}

static void begin_lives_at(coalescing *c, uint32_t pc) {
    if (c->at_meeting[pc] >= 0)
        return;
    c->at_meeting[pc] = (int)arrlenu(c->parent);
    for (int i = 0; i < c->registers; i++)
        (void)new_life(c, class_of_index(c, i));
}

static void find_meetings(coalescing *c) {
    for (uint32_t pc = 0; pc < length_of(c); pc++)
        arrput(c->at_meeting, -1);
    begin_lives_at(c, 0);
    for (uint32_t pc = 0; pc < length_of(c); pc++)
        if (flow_is_jump(c->l, pc))
            begin_lives_at(c, flow_target(c->l, pc));
}

/* What is alive in front of an instruction; the caller's set. */
static void front_of(const coalescing *c, uint32_t pc, uint64_t *set) {
    memcpy(set, c->lives.behind + pc * c->lives.words, c->lives.words * sizeof *set);
    live_step(c->l, &c->lives, pc, set);
}

static bool has(const uint64_t *set, int i) {
    return set[i / 64] >> i % 64 & 1;
}

/* The lives at hand go on as those that begin at `pc`. */
static void join_at(coalescing *c, uint32_t pc, uint64_t *set) {
    front_of(c, pc, set);
    for (int i = 0; i < c->registers; i++)
        if (has(set, i))
            c->parent[find(c, c->current[i])] = find(c, c->at_meeting[pc] + i);
}

static void enter(coalescing *c, uint32_t pc) {
    if (c->at_meeting[pc] >= 0)
        for (int i = 0; i < c->registers; i++)
            c->current[i] = c->at_meeting[pc] + i;
}

/* Gives each operand its life, and joins lives where ways meet. */
static void find_lives(coalescing *c) {
    uint64_t *set = NULL;
    arrsetlen(set, c->lives.words);
    for (uint32_t pc = 0; pc < length_of(c); pc++) {
        if (pc > 0 && c->at_meeting[pc] >= 0 && flow_falls_through(c->l, pc - 1))
            join_at(c, pc, set);
        enter(c, pc);
        const scalar_operand *o = flow_operands(c->l, pc);
        size_t count = arrlenu(o), first = arrlenu(c->of_operand);
        for (size_t i = 0; i < count; i++) {
            bool is_new = o[i].is_written && !o[i].is_read;
            int life = is_new ? new_life(c, o[i].r >> CLASS_SHIFT) : c->current[live_index(&c->lives, o[i].r)];
            arrput(c->of_operand, life);
        }
        for (size_t i = 0; i < count; i++)
            if (o[i].is_written)
                c->current[live_index(&c->lives, o[i].r)] = c->of_operand[first + i];
        if (flow_is_jump(c->l, pc))
            join_at(c, flow_target(c->l, pc), set);
    }
    arrfree(set);
}

/* ---- Overlap ---- */

static bool overlap(const coalescing *c, int a, int b) {
    return c->matrix[(size_t)a * c->words + (size_t)b / 64] >> b % 64 & 1;
}

static void note_overlap(coalescing *c, int a, int b) {
    if (a == b)
        return;
    c->matrix[(size_t)a * c->words + (size_t)b / 64] |= UINT64_C(1) << b % 64;
    c->matrix[(size_t)b * c->words + (size_t)a / 64] |= UINT64_C(1) << a % 64;
}

/* Parents become numbers in a row; how many there are. */
static int number_lives(coalescing *c) {
    int count = 0, *number = NULL;
    for (size_t i = 0; i < arrlenu(c->parent); i++)
        arrput(number, -1);
    int *classes = NULL;
    for (size_t i = 0; i < arrlenu(c->of_operand); i++) {
        int root = find(c, c->of_operand[i]);
        if (number[root] < 0) {
            number[root] = count++;
            arrput(classes, c->class_of[root]);
        }
    }
    /* Lives of parameters that nobody reads have no operand. */
    for (int i = 0; i < c->registers; i++) {
        int root = find(c, c->at_meeting[0] + i);
        if (number[root] < 0) {
            number[root] = count++;
            arrput(classes, c->class_of[root]);
        }
    }
    for (size_t i = 0; i < arrlenu(c->parent); i++)
        number[i] = number[i] >= 0 ? number[i] : number[find(c, (int)i)];
    arrfree(c->parent);
    arrfree(c->class_of);
    c->parent = number; /* from here on: of each life, its number */
    c->class_of = classes;
    return count;
}

static int number_of(const coalescing *c, int life) {
    return c->parent[life];
}

/* A written life overlaps all that are alive behind the instruction, but for the source of a move. */
static void note_written(coalescing *c, uint32_t pc, int written, int source) {
    const uint64_t *behind = c->lives.behind + pc * c->lives.words;
    for (int i = 0; i < c->registers; i++) {
        int other = has(behind, i) ? number_of(c, c->current[i]) : -1;
        if (other >= 0 && other != source)
            note_overlap(c, written, other);
    }
}

static void find_overlap_at(coalescing *c, uint32_t pc, const scalar_operand *o, const int *lives) {
    bool is_move = c->l->code->code[pc].op == OPCODE_MOVE_S;
    int source = is_move && arrlenu(o) == 2 ? number_of(c, lives[1]) : -1;
    for (size_t i = 0; i < arrlenu(o); i++) {
        if (!o[i].is_written)
            continue;
        note_written(c, pc, number_of(c, lives[i]), source);
        for (size_t k = 0; k < arrlenu(o); k++)
            if (k != i && (o[k].is_written || o[i].is_read))
                note_overlap(c, number_of(c, lives[i]), number_of(c, lives[k]));
    }
}

static bool is_parameter(const coalescing *c, int index) {
    for (size_t i = 0; i < arrlenu(c->l->code->parameters); i++) {
        int r = c->l->code->parameters[i];
        if (asm_class_of_register(r) != REGISTER_VALUE && live_index(&c->lives, r) == index)
            return true;
    }
    return false;
}

/* What is there from the start on, parameters that nobody reads included. */
static void find_overlap_at_entry(coalescing *c) {
    uint64_t *set = NULL;
    arrsetlen(set, c->lives.words);
    front_of(c, 0, set);
    for (int i = 0; i < c->registers; i++)
        for (int k = 0; k < i; k++)
            if ((has(set, i) || is_parameter(c, i)) && (has(set, k) || is_parameter(c, k)))
                note_overlap(c, number_of(c, c->at_meeting[0] + i), number_of(c, c->at_meeting[0] + k));
    arrfree(set);
}

static void find_overlap(coalescing *c) {
    size_t first = 0;
    find_overlap_at_entry(c);
    for (uint32_t pc = 0; pc < length_of(c); pc++) {
        enter(c, pc);
        const scalar_operand *o = flow_operands(c->l, pc);
        for (size_t i = 0; i < arrlenu(o); i++)
            if (o[i].is_written)
                c->current[live_index(&c->lives, o[i].r)] = c->of_operand[first + i];
        find_overlap_at(c, pc, o, c->of_operand + first);
        first += arrlenu(o);
    }
}

/* ---- Moves ---- */

/* How many jumps back each instruction is between. */
static int *find_depths(const coalescing *c) {
    int *depths = NULL;
    for (uint32_t pc = 0; pc < length_of(c); pc++)
        arrput(depths, 0);
    for (uint32_t pc = 0; pc < length_of(c); pc++)
        for (uint32_t i = flow_is_jump(c->l, pc) ? flow_target(c->l, pc) : length_of(c); i <= pc; i++)
            depths[i]++;
    return depths;
}

static void join(coalescing *c, int a, int b, int count) {
    for (int i = 0; i < count; i++)
        if (overlap(c, b, i))
            note_overlap(c, a, i);
    for (size_t i = 0; i < arrlenu(c->parent); i++)
        if (c->parent[i] == b)
            c->parent[i] = a;
}

/* The lives of moves become one where they do not overlap; those in the innermost loops first. */
static void join_moves(coalescing *c, int count) {
    int *depths = find_depths(c), deepest = 0;
    for (size_t i = 0; i < arrlenu(depths); i++)
        deepest = depths[i] > deepest ? depths[i] : deepest;
    for (int depth = deepest; depth >= 0; depth--) {
        size_t first = 0;
        for (uint32_t pc = 0; pc < length_of(c); pc++) {
            size_t operands = arrlenu(flow_operands(c->l, pc));
            if (c->l->code->code[pc].op == OPCODE_MOVE_S && operands == 2 && depths[pc] == depth) {
                int a = number_of(c, c->of_operand[first]), b = number_of(c, c->of_operand[first + 1]);
                if (a != b && !overlap(c, a, b))
                    join(c, a, b, count);
            }
            first += operands;
        }
    }
    arrfree(depths);
}

/* ---- Registers ---- */

/* The lowest register of the life's class that no overlapping life has. */
static int choose_register(const coalescing *c, const int *chosen, int life, int count) {
    for (int number = 0;; number++) {
        bool is_free = true;
        for (int i = 0; i < count && is_free; i++)
            is_free = chosen[i] != number || c->class_of[i] != c->class_of[life] || !overlap(c, life, i);
        if (is_free)
            return number;
    }
}

static int choose(coalescing *c, int *chosen, int life, int count) {
    int n = number_of(c, life), class = c->class_of[n];
    if (chosen[n] < 0) {
        chosen[n] = c->is_joined ? choose_register(c, chosen, n, count) : c->l->used[class];
        if (chosen[n] >= c->l->used[class])
            c->l->used[class] = chosen[n] + 1;
    }
    return class << CLASS_SHIFT | chosen[n];
}

static void rename_registers(coalescing *c, int count) {
    int *chosen = NULL;
    size_t first = 0;
    for (int i = 0; i < count; i++)
        arrput(chosen, -1);
    uint16_t *parameters = c->l->code->parameters;
    for (size_t i = 0; i < arrlenu(parameters); i++)
        if (asm_class_of_register(parameters[i]) != REGISTER_VALUE)
            parameters[i] = (uint16_t)choose(c, chosen, c->at_meeting[0] + live_index(&c->lives, parameters[i]), count);
    for (uint32_t pc = 0; pc < length_of(c); pc++) {
        const scalar_operand *o = flow_operands(c->l, pc);
        for (size_t i = 0; i < arrlenu(o); i++)
            flow_set_register(&o[i], choose(c, chosen, c->of_operand[first + i], count));
        first += arrlenu(o);
    }
    arrfree(chosen);
}

enum { MOST_LIVES = 1 << 18, MOST_NUMBERED = 1 << 11 };

static void give_registers(lowering *l, bool is_joined) {
    coalescing c = {.l = l, .lives = flow_liveness(l), .is_joined = is_joined};
    c.registers = c.lives.base[REGISTER_CLASSES];
    arrsetlen(c.current, (size_t)c.registers);
    find_meetings(&c);
    int count = INT32_MAX;
    if (arrlenu(c.parent) <= MOST_LIVES) {
        find_lives(&c);
        count = number_lives(&c);
    }
    if (count <= MOST_NUMBERED) {
        c.words = (size_t)count / 64 + 1;
        arrsetlen(c.matrix, (size_t)count * c.words);
        if (count)
            memset(c.matrix, 0, arrlenu(c.matrix) * sizeof *c.matrix);
        if (is_joined) {
            find_overlap(&c);
            join_moves(&c, count);
        }
        for (int k = REGISTER_INT; k < REGISTER_CLASSES; k++)
            l->used[k] = 0;
        rename_registers(&c, count);
    }
    arrfree(c.matrix);
    arrfree(c.of_operand);
    arrfree(c.at_meeting);
    arrfree(c.current);
    arrfree(c.class_of);
    arrfree(c.parent);
    live_free(&c.lives);
}

void coalesce_moves(lowering *l) {
    give_registers(l, true);
}

void separate_lives(lowering *l) {
    give_registers(l, false);
}
