/* What says how files become arguments: an option of the command line, or metadata of the program (tsmc --meta). */
#ifndef RUNNER_SETTINGS_H
#define RUNNER_SETTINGS_H

#include "tsmobile.h"

/* Where a tensor is wanted, what the program declares of it. */
typedef struct {
    const tsm_program *program;
    tsm_instance *inst;
    tsm_value_info wanted;
} input_place;

/* The option's text if there is one, else that of the metadata's key; NULL: neither. */
const char *setting(const tsm_program *program, const char *option, const char *key);

/* "0.5,0.25,1": at most `most` numbers; their count. What is no list of numbers ends the program, `what` names it. */
int setting_numbers(const char *text, const char *what, double *numbers, int most);

/* "224x320" (height by width) or "256": how many of the two numbers there are. */
int setting_size(const char *text, const char *what, int size[2]);

/* Size d of the tensor that is wanted, or -1 where it is not known. */
int64_t wanted_size(const input_place *place, int d);

/* A tensor over elements that live until the program ends. */
tsm_value tensor_over(tsm_instance *inst, tsm_dtype dtype, int dims, const tsm_dim *sizes, void *data);

#endif
