/* The interpreter: one loop over the instructions of opcodes.def, no recursion in C.
 *
 * What the verifier has proved (program.c) is not checked again: opcodes, registers and their runs, constants, jumps,
 * the shapes of operand lists. What it cannot prove is checked where it is used: tags of values in value registers,
 * slots of objects, depth. */
#include "runtime/interpreter/interp_words.h"
#include "runtime/value/parts.h"

#define RUN run_large
#define IS_LARGE 1
#include "runtime/interpreter/interp_loop.h"

TSM_PART tsm_status tsm_run(tsm_instance *inst, uint32_t function, const tsm_value *arguments, uint32_t n,
                            tsm_value *result) {
    return run_large(inst, function, arguments, n, result);
}
