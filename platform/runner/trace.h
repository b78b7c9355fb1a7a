/* --trace: every operator that ran, as Chrome's trace viewers read it (chrome://tracing, ui.perfetto.dev). */
#ifndef RUNNER_TRACE_H
#define RUNNER_TRACE_H

#include <stdint.h>
#include <stdio.h>

typedef struct trace trace;

trace *trace_new(void);
/* Something that went on from `begin` to `end` (nanoseconds); `name` must stay. */
void trace_add(trace *t, const char *name, uint64_t begin, uint64_t end);
/* Writes the JSON object that viewers load: times in microseconds from the first event on. */
void trace_write(FILE *out, const trace *t);

#endif
