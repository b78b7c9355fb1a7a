/* Lets every single allocation of a call fail once. The call must then end with TSM_OUT_OF_MEMORY and a text, or go on
 * without that memory and give its usual answer; all memory comes back, and the instance stays usable: the same call
 * then answers as in a new instance, or at the latest after tsm_instance_reset. This is tested for a first call, a
 * second one and one after a reset, and for the allocations of tsm_instance_init and tsm_bundle_get.
 *
 *   test_failures MOST FILE.tsm...      each with bundled cases; those that allocate more often than MOST are left out
 *   test_failures first MOST FILE.tsm...   first calls only
 *
 * The last line says how many calls with how many allocations were tried. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/runner/compare.h"
#include "runtime/value/alloc.h"
#include "schema/generated/tsmobile_reader.h"
#include "tsmobile.h"

enum { FIRST_BUFFER = 1 << 25, SPARE = 1 << 14, MESSAGE = 4096, WHY = 256, MOST_COMPLAINTS = 40 };

static const char *program_name;
static int failures;
static uint64_t tried_calls, tried_allocations;

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (failures++ < MOST_COMPLAINTS) {
        fprintf(stderr, "%s: ", program_name);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
    }
    va_end(arguments);
}

/* ---- The allocator: the linker (--wrap) directs the library's calls to these functions ---- */

void *__real_tsm_heap_alloc(tsm_heap *h, size_t bytes);
void *__real_tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align);
void *__real_tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes);
void *__wrap_tsm_heap_alloc(tsm_heap *h, size_t bytes);
void *__wrap_tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align);
void *__wrap_tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes);

static const uint64_t never = UINT64_MAX;
static uint64_t requests, failing = UINT64_MAX; /* the number of the request that fails */

static bool fails(tsm_heap *h, size_t bytes) {
    if (requests++ != failing)
        return false;
    h->missing = bytes;
    return true;
}

void *__wrap_tsm_heap_alloc(tsm_heap *h, size_t bytes) {
    return fails(h, bytes) ? NULL : __real_tsm_heap_alloc(h, bytes);
}

void *__wrap_tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align) {
    return fails(h, bytes) ? NULL : __real_tsm_heap_alloc_aligned(h, bytes, align);
}

void *__wrap_tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes) {
    return fails(h, bytes) ? NULL : __real_tsm_heap_realloc(h, p, bytes);
}

static void fail_at(uint64_t number) {
    requests = 0;
    failing = number;
}

/* ---- Calls ---- */

typedef struct {
    tsm_instance *inst;
    void *buffer;
    char message[MESSAGE];
} machine;

typedef struct {
    tsm_status status;
    tsm_value result;
    uint64_t allocations;
    char error[MESSAGE];
} answer;

static void *large_block(size_t bytes) {
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p)
        exit(3);
    return p;
}

static bool start(machine *m, const tsm_program *program, size_t bytes) {
    tsm_options options = {.message = m->message, .message_bytes = sizeof m->message};
    return tsm_instance_init(&m->inst, program, &options, m->buffer, bytes) == TSM_OK;
}

static void drop(machine *m, answer *a) {
    tsm_release(m->inst, a->result);
    a->result = tsm_none();
}

/* Calls with the arguments of case `bundle`, made anew: the program may change them. */
static void call(machine *m, size_t bundle, uint64_t number, answer *a) {
    int method;
    tsm_value arguments, expected;
    bool has_expected;
    *a = (answer){.result = tsm_none()};
    a->status = tsm_bundle_get(m->inst, bundle, &method, &arguments, &expected, &has_expected);
    if (a->status != TSM_OK)
        return;
    tsm_release(m->inst, expected);
    const size_t n = tsm_sequence_size(arguments);
    tsm_value *items = calloc(n + 1, sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = tsm_sequence_get(arguments, i);
    fail_at(number);
    a->status = tsm_call(m->inst, method, items, n, &a->result);
    a->allocations = requests;
    fail_at(never);
    snprintf(a->error, sizeof a->error, "%s", a->status == TSM_OK ? "" : tsm_error(m->inst));
    free(items);
    tsm_release(m->inst, arguments);
}

/* Whether every line of `text` is part of `whole`: a traceback may lose lines when there is no memory for it. */
static bool lines_of(const char *text, const char *whole) {
    char line[MESSAGE];
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        if (!strstr(whole, line))
            return false;
    }
    return true;
}

static bool same(machine *m, const answer *got, const answer *want, char *why) {
    if (got->status != want->status) {
        snprintf(why, WHY, "status %s instead of %s: %.150s", tsm_status_text(got->status),
                 tsm_status_text(want->status), got->error);
        return false;
    }
    if (got->status == TSM_OK)
        return compare_values(m->inst, got->result, want->result, why, WHY);
    snprintf(why, WHY, "another error: %.200s", got->error);
    return (got->error[0] || !want->error[0]) && lines_of(got->error, want->error);
}

/* ---- One case ---- */

typedef struct {
    const tsm_program *program;
    size_t bundle, bytes;
    machine first, second; /* hold the answers of the first and of the second call */
    answer once, twice;
    bool stateless; /* there is nothing to change: the second call answers as the first, and keeps no memory */
} reference;

static size_t used(const machine *m) {
    return tsm_instance_usage(m->inst).used_bytes;
}

/* Objects that the program may change. A call that fails may leave them changed in part, as in PyTorch: observers then
 * refuse what they hold. */
static bool has_objects(const tsm_program *p) {
    const tsmf_Program root = {p->root};
    for (uint32_t i = 0; i < tsmf_Program_constants_len(root); i++)
        if (tsmf_Constant_kind(tsmf_Program_constants(root, i)) == TSMF_ConstantKind_Object)
            return true;
    return false;
}

/* False when the case cannot be tested: its answers differ from call to call, or it makes too many allocations. */
static bool refer(reference *r, uint64_t most) {
    answer before;
    if (!start(&r->first, r->program, FIRST_BUFFER) || !start(&r->second, r->program, FIRST_BUFFER))
        return false;
    const size_t empty = used(&r->second);
    call(&r->first, r->bundle, never, &r->once);
    call(&r->second, r->bundle, never, &before);
    char why[WHY];
    bool useful =
        same(&r->second, &before, &r->once, why) && before.allocations <= most && before.status != TSM_OUT_OF_MEMORY;
    drop(&r->second, &before);
    const bool kept = used(&r->second) != empty;
    call(&r->second, r->bundle, never, &r->twice);
    r->stateless = !kept && !has_objects(r->program) && same(&r->second, &r->twice, &r->once, why);
    r->bytes = tsm_instance_usage(r->second.inst).high_water_bytes +
               tsm_instance_usage(r->first.inst).high_water_bytes + SPARE;
    return useful;
}

/* A call in which request `number` fails, and what must hold after it. `want`: the answer of the call that does not
 * fail. False when the call makes fewer requests. */
static bool try_failure(machine *m, const reference *r, const answer *want, uint64_t number, const char *when) {
    answer a;
    char why[WHY];
    const size_t before = used(m);
    call(m, r->bundle, number, &a);
    const bool reached = a.allocations > number;
    if (a.status != TSM_OUT_OF_MEMORY && !same(m, &a, want, why))
        complain("%s, allocation %" PRIu64 " fails: %s", when, number, why);
    if (a.status == TSM_OUT_OF_MEMORY && (!reached || !a.error[0] || a.result.tag != TSM_TAG_NONE))
        complain("%s, allocation %" PRIu64 " fails: no text, a result, or no failure at all: %s", when, number,
                 a.error);
    drop(m, &a);
    if (r->stateless && used(m) != before)
        complain("%s, allocation %" PRIu64 " fails: %td bytes are not given back", when, number,
                 (ptrdiff_t)(used(m) - before));
    if (r->stateless) {
        call(m, r->bundle, never, &a);
        if (!same(m, &a, &r->once, why))
            complain("%s, allocation %" PRIu64 " fails: the next call: %s", when, number, why);
        drop(m, &a);
    }
    tried_calls++;
    return reached;
}

/* The instance is as new after a reset. */
static void check_reset(machine *m, const reference *r, size_t empty, uint64_t number, const char *when) {
    answer a;
    char why[WHY];
    if (tsm_instance_reset(m->inst) != TSM_OK || used(m) != empty)
        complain("%s, allocation %" PRIu64 " fails: the reset leaves %td bytes more", when, number,
                 (ptrdiff_t)(used(m) - empty));
    call(m, r->bundle, never, &a);
    if (!same(m, &a, &r->once, why))
        complain("%s, allocation %" PRIu64 " fails: after the reset: %s", when, number, why);
    drop(m, &a);
}

/* Allocation after allocation fails in a call before which `calls` others have succeeded. */
static void test_calls(machine *m, const reference *r, int calls, const char *when) {
    for (uint64_t number = 0, more = 1; more; number++) {
        if (!start(m, r->program, r->bytes)) {
            complain("%s: tsm_instance_init fails: %s", when, m->message);
            return;
        }
        const size_t empty = used(m);
        for (int i = 0; i < calls; i++) {
            answer a;
            call(m, r->bundle, never, &a);
            drop(m, &a);
        }
        more = try_failure(m, r, calls ? &r->twice : &r->once, number, when);
        check_reset(m, r, empty, number, when);
        tried_allocations += more;
    }
}

static void test_after_reset(machine *m, const reference *r) {
    if (!start(m, r->program, r->bytes))
        return;
    const size_t empty = used(m);
    for (uint64_t number = 0, more = 1; more; number++) {
        answer a;
        call(m, r->bundle, never, &a);
        drop(m, &a);
        if (tsm_instance_reset(m->inst) != TSM_OK)
            complain("the reset fails: %s", tsm_error(m->inst));
        more = try_failure(m, r, &r->once, number, "after a reset");
        check_reset(m, r, empty, number, "after a reset");
        tried_allocations += more;
    }
}

static void test_init(machine *m, const reference *r) {
    tsm_options options = {.message = m->message, .message_bytes = sizeof m->message};
    for (uint64_t number = 0;; number++) {
        m->message[0] = 0;
        fail_at(number);
        tsm_status status = tsm_instance_init(&m->inst, r->program, &options, m->buffer, r->bytes);
        const bool reached = requests > number;
        fail_at(never);
        if (!reached)
            return;
        if (status != TSM_OUT_OF_MEMORY || m->inst || !m->message[0])
            complain("tsm_instance_init, allocation %" PRIu64 " fails: %s %s", number, tsm_status_text(status),
                     m->message);
        tried_allocations++;
    }
}

static void test_bundle(machine *m, const reference *r) {
    if (!start(m, r->program, r->bytes))
        return;
    const size_t empty = used(m);
    for (uint64_t number = 0;; number++) {
        int method;
        bool has_expected;
        tsm_value arguments, expected;
        fail_at(number);
        tsm_status status = tsm_bundle_get(m->inst, r->bundle, &method, &arguments, &expected, &has_expected);
        const bool reached = requests > number;
        fail_at(never);
        if (status == TSM_OK) {
            tsm_release(m->inst, arguments);
            tsm_release(m->inst, expected);
        }
        if (!reached)
            return;
        if (status != TSM_OUT_OF_MEMORY || used(m) != empty)
            complain("tsm_bundle_get, allocation %" PRIu64 " fails: %s, %td bytes kept", number,
                     tsm_status_text(status), (ptrdiff_t)(used(m) - empty));
        tried_allocations++;
    }
}

static bool test_case(const tsm_program *program, size_t bundle, uint64_t most, bool only_first) {
    reference r = {.program = program, .bundle = bundle};
    r.first.buffer = large_block(FIRST_BUFFER);
    r.second.buffer = large_block(FIRST_BUFFER);
    const bool useful = refer(&r, most);
    if (useful) {
        machine m = {.buffer = large_block(r.bytes)};
        test_calls(&m, &r, 0, "in the first call");
        if (!only_first) {
            test_calls(&m, &r, 1, "in the second call");
            test_after_reset(&m, &r);
            test_init(&m, &r);
            test_bundle(&m, &r);
        }
        free(m.buffer);
    }
    free(r.first.buffer);
    free(r.second.buffer);
    return useful;
}

/* ---- Files ---- */

static void *read_file(const char *path, size_t *bytes) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return NULL;
    *bytes = (size_t)ftell(f);
    rewind(f);
    void *data = large_block(*bytes);
    size_t n = fread(data, 1, *bytes, f);
    fclose(f);
    return n == *bytes ? data : NULL;
}

static size_t test_file(const char *path, uint64_t most, bool only_first) {
    size_t bytes, useful = 0;
    char message[MESSAGE] = "";
    tsm_program program;
    void *file = read_file(path, &bytes);
    program_name = path;
    if (!file || tsm_program_open(&program, file, bytes, message, sizeof message) != TSM_OK)
        complain("cannot be opened: %s", message);
    else
        for (size_t i = 0; i < tsm_bundle_count(&program); i++)
            useful += test_case(&program, i, most, only_first);
    free(file);
    return useful;
}

int main(int argc, char **argv) {
    const bool only_first = argc > 1 && !strcmp(argv[1], "first");
    const int most = only_first ? 2 : 1;
    if (argc <= most + 1) {
        fputs("usage: test_failures [first] MOST FILE.tsm...\n", stderr);
        return 2;
    }
    size_t cases = 0;
    for (int i = most + 1; i < argc; i++)
        cases += test_file(argv[i], strtoull(argv[most], NULL, 10), only_first);
    printf("%zu cases, %" PRIu64 " calls, %" PRIu64 " allocations failed\n", cases, tried_calls, tried_allocations);
    return failures != 0;
}
