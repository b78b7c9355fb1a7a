/* Values for a person to read, in Python's and PyTorch's manner. */
#ifndef RUNNER_SHOW_H
#define RUNNER_SHOW_H

#include "tsmobile.h"
#include <stdio.h>

/* Prints one value; of a large tensor, the first and last elements of every dimension. No newline at the end. */
void show_value(FILE *out, tsm_instance *inst, tsm_value v);

/* Prints the profile: one line for each operator, the most expensive first; or as JSON, an array. */
void show_profile(FILE *out, const tsm_instance *inst, bool as_json);

/* Prints how much of the buffer was used, and how much methods need where the file says so; or as JSON, an object. */
void show_usage(FILE *out, const tsm_program *program, const tsm_instance *inst, bool as_json);

#endif
