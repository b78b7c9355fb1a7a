/* The words of which the interpreter's loop is written (interp_loop.h): operands, arithmetic, and what ends an
 * instruction. */
#ifndef TSM_INTERPRETER_INTERP_WORDS_H
#define TSM_INTERPRETER_INTERP_WORDS_H

#include "runtime/interpreter/machine.h"

/* ---- Operands ---- */

/* Position i of n items, negative ones from the end; false when outside. */
static inline bool position(int64_t i, uint32_t n, uint32_t *at) {
#if !defined(__OPTIMIZE_SIZE__)
    if (__builtin_expect((uint64_t)i < n, 1)) {
        *at = (uint32_t)i;
        return true;
    }
#endif
    i += i < 0 ? n : 0;
    *at = (uint32_t)i;
    return i >= 0 && i < n;
}

/* The entry of the key in a register, NULL when there is none. */
static inline tsm_dict_entry *dict_entry(const machine *m, tsm_value d, uint32_t key) {
    if (key >= m->f->values && key < m->f->ints)
        return tsm_dict_find_int(tsm_as_dict(d), m->s[key].i);
    return tsm_dict_find(tsm_as_dict(d), tsm_machine_read_register(m, key));
}

/* A slot of an object, NULL when there is none. */
static inline tsm_value *slot_of(tsm_value v, uint32_t slot) {
    return v.tag == TSM_TAG_OBJECT && slot < tsm_as_object(v)->length ? &tsm_as_object(v)->slots[slot] : NULL;
}

#if !defined(__OPTIMIZE_SIZE__)
/* What the instruction at pc fetches from a container into a scalar register, when a DROP of the container's register
 * follows; NULL when it is another instruction, or one that fails. */
static inline const tsm_value *fetched_from(tsm_value container, uint32_t reg, const tsmf_Instruction *pc,
                                            const tsm_scalar *s) {
    uint32_t at = pc->c;
    if (pc->op == TSM_OPCODE_LIST_GET_S) {
        if (container.tag != TSM_TAG_LIST || !position(s[pc->c].i, tsm_as_list(container)->length, &at))
            return NULL;
    } else if (pc->op != TSM_OPCODE_TUPLE_GET_S || container.tag != TSM_TAG_TUPLE ||
               at >= tsm_as_tuple(container)->length) {
        return NULL;
    }
    if (pc->b != reg || pc[1].op != TSM_OPCODE_DROP || pc[1].a != reg)
        return NULL;
    return pc->op == TSM_OPCODE_LIST_GET_S ? &tsm_as_list(container)->items[at] : &tsm_as_tuple(container)->items[at];
}
#endif

/* ---- Arithmetic ---- */

/* 64-bit arithmetic that wraps around. */
#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))

/* Numbers that are not negative and have 32 bits divide faster, on machines without a division of 64 bits by far. */
static inline bool divide_small(int64_t a, int64_t b) {
    return ((uint64_t)a | (uint64_t)b) <= UINT32_MAX;
}

static inline int64_t floor_div(int64_t a, int64_t b) {
    if (divide_small(a, b))
        return (uint32_t)a / (uint32_t)b;
    if (b == -1)
        return WRAP(0, -, a);
    int64_t q = a / b;
    return q - (a % b && (a < 0) != (b < 0));
}

static inline int64_t floor_rem(int64_t a, int64_t b) {
    if (divide_small(a, b))
        return (uint32_t)a % (uint32_t)b;
    if (b == -1)
        return 0;
    int64_t rest = a % b;
    return rest + (rest && (rest < 0) != (b < 0) ? b : 0);
}

/* Of a literal divisor: then bits tell quotient and rest, without the division that many machines do not have. */
static inline bool is_power_of_two(uint32_t k) {
    return !(k & (k - 1));
}

/* int(float) as PyTorch computes it on x86-64: what does not fit becomes the most negative number. */
static inline int64_t to_int(double v) {
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

/* ---- The loop ---- */

#if defined(__GNUC__) && !defined(TSM_SWITCH_DISPATCH)
#define TSM_COMPUTED_GOTO 1
#else
#define TSM_COMPUTED_GOTO 0
#endif

/* `pc` stands at the instruction being executed. */
#if TSM_COMPUTED_GOTO
#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */
#define CASE(NAME) label_##NAME
#define DISPATCH goto *table[pc->op]
#else
#define CASE(NAME) case TSM_OPCODE_##NAME
#define DISPATCH goto dispatch
#endif
#define NEXT                                                                                                           \
    do {                                                                                                               \
        pc++;                                                                                                          \
        DISPATCH;                                                                                                      \
    } while (0)

/* Operands. D lies in b and c: four bytes at a multiple of four, since a vector's elements follow its 32-bit length. */
#define A (pc->a)
#define B (pc->b)
#define C (pc->c)
#define SIGNED_B ((int16_t)pc->b)
#define SIGNED_C ((int16_t)pc->c)
#define D ((uint32_t)pc->b | (uint32_t)pc->c << 16)
#define SIGNED_D ((int32_t)D)
#define LIST(at) (m.f->operands + (at))
#define INT(reg) s[reg].i
#define FLOAT(reg) s[reg].f
#define ANY(reg) tsm_machine_read_register(&m, reg)

#define FAIL(call)                                                                                                     \
    do {                                                                                                               \
        status = (call);                                                                                               \
        goto failed;                                                                                                   \
    } while (0)
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != TSM_OK)                                                                                          \
            goto failed;                                                                                               \
    } while (0)

/* Executed instructions are counted without a cost for each: in the function at hand, `fuel` is what is left of the
 * limit less the instructions from pc to the function's end. Straight code makes pc grow; only jumps, calls and returns
 * adjust fuel. As long as it is not negative the limit cannot be reached without a jump; when it is, low_fuel looks
 * closer. */
#define JUMP(offset)                                                                                                   \
    do {                                                                                                               \
        int32_t offset_ = (offset);                                                                                    \
        pc += offset_;                                                                                                 \
        if ((fuel += offset_) < 0)                                                                                     \
            goto low_fuel;                                                                                             \
        NEXT;                                                                                                          \
    } while (0)
/* What is left when the instruction at pc is done. */
#define FUEL_LEFT (fuel + ((int64_t)m.f->length - (pc + 1 - m.f->code)))
/* Behind the instruction at pc the top frame stands still, another one runs, or none: fuel is what is left. */
#define SUSPEND                                                                                                        \
    do {                                                                                                               \
        m.frame->pc = (uint32_t)(pc + 1 - m.f->code);                                                                  \
        fuel = FUEL_LEFT;                                                                                              \
    } while (0)

/* Puts an owned value into value register a; a borrowed one's payload into scalar register a. The tails are shared:
 * code size. */
#define SET_VALUE(source)                                                                                              \
    do {                                                                                                               \
        v = (source);                                                                                                  \
        goto set_value;                                                                                                \
    } while (0)
#define SET_SCALAR(source)                                                                                             \
    do {                                                                                                               \
        v = (source);                                                                                                  \
        goto set_scalar;                                                                                               \
    } while (0)
/* An instruction in both its forms, whose result goes to a value register and to a scalar one. Where code is to be
 * small, one body finds out which. */
#if defined(__OPTIMIZE_SIZE__)
#define FETCH(NAME, find, item)                                                                                        \
    CASE(NAME) : CASE(NAME##_S) : {                                                                                    \
        find;                                                                                                          \
        v = (item);                                                                                                    \
        goto set_any;                                                                                                  \
    }
#define FETCH_CONTAINER FETCH
#else
#define FETCH(NAME, find, item)                                                                                        \
    CASE(NAME) : {                                                                                                     \
        find;                                                                                                          \
        SET_VALUE(tsm_hold(item));                                                                                     \
    }                                                                                                                  \
    CASE(NAME##_S) : {                                                                                                 \
        find;                                                                                                          \
        SET_SCALAR(item);                                                                                              \
    }
/* Where the result is a container from which one number is fetched next, and then dropped, all three instructions are
 * done at once: nothing is counted. */
#define FETCH_CONTAINER(NAME, find, item)                                                                              \
    CASE(NAME) : {                                                                                                     \
        find;                                                                                                          \
        v = (item);                                                                                                    \
        goto set_container;                                                                                            \
    }                                                                                                                  \
    CASE(NAME##_S) : {                                                                                                 \
        find;                                                                                                          \
        SET_SCALAR(item);                                                                                              \
    }
#endif
#define EXPECT(i, TAG)                                                                                                 \
    if (r[i].tag != TSM_TAG_##TAG)                                                                                     \
    goto wrong_type
#define BINARY(NAME, ACCESS, expression)                                                                               \
    CASE(NAME) : {                                                                                                     \
        ACCESS(A) = (expression);                                                                                      \
        NEXT;                                                                                                          \
    }
/* Two instructions that differ in the kinds of their registers only. */
#define BINARY_TWICE(NAME, OTHER, ACCESS, expression) CASE(OTHER) : BINARY(NAME, ACCESS, expression)
#define BRANCH(NAME, condition, offset)                                                                                \
    CASE(NAME) : {                                                                                                     \
        if (condition)                                                                                                 \
            JUMP(offset);                                                                                              \
        NEXT;                                                                                                          \
    }

#endif
