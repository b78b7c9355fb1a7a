/* The limits of tsmc (limits.def), so that no file makes it run out of stack or memory, or work without end. */
#ifndef TSMC_BASE_LIMITS_H
#define TSMC_BASE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The values: LIMIT_TYPE_DEPTH, ... */
enum {
#define LIMIT(NAME, value, beyond, text) LIMIT_##NAME = value,
#include "exporter/base/limits.def"
#undef LIMIT
};

/* The limits: OVER_TYPE_DEPTH, ... */
typedef enum {
#define LIMIT(NAME, value, beyond, text) OVER_##NAME,
#include "exporter/base/limits.def"
#undef LIMIT
    LIMIT_COUNT
} limit;

/* A limit of so many MiB in bytes, on machines that have them. */
#define LIMIT_BYTES(mib) ((mib) < SIZE_MAX >> 21 ? (size_t)(mib) << 20 : SIZE_MAX / 2)

/* The text of an error: what there is too much of, the value and the name of the limit. */
const char *limit_text(limit l);

/* Raises that error, with the place that is being compiled where it is known. */
_Noreturn void limit_fail(limit l);

/* Counts work against a limit. Returns false, and counts nothing, where the limit would be exceeded. */
bool limit_spend(limit l, uint64_t amount);

/* The limits as rows of a table in Markdown, printed. */
void limit_print_all(void);

/* ---- Memory ---- */

/* Sets another limit, in MiB, than LIMIT_MEMORY. */
void limit_set_memory(uint64_t mib);
/* Raises the limit by eight times the size of an input file: what is made of the file takes memory in proportion. */
void limit_add_input(uint64_t bytes);
/* Counts memory that the system gave. Raises the error when it is too much. */
void limit_take_memory(size_t bytes);

/* ---- Stack ---- */

/* Runs a function on a stack as large as the limit and returns what it returns. Outside of it stack_check checks
 * nothing. */
int limit_run_on_stack(int (*run)(void *data), void *data);

extern uintptr_t limit_stack_end;
_Noreturn void limit_stack_fail(void);

/* Fails when the stack is used up. Every cycle of recursive calls contains a function that begins with it (checked by
 * tests/habits/recursion.py). */
static inline void stack_check(void) {
    if ((uintptr_t)__builtin_frame_address(0) < limit_stack_end)
        limit_stack_fail();
}

#endif
