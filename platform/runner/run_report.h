/* --report: what a run did, as a page to look at (docs/reports.md). */
#ifndef RUNNER_RUN_REPORT_H
#define RUNNER_RUN_REPORT_H

#include "tsmobile.h"
#include <stdio.h>

typedef struct run_report run_report;

/* `expected`: a file that --values wrote, to compare with; NULL: none. */
run_report *run_report_new(const tsm_program *program, const char *expected);

/* An operator ran from `begin` to `end` (nanoseconds); then what it gave. */
void run_report_time(run_report *r, uint64_t begin, uint64_t end);
void run_report_values(run_report *r, const tsm_instance *inst, const tsm_operator_call *call);

/* Writes the page. `path` is the program's file, `method` what was called last. */
void run_report_write(const run_report *r, FILE *out, const char *path, int method, const tsm_instance *inst);

#endif
