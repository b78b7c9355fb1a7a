/* tsmrun: runs, checks, times and profiles a .tsm program. See options.c for its options. */
#include "platform/platform.h"
#include "platform/runner/convert.h"
#include "platform/runner/die.h"
#include "platform/runner/json_read.h"
#include "platform/runner/json_write.h"
#include "platform/runner/session.h"
#include "platform/runner/show.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A file to write, or NULL when `path` is. */
static FILE *create(const char *path) {
    FILE *out = path ? fopen(path, "w") : NULL;
    if (path && !out)
        die(EXIT_BAD_INPUT, "cannot write %s: %s", path, strerror(errno));
    return out;
}

static void finish(FILE *out, const char *path) {
    if (!out)
        return;
    fputc('\n', out);
    const bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad)
        die(EXIT_BAD_INPUT, "cannot write all of %s: %s", path, strerror(errno));
}

static void write_arguments(FILE *out, tsm_instance *inst, const arguments *a) {
    fputc('[', out);
    for (size_t i = 0; i < a->count; i++) {
        fputs(i ? "," : "", out);
        json_write(out, inst, a->values[i]);
    }
    fputc(']', out);
}

static void run_once(session *s, const options *o) {
    const arguments a = session_arguments(s, o);
    const tsm_value result = session_call(s, &a);
    FILE *outputs = create(o->outputs);
    if (outputs) {
        json_write(outputs, s->inst, result);
    } else {
        show_value(stdout, s->inst, result);
        fputc('\n', stdout);
    }
    finish(outputs, o->outputs);
    FILE *after = create(o->after);
    if (after)
        write_arguments(after, s->inst, &a);
    finish(after, o->after);
    tsm_release(s->inst, result);
}

/* One call of a sequence: number i, its arguments at `node`. */
static void run_step(session *s, const json_file *file, json_node node, size_t i, FILE *outputs, FILE *after) {
    arguments a = {.count = json_array_size(file, node, "the arguments of a call")};
    a.values = keep(a.count * sizeof *a.values);
    json_node item = json_first(node);
    for (size_t k = 0; k < a.count; k++, item = json_next(file, item)) {
        a.values[k] = json_value(file, item, s->inst);
        convert_argument(s->inst, &s->declared, k, &a.values[k]);
    }
    const tsm_value result = session_call(s, &a);
    if (outputs) {
        fputs(i ? "," : "[", outputs);
        json_write(outputs, s->inst, result);
    } else {
        show_value(stdout, s->inst, result);
        fputc('\n', stdout);
    }
    if (after) {
        fputs(i ? "," : "[", after);
        write_arguments(after, s->inst, &a);
    }
    tsm_release(s->inst, result);
    for (size_t k = 0; k < a.count; k++)
        tsm_release(s->inst, a.values[k]);
}

static void run_sequence(session *s, const options *o) {
    const json_file *file = json_open(o->sequence);
    const size_t calls = json_array_size(file, JSON_ROOT, "the sequence of calls");
    FILE *outputs = create(o->outputs), *after = create(o->after);
    json_node node = json_first(JSON_ROOT);
    for (size_t i = 0; i < calls; i++, node = json_next(file, node))
        run_step(s, file, node, i, outputs, after);
    const char *end = calls ? "]" : "[]";
    if (outputs)
        fputs(end, outputs);
    if (after)
        fputs(end, after);
    finish(outputs, o->outputs);
    finish(after, o->after);
}

int main(int argc, char **argv) {
    platform_arguments(&argc, argv);
    const options o = options_read(argc, argv);
    session s;
    int status = EXIT_OK;
    FILE *values = create(o.values);
    session_open(&s, &o, values);
    if (o.check)
        status = check_run(&s);
    else if (o.bench)
        bench_run(&s, &o);
    else if (o.sequence)
        run_sequence(&s, &o);
    else
        run_once(&s, &o);
    fflush(stdout);
    if (values)
        values_end(s.values);
    finish(values, o.values);
    FILE *trace = create(o.trace);
    if (trace)
        trace_write(trace, s.trace);
    finish(trace, o.trace);
    if (o.profile)
        show_profile(stderr, s.inst);
    if (o.profile || o.arena || !(o.outputs || o.bench || o.check))
        show_usage(stderr, &s.program, s.inst);
    return status;
}
