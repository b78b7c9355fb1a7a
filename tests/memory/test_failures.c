/* Lets every single allocation of a call fail once. The call must then end with TSM_OUT_OF_MEMORY and a text, or go on
 * without that memory and give its usual answer; all memory comes back, and the instance stays usable: the same call
 * then answers as in a new instance, or at the latest after tsm_instance_reset. This is tested for a first call, a
 * second one and one after a reset, and for the allocations of tsm_instance_init and tsm_bundle_get.
 *
 *   test_failures MOST FILE.tsm...      each with bundled cases; those that allocate more often than MOST are left out
 *   test_failures first MOST FILE.tsm...   first calls only; of those that allocate more often than MOST, the
 *       allocations that another chain of calls makes than any one before; and, in a call whose fuel is limited, fuel
 *       ends where kernels charge their work, once for each chain of calls
 *
 * The last line says how many calls with how many allocations and charges were tried. */
#include <execinfo.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/runner/compare.h"
#include "runtime/tensor/work.h"
#include "schema/generated/tsmobile_reader.h"
#include "tests/memory/failing_heap.h"
#include "tsmobile.h"

enum { FIRST_BUFFER = 1 << 25, SPARE = 1 << 14, MESSAGE = 4096, WHY = 256, MOST_COMPLAINTS = 40 };

static const char *program_name;
static int failures;
static uint64_t tried_calls, tried_failures;

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

/* ---- Chains of calls that were seen: a hash table, and the requests of the last call that came by a new one ---- */

typedef struct {
    uint64_t *items;
    size_t count, room;
} numbers;

static uint64_t *chains;
static size_t chain_count, chain_room;
static numbers fresh;
static bool notes_chains;

static void *checked(void *p) {
    if (!p)
        exit(3);
    return p;
}

static void push(numbers *n, uint64_t item) {
    if (n->count == n->room) {
        n->room = 2 * n->room + 64;
        n->items = checked(realloc(n->items, n->room * sizeof *n->items));
    }
    n->items[n->count++] = item;
}

/* False when it was there. `table`: of `room` places, a power of two; 0 is an empty one. */
static bool enter(uint64_t *table, size_t room, uint64_t chain) {
    size_t i = chain & (room - 1);
    for (; table[i]; i = (i + 1) & (room - 1))
        if (table[i] == chain)
            return false;
    table[i] = chain;
    return true;
}

static void grow_chains(void) {
    const size_t room = chain_room ? 2 * chain_room : 1 << 12;
    uint64_t *table = checked(calloc(room, sizeof *table));
    for (size_t i = 0; i < chain_room; i++)
        if (chains[i])
            enter(table, room, chains[i]);
    free(chains);
    chains = table;
    chain_room = room;
}

static void note_chain(uint64_t number) {
    void *frames[40];
    const int n = backtrace(frames, sizeof frames / sizeof *frames);
    uint64_t chain = 1469598103934665603U;
    for (int i = 1; i < n; i++)
        chain = (chain ^ (uintptr_t)frames[i]) * 1099511628211U;
    if (2 * chain_count >= chain_room)
        grow_chains();
    if (enter(chains, chain_room, chain | 1)) {
        chain_count++;
        push(&fresh, number);
    }
}

/* ---- What fails: the linker (--wrap) directs charges to this function, and requests to failing_heap.c ---- */

tsm_status __real_tsm_charge_limited(tsm_exec *x, uint64_t units);
tsm_status __wrap_tsm_charge_limited(tsm_exec *x, uint64_t units);

static bool charges_fail; /* else allocations do */

static bool fails(bool is_charge) {
    if (is_charge != charges_fail)
        return false;
    if (notes_chains)
        note_chain(failing_heap.requests);
    return failing_heap_next();
}

static bool allocation_fails(void) {
    return fails(false);
}

tsm_status __wrap_tsm_charge_limited(tsm_exec *x, uint64_t units) {
    return __real_tsm_charge_limited(x, fails(true) ? UINT64_MAX : units);
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
    uint64_t requests;
    char error[MESSAGE];
} answer;

static void *large_block(size_t bytes) {
    return checked(aligned_alloc(64, (bytes + 63) / 64 * 64));
}

static bool start(machine *m, const tsm_program *program, size_t bytes) {
    tsm_options options = {.message = m->message, .message_bytes = sizeof m->message};
    options.fuel = charges_fail ? INT64_MAX - 1 : 0;
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
    failing_heap_at(number);
    a->status = tsm_call(m->inst, method, items, n, &a->result);
    a->requests = failing_heap.requests;
    failing_heap_at(FAILING_NEVER);
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
        return compare_values(m->inst, got->result, want->result, COMPARE_TOLERANCE, why, WHY);
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

/* False when the case cannot be tested: its answers differ from call to call. */
static bool refer(reference *r) {
    answer before;
    if (!start(&r->first, r->program, FIRST_BUFFER) || !start(&r->second, r->program, FIRST_BUFFER))
        return false;
    const size_t empty = used(&r->second);
    fresh.count = 0;
    notes_chains = true;
    call(&r->first, r->bundle, FAILING_NEVER, &r->once);
    notes_chains = false;
    call(&r->second, r->bundle, FAILING_NEVER, &before);
    char why[WHY];
    bool useful = same(&r->second, &before, &r->once, why) && before.status != TSM_OUT_OF_MEMORY;
    drop(&r->second, &before);
    const bool kept = used(&r->second) != empty;
    call(&r->second, r->bundle, FAILING_NEVER, &r->twice);
    r->stateless = !kept && !has_objects(r->program) && same(&r->second, &r->twice, &r->once, why);
    r->bytes = tsm_instance_usage(r->second.inst).high_water_bytes +
               tsm_instance_usage(r->first.inst).high_water_bytes + SPARE;
    return useful;
}

static const char *request(void) {
    return charges_fail ? "charge" : "allocation";
}

/* A call in which request `number` fails, and what must hold after it. `want`: the answer of the call that does not
 * fail. False when the call makes fewer requests. */
static bool try_failure(machine *m, const reference *r, const answer *want, uint64_t number, const char *when) {
    const tsm_status refused = charges_fail ? TSM_OUT_OF_FUEL : TSM_OUT_OF_MEMORY;
    answer a;
    char why[WHY];
    const size_t before = used(m);
    call(m, r->bundle, number, &a);
    const bool reached = a.requests > number;
    if (a.status != refused && (charges_fail || !same(m, &a, want, why)))
        complain("%s, %s %" PRIu64 " fails: %s", when, request(), number, charges_fail ? "the call goes on" : why);
    if (a.status == refused && (!reached || !a.error[0] || a.result.tag != TSM_TAG_NONE))
        complain("%s, %s %" PRIu64 " fails: no text, a result, or no failure at all: %s", when, request(), number,
                 a.error);
    drop(m, &a);
    if (r->stateless && used(m) != before)
        complain("%s, %s %" PRIu64 " fails: %td bytes are not given back", when, request(), number,
                 (ptrdiff_t)(used(m) - before));
    if (r->stateless) {
        call(m, r->bundle, FAILING_NEVER, &a);
        if (!same(m, &a, &r->once, why))
            complain("%s, %s %" PRIu64 " fails: the next call: %s", when, request(), number, why);
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
        complain("%s, %s %" PRIu64 " fails: the reset leaves %td bytes more", when, request(), number,
                 (ptrdiff_t)(used(m) - empty));
    call(m, r->bundle, FAILING_NEVER, &a);
    if (!same(m, &a, &r->once, why))
        complain("%s, %s %" PRIu64 " fails: after the reset: %s", when, request(), number, why);
    drop(m, &a);
}

/* Request `number` fails in a call before which `calls` others have succeeded. False when there is none. */
static bool test_call(machine *m, const reference *r, int calls, uint64_t number, const char *when) {
    if (!start(m, r->program, r->bytes)) {
        complain("%s: tsm_instance_init fails: %s", when, m->message);
        return false;
    }
    const size_t empty = used(m);
    for (int i = 0; i < calls; i++) {
        answer a;
        call(m, r->bundle, FAILING_NEVER, &a);
        drop(m, &a);
    }
    const bool reached = try_failure(m, r, calls ? &r->twice : &r->once, number, when);
    check_reset(m, r, empty, number, when);
    tried_failures += reached;
    return reached;
}

static void test_calls(machine *m, const reference *r, int calls, const char *when) {
    for (uint64_t number = 0; test_call(m, r, calls, number, when); number++) {
    }
}

static void test_fresh(machine *m, const reference *r) {
    for (size_t i = 0; i < fresh.count; i++)
        test_call(m, r, 0, fresh.items[i], "in the first call");
}

static void test_after_reset(machine *m, const reference *r) {
    if (!start(m, r->program, r->bytes))
        return;
    const size_t empty = used(m);
    for (uint64_t number = 0, more = 1; more; number++) {
        answer a;
        call(m, r->bundle, FAILING_NEVER, &a);
        drop(m, &a);
        if (tsm_instance_reset(m->inst) != TSM_OK)
            complain("the reset fails: %s", tsm_error(m->inst));
        more = try_failure(m, r, &r->once, number, "after a reset");
        check_reset(m, r, empty, number, "after a reset");
        tried_failures += more;
    }
}

static void test_init(machine *m, const reference *r) {
    tsm_options options = {.message = m->message, .message_bytes = sizeof m->message};
    for (uint64_t number = 0;; number++) {
        m->message[0] = 0;
        failing_heap_at(number);
        tsm_status status = tsm_instance_init(&m->inst, r->program, &options, m->buffer, r->bytes);
        const bool reached = failing_heap.requests > number;
        failing_heap_at(FAILING_NEVER);
        if (!reached)
            return;
        if (status != TSM_OUT_OF_MEMORY || m->inst || !m->message[0])
            complain("tsm_instance_init, allocation %" PRIu64 " fails: %s %s", number, tsm_status_text(status),
                     m->message);
        tried_failures++;
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
        failing_heap_at(number);
        tsm_status status = tsm_bundle_get(m->inst, r->bundle, &method, &arguments, &expected, &has_expected);
        const bool reached = failing_heap.requests > number;
        failing_heap_at(FAILING_NEVER);
        if (status == TSM_OK) {
            tsm_release(m->inst, arguments);
            tsm_release(m->inst, expected);
        }
        if (!reached)
            return;
        if (status != TSM_OUT_OF_MEMORY || used(m) != empty)
            complain("tsm_bundle_get, allocation %" PRIu64 " fails: %s, %td bytes kept", number,
                     tsm_status_text(status), (ptrdiff_t)(used(m) - empty));
        tried_failures++;
    }
}

static void test_requests(const reference *r, uint64_t most, bool only_first) {
    machine m = {.buffer = large_block(r->bytes)};
    if (charges_fail || r->once.requests > most) {
        test_fresh(&m, r);
    } else {
        test_calls(&m, r, 0, "in the first call");
        if (!only_first) {
            test_calls(&m, r, 1, "in the second call");
            test_after_reset(&m, r);
            test_init(&m, r);
            test_bundle(&m, r);
        }
    }
    free(m.buffer);
}

static bool test_case(const tsm_program *program, size_t bundle, uint64_t most, bool only_first) {
    reference r = {.program = program, .bundle = bundle};
    r.first.buffer = large_block(FIRST_BUFFER);
    r.second.buffer = large_block(FIRST_BUFFER);
    const bool useful = refer(&r) && (only_first || r.once.requests <= most);
    if (useful)
        test_requests(&r, most, only_first);
    free(r.first.buffer);
    free(r.second.buffer);
    return useful;
}

static size_t test_cases(const tsm_program *program, uint64_t most, bool only_first) {
    size_t useful = 0;
    for (size_t i = 0; i < tsm_bundle_count(program); i++)
        for (int charges = 0; charges < (only_first ? 2 : 1); charges++) {
            charges_fail = charges;
            useful += test_case(program, i, most, only_first);
        }
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
        useful = test_cases(&program, most, only_first);
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
    failing_heap.fails = allocation_fails;
    size_t cases = 0;
    for (int i = most + 1; i < argc; i++)
        cases += test_file(argv[i], strtoull(argv[most], NULL, 10), only_first);
    printf("%zu cases, %" PRIu64 " calls, %" PRIu64 " allocations and charges failed\n", cases, tried_calls,
           tried_failures);
    return failures != 0;
}
