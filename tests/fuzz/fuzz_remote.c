/* Fuzzing harness: what other workers send. An input is
 *
 *     | a call of its own (1 byte) | messages: | flags (1 byte) | kind | number | length (16 bits) | body | |
 *
 * Each message gets a head, the name of a worker and checksums that fit, unless its flags say otherwise. A worker whose
 * program is tests/remote/programs.py makes a call of its own, to which the messages may be answers, then serves. It
 * must stay within its memory, end, and answer a proper request afterwards. */
#include <string.h>

#include "runtime/interpreter/remote.h"
#include "runtime/interpreter/remote_sum.h"
#include "tests/fuzz/harness.h"

enum { ARENA = 1 << 17, TEXT = 512, HEAD = 28, NAME = 7, MOST_MESSAGE = 1 << 12, TICKS = 50, CALLS = 8 };
enum { AS_IT_IS = 1, OF_A_THIRD = 2, BROKEN = 4, ASYNC = 8 };

extern const unsigned char fuzz_remote_program[];
extern const size_t fuzz_remote_program_bytes;

static const char *const names[] = {"worker0", "worker1", "worker2"};
static const char *const allowed[] = {
    "__torch__.programs.scale",   "__torch__.programs.describe",     "__torch__.programs.extend",
    "__torch__.programs.bring",   "__torch__.programs.hand_back",    "__torch__.programs.make_counter",
    "__torch__.programs.numbers", "__torch__.programs.is_confirmed", "__torch__.programs.count_on"};
static const char *const own_calls[CALLS] = {"forward",    "to_a_third", "keywords",  "values_of_all_kinds",
                                             "owned_here", "many",       "to_myself", "there_and_back"};

typedef struct {
    const uint8_t *at, *end;
    uint8_t message[MOST_MESSAGE];
    uint64_t time;
    tsm_instance *inst;
    bool is_proper; /* the last request */
    bool was_answered;
} execution;

static _Alignas(64) uint8_t arena[ARENA];
static _Alignas(64) uint8_t file[1 << 20];
static tsm_program program;

static void fit_sums(uint8_t *bytes, size_t n) {
    const uint64_t all = n;
    memcpy(bytes + 8, &all, sizeof all);
    const uint32_t body_sum = tsm_remote_sum(bytes + HEAD + NAME + 4, n - HEAD - NAME - 4);
    memcpy(bytes + 24, &body_sum, sizeof body_sum);
    const uint32_t sum = tsm_remote_sum(bytes, HEAD + NAME);
    memcpy(bytes + HEAD + NAME, &sum, sizeof sum);
}

static size_t head(uint8_t *to, uint8_t kind, uint64_t number, const char *name) {
    const uint32_t mark = REMOTE_MARK;
    memset(to, 0, HEAD);
    memcpy(to, &mark, sizeof mark);
    to[4] = REMOTE_VERSION;
    to[5] = kind;
    to[6] = NAME;
    memcpy(to + 16, &number, sizeof number);
    memcpy(to + HEAD, name, NAME);
    return HEAD + NAME + 4;
}

static bool on_send(void *context, const char *worker, const void *bytes, size_t n) {
    execution *e = context;
    (void)worker;
    if (e->is_proper && n > 5 && ((const uint8_t *)bytes)[5] == REMOTE_RESULT)
        e->was_answered = true;
    return true;
}

static const void *on_receive(void *context, uint64_t nanoseconds, size_t *n) {
    execution *e = context;
    if (e->end - e->at < 5) {
        e->time += nanoseconds;
        return NULL;
    }
    const uint8_t flags = e->at[0], kind = e->at[1], number = e->at[2];
    size_t bytes = e->at[3] | (size_t)e->at[4] << 8;
    e->at += 5;
    if (bytes > (size_t)(e->end - e->at))
        bytes = (size_t)(e->end - e->at);
    if (bytes > MOST_MESSAGE - 64)
        bytes = MOST_MESSAGE - 64;
    size_t used = flags & AS_IT_IS ? 0 : head(e->message, kind, number, names[flags & OF_A_THIRD ? 2 : 1]);
    if (used && flags & ASYNC)
        e->message[7] = 1;
    memcpy(e->message + used, e->at, bytes);
    used += bytes;
    e->at += bytes;
    if (!(flags & (AS_IT_IS | BROKEN)))
        fit_sums(e->message, used);
    e->time += 1000;
    *n = used;
    return e->message;
}

static uint64_t clock_of(void *context) {
    return ((execution *)context)->time;
}

/* A call of nothing(), as a worker would send it. */
static void ask_properly(execution *e) {
    static const char name[] = "__torch__.programs.scale";
    uint8_t request[128] = {0, REMOTE_CALL, 77};
    uint8_t *to = request + 5;
    const uint32_t length = sizeof name - 1, items = 3, none = 0;
    const int64_t offset = 1;
    const double factor = 2;
    memcpy(to, &length, 4);
    memcpy(to + 4, name, length);
    to += 4 + length;
    *to++ = TSM_TAG_TUPLE;
    memcpy(to, &none, 4);
    memcpy(to + 4, &items, 4);
    to += 8;
    memcpy(to, "\7\6\0\0", 4); /* a tensor: float32 without dimensions */
    memset(to + 4, 0, 4);
    to += 8;
    *to++ = TSM_TAG_FLOAT;
    memcpy(to, &factor, 8);
    to += 8;
    *to++ = TSM_TAG_INT;
    memcpy(to, &offset, 8);
    to += 8;
    const size_t body = (size_t)(to - request) - 5;
    request[3] = (uint8_t)body;
    e->at = request;
    e->end = to;
    e->is_proper = true;
    e->was_answered = false;
    tsm_remote_serve(e->inst, 0);
    e->at = e->end;
}

static void run(void *context) {
    execution *e = context;
    char text[TEXT];
    const tsm_options o = {
        .platform = {.context = e, .nanoseconds = clock_of}, .fuel = 100000, .message = text, .message_bytes = TEXT};
    const tsm_transport t = {.context = e, .send = on_send, .receive = on_receive};
    const tsm_remote_options r = {.size = sizeof r,
                                  .workers = names,
                                  .worker_count = 3,
                                  .allowed = allowed,
                                  .allowed_count = sizeof allowed / sizeof *allowed};
    if (tsm_instance_init(&e->inst, &program, &o, arena, sizeof arena) != TSM_OK ||
        tsm_remote_open(e->inst, &t, &r) != TSM_OK)
        harness_fault("the worker cannot be made: %s", text);
    const char *call = own_calls[*e->at++ % CALLS];
    tsm_value arguments[3], result;
    for (int i = 0; i < 3; i++)
        if (tsm_str_new(e->inst, &arguments[i], names[(i + 1) % 3], NAME) != TSM_OK)
            harness_fault("no memory for a name");
    if (tsm_call(e->inst, tsm_method(&program, call), arguments, 3, &result) == TSM_OK)
        harness_count(true);
    else
        harness_count(false);
    tsm_release(e->inst, result);
    tsm_remote_serve(e->inst, 0);
    e->time += UINT64_C(200000000000); /* what nobody answers ends */
    tsm_remote_serve(e->inst, 0);
    ask_properly(e);
    if (!e->was_answered)
        harness_fault("a proper request gets no answer");
    for (int i = 0; i < 3; i++)
        tsm_release(e->inst, arguments[i]);
    tsm_remote_close(e->inst);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    char message[TEXT];
    if (fuzz_remote_program_bytes > sizeof file)
        harness_fault("the program is too large");
    memcpy(file, fuzz_remote_program, fuzz_remote_program_bytes);
    if (tsm_program_open(&program, file, fuzz_remote_program_bytes, message, sizeof message) != TSM_OK)
        harness_fault("the program cannot be opened: %s", message);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static execution e;
    if (!bytes)
        return 0;
    memset(&e, 0, sizeof e);
    e.at = data;
    e.end = data + bytes;
    harness_at("remote");
    if (!harness_run(run, &e, TICKS))
        harness_fault("it does not end");
    return 0;
}

/* Bytes are changed, messages added: of kinds and with values that there are. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed) {
    static const char *const texts[] = {"__torch__.programs.scale",
                                        "__torch__.programs.bring",
                                        "__torch__.programs.Reading",
                                        "__torch__.programs.Counter",
                                        "__torch__.programs.describe",
                                        "worker0",
                                        "worker1",
                                        "Tensor",
                                        "List[int]",
                                        "x"};
    harness_random random = {seed};
    if (!bytes && most)
        data[bytes++] = (uint8_t)harness_next(&random);
    for (size_t steps = 1 + harness_below(&random, 4); steps; steps--) {
        const size_t way = harness_below(&random, 6), at = 1 + harness_below(&random, bytes);
        if (way < 2 && at < bytes)
            data[at] = (uint8_t)(way ? harness_next(&random) : harness_below(&random, TSM_TAG_COUNT));
        else if (way == 2 && bytes + 5 < most) { /* a message begins */
            data[bytes++] = (uint8_t)(harness_below(&random, 8) ? 0 : harness_next(&random));
            data[bytes++] = (uint8_t)(1 + harness_below(&random, 8));
            data[bytes++] = (uint8_t)(1 + harness_below(&random, 8));
            data[bytes++] = (uint8_t)harness_below(&random, 128);
            data[bytes++] = 0;
        } else if (way == 3) { /* a text with its length */
            const char *text = texts[harness_below(&random, sizeof texts / sizeof *texts)];
            const size_t n = strlen(text);
            const uint32_t length = (uint32_t)n;
            if (bytes + n + 4 < most) {
                const bool is_worker = text[0] == 'w';
                memcpy(data + bytes, &length, is_worker ? 1 : 4);
                bytes += is_worker ? 1 : 4;
                memcpy(data + bytes, text, n);
                bytes += n;
            }
        } else if (way == 4 && bytes + 9 < most) { /* a number, or a count */
            const uint64_t n =
                harness_below(&random, 2) ? harness_below(&random, 5) : (uint64_t)harness_extreme_int(seed);
            const size_t size = harness_below(&random, 2) ? 4 : 8;
            data[bytes++] = (uint8_t)harness_below(&random, TSM_TAG_COUNT);
            memcpy(data + bytes, &n, size);
            bytes += size;
        } else if (way == 5 && at < bytes) {
            memmove(data + at, data + at + 1, bytes - at - 1);
            bytes--;
        }
    }
    return bytes;
}
