/* The running machine: what the interpreter's loop (interp.c), its frames (frames.c) and its operator calls (operate.c)
 * share.
 *
 * A frame's registers lie in the stack of the instance: value registers first, 16 bytes each, then the scalar ones
 * (ints, floats, bools), 8 bytes each and without a tag, which their number tells. Both are addressed by the register's
 * number: m->r[i] for value registers, m->s[i] for scalar ones; m->s therefore points in front of the first scalar
 * register. */
#ifndef TSM_INTERPRETER_MACHINE_H
#define TSM_INTERPRETER_MACHINE_H

#include "runtime/interpreter/instance.h"

typedef struct {
    tsm_instance *inst;
    tsm_exec *x;
    /* The top frame: set by tsm_machine_enter. */
    tsm_frame *frame;
    const tsm_function *f;
    tsm_value *r;
    tsm_scalar *s;
    uint32_t depth;       /* frames in use */
    uint32_t top;         /* slots of the stack in use */
    uint32_t unwind_from; /* not 0: the next `with` range to look at, when unwinding goes on behind an exit */
    tsm_value result;
} machine;

static inline tsm_scalar *scalars_of(const tsm_function *f, tsm_value *r) {
    return (tsm_scalar *)(void *)(r + f->values) - f->values;
}

inline uint32_t tsm_machine_scalar_tag(const tsm_function *f, uint32_t reg) {
    return reg < f->ints ? TSM_TAG_INT : reg < f->floats ? TSM_TAG_FLOAT : TSM_TAG_BOOL;
}

/* What any register of the top frame holds, borrowed. */
inline tsm_value tsm_machine_read_register(const machine *m, uint32_t reg) {
    if (reg < m->f->values)
        return m->r[reg];
    tsm_value v = {tsm_machine_scalar_tag(m->f, reg), 0, {.i = m->s[reg].i}};
    return v;
}

/* What a word of an operand list means, borrowed. */
inline tsm_value tsm_machine_read_word(const machine *m, uint32_t word) {
    return word & TSM_WORD_CONSTANT ? m->inst->constants[word & ~TSM_WORD_CONSTANT]
                                    : tsm_machine_read_register(m, word & TSM_WORD_INDEX);
}

static inline bool is_last_use(uint32_t word) {
    return (word & (TSM_WORD_LAST_USE | TSM_WORD_CONSTANT)) == TSM_WORD_LAST_USE;
}

/* The same, with a count for the caller: the register's own when this is its last use. */
tsm_value tsm_machine_take_word(machine *m, uint32_t word);
/* Empties the registers whose last use these words are. */
void tsm_machine_drop_last_uses(machine *m, const uint32_t *words, uint32_t n);
/* Puts a value with its count into value register `to`. */
static inline void put_value(machine *m, tsm_value *to, tsm_value v) {
    tsm_value old = *to;
    *to = v;
    tsm_drop(m->x, old);
}
/* A value that was written in parts just now: read at once, its 16 bytes would wait until both are in the cache. */
static inline tsm_value read_in_parts(const tsm_value *v) {
    tsm_value parts = *v;
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
    __asm__("" : "+r"(parts.as.i));
#endif
    return parts;
}
/* Empties a value register. The payload may stay. */
static inline void empty_value(machine *m, tsm_value *at) {
    tsm_value old = *at;
    at->tag = TSM_TAG_NONE;
    tsm_drop(m->x, old);
}
/* Puts a value with its count into a register of a frame. A scalar register takes its own tag only. */
tsm_status tsm_machine_store(machine *m, const tsm_function *f, tsm_value *r, uint32_t to, tsm_value v);
static inline tsm_status store_top(machine *m, uint32_t to, tsm_value v) {
    return tsm_machine_store(m, m->f, m->r, to, v);
}
/* A value of a tag that a well-made file would not have here. */
tsm_status tsm_machine_wrong_tag(machine *m);

/* ---- Work beside the instructions (docs/bounds.md, Fuel) ---- */

tsm_status tsm_machine_out_of_fuel(tsm_exec *x);
/* Counts work; TSM_OUT_OF_FUEL when it is more than the limit. */
tsm_status tsm_machine_charge(machine *m, size_t units);
/* What an instruction does with n words, registers or rows: it is paid with the instruction when they are few. */
enum { MACHINE_FREE = 64 };
static inline tsm_status machine_charge_many(machine *m, size_t n) {
    return n > MACHINE_FREE ? tsm_machine_charge(m, n) : TSM_OK;
}

/* Sets up frame, f, r and s for the top frame. */
void tsm_machine_enter(machine *m);
/* A frame for `function` on top, its registers None and zero. `result`: the caller's register for its result. The top
 * frame's f, r and s stay the caller's until tsm_machine_enter. */
tsm_status tsm_machine_push_frame(machine *m, uint32_t function, uint8_t kind, uint32_t result);
void tsm_machine_pop_frame(machine *m);
/* A frame for a call with an operand list, arguments in place. */
tsm_status tsm_machine_push_call(machine *m, uint32_t function, uint8_t kind, const uint32_t *list);
/* The function that an interface call means, by the dynamic class of the receiver. */
tsm_status tsm_machine_find_method(machine *m, tsm_value self, uint32_t name, uint32_t *function);
/* The top function is done with result v (owned); *done: it was the outermost. */
tsm_status tsm_machine_leave(machine *m, tsm_value v, bool *done);
/* An error left the top frame: runs `with` exits, drops frames. TSM_OK: the loop goes on (in an exit, or behind a
 * fork); else the call ends with this status. */
tsm_status tsm_machine_unwind(machine *m, tsm_status status);

/* ---- Instructions that are too long for the loop (instructions.c) ---- */

/* An operand list is passed as `list`, from its counts on; results are owned, `out` and what registers get. */
tsm_status tsm_machine_raise(machine *m, const uint32_t *words); /* message and class */
tsm_status tsm_machine_print_values(machine *m, const uint32_t *list);
tsm_status tsm_machine_warn(machine *m, uint32_t site, const uint32_t *list);
tsm_status tsm_machine_construct_list(machine *m, const uint32_t *list, tsm_value *out);
tsm_status tsm_machine_construct_tuple(machine *m, const uint32_t *list, uint32_t type, tsm_value *out);
tsm_status tsm_machine_construct_dict(machine *m, const uint32_t *list, tsm_value *out);
tsm_status tsm_machine_unpack(machine *m, uint32_t tag, tsm_value v, const uint32_t *list);
tsm_status tsm_machine_slice_tuple(machine *m, tsm_value v, const uint32_t *list, tsm_value *out);
tsm_status tsm_machine_is_any_of(machine *m, tsm_value v, const uint32_t *list, int64_t *is_any); /* 0 or 1 */
tsm_status tsm_machine_compare_strings(machine *m, tsm_value a, tsm_value b, int64_t *order);     /* -1, 0, 1 */
tsm_status tsm_machine_missing_key(machine *m, tsm_value key);
tsm_status tsm_machine_no_letter(machine *m, tsm_value s, int64_t at);
tsm_status tsm_machine_wait_for(machine *m, tsm_value v, tsm_value *out);
tsm_status tsm_machine_guard(machine *m, const uint32_t *list, int64_t *passed); /* 0 or 1 */

/* Runs an operator that has a kernel for numbers in registers, if all its numbers are there or constants, and calls are
 * not profiled; else false. */
bool tsm_machine_run_on_registers(machine *m, const tsm_operator *op, const uint32_t *list);
/* Runs an operator that has a kernel for ordinary cases, if this is one, calls are not profiled, and the limit on work
 * holds; else false. */
bool tsm_machine_run_on_values(machine *m, const tsm_operator *op, const uint32_t *list);
/* Runs operator `index` of the program with an operand list. */
tsm_status tsm_machine_run_operator(machine *m, uint32_t index, const uint32_t *list);

/* Brings the result of an in-place or out= variant with these inputs where it belongs; `out` becomes the destination.
 */
tsm_status tsm_machine_deliver(tsm_exec *x, tsm_tensor *dest, const tsm_value *const *in, tsm_value *out);

#endif
