/* An instance: one program laid out in the caller's buffer. */
#ifndef TSM_INTERPRETER_INSTANCE_H
#define TSM_INTERPRETER_INSTANCE_H

#include "runtime/interpreter/opcodes.h"
#include "runtime/interpreter/plan.h"
#include "runtime/value/exec.h"
#include "schema/generated/tsmobile_reader.h"

/* What the interpreter needs of a function, read from the file once. */
typedef struct {
    const tsmf_Instruction *code;
    const uint32_t *operands;
    const uint16_t *parameters;
    uint32_t parameter_count, length; /* parameters, instructions */
    uint32_t values, ints, floats;    /* numbers of registers at which the runs of value, int and float registers end */
    uint32_t slots;                   /* of the stack, 16 bytes each: one for a value register or two scalar ones */
    TSM_WIDER(12)
} tsm_function;
TSM_WIDE_SIZE(tsm_function, 48);

/* One call under way. */
typedef struct {
    uint32_t function;
    uint32_t base;       /* its first slot in the stack */
    uint32_t pc;         /* where it goes on; while it calls: behind the call */
    uint32_t result;     /* where the caller wants the result: a register of the caller. TSM_FRAME_UNWIND: where in the
                            heap the message of the exception is */
    uint8_t kind;        /* tsm_frame_kind */
    uint32_t with_index; /* TSM_FRAME_UNWIND: the with range of the caller that is being left, + 1 */
} tsm_frame;

enum { TSM_FRAME_CALL, TSM_FRAME_FORK, TSM_FRAME_UNWIND };

typedef struct {
    uint64_t calls, nanoseconds, bytes;
} tsm_profile_counts;

struct tsm_instance {
    tsm_exec exec;
    const tsm_program *program;
    tsmf_Program root;
    const tsm_operator **operators; /* of the program, by its operator index */
    tsm_function *functions;
    tsm_value *constants;
    tsm_value *stack;
    uint32_t stack_slots;
    tsm_frame *frames;
    uint32_t frame_limit;
    uint8_t *warned;             /* one for each WARN site */
    tsm_profile_counts *profile; /* NULL: not counted */
    tsm_storage **storages;      /* while constants are built: those that have been met */
    tsm_plan plan;               /* the one that holds a region */
    uint64_t instructions;
    bool names_class; /* the message begins with the exception's class */
    size_t buffer_bytes, fixed_bytes;
    char short_message[256];
    TSM_WIDER(272)
};
TSM_WIDE_SIZE(tsm_instance, 912);

_Static_assert(offsetof(tsm_instance, exec) == 0, "tsm_instance_of relies on it");

/* The instance that this is the execution state of. */
static inline tsm_instance *tsm_instance_of(tsm_exec *x) {
    return (tsm_instance *)(void *)x;
}

/* Builds all constants; on failure those that were built are dropped again. */
tsm_status tsm_constants_build(tsm_instance *inst);
/* Parts of it (parts.def). */
tsm_status tsm_constants_build_rare(tsm_exec *x, uint32_t index, tsm_value *out);
tsm_status tsm_constants_quantize(tsm_exec *x, uint32_t index, tsm_value *out);
void tsm_constants_drop(tsm_instance *inst);
/* Bytes of heap that the constants take at most. */
size_t tsm_constants_bytes(const tsm_program *program);

/* Runs a function whose arguments (borrowed, converted) fit its parameters. The result's count goes to the caller. */
tsm_status tsm_run(tsm_instance *inst, uint32_t function, const tsm_value *arguments, uint32_t n, tsm_value *result);
/* The same for programs that have only SMALL instructions (opcodes.def). */
tsm_status tsm_run_small(tsm_instance *inst, uint32_t function, const tsm_value *arguments, uint32_t n,
                         tsm_value *result);

/* Whether v is of a type of the program (all the way down for containers). Every value that is looked at counts as
 * work; false when it is more than the limit. */
bool tsm_value_is(tsm_instance *inst, tsm_value v, uint32_t type);

/* Puts the traceback of frames[0..depth), as far as debug information is in the file, before the message of an
 * exception. Counts what it looks at as work. */
void tsm_traceback(tsm_instance *inst, uint32_t depth);

#endif
