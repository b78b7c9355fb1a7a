/* --values: what every operator gave, as JSON (docs/debugging.md). */
#ifndef RUNNER_VALUES_H
#define RUNNER_VALUES_H

#include "tsmobile.h"
#include <stdio.h>

typedef struct {
    FILE *out;
    const tsm_program *program;
    bool elements;      /* all elements of tensors, not only their statistics */
    const char *filter; /* the operator or line that is wanted; NULL: all */
    size_t calls;       /* of operators so far */
    bool any;           /* something was written */
} values_log;

void values_begin(const values_log *log);
/* Writes one operator call, when the filter lets it through. */
void values_add(values_log *log, tsm_instance *inst, const tsm_operator_call *call);
/* Ends the JSON text. */
void values_end(const values_log *log);

#endif
