/* Opens a program, makes an instance in a buffer of the right size, calls methods. */
#include "platform/runner/session.h"

#include "platform/platform.h"
#include "platform/runner/die.h"
#include "platform/runner/mark.h"
#include "platform/runner/remote.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 16 * 1024 };

/* What is to be done with a file that is no .tsm. */
static const char *advice(const platform_file *file, const char *path) {
    const char *end = strrchr(path, '.');
    const bool is_archive = file->bytes > 4 && !memcmp(file->data, "PK\3\4", 4);
    return is_archive || (end && !strcmp(end, ".py")) ? "; tsmc makes one of it" : "";
}

void session_open_program(session *s, const char *path) {
    platform_file file;
    char message[512];
    if (!platform_file_open(&file, path, message, sizeof message))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, message);
    const tsm_status status = tsm_program_open(&s->program, file.data, file.bytes, message, sizeof message);
    if (status != TSM_OK)
        die(exit_status_of(status), "%s: %s%s", path, message, advice(&file, path));
}

/* Files of older versions of tsmc have no checksums. */
static void check_sums(const session *s, const char *path) {
    char message[128];
    const tsm_status status = tsm_program_check_sums(&s->program, message, sizeof message);
    if (status != TSM_OK && status != TSM_UNSUPPORTED)
        die(exit_status_of(status), "%s: %s", path, message);
}

/* The most that a method of the program is known to need. */
static size_t known_need(const tsm_program *program) {
    size_t most = 0;
    for (size_t i = 0; i < tsm_method_count(program); i++)
        most = tsm_method_bytes(program, i) > most ? tsm_method_bytes(program, i) : most;
    return most;
}

/* Where the buffer is too small, says all that is known of the need, not only what is missing now. */
_Noreturn static void die_in_buffer(const session *s, tsm_status status, const char *text) {
    const size_t need = status == TSM_OUT_OF_MEMORY ? known_need(&s->program) : 0;
    if (need)
        die(exit_status_of(status),
            "%s; with arguments as in its example the program needs %zu bytes, and those of the arguments", text, need);
    if (status == TSM_OUT_OF_MEMORY)
        die(exit_status_of(status), "%s; without --arena tsmrun takes what is needed, and says how much that was",
            text);
    die_of(status, text);
}

static void on_trace(void *context, const char *name, uint64_t begin, uint64_t end) {
    const session *s = context;
    if (s->trace)
        trace_add(s->trace, name, begin, end);
    if (s->report)
        run_report_time(s->report, begin, end);
}

static void on_values(void *context, tsm_instance *inst, const tsm_operator_call *call) {
    const session *s = context;
    if (s->values)
        values_add(s->values, inst, call);
    if (s->report)
        run_report_values(s->report, inst, call);
}

static values_log *start_values(const session *s, const options *o) {
    values_log *log = keep(sizeof *log);
    *log = (values_log){.out = platform_output_stream(s->values_output),
                        .program = &s->program,
                        .elements = o->values_elements,
                        .filter = o->values_filter};
    values_begin(log);
    return log;
}

void session_end_values(session *s) {
    char reason[256];
    if (!s->values)
        return;
    values_end(s->values);
    s->values = NULL;
    if (!platform_output_close(s->values_output, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot write the file of --values: %s", reason);
}

static bool on_write(void *context, const char *path, uint64_t offset, const void *data, size_t n) {
    const session *s = context;
    return save_write(s->save, path, offset, data, n);
}

static void print_aside(void *context, const char *text, size_t n) {
    (void)context;
    fwrite(text, 1, n, stderr);
}

static void make_instance(session *s, const options *o) {
    tsm_options settings = {
        .platform = platform_table(), .fuel = o->fuel, .profile = o->profile || o->trace || o->values || o->report};
    settings.platform.context = s;
    if (o->json) /* standard output is for the object alone */
        settings.platform.print = print_aside;
    settings.platform.write = on_write;
    settings.platform.trace = o->trace || o->report ? on_trace : NULL;
    settings.platform.observe = o->values || o->report ? on_values : NULL;
    settings.message = keep(MESSAGE_BYTES);
    settings.message_bytes = MESSAGE_BYTES;
    settings.message[0] = 0;
    size_t bytes;
    void *buffer = platform_buffer(o->arena, &bytes);
    if (!buffer)
        die(EXIT_BAD_INPUT, "the system has no %zu bytes for --arena", o->arena);
    const size_t need = known_need(&s->program);
    platform_buffer_expect(buffer, need < bytes ? need : bytes);
    const tsm_status status = tsm_instance_init(&s->inst, &s->program, &settings, buffer, bytes);
    if (status != TSM_OK)
        die_in_buffer(s, status, settings.message);
}

void session_open(session *s, const options *o, platform_output *values) {
    platform_threads(o->threads);
    mark(REGION_LOAD);
    const uint64_t start = platform_nanoseconds(NULL);
    session_open_program(s, o->program);
    const uint64_t opened = platform_nanoseconds(NULL);
    mark(REGION_NONE);
    check_sums(s, o->program);
    mark(REGION_LOAD);
    const uint64_t checked = platform_nanoseconds(NULL);
    s->trace = o->trace ? trace_new() : NULL;
    s->save = save_new(o->allow_save);
    s->values_output = values;
    s->values = values ? start_values(s, o) : NULL;
    s->report = o->report ? run_report_new(&s->program, o->report_expected) : NULL;
    make_instance(s, o);
    s->load_ms = (double)(platform_nanoseconds(NULL) - checked + opened - start) / 1e6;
    mark(REGION_NONE);
    s->method = -1;
    s->options = o;
    if (o->check || options_only_serve(o))
        return;
    session_choose(s, o->method);
}

/* Method names, separated by blanks, for an error's text. */
static const char *method_names(const tsm_program *program, char *text, size_t bytes) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < tsm_method_count(program) && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, " %s", tsm_method_name(program, i));
    return text;
}

static int find_method(const session *s, const char *name) {
    char names[512];
    const int method = tsm_method(&s->program, name ? name : "forward");
    if (method >= 0)
        return method;
    method_names(&s->program, names, sizeof names);
    if (name)
        die(EXIT_BAD_INPUT, "there is no method '%s'; the file has:%s", name, names);
    if (tsm_method_count(&s->program) != 1)
        die(EXIT_BAD_INPUT, "choose a method with --method; the file has:%s", names);
    return 0;
}

void session_choose(session *s, const char *name) {
    s->method = find_method(s, name);
}

/* An exception of a worker that serves does not end it. */
_Noreturn static void fail_and_serve(const session *s) {
    fflush(stdout);
    fprintf(stderr, "%s\n", tsm_error(s->inst));
    remote_serve(s->inst, s->options);
    exit(EXIT_RAISED);
}

static void trace_call(const session *s, uint64_t start) {
    if (s->trace)
        trace_add(s->trace, tsm_method_name(&s->program, (size_t)s->method), start, platform_nanoseconds(NULL));
}

const char *session_try(session *s, const arguments *a, tsm_value *result) {
    const uint64_t start = s->trace ? platform_nanoseconds(NULL) : 0;
    const tsm_status status = tsm_call(s->inst, s->method, a->values, a->count, result);
    if (status != TSM_OK && status != TSM_RAISED) {
        session_end_values(s);
        const options *o = s->options;
        if (status == TSM_BAD_ARGUMENT && !o->inputs && !o->given_count && !o->sequence &&
            tsm_method_arguments(&s->program, (size_t)s->method))
            die(exit_status_of(status),
                "%s; --inputs FILE.json, --npy, --image, --audio, --text or --string gives arguments",
                tsm_error(s->inst));
        die_in_buffer(s, status, tsm_error(s->inst));
    }
    if (status == TSM_RAISED)
        *result = tsm_none();
    trace_call(s, start);
    return status == TSM_RAISED ? tsm_error(s->inst) : NULL;
}

tsm_value session_call(session *s, const arguments *a) {
    tsm_value result;
    const char *raised = session_try(s, a, &result);
    if (raised) {
        session_end_values(s);
        if (s->options->rpc_serve)
            fail_and_serve(s);
        die_in_buffer(s, TSM_RAISED, raised);
    }
    return result;
}
