/* --trace: keeps when each operator ran, and writes it for Chrome's trace viewers. */
#include "platform/runner/trace.h"

#include "platform/runner/die.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    const char *name;
    uint64_t begin, end;
} event;

struct trace {
    event *events;
    size_t count, room;
};

trace *trace_new(void) {
    trace *t = keep(sizeof *t);
    *t = (trace){NULL, 0, 0};
    return t;
}

void trace_add(trace *t, const char *name, uint64_t begin, uint64_t end) {
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->events = realloc(t->events, t->room * sizeof *t->events);
        if (!t->events)
            die(EXIT_FAULT, "there is no memory for the trace");
    }
    t->events[t->count++] = (event){name, begin, end};
}

static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void trace_write(FILE *out, const trace *t) {
    uint64_t start = UINT64_MAX;
    for (size_t i = 0; i < t->count; i++)
        start = t->events[i].begin < start ? t->events[i].begin : start;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    for (size_t i = 0; i < t->count; i++) {
        const event *e = &t->events[i];
        fputs(i ? ",\n" : "\n", out);
        fputs("{\"name\":", out);
        write_string(out, e->name);
        fprintf(out, ",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f}", (double)(e->begin - start) / 1e3,
                (double)(e->end - e->begin) / 1e3);
    }
    fputs("\n]}", out);
}
