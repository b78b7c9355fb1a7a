/* How tsmrun ends, and the memory it keeps until then. */
#ifndef RUNNER_DIE_H
#define RUNNER_DIE_H

#include "tsmobile.h"
#include <stddef.h>

/* Exit statuses, relied on from outside. */
enum { EXIT_OK = 0, EXIT_RAISED = 1, EXIT_BAD_INPUT = 2, EXIT_FAULT = 3 };

/* Writes "tsmrun: " and the text to stderr and ends the program. */
_Noreturn void die(int exit_status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit status for a failure of libtsmobile. */
int exit_status_of(tsm_status status);

/* Ends the program with the status that belongs to a failure of libtsmobile. Raised exceptions keep their own text:
 * their last line is PyTorch's. */
_Noreturn void die_of(tsm_status status, const char *text);

/* Memory aligned to 64 bytes that lives until the program ends. */
void *keep(size_t bytes);

#endif
