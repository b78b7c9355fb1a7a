/* Compiles damaged programs in Python at two levels, in processes that compile many of them, and calls what was
 * compiled with random arguments. Each must be compiled or refused, and both levels must give the same.
 *
 *     fuzz_source COUNT SEED FOLDER SOURCE.py...
 *     fuzz_source NUMBER+ SEED FOLDER SOURCE.py...      only that program, without a child
 *     fuzz_source whole SEED FOLDER SOURCE.py...        the programs as they are
 *
 * A program is one function or module class of a file and what it needs of that file. Programs that fail are kept in
 * FOLDER, and so is the one of NUMBER+. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exporter/base/diag.h"
#include "exporter/codegen/codegen.h"
#include "exporter/execute/snapshot.h"
#include "exporter/execute/values.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/analysis/value_conversion.h"
#include "exporter/passes/pipeline.h"
#include "exporter/source/load.h"
#include "runtime/value/alloc.h"
#include "tests/fuzz/batch.h"
#include "tests/fuzz/mutate_source.h"

enum { BATCH = 100, SECONDS = 30, OPTIMIZED = 2, CALLS = 2, MOST_DEPTH = 4, MESSAGE_BYTES = 1 << 14, FUEL = 200000 };
static const size_t BUFFER_BYTES = (size_t)1 << 22;

typedef struct {
    uint64_t seed;
    const char *folder;
    source_seed *seeds; /* stb_ds array */
    bool is_whole;
    void *buffer; /* for instances */
} campaign;

/* ---- Programs ---- */

typedef struct {
    const char *name, *text;
} damaged_program;

static damaged_program damaged_copy(const campaign *c, mutate_random *r, uint64_t number) {
    if (c->is_whole) {
        const source_seed *whole = &c->seeds[number];
        return (damaged_program){whole->name, mem_printf("%s%s", whole->before, whole->own)};
    }
    const source_seed *s = &c->seeds[mutate_below(r, arrlenu(c->seeds))],
                      *other = &c->seeds[mutate_below(r, arrlenu(c->seeds))];
    return (damaged_program){s->name, mem_printf("%s%s", s->before, mutate_source(r, s->own, other->own, true))};
}

static _Noreturn void fault(const char *what, const char *text) {
    fprintf(stderr, "%s: %s\n", what, text);
    _exit(3);
}

typedef struct {
    const uint8_t *file;
    size_t bytes;
    function *entry;
    bool is_random; /* draws random numbers, of which an operator that nobody wants takes some at -O0 only */
} compiled_program;

static bool draws(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->schema && schema_is_nondeterministic(n->schema))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (draws(n->blocks[i]))
                return true;
    }
    return false;
}

static compiled_program compile(const damaged_program *d, int level) {
    program *p = program_load_source("damaged.py", d->text, strlen(d->text), d->name,
                                     &(source_options){.evaluate = evaluate_operator});
    function **entries = program_entries(p);
    function **functions = pipeline_run(p, entries, (pipeline_options){.level = level});
    compiled_program out = {.entry = entries[0]};
    for (size_t i = 0; i < arrlenu(functions) && !out.is_random; i++)
        out.is_random = draws(function_graph(functions[i])->block);
    out.file = image_write(codegen_run(p, entries, functions, (codegen_options){0}), &out.bytes);
    return out;
}

/* NULL: the program can be compiled; otherwise why not. */
static const char *refusal(const damaged_program *d, int level, compiled_program *out) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        *out = compile(d, level);
        diag_end(&h);
        return NULL;
    }
    if (h.internal)
        fault("internal fault", h.message);
    return h.message;
}

/* Optimization takes calls away whose results nobody wants, also those of operators that are not supported; all else
 * that is refused at one level is refused at the other. */
static bool is_of_missing_operators(const char *refusal) {
    return strstr(refusal, "that tsmobile does not support");
}

/* ---- Arguments ---- */

#define PICK(r, list) ((list)[mutate_below((r), sizeof(list) / sizeof *(list))])

static const char *const ints[] = {
    "0", "1", "2", "3", "5", "-1", "-7", "64", "9223372036854775807", "-9223372036854775808"};
static const char *const floats[] = {"0.0", "1.0", "-1.5", "0.1", "1e308", "NaN", "Infinity", "-0.0"};
static const char *const texts[] = {"\"\"", "\"a\"", "\"abc\"", "\"12\"", "\"a b,c\"", "\"{}\"", "\"Ab1\""};
static const char *const tensors[] = {
    "{\"tensor\": {\"dtype\": \"float32\", \"shape\": [2, 3], \"data\": [1.0, -2.0, 3.5, 0.0, 5.0, 6.0]}}",
    "{\"tensor\": {\"dtype\": \"int64\", \"shape\": [3], \"data\": [2, 0, 1]}}",
    "{\"tensor\": {\"dtype\": \"bool\", \"shape\": [2], \"data\": [true, false]}}",
    "{\"tensor\": {\"dtype\": \"float32\", \"shape\": [], \"data\": [0.5]}}",
    "{\"tensor\": {\"dtype\": \"float64\", \"shape\": [0], \"data\": []}}",
};

static bool add_value(mutate_random *r, const type *t, int depth, strbuf *out);

/* Values of a type, or of types in turns, with commas between them. */
static bool add_values(mutate_random *r, const type *const *types, size_t kinds, size_t count, int depth, strbuf *out) {
    for (size_t i = 0; i < count; i++) {
        strbuf_add(out, i ? ", " : "");
        if (!add_value(r, types[i % kinds], depth + 1, out))
            return false;
    }
    return true;
}

static bool add_entries(mutate_random *r, const type *t, int depth, strbuf *out) {
    for (size_t n = mutate_below(r, 3), i = 0; i < n; i++) {
        strbuf_add(out, i ? ", [" : "[");
        if (!add_values(r, t->items, 2, 2, depth, out))
            return false;
        strbuf_add(out, "]");
    }
    return true;
}

/* A value of the type as JSON (docs/values.md); false: there is none, or none that can be written. */
static bool add_value(mutate_random *r, const type *t, int depth, strbuf *out) {
    stack_check();
    bool ok = depth <= MOST_DEPTH;
    switch (t->kind) {
    case TYPE_INT:
    case TYPE_NUMBER:
        strbuf_add(out, PICK(r, ints));
        return ok;
    case TYPE_FLOAT:
        strbuf_printf(out, "{\"float\": %s}", PICK(r, floats));
        return ok;
    case TYPE_COMPLEX:
        strbuf_printf(out, "{\"complex\": [%s, %s]}", PICK(r, floats), PICK(r, floats));
        return ok;
    case TYPE_BOOL:
        strbuf_add(out, mutate_below(r, 2) ? "true" : "false");
        return ok;
    case TYPE_STR:
        strbuf_add(out, PICK(r, texts));
        return ok;
    case TYPE_TENSOR:
        strbuf_add(out, PICK(r, tensors));
        return ok;
    case TYPE_NONE:
    case TYPE_ANY:
        strbuf_add(out, "null");
        return ok;
    case TYPE_OPTIONAL:
        if (mutate_below(r, 3))
            return add_value(r, t->items[0], depth, out);
        strbuf_add(out, "null");
        return ok;
    case TYPE_UNION:
        return add_value(r, t->items[mutate_below(r, t->count)], depth, out);
    case TYPE_LIST:
        strbuf_add(out, "[");
        ok = ok && add_values(r, t->items, 1, mutate_below(r, 4), depth, out);
        strbuf_add(out, "]");
        return ok;
    case TYPE_TUPLE:
        strbuf_add(out, "{\"tuple\": [");
        ok = ok && add_values(r, t->items, t->count, t->count, depth, out);
        strbuf_add(out, "]}");
        return ok;
    case TYPE_DICT:
        strbuf_add(out, "{\"dict\": [");
        ok = ok && add_entries(r, t, depth, out);
        strbuf_add(out, "]}");
        return ok;
    default:
        return false;
    }
}

/* NULL: not a value of the type, as a dict with a key twice. */
static ir_constant *parse_value(const char *text, const type *t) {
    diag_handler h;
    if (DIAG_TRY(&h))
        return NULL;
    ir_constant *v = values_parse_json("arguments", text, strlen(text), t);
    diag_end(&h);
    return v;
}

/* An stb_ds array; false: arguments of one of the types cannot be made. */
static bool make_arguments(mutate_random *r, const function *f, ir_constant ***arguments, strbuf *shown) {
    for (uint32_t first = f->owner != NULL, i = first; i < f->schema->argument_count; i++) { /* without self */
        const type *t = f->schema->arguments[i].type;
        strbuf text = {0};
        ir_constant *v = add_value(r, t, 0, &text) ? parse_value(text.text, t) : NULL;
        if (!v)
            return false;
        arrput(*arguments, v);
        strbuf_printf(shown, "%s%s", i > first ? ", " : "", text.text);
    }
    return true;
}

/* ---- Calls ---- */

typedef struct {
    tsm_status status;
    snapshot *result;
    strbuf printed;
    const char *message;
} outcome;

static void on_print(void *context, const char *text, size_t n) {
    strbuf_add_n(&((outcome *)context)->printed, text, n);
}

static tsm_status call(tsm_instance *inst, ir_constant *const *arguments, outcome *o) {
    tsm_value values[TSM_MAX_OPERATOR_INPUTS], result;
    const size_t n = arrlenu(arguments);
    if (n > TSM_MAX_OPERATOR_INPUTS)
        return TSM_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++)
        TSM_TRY(value_from_constant(inst, arguments[i], ELEMENTS_IN_BUFFER, &values[i]));
    TSM_TRY(tsm_call(inst, 0, values, n, &result));
    o->result = snapshot_of(inst, result);
    return TSM_OK;
}

static outcome run(const campaign *c, const compiled_program *p, ir_constant *const *arguments) {
    outcome o = {.status = TSM_OK};
    tsm_program opened;
    tsm_instance *inst;
    char *message = mem_alloc(MESSAGE_BYTES);
    if (tsm_program_open(&opened, p->file, p->bytes, message, MESSAGE_BYTES) != TSM_OK)
        fault("libtsmobile does not open what was compiled", message);
    tsm_options options = {.platform = {.context = &o, .print = on_print},
                           .fuel = FUEL,
                           .message = message,
                           .message_bytes = MESSAGE_BYTES};
    o.status = tsm_instance_init(&inst, &opened, &options, c->buffer, BUFFER_BYTES);
    if (o.status == TSM_OK)
        o.status = call(inst, arguments, &o);
    o.message = message;
    tsm_heap_forget(c->buffer, BUFFER_BYTES);
    return o;
}

static const char *last_line(const char *text) {
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    while (n > 0 && text[n - 1] != '\n')
        n--;
    return text + n;
}

/* Whether the line of the program that a traceback points to last is no raise, and no assert that failed. */
static bool is_raised_by_an_operator(const char *traceback) {
    const char *mark = NULL, *line;
    for (const char *at = traceback; (at = strstr(at, "<--- HERE")); at++)
        mark = at;
    while (mark && mark > traceback && mark[-1] != '\n')
        mark--;
    if (!mark || mark == traceback)
        return false;
    for (line = mark - 1; line > traceback && line[-1] != '\n';)
        line--;
    const char *text = mem_strndup(line, (size_t)(mark - line));
    return !strstr(text, "raise") && (!strstr(text, "assert") || !strstr(last_line(traceback), "AssertionError"));
}

/* An operator that raises and whose result nobody wants may be removed; then nothing or another exception comes. */
static bool may_differ(const outcome *optimized, const outcome *plain) {
    if (plain->status != TSM_RAISED || !is_raised_by_an_operator(plain->message))
        return false;
    return optimized->status == TSM_OK || optimized->status == TSM_RAISED;
}

/* Of an object, in the text of a value. It depends on what was allocated before. */
static const char address[] = " object at 0x";

/* Limits are reached at one level and not at the other: -O0 has more frames, and so room for more calls. */
static bool is_decided(const outcome *o) {
    return o->status != TSM_OUT_OF_MEMORY && o->status != TSM_OUT_OF_FUEL && o->status != TSM_TOO_DEEP &&
           !strstr(strbuf_text(&o->printed), address) && (o->status == TSM_OK || !strstr(o->message, address));
}

/* Whether the entry's module may be in the result: attributes of it that nothing reads are taken away. */
static bool holds_object(const snapshot *s) {
    stack_check();
    bool holds = s->tag == TSM_TAG_OBJECT;
    for (size_t i = 0; i < arrlenu(s->items) && !holds; i++)
        holds = holds_object(s->items[i]);
    return holds;
}

/* Whether it asks if two values are one, which optimization may change: as in PyTorch equal calculations become one. */
static bool asks_identity(const char *text) {
    for (const char *at = text; (at = strstr(at, " is ")); at++)
        if (strncmp(at + 4, "None", 4) != 0 && strncmp(at + 4, "not None", 8) != 0)
            return true;
    return false;
}

static const char *text_of(const outcome *o) {
    return mem_printf("%s, printed '%s', %s", tsm_status_text(o->status), strbuf_text(&o->printed),
                      o->status == TSM_OK ? "a result" : last_line(o->message));
}

static void compare(const outcome *a, const outcome *b, const function *entry, const char *arguments) {
    snapshot_comparison how = {.tolerance = 1e-5};
    if (!is_decided(a) || !is_decided(b) || may_differ(a, b) || (entry->owner && a->result && holds_object(a->result)))
        return;
    bool same = a->status == b->status && !strcmp(strbuf_text(&a->printed), strbuf_text(&b->printed));
    if (same)
        same = a->status != TSM_OK ? !strcmp(last_line(a->message), last_line(b->message))
                                   : snapshot_same(a->result, b->result, &how);
    if (!same && !(how.why && strstr(how.why, address)))
        fault("the levels differ", mem_printf("arguments %s\n-O2: %s\n-O0: %s\n%s", arguments, text_of(a), text_of(b),
                                              how.why ? how.why : ""));
}

static bool one(void *context, uint64_t number) {
    const campaign *c = context;
    mutate_random r = mutate_start(c->seed, number);
    const damaged_program d = damaged_copy(c, &r, number);
    compiled_program optimized, plain;
    if (refusal(&d, OPTIMIZED, &optimized))
        return false;
    const char *why = refusal(&d, 0, &plain);
    if (why && is_of_missing_operators(why))
        return false;
    if (why)
        fault("compiled at -O2 only", d.name);
    for (int i = 0; i < CALLS && !asks_identity(d.text) && !plain.is_random; i++) {
        strbuf shown = {0};
        ir_constant **arguments = NULL;
        if (!make_arguments(&r, optimized.entry, &arguments, &shown))
            continue;
        const outcome a = run(c, &optimized, arguments), b = run(c, &plain, arguments);
        compare(&a, &b, optimized.entry, strbuf_text(&shown));
    }
    return true;
}

/* ---- The campaign ---- */

static void keep(void *context, uint64_t number) {
    const campaign *c = context;
    mutate_random r = mutate_start(c->seed, number);
    const damaged_program d = damaged_copy(c, &r, number);
    const char *path =
        mem_printf("%s/damaged_%llu_%llu.py", c->folder, (unsigned long long)c->seed, (unsigned long long)number);
    FILE *f = fopen(path, "wb");
    if (!f || fputs(d.text, f) < 0 || fclose(f))
        perror(path);
    else
        printf("kept as %s, of which %s fails\n", path, d.name);
}

/* Reads the programs of a file and compiles one, so that what all need is there before processes are forked. */
static bool read_seeds(campaign *c, const char *path) {
    const mutate_file f = mutate_read(path);
    compiled_program p;
    bool ok = false;
    size_t i = arrlenu(c->seeds);
    source_seeds_add(&c->seeds, path, mem_strndup((const char *)f.data, f.bytes));
    free(f.data);
    for (; i < arrlenu(c->seeds) && !ok && !c->is_whole; i++) {
        const source_seed *s = &c->seeds[i];
        ok = !refusal(&(damaged_program){s->name, mem_printf("%s%s", s->before, s->own)}, OPTIMIZED, &p);
    }
    return ok;
}

int main(int argc, char **argv) {
    static campaign c;
    if (argc < 5) {
        fputs("usage: fuzz_source COUNT SEED FOLDER SOURCE.py...\n", stderr);
        return 2;
    }
    c.seed = strtoull(argv[2], NULL, 10);
    c.folder = argv[3];
    c.buffer = mutate_make(BUFFER_BYTES).data;
    if (mkdir(c.folder, 0777) && errno != EEXIST) {
        perror(c.folder);
        return 2;
    }
    c.is_whole = !strcmp(argv[1], "whole");
    bool ok = c.is_whole;
    for (int i = 4; i < argc; i++)
        ok |= read_seeds(&c, argv[i]);
    if (!ok) {
        fputs("nothing in the files can be compiled\n", stderr);
        return 2;
    }
    char *end;
    const uint64_t count = c.is_whole ? arrlenu(c.seeds) : strtoull(argv[1], &end, 10);
    const batch b = {count, BATCH, SECONDS, one, keep, &c};
    if (!c.is_whole && *end == '+') {
        keep(&c, count);
        return !batch_run_one(&b, count);
    }
    const batch_result result = batch_run(&b);
    printf("%llu programs: %llu compiled, %llu failures\n", (unsigned long long)count,
           (unsigned long long)result.accepted, (unsigned long long)result.failures);
    return result.failures != 0 || (result.accepted == 0 && !c.is_whole);
}
