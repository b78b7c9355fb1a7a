/* The scalar registers of a function's instructions before they get their final numbers: what each instruction reads
 * and writes, where it goes on, and what is alive behind it. Scalars have no counts, so instructions that only move
 * them can be left out; value registers are not looked at. */
#ifndef TSMC_CODEGEN_CODE_FLOW_H
#define TSMC_CODEGEN_CODE_FLOW_H

#include "exporter/codegen/assemble.h"

/* A scalar register where an instruction names it: in a field, or in a word of its operand list. */
struct scalar_operand {
    uint16_t *field; /* NULL: a word */
    uint32_t *word;
    int r; /* class << CLASS_SHIFT | number */
    bool is_read, is_written;
};

/* The scalar operands of an instruction; the array is used again by the next call. */
const scalar_operand *flow_operands(const lowering *l, uint32_t pc);
void flow_set_register(const scalar_operand *o, int r);

/* Whether the instruction is a jump; where it goes then. */
bool flow_is_jump(const lowering *l, uint32_t pc);
uint32_t flow_target(const lowering *l, uint32_t pc);
void flow_set_target(lowering *l, uint32_t pc, uint32_t target);
/* Whether the next instruction may follow. */
bool flow_falls_through(const lowering *l, uint32_t pc);
/* The instruction does nothing but write a scalar register. */
bool flow_is_pure(const lowering *l, uint32_t pc);

/* What is alive: a set of registers for the place behind each instruction. */
typedef struct {
    int base[REGISTER_CLASSES + 1]; /* of the classes' registers among the numbers of the set */
    size_t words;                   /* of a set */
    uint64_t *behind;
} live_scalars;

live_scalars flow_liveness(const lowering *l);
static inline int live_index(const live_scalars *s, int r) {
    return s->base[r >> CLASS_SHIFT] + (r & (MAX_REGISTERS - 1));
}
bool live_behind(const live_scalars *s, uint32_t pc, int r);
/* The same for the place in front of it. */
bool live_in_front(const lowering *l, const live_scalars *s, uint32_t pc, int r);
/* The set in front of the instruction, from the one behind it. */
void live_step(const lowering *l, const live_scalars *s, uint32_t pc, uint64_t *set);
void live_free(live_scalars *s);

/* Leaves instructions out: `is_dead` has a flag for each. Jumps, positions and ranges follow. */
void flow_compact(lowering *l, const bool *is_dead);

/* Functions that are so long that sets of registers for each instruction would take too much memory. */
bool flow_is_too_long(const lowering *l);

#endif
