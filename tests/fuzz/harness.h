/* What the fuzzing harnesses share. Each harness is one file with LibFuzzer's entry points; standalone.c stands in for
 * LibFuzzer where there is none (gcc, Valgrind, runs for volume). */
#ifndef TESTS_FUZZ_HARNESS_H
#define TESTS_FUZZ_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- LibFuzzer's entry points, given by each harness ---- */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
/* Changes the input in place, at most `most` bytes long afterwards; makes one from nothing when bytes is 0. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed);

/* ---- Running ---- */

/* Names what runs from now on, for messages and counts. */
void harness_at(const char *name);

/* Prints `what` and ends the process by SIGABRT: the current input has shown a fault. */
_Noreturn void harness_fault(const char *what, ...) __attribute__((format(printf, 1, 2)));

/* Runs f(context) and stops it after about `ticks` hundredths of a second of processor time; false: it was stopped.
 * What runs must neither hold locks nor have state outside of `context`: it is left by a jump out of a signal handler.
 * Stops are counted by the name that harness_at gave, and printed at exit; with HARNESS_SLOW=fault in the environment
 * each is a fault. */
bool harness_run(void (*f)(void *), void *context, int ticks);

/* Counts an execution. At exit the numbers are printed, and how many inputs were accepted. */
void harness_count(bool accepted);
void harness_print_counts(void);

/* How many basic blocks the library has executed, in programs with count_blocks.c; 0 in others. */
uint64_t harness_blocks(void);

/* A block that ends where a page without permissions begins. Never freed. */
uint8_t *harness_guarded(size_t bytes);

/* ---- Numbers ---- */

/* A generator for mutators (SplitMix64). */
typedef struct {
    uint64_t state;
} harness_random;
uint64_t harness_next(harness_random *r);
/* A number below `limit`, which is not 0. */
size_t harness_below(harness_random *r, size_t limit);

/* Mixes v into a sum of what was computed. */
uint64_t harness_mix(uint64_t sum, uint64_t v);

/* Numbers that programs tend not to expect. */
int64_t harness_extreme_int(unsigned number);
double harness_extreme_float(unsigned number);

#endif
