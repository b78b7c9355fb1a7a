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

/* The text of an error: what there is too much of, the value and the name of the limit. */
const char *limit_text(limit l);

/* Raises that error, with the place that is being compiled where it is known. */
_Noreturn void limit_fail(limit l);

/* Counts work against a limit. False: it goes beyond, and is not counted. */
bool limit_spend(limit l, uint64_t amount);

/* The limits as rows of a table in Markdown, printed. */
void limit_print_all(void);

/* ---- Memory ---- */

/* Another limit than MEMORY_MIB. */
void limit_set_memory(uint64_t mib);
/* A file of so many bytes is read: what is made of it may take eight times as many on top. */
void limit_add_input(uint64_t bytes);
/* Counts memory that the system gave. Raises the error when it is too much. */
void limit_take_memory(size_t bytes);

/* ---- Stack ---- */

/* Runs a function on a stack as large as the limit and returns what it returns. Elsewhere stack_check finds nothing. */
int limit_run_on_stack(int (*run)(void *data), void *data);

extern uintptr_t limit_stack_end;
_Noreturn void limit_stack_fail(void);

/* Stands at the beginning of every function through which functions call one another in circles (checked by
 * tests/habits/recursion.py). */
static inline void stack_check(void) {
    if ((uintptr_t)__builtin_frame_address(0) < limit_stack_end)
        limit_stack_fail();
}

#endif
