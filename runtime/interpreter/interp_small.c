/* The interpreter for programs whose instructions are all SMALL ones (opcodes.def): tsm_run_small. Where a selective
 * build has it for tsm_run (parts.def), nothing of what only other instructions do is linked. */
#include "runtime/interpreter/interp_words.h"

#define RUN run_small
#define IS_LARGE 0
#include "runtime/interpreter/interp_loop.h"

tsm_status tsm_run_small(tsm_instance *inst, uint32_t function, const tsm_value *arguments, uint32_t n,
                         tsm_value *result) {
    return run_small(inst, function, arguments, n, result);
}
