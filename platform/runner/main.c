/* tsmrun: runs, checks, times and profiles a .tsm program. See options.c for its options. */
#include "platform/info.h"
#include "platform/json/json_text.h"
#include "platform/platform.h"
#include "platform/runner/convert.h"
#include "platform/runner/die.h"
#include "platform/runner/held.h"
#include "platform/runner/inputs.h"
#include "platform/runner/json_read.h"
#include "platform/runner/json_write.h"
#include "platform/runner/remote.h"
#include "platform/runner/results.h"
#include "platform/runner/session.h"
#include "platform/runner/show.h"
#include "platform/runner/state.h"
#include "platform/runner/top.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A file to write, or NULL when `path` is. */
static platform_output *create(const char *path) {
    char reason[256];
    platform_output *out = path ? platform_output_open(path, NULL, reason, sizeof reason) : NULL;
    if (path && !out)
        die(EXIT_BAD_INPUT, "cannot write %s: %s", path, reason);
    return out;
}

static FILE *stream_of(const platform_output *out) {
    return out ? platform_output_stream(out) : NULL;
}

static void finish(platform_output *out, const char *path) {
    char reason[256];
    if (!out)
        return;
    if (!results_is_npy(path) && !results_is_npz(path))
        fputc('\n', platform_output_stream(out));
    if (!platform_output_close(out, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot write %s: %s", path, reason);
}

static void write_arguments(FILE *out, tsm_instance *inst, const arguments *a) {
    fputc('[', out);
    for (size_t i = 0; i < a->count; i++) {
        fputs(i ? "," : "", out);
        json_write(out, inst, a->values[i]);
    }
    fputc(']', out);
}

static void show_result(session *s, json_report *r, tsm_value result) {
    if (r->is_json) {
        json_write(json_report_member(r, "result"), s->inst, result);
        return;
    }
    show_value(stdout, s->inst, result);
    fputc('\n', stdout);
}

/* Returns the exit status. */
static int run_once(session *s, const options *o, json_report *r) {
    const arguments a = inputs_read(s, o);
    const tsm_value result = o->bench ? bench_run(s, o, &a, r) : session_call(s, &a);
    platform_output *outputs = create(o->outputs);
    if (outputs)
        results_write(stream_of(outputs), o->outputs, s, result);
    else if (!o->bench && !o->top && !o->expect)
        show_result(s, r, result);
    finish(outputs, o->outputs);
    if (o->top)
        top_print(s, o, r, result);
    const int status = o->expect ? results_compare(s, o, r, result) : EXIT_OK;
    platform_output *after = create(o->after);
    if (after)
        write_arguments(stream_of(after), s->inst, &a);
    finish(after, o->after);
    tsm_release(s->inst, result);
    return status;
}

/* What calls of a sequence share. */
typedef struct {
    session *session;
    const options *options;
    const json_file *file;
    tsm_value *results; /* of the calls before, None where the call does not say "keep" */
    FILE *outputs, *after;
    bool is_json; /* results that have no file are printed as JSON */
} sequence;

/* One call of a sequence: an array of arguments, or an object that says more. */
typedef struct {
    const char *method;
    json_node inputs;
    bool is_kept, may_raise;
} step;

static bool says(const sequence *q, json_node object, const char *name) {
    const json_node said = json_member(q->file, object, name);
    return said >= 0 && json_bool(q->file, said);
}

static step read_step(const sequence *q, json_node node, size_t i) {
    if (!json_is_object(q->file, node))
        return (step){.method = q->options->method, .inputs = node};
    const json_node method = json_member(q->file, node, "method");
    const step t = {.method = method < 0 ? q->options->method : json_text(q->file, method),
                    .inputs = json_member(q->file, node, "inputs"),
                    .is_kept = says(q, node, "keep"),
                    .may_raise = says(q, node, "may_raise")};
    if (t.inputs < 0)
        die(EXIT_BAD_INPUT, "call %zu of the sequence has no \"inputs\"", i);
    return t;
}

static arguments read_arguments(const sequence *q, json_node node, size_t call) {
    session *s = q->session;
    arguments a = {.count = json_array_size(q->file, node, "the arguments of a call")};
    a.values = keep(a.count * sizeof *a.values);
    json_node item = json_first(node);
    for (size_t k = 0; k < a.count; k++, item = json_next(q->file, item)) {
        const json_known known = {q->results, a.values, call, k};
        a.values[k] = json_value(q->file, item, s->inst, &known);
        convert_argument(s->inst, &s->program, (size_t)s->method, k, &a.values[k]);
    }
    return a;
}

static void write_result(const sequence *q, size_t i, const char *raised, tsm_value result) {
    FILE *out = q->outputs ? q->outputs : stdout;
    if (q->outputs || q->is_json)
        fputs(i == 0 ? "[" : q->outputs ? "," : ",\n  ", out);
    if (raised) {
        fputs("{\"raised\": ", out);
        json_write_text(out, raised, strlen(raised));
        fputc('}', out);
    } else if (q->outputs || q->is_json)
        json_write(out, q->session->inst, result);
    else
        show_value(out, q->session->inst, result);
    if (!q->outputs && !q->is_json)
        fputc('\n', out);
}

static void run_step(const sequence *q, json_node node, size_t i) {
    session *s = q->session;
    const step t = read_step(q, node, i);
    session_choose(s, t.method);
    const arguments a = read_arguments(q, t.inputs, i);
    tsm_value result = tsm_none();
    const char *raised = NULL;
    if (t.may_raise)
        raised = session_try(s, &a, &result);
    else
        result = session_call(s, &a);
    write_result(q, i, raised, result);
    if (q->after) {
        fputs(i ? "," : "[", q->after);
        write_arguments(q->after, s->inst, &a);
    }
    q->results[i] = t.is_kept ? result : tsm_none();
    if (!t.is_kept)
        tsm_release(s->inst, result);
    for (size_t k = 0; k < a.count; k++)
        tsm_release(s->inst, a.values[k]);
}

static void run_sequence(session *s, const options *o, json_report *r) {
    if (o->outputs && (results_is_npy(o->outputs) || results_is_npz(o->outputs)))
        die(EXIT_BAD_INPUT, "--sequence writes its results as JSON, not to %s", o->outputs);
    const json_file *file = json_open(o->sequence);
    const size_t calls = json_array_size(file, JSON_ROOT, "the sequence of calls");
    platform_output *outputs = create(o->outputs), *after = create(o->after);
    /* Arguments are written after each call; on standard output they stand behind all results. */
    held_text held = {NULL, NULL, 0};
    if (o->after && !strcmp(o->after, "-"))
        held_open(&held);
    FILE *arguments_out = held.stream ? held.stream : stream_of(after);
    const sequence q = {s, o, file, keep(calls * sizeof *q.results), stream_of(outputs), arguments_out, r->is_json};
    if (r->is_json && !outputs)
        json_report_member(r, "results");
    json_node node = json_first(JSON_ROOT);
    for (size_t i = 0; i < calls; i++, node = json_next(file, node))
        run_step(&q, node, i);
    for (size_t i = 0; i < calls; i++)
        tsm_release(s->inst, q.results[i]);
    const char *end = calls ? "]" : "[]";
    if (r->is_json && !outputs)
        fputs(end, stdout);
    if (q.outputs)
        fputs(end, q.outputs);
    if (q.after)
        fputs(end, q.after);
    finish(outputs, o->outputs);
    if (held.stream)
        held_write(&held, stream_of(after));
    finish(after, o->after);
}

/* What was printed must have come out. */
static int end_printing(int status) {
    if (fflush(stdout) != 0 || ferror(stdout))
        die(EXIT_BAD_INPUT, "cannot print: %s", strerror(errno));
    return status;
}

int main(int argc, char **argv) {
    platform_arguments(&argc, argv);
    const options o = options_read(argc, argv);
    session s;
    if (o.info) {
        session_open_program(&s, o.program);
        info_print(stdout, &s.program, o.json);
        return 0;
    }
    int status = EXIT_OK;
    json_report r = {.is_json = o.json};
    platform_output *values = create(o.values);
    session_open(&s, &o, values);
    if (o.load_state)
        state_load(&s, o.load_state);
    remote_start(s.inst, &o);
    const bool only_serves = options_only_serve(&o);
    if (only_serves)
        remote_serve(s.inst, &o);
    else if (o.check)
        status = check_run(&s, &o, &r);
    else if (o.sequence)
        run_sequence(&s, &o, &r);
    else
        status = run_once(&s, &o, &r);
    if (!only_serves)
        remote_serve(s.inst, &o);
    if (o.save_state)
        state_save(&s, o.save_state);
    remote_end(s.inst, &o);
    end_printing(status);
    session_end_values(&s);
    platform_output *trace = create(o.trace);
    if (trace)
        trace_write(stream_of(trace), s.trace);
    finish(trace, o.trace);
    platform_output *page = create(o.report);
    if (page)
        run_report_write(s.report, stream_of(page), o.program, s.method, s.inst);
    finish(page, o.report);
    if (o.profile)
        show_profile(o.json ? json_report_member(&r, "profile") : stderr, s.inst, o.json);
    if (o.json || o.profile || o.arena || !(o.outputs || o.bench || o.check || o.top || o.expect))
        show_usage(o.json ? json_report_member(&r, "usage") : stderr, &s.program, s.inst, o.json);
    json_report_end(&r);
    status = end_printing(status);
    remote_leave(status);
    return status;
}
