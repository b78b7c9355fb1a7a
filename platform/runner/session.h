/* One opened program with one instance, and what tsmrun does with it. */
#ifndef RUNNER_SESSION_H
#define RUNNER_SESSION_H

#include "platform/json_report.h"
#include "platform/platform.h"
#include "platform/runner/options.h"
#include "platform/runner/run_report.h"
#include "platform/runner/save.h"
#include "platform/runner/trace.h"
#include "platform/runner/values.h"
#include "tsmobile.h"

typedef struct {
    tsm_program program;
    tsm_instance *inst;
    int method;         /* that is called next; -1: none was chosen */
    double load_ms;     /* opening, verifying, laying out; without the checksums */
    trace *trace;       /* NULL: none */
    values_log *values; /* NULL: none */
    run_report *report; /* NULL: none */
    platform_output *values_output;
    save *save;
    const options *options;
} session;

/* The arguments of one call. */
typedef struct {
    tsm_value *values;
    size_t count;
} arguments;

/* Opens the program and verifies it, without an instance. */
void session_open_program(session *s, const char *path);

/* Opens the program, verifies it and makes the instance. `values`: where --values writes, or NULL. */
void session_open(session *s, const options *o, platform_output *values);

/* Ends the file of --values, if there is one. */
void session_end_values(session *s);

/* Takes the method of this name for the next calls; NULL: forward, or the only one. Ends the program when the file has
 * no such method. */
void session_choose(session *s, const char *name);

/* Calls the method; a failure ends the program with its text. The result is the caller's to release. */
tsm_value session_call(session *s, const arguments *a);

/* As session_call, of a call that may raise: then the exception's text, which lives until the next call; else NULL. */
const char *session_try(session *s, const arguments *a, tsm_value *result);

/* --bench: calls the method, prints one line of times, and returns the last result. */
tsm_value bench_run(session *s, const options *o, const arguments *a, json_report *r);

/* --check: runs the stored test cases; returns the exit status. */
int check_run(session *s, const options *o, json_report *r);

#endif
