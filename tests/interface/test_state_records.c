/* States with values of every kind (make_states.py): what is in them comes back; whatever a forger does to their
 * records, whose checksums then fit, they are refused, and the instance is as a new one; every allocation on the way
 * may fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/interpreter/check_sums.h"
#include "runtime/interpreter/state.h"
#include "runtime/value/random_state.h"
#include "tests/interface/state_values.h"
#include "tests/memory/failing_heap.h"
#include "tests/memory/read_file.h"
#include "tsmobile.h"

enum { BUFFER = 1 << 18, MESSAGE = 4096, STATE = 1 << 16, FUEL = 1 << 20 };

static tsm_program program;
static const void *program_file;
static size_t file_bytes;
static _Alignas(64) uint8_t buffers[2][BUFFER];
static char message[MESSAGE];
static uint8_t saved[STATE], again[STATE];

/* ---- Instances ---- */

static tsm_instance *start(int buffer) {
    tsm_options options = {.message = message, .message_bytes = sizeof message, .fuel = FUEL};
    tsm_instance *inst;
    assert_int_equal(tsm_instance_init(&inst, &program, &options, buffers[buffer], BUFFER), TSM_OK);
    return inst;
}

static size_t used_by(const tsm_instance *inst) {
    return tsm_instance_usage(inst).used_bytes;
}

static size_t save_to(tsm_instance *inst, uint8_t *memory) {
    size_t bytes;
    if (tsm_instance_save(inst, memory, STATE, &bytes) != TSM_OK)
        fail_msg("%s", tsm_error(inst));
    return bytes;
}

static void load(tsm_instance *inst, const uint8_t *memory, size_t bytes) {
    if (tsm_instance_load(inst, memory, bytes) != TSM_OK)
        fail_msg("%s", tsm_error(inst));
}

/* ---- What is saved comes back ---- */

static void keep(tsm_instance *inst, tsm_value v) {
    tsm_release(inst, give(inst, "keep", v));
}

static void assert_alike(tsm_instance *a, tsm_instance *b, const char *method) {
    const tsm_value v = call(a, method, tsm_none()), w = call(b, method, tsm_none());
    if (!alike(a, v, b, w))
        fail_msg("%s: not alike", method);
    tsm_release(a, v);
    tsm_release(b, w);
}

static void test_every_kind(void **state) {
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        tsm_instance *a = start(0), *b = start(1);
        const size_t used = used_by(b);
        keep(a, kinds[i].make(a));
        const size_t bytes = save_to(a, saved);
        load(b, saved, bytes);
        print_message("%s: %zu bytes\n", kinds[i].name, bytes);
        assert_alike(a, b, "kept");
        assert_alike(a, b, "constants");
        assert_int_equal(save_to(b, again), bytes);
        assert_memory_equal(saved, again, bytes);
        assert_int_equal(tsm_instance_reset(b), TSM_OK);
        assert_int_equal(used_by(b), used);
    }
}

static void test_parts_stay_shared(void **state) {
    (void)state;
    tsm_instance *a = start(0), *b = start(1);
    keep(a, make_shared(a));
    load(b, saved, save_to(a, saved));
    const tsm_value kept = call(b, "kept", tsm_none());
    assert_ptr_equal(tsm_sequence_get(kept, 0).as.o, tsm_sequence_get(kept, 1).as.o);
    assert_true(tsm_is_shared(tsm_sequence_get(kept, 0)));
    tsm_release(b, kept);
}

static void test_what_is_shared(void **state) {
    (void)state;
    tsm_instance *inst = start(0);
    const tsm_value text = give(inst, "kept", tsm_none()), tensor = plain(inst), view = constant_of(inst, VIEW);
    assert_false(tsm_is_shared(tsm_int(3)));
    assert_false(tsm_is_shared(text));
    assert_false(tsm_is_shared(tensor));
    tsm_retain(tensor);
    assert_true(tsm_is_shared(tensor));
    tsm_release(inst, tensor);
    assert_true(tsm_is_shared(view)); /* another tensor has its memory */
    tsm_release(inst, view);
    tsm_release(inst, tensor);
}

static void test_a_dict_whose_entries_moved(void **state) {
    (void)state;
    tsm_instance *a = start(0), *b = start(1);
    const size_t before = save_to(a, saved);
    const tsm_value word = constant_of(a, WORD);
    let(a, "rekey", word);
    tsm_release(a, word);
    const size_t bytes = save_to(a, saved);
    assert_true(bytes > before);
    load(b, saved, bytes);
    assert_alike(a, b, "constants");
}

static void test_a_failed_future_raises_still(void **state) {
    (void)state;
    tsm_instance *a = start(0), *b = start(1);
    keep(a, make_failed_future(a));
    load(b, saved, save_to(a, saved));
    const tsm_value future = call(b, "kept", tsm_none());
    tsm_value result;
    assert_int_equal(tsm_call(b, method_of(b, "wait"), &future, 1, &result), TSM_RAISED);
    assert_non_null(strstr(tsm_error(b), "word"));
    tsm_release(b, future);
}

static void test_nested_tensors_are_refused(void **state) {
    (void)state;
    tsm_instance *inst = start(0);
    size_t needed = 1;
    keep(inst, call(inst, "nested", tsm_none()));
    assert_int_equal(tsm_instance_save(inst, saved, STATE, &needed), TSM_UNSUPPORTED);
    assert_string_equal(tsm_error(inst), "a nested tensor cannot be saved");
    assert_int_equal(needed, 0);
}

/* ---- Forged states: `saved` with other records and checksums that fit ---- */

static size_t fresh_used, fresh_bytes; /* of a new instance and of its state */

static void seal(uint8_t *at, size_t bytes, uint32_t records) {
    state_head h;
    memcpy(&h, at, sizeof h);
    h.bytes = bytes;
    h.records = records;
    h.sum = tsm_sum_of(at + sizeof h, bytes - sizeof h);
    h.head_sum = tsm_sum_of((const uint8_t *)&h, STATE_HEAD_SUMMED);
    memcpy(at, &h, sizeof h);
}

/* After a refusal there is a text, and the instance is as a new one. */
static void assert_refused(tsm_instance *inst, tsm_status status, const char *what) {
    if (status != TSM_BAD_FILE && status != TSM_OUT_OF_MEMORY)
        fail_msg("%s: %s", what, tsm_status_text(status));
    assert_true(strlen(tsm_error(inst)) > 10);
    if (used_by(inst) != fresh_used)
        fail_msg("%s: %zu bytes in use, %zu at first: %s", what, used_by(inst), fresh_used, tsm_error(inst));
    if (save_to(inst, again) != fresh_bytes)
        fail_msg("%s: the instance has changed: %s", what, tsm_error(inst));
}

/* What is taken has a state that brings it back. */
static void assert_taken(tsm_instance *inst, const char *what) {
    static uint8_t twice[STATE];
    const size_t bytes = save_to(inst, again);
    if (tsm_instance_load(inst, again, bytes) != TSM_OK)
        fail_msg("%s: taken once, then %s", what, tsm_error(inst));
    if (save_to(inst, twice) != bytes || memcmp(again, twice, bytes) != 0)
        fail_msg("%s: comes back as another state", what);
}

static bool try_state(size_t bytes, const char *what) {
    tsm_instance *inst = start(1);
    const tsm_status status = tsm_instance_load(inst, saved, bytes);
    if (status == TSM_OK)
        assert_taken(inst, what);
    else
        assert_refused(inst, status, what);
    return status == TSM_OK;
}

#define R(kind, number, count, type) (kind) | (uint64_t)(number) << 32, (uint64_t)(count), (type)
#define V(tag, bits) TSM_TAG_##tag, (uint64_t)(bits)
#define QUANTIZER(dtype) ((dtype) | STATE_HAS_QUANTIZER)
#define HALF UINT64_C(0x3fe0000000000000)
#define FOUR_WORDS 1, 2, 3, 4
#define STATE_OF(name, records, ...)                                                                                   \
    {                                                                                                                  \
        name, records, sizeof((uint64_t[]){__VA_ARGS__}), (const uint64_t[]) {                                         \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

typedef struct {
    const char *name;
    uint32_t records;
    size_t bytes;
    const uint64_t *words;
} written_state;

static size_t write_state(const written_state *s) {
    save_to(start(0), saved);
    memcpy(saved + sizeof(state_head), s->words, s->bytes);
    seal(saved, sizeof(state_head) + s->bytes, s->records);
    return sizeof(state_head) + s->bytes;
}

/* What no test above has a program do: each comes back word for word. */
static const written_state taken[] = {
    STATE_OF("other dtype", 2, R(TSM_TAG_TENSOR, CHANGING, 2, TSM_INT32), S_CHANGING, 0, 2, 2, 2, 1,
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("fewer dimensions", 2, R(TSM_TAG_TENSOR, CHANGING, 1, TSM_FLOAT32), S_CHANGING, 0, 2, 1,
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("more dimensions", 2, R(TSM_TAG_TENSOR, CHANGING, 3, TSM_FLOAT32), S_CHANGING, 0, 1, 2, 2, 4, 2, 1,
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other size", 2, R(TSM_TAG_TENSOR, CHANGING, 2, TSM_FLOAT32), S_CHANGING, 0, 1, 2, 2, 1,
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other stride", 2, R(TSM_TAG_TENSOR, CHANGING, 2, TSM_FLOAT32), S_CHANGING, 0, 2, 2, 1, 2,
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other offset", 2, R(TSM_TAG_TENSOR, CHANGING, 2, TSM_FLOAT32), S_CHANGING, 1, 2, 2, 1, 1,
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other storage of the file", 2, R(TSM_TAG_TENSOR, CHANGING, 2, TSM_FLOAT32), S_FROZEN, 0, 2, 2, 2, 1,
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("learns", 2, R(TSM_TAG_TENSOR, CHANGING, 2, TSM_FLOAT32 | 1 << STATE_FLAGS_SHIFT), S_CHANGING, 0, 2, 2, 2,
             1, R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("learns no more", 2, R(TSM_TAG_DICT, TWICE, 0, 0), R(TSM_TAG_TENSOR, LEARNS, 2, TSM_FLOAT32), S_CHANGING,
             0, 2, 2, 2, 1),
    STATE_OF("no tensor of the file has its storage", 6, R(TSM_TAG_TENSOR, CHANGING, 2, TSM_FLOAT32), NEW, 0, 2, 2, 2,
             1, R(TSM_TAG_TENSOR, VIEW, 0, TSM_FLOAT32), NEW, 1, R(TSM_TAG_DICT, TWICE, 0, 0),
             R(TSM_TAG_TENSOR, LEARNS, 0, TSM_FLOAT64), NEW, 1, R(TSM_TAG_TENSOR, CUBE, 1, TSM_INT16), NEW, 2, 3, 2,
             R(STATE_STORAGE, NEW, 19, 0), 1, 2, 3),
    STATE_OF("no quantizer", 2, R(TSM_TAG_TENSOR, PER_TENSOR, 2, TSM_UINT8), S_QUANTIZED, 0, 2, 2, 2, 1,
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("a quantizer", 2, R(TSM_TAG_TENSOR, CHANGING, 1, QUANTIZER(TSM_QINT32)), S_CHANGING, 0, 1, 1, 0, 1, HALF,
             9, R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other axis", 2, R(TSM_TAG_TENSOR, PER_TENSOR, 2, QUANTIZER(TSM_QUINT8)), S_QUANTIZED, 0, 2, 2, 2, 1, 0, 2,
             HALF, HALF, 1, 1, R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other number of channels", 2, R(TSM_TAG_TENSOR, PER_CHANNEL, 2, QUANTIZER(TSM_QUINT8)), S_QUANTIZED, 0, 2,
             1, 2, 1, 1, 1, HALF, 1, R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other scale", 2, R(TSM_TAG_TENSOR, PER_TENSOR, 2, QUANTIZER(TSM_QUINT8)), S_QUANTIZED, 0, 2, 2, 2, 1,
             UINT64_MAX, 1, HALF + 1, 1, R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other zero point", 2, R(TSM_TAG_TENSOR, PER_TENSOR, 2, QUANTIZER(TSM_QUINT8)), S_QUANTIZED, 0, 2, 2, 2, 1,
             UINT64_MAX, 1, HALF, 2, R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("elements", 2, R(TSM_TAG_DICT, TWICE, 0, 0), R(STATE_STORAGE, S_CHANGING, 16, 0), 7, 8),
    STATE_OF("other tags in a list", 2, R(TSM_TAG_LIST, ANYS, 3, 0), V(FLOAT, 5), V(STR, WORD), V(NONE, 0),
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other int in a list", 2, R(TSM_TAG_LIST, ANYS, 3, 0), V(INT, 6), V(STR, WORD), V(NONE, 0),
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("shorter list", 2, R(TSM_TAG_LIST, INTS, 1, T_INTS + 1), V(INT, 5), R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other key", 2, R(TSM_TAG_DICT, TABLE, 1, T_TABLE + 1), V(INT, 6), V(STR, WORD),
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other kind of key", 2, R(TSM_TAG_DICT, WORDS, 2, 0), V(FLOAT, 0), V(INT, 5), V(INT, 5), V(STR, WORD),
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other item", 2, R(TSM_TAG_DICT, WORDS, 2, 0), V(STR, WORD), V(INT, 5), V(INT, 5), V(TUPLE, PAIR),
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("other int of a key", 2, R(TSM_TAG_DICT, WORDS, 2, 0), V(STR, WORD), V(INT, 4), V(INT, 5), V(STR, WORD),
             R(TSM_TAG_DICT, TWICE, 0, 0)),
    STATE_OF("attributes", 2, R(TSM_TAG_DICT, TWICE, 0, 0), R(TSM_TAG_OBJECT, HOME, 3, T_HOME), V(INT, 4),
             V(ENUM, MEMBER), V(NONE, 0)),
    /* What the file has in an attribute may stay there, whatever the class says. */
    STATE_OF("attributes of another type", 2, R(TSM_TAG_DICT, TWICE, 0, 0), R(TSM_TAG_OBJECT, ODD, 3, T_HOME),
             V(STR, WORD), V(INT, 1), V(NONE, 0)),
};

static void test_written_states(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        const size_t bytes = write_state(&taken[i]);
        tsm_instance *inst = start(1);
        if (tsm_instance_load(inst, saved, bytes) != TSM_OK)
            fail_msg("%s: %s", taken[i].name, tsm_error(inst));
        if (save_to(inst, again) != bytes || memcmp(again + sizeof(state_head), taken[i].words, taken[i].bytes) != 0)
            fail_msg("%s: comes back as another state", taken[i].name);
    }
}

/* What does not fit the program, and the record that is named. */
static const struct {
    uint32_t number, kind; /* of the record in the message; kind 0: of none */
    written_state state;
} refused[] = {
    {0, 0, STATE_OF("too few records", 2, R(TSM_TAG_DICT, TWICE, 0, 0))},
    {0, 0, STATE_OF("too many records", 0, R(TSM_TAG_DICT, TWICE, 0, 0))},
    {0, 0, STATE_OF("half a record", 1, R(TSM_TAG_DICT, TWICE, 0, 0), 1, 2)},
    {CHANGING, TSM_TAG_NONE, STATE_OF("no kind", 1, R(TSM_TAG_NONE, CHANGING, 0, 0))},
    {GENERATOR, TSM_TAG_GENERATOR, STATE_OF("generator", 1, R(TSM_TAG_GENERATOR, GENERATOR, 0, 0))},
    {NEW, 17, STATE_OF("unknown kind", 1, R(17, NEW, 0, 0))},
    {ANYS, TSM_TAG_LIST, STATE_OF("more items than bytes", 1, R(TSM_TAG_LIST, ANYS, 3, 0), V(INT, 1), V(INT, 2))},
    {ANYS, TSM_TAG_LIST, STATE_OF("items without end", 1, R(TSM_TAG_LIST, ANYS, UINT64_MAX / 16 + 1, 0), V(INT, 1))},
    {INTS, TSM_TAG_LIST, STATE_OF("numbers that fall", 2, R(TSM_TAG_LIST, ANYS, 0, 0), R(TSM_TAG_LIST, INTS, 0, 0))},
    {ANYS, TSM_TAG_LIST, STATE_OF("a number twice", 2, R(TSM_TAG_LIST, ANYS, 0, 0), R(TSM_TAG_LIST, ANYS, 0, 0))},
    {NEW + 1, TSM_TAG_LIST, STATE_OF("a new number too large", 1, R(TSM_TAG_LIST, NEW + 1, 0, 0))},
    {ANYS, TSM_TAG_LIST,
     STATE_OF("of the file behind new", 2, R(TSM_TAG_LIST, NEW, 0, 0), R(TSM_TAG_LIST, ANYS, 0, 0))},
    /* Storages */
    {CHANGING, STATE_STORAGE, STATE_OF("a constant's number", 1, R(STATE_STORAGE, CHANGING, 16, 0), 1, 2)},
    {S_FROZEN, STATE_STORAGE, STATE_OF("constant", 1, R(STATE_STORAGE, S_FROZEN, 16, 0), 1, 2)},
    {S_UNUSED, STATE_STORAGE, STATE_OF("of no tensor", 1, R(STATE_STORAGE, S_UNUSED, 8, 0), 1)},
    {S_CHANGING, STATE_STORAGE, STATE_OF("too short", 1, R(STATE_STORAGE, S_CHANGING, 15, 0), 1, 2)},
    {S_CHANGING, TSM_TAG_LIST, STATE_OF("no list", 1, R(TSM_TAG_LIST, S_CHANGING, 0, 0))},
    /* Tensors */
    {NEW, TSM_TAG_TENSOR, STATE_OF("no such dtype", 1, R(TSM_TAG_TENSOR, NEW, 0, 16), S_CHANGING, 0)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("nested", 1, R(TSM_TAG_TENSOR, NEW, 0, 6 | 2 << STATE_FLAGS_SHIFT), S_CHANGING, 0)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("too many dimensions", 1, R(TSM_TAG_TENSOR, NEW, 9, 6), S_CHANGING, 0, FOUR_WORDS, FOUR_WORDS, FOUR_WORDS,
              FOUR_WORDS, FOUR_WORDS)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("negative size", 1, R(TSM_TAG_TENSOR, NEW, 1, 6), S_CHANGING, 0, UINT64_MAX, 1)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("negative stride", 1, R(TSM_TAG_TENSOR, NEW, 1, 6), S_CHANGING, 0, 1, UINT64_MAX)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("a product that wraps", 1, R(TSM_TAG_TENSOR, NEW, 2, 6), S_CHANGING, 0, INT64_MAX, INT64_MAX, 1, 1)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("stored numbers without a quantizer", 1, R(TSM_TAG_TENSOR, NEW, 0, TSM_QINT8), S_CHANGING, 0)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("floats with a quantizer", 1, R(TSM_TAG_TENSOR, NEW, 0, QUANTIZER(TSM_FLOAT32)), S_CHANGING, 0,
              UINT64_MAX, 1, HALF, 1)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("storage: a constant", 1, R(TSM_TAG_TENSOR, NEW, 0, 6), CHANGING, 0)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("storage: of no tensor", 1, R(TSM_TAG_TENSOR, NEW, 0, 6), S_UNUSED, 0)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("storage: itself", 1, R(TSM_TAG_TENSOR, NEW, 0, 6), NEW, 0)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("storage: beyond all", 1, R(TSM_TAG_TENSOR, NEW, 0, 6), NEW + 1, 0)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("element behind the storage", 1, R(TSM_TAG_TENSOR, NEW, 0, 6), S_CHANGING, 4)},
    {NEW, TSM_TAG_TENSOR, STATE_OF("offset behind the storage", 1, R(TSM_TAG_TENSOR, NEW, 0, 6), S_CHANGING, 5)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("last element behind the storage", 1, R(TSM_TAG_TENSOR, NEW, 1, 6), S_CHANGING, 1, 2, 3)},
    {CHANGING, TSM_TAG_TENSOR,
     STATE_OF("the same of a constant", 1, R(TSM_TAG_TENSOR, CHANGING, 1, 6), S_CHANGING, 1, 2, 3)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("half a quantizer", 1, R(TSM_TAG_TENSOR, NEW, 0, QUANTIZER(TSM_QINT8)), S_QUANTIZED, 0, 1)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("too many channels", 1, R(TSM_TAG_TENSOR, NEW, 1, QUANTIZER(TSM_QINT8)), S_QUANTIZED, 0, 4, 1, 0, 400,
              HALF, 1)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("other channels", 1, R(TSM_TAG_TENSOR, NEW, 1, QUANTIZER(TSM_QINT8)), S_QUANTIZED, 0, 4, 1, 0, 1, HALF,
              1)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("axis -2", 1, R(TSM_TAG_TENSOR, NEW, 0, QUANTIZER(TSM_QINT8)), S_QUANTIZED, 0, UINT64_MAX - 1, 1, HALF,
              1)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("axis 8", 1, R(TSM_TAG_TENSOR, NEW, 0, QUANTIZER(TSM_QINT8)), S_QUANTIZED, 0, 8, 1, HALF, 1)},
    {NEW, TSM_TAG_TENSOR,
     STATE_OF("zero point beyond int8", 1, R(TSM_TAG_TENSOR, NEW, 0, QUANTIZER(TSM_QINT8)), S_QUANTIZED, 0, UINT64_MAX,
              1, HALF, 128)},
    /* Types of containers */
    {NEW, TSM_TAG_LIST, STATE_OF("list of a dict's type", 1, R(TSM_TAG_LIST, NEW, 0, T_TABLE + 1))},
    {NEW, TSM_TAG_LIST, STATE_OF("list of no type", 1, R(TSM_TAG_LIST, NEW, 0, TYPES + 1))},
    {NEW, TSM_TAG_LIST, STATE_OF("list of a large type", 1, R(TSM_TAG_LIST, NEW, 0, (T_INTS + 1) | 1 << 16))},
    {NEW, TSM_TAG_DICT, STATE_OF("dict of a list's type", 1, R(TSM_TAG_DICT, NEW, 0, T_INTS + 1))},
    {NEW, TSM_TAG_TUPLE, STATE_OF("tuple of no type", 1, R(TSM_TAG_TUPLE, NEW, 2, TYPES + 1), V(INT, 1), V(INT, 1))},
    {NEW, TSM_TAG_TUPLE,
     STATE_OF("tuple of a plain one's type", 1, R(TSM_TAG_TUPLE, NEW, 2, T_PAIR + 1), V(INT, 1), V(INT, 1))},
    {NEW, TSM_TAG_TUPLE, STATE_OF("tuple of another length", 1, R(TSM_TAG_TUPLE, NEW, 1, T_NAMED + 1), V(INT, 1))},
    {NEW, TSM_TAG_OBJECT, STATE_OF("object of no type", 1, R(TSM_TAG_OBJECT, NEW, 0, TYPES))},
    {NEW, TSM_TAG_OBJECT, STATE_OF("object of a list's type", 1, R(TSM_TAG_OBJECT, NEW, 1, T_INTS), V(INT, 1))},
    {NEW, TSM_TAG_OBJECT, STATE_OF("object of another length", 1, R(TSM_TAG_OBJECT, NEW, 1, T_HOME), V(INT, 1))},
    {NEW, TSM_TAG_ENUM, STATE_OF("member of no type", 1, R(TSM_TAG_ENUM, NEW, 0, TYPES))},
    {NEW, TSM_TAG_ENUM, STATE_OF("member of a class", 1, R(TSM_TAG_ENUM, NEW, 0, T_BARE))},
    {NEW, TSM_TAG_ENUM, STATE_OF("no such member", 1, R(TSM_TAG_ENUM, NEW, 2, T_ENUM))},
    /* What the file has and nothing changes */
    {PAIR, TSM_TAG_TUPLE, STATE_OF("a constant tuple", 1, R(TSM_TAG_TUPLE, PAIR, 2, 0), V(INT, 5), V(INT, 5))},
    {WORD, TSM_TAG_STR, STATE_OF("a constant text", 1, R(TSM_TAG_STR, WORD, 4, 0), 0x64726f77)},
    {MEMBER, TSM_TAG_ENUM, STATE_OF("a constant member", 1, R(TSM_TAG_ENUM, MEMBER, 1, T_ENUM))},
    {FIVE, TSM_TAG_LIST, STATE_OF("a number's record", 1, R(TSM_TAG_LIST, FIVE, 0, 0))},
    {ANYS, TSM_TAG_DICT, STATE_OF("a list's as a dict", 1, R(TSM_TAG_DICT, ANYS, 0, 0))},
    {HOME, TSM_TAG_OBJECT, STATE_OF("too few attributes", 1, R(TSM_TAG_OBJECT, HOME, 2, T_HOME), V(INT, 5), V(INT, 5))},
    /* Values */
    {ANYS, TSM_TAG_LIST, STATE_OF("a value of no tag", 1, R(TSM_TAG_LIST, ANYS, 1, 0), TSM_TAG_COUNT, 0)},
    {ANYS, TSM_TAG_LIST, STATE_OF("a storage as a value", 1, R(TSM_TAG_LIST, ANYS, 1, 0), STATE_STORAGE, S_CHANGING)},
    {ANYS, TSM_TAG_LIST, STATE_OF("a storage as a tensor", 1, R(TSM_TAG_LIST, ANYS, 1, 0), V(TENSOR, S_CHANGING))},
    {ANYS, TSM_TAG_LIST, STATE_OF("another kind", 1, R(TSM_TAG_LIST, ANYS, 1, 0), V(STR, PAIR))},
    {ANYS, TSM_TAG_LIST, STATE_OF("beyond all", 1, R(TSM_TAG_LIST, ANYS, 1, 0), V(STR, NEW))},
    {ANYS, TSM_TAG_LIST,
     STATE_OF("a new storage", 2, R(TSM_TAG_LIST, ANYS, 1, 0), V(TENSOR, NEW), R(STATE_STORAGE, NEW, 0, 0))},
    {ANYS, TSM_TAG_LIST, STATE_OF("a generator that is none", 1, R(TSM_TAG_LIST, ANYS, 1, 0), V(GENERATOR, WORD))},
    {NEW, TSM_TAG_TUPLE, STATE_OF("in a tuple", 1, R(TSM_TAG_TUPLE, NEW, 1, 0), V(STR, PAIR))},
    {TABLE, TSM_TAG_DICT, STATE_OF("a key of another kind", 1, R(TSM_TAG_DICT, TABLE, 1, 0), V(STR, PAIR), V(INT, 5))},
    {TABLE, TSM_TAG_DICT,
     STATE_OF("an item of another kind", 1, R(TSM_TAG_DICT, TABLE, 1, 0), V(INT, 5), V(STR, PAIR))},
    /* Their types */
    {INTS, TSM_TAG_LIST, STATE_OF("a text in List[int]", 1, R(TSM_TAG_LIST, INTS, 2, 0), V(INT, 5), V(STR, WORD))},
    {TABLE, TSM_TAG_DICT, STATE_OF("a text as a key", 1, R(TSM_TAG_DICT, TABLE, 1, 0), V(STR, WORD), V(STR, WORD))},
    {TABLE, TSM_TAG_DICT, STATE_OF("an int as an item", 1, R(TSM_TAG_DICT, TABLE, 1, 0), V(INT, 5), V(INT, 5))},
    {NEW, TSM_TAG_TUPLE,
     STATE_OF("a text in a named tuple", 1, R(TSM_TAG_TUPLE, NEW, 2, T_NAMED + 1), V(STR, WORD), V(INT, 5))},
    {HOME, TSM_TAG_OBJECT,
     STATE_OF("a text in an int's attribute", 1, R(TSM_TAG_OBJECT, HOME, 3, T_HOME), V(STR, WORD), V(INT, 5),
              V(NONE, 0))},
    {ODD, TSM_TAG_OBJECT,
     STATE_OF("another tuple than the file's", 2, R(TSM_TAG_OBJECT, ODD, 3, T_HOME), V(STR, NEW), V(INT, 5), V(NONE, 0),
              R(TSM_TAG_STR, NEW, 4, 0), 0x64726f77)},
    {NEW, TSM_TAG_OBJECT,
     STATE_OF("a text in a new object's", 1, R(TSM_TAG_OBJECT, NEW, 3, T_HOME), V(STR, WORD), V(INT, 5), V(NONE, 0))},
    {NEW, TSM_TAG_FUTURE, STATE_OF("an error that is no text", 1, R(TSM_TAG_FUTURE, NEW, 1, 1), V(INT, 5))},
    {NEW, TSM_TAG_FUTURE, STATE_OF("a result of another kind", 1, R(TSM_TAG_FUTURE, NEW, 1, 0), V(STR, PAIR))},
    /* Rings that would keep themselves */
    {NEW + 4, TSM_TAG_ENUM,
     STATE_OF("rings", 6, R(TSM_TAG_LIST, ANYS, 1, 0), V(LIST, ANYS), R(TSM_TAG_TUPLE, NEW, 1, 0), V(TUPLE, NEW),
              R(TSM_TAG_FUTURE, NEW + 1, 1, 0), V(FUTURE, NEW + 1), R(TSM_TAG_DICT, NEW + 2, 1, 0), V(INT, 1),
              V(DICT, NEW + 2), R(TSM_TAG_OBJECT, NEW + 3, 3, T_HOME), V(INT, 1), V(OBJECT, NEW + 3), V(NONE, 0),
              R(TSM_TAG_ENUM, NEW + 4, 7, T_ENUM))},
    {NEW + 4, TSM_TAG_TUPLE,
     STATE_OF("rings that are filled", 6, R(TSM_TAG_LIST, ANYS, 1, 0), V(LIST, ANYS), R(TSM_TAG_TUPLE, NEW, 1, 0),
              V(TUPLE, NEW), R(TSM_TAG_FUTURE, NEW + 1, 1, 0), V(FUTURE, NEW + 1), R(TSM_TAG_DICT, NEW + 2, 1, 0),
              V(INT, 1), V(DICT, NEW + 2), R(TSM_TAG_OBJECT, NEW + 3, 3, T_HOME), V(INT, 1), V(OBJECT, NEW + 3),
              V(NONE, 0), R(TSM_TAG_TUPLE, NEW + 4, 1, 0), V(STR, PAIR))},
};

static void test_refused_states(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const written_state *s = &refused[i].state;
        const size_t bytes = write_state(s);
        tsm_instance *inst = start(1);
        const tsm_status status = tsm_instance_load(inst, saved, bytes);
        if (status != TSM_BAD_FILE)
            fail_msg("%s: %s", s->name, tsm_status_text(status));
        char wanted[MESSAGE];
        snprintf(wanted, sizeof wanted, "the state does not fit the program: record of number %u, kind %u",
                 refused[i].number, refused[i].kind);
        if (refused[i].kind && strcmp(tsm_error(inst), wanted) != 0)
            fail_msg("%s: %s, not number %u, kind %u", s->name, tsm_error(inst), refused[i].number, refused[i].kind);
        assert_refused(inst, status, s->name);
    }
}

/* ---- Every field of a state that has records of all kinds ---- */

typedef struct {
    size_t at, bytes; /* of the record with its body */
    uint32_t kind;
} place;

enum { PLACES = 256 };

static size_t body_of(const uint8_t *at, const state_record *r) {
    const size_t n = (size_t)r->count, tensor = 16 + 16 * n;
    uint64_t channels = 0;
    switch (r->kind) {
    case TSM_TAG_STR:
    case STATE_STORAGE:
        return (n + 7) / 8 * 8;
    case TSM_TAG_DICT:
        return 32 * n;
    case TSM_TAG_COMPLEX:
        return 16;
    case TSM_TAG_ENUM:
        return 0;
    case TSM_TAG_TENSOR:
        if (!(r->type & STATE_HAS_QUANTIZER))
            return tensor;
        memcpy(&channels, at + sizeof *r + tensor + 8, sizeof channels);
        return tensor + 16 + 16 * (size_t)channels;
    default:
        return 16 * n;
    }
}

static size_t find_places(const uint8_t *state, size_t bytes, place *places) {
    size_t n = 0;
    for (size_t at = sizeof(state_head); at < bytes; at += places[n++].bytes) {
        state_record r;
        assert_true(n < PLACES);
        memcpy(&r, state + at, sizeof r);
        places[n] = (place){at, sizeof r + body_of(state + at, &r), r.kind};
    }
    return n;
}

/* A state with records of all kinds, in `saved`; its records in places[]. */
static size_t save_all_kinds(place *places, size_t *records) {
    tsm_instance *inst = start(0);
    tsm_value all = tsm_none();
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].make != make_dtypes && kinds[i].make != make_largest)
            all = list_of(inst, all, kinds[i].make(inst));
    keep(inst, all);
    tsm_release(inst, give(inst, "append", dict_of(inst)));
    let(inst, "add", tsm_none());
    let(inst, "transpose", tsm_none());
    const size_t bytes = save_to(inst, saved);
    *records = find_places(saved, bytes, places);
    uint32_t seen = 0;
    for (size_t i = 0; i < *records; i++)
        seen |= UINT32_C(1) << places[i].kind;
    for (uint32_t kind = TSM_TAG_COMPLEX; kind <= STATE_STORAGE; kind++)
        if (kind != TSM_TAG_GENERATOR)
            assert_true(seen >> kind & 1);
    return bytes;
}

static bool has_numbers_behind(uint32_t kind) {
    return kind != TSM_TAG_STR && kind != STATE_STORAGE && kind != TSM_TAG_COMPLEX;
}

static void test_every_field(void **state) {
    (void)state;
    static const uint32_t small[] = {0,   1,       2,          3,        6,         7,        8,         9,    10,
                                     11,  12,      13,         14,       15,        16,       ANYS,      HOME, S_FROZEN,
                                     NEW, NEW + 3, UINT16_MAX, 1u << 16, INT32_MAX, 1u << 31, UINT32_MAX};
    static const uint64_t large[] = {UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX / 16 + 1};
    static uint8_t whole[STATE];
    place places[PLACES];
    size_t records, taken_states = 0, refused_states = 0;
    const size_t bytes = save_all_kinds(places, &records);
    memcpy(whole, saved, bytes);
    for (size_t i = 0; i < records; i++) {
        const size_t n = has_numbers_behind(places[i].kind) ? places[i].bytes : sizeof(state_record);
        for (size_t at = places[i].at; at < places[i].at + n; at += 4)
            for (size_t k = 0; k < sizeof small / sizeof *small + sizeof large / sizeof *large + 2; k++) {
                uint64_t value;
                memcpy(&value, whole + at, at % 8 ? 4 : sizeof value);
                const bool is_large = k >= sizeof small / sizeof *small + 2;
                if (is_large && at % 8)
                    continue;
                value = k == 0     ? value + 1
                        : k == 1   ? value - 1
                        : is_large ? large[k - 2 - sizeof small / sizeof *small]
                                   : small[k - 2];
                memcpy(saved, whole, bytes);
                memcpy(saved + at, &value, is_large ? 8 : 4);
                seal(saved, bytes, (uint32_t)records);
                char what[MESSAGE];
                snprintf(what, sizeof what, "record %zu of kind %u, byte %zu, %#llx", i, places[i].kind,
                         at - places[i].at, (unsigned long long)value);
                *(try_state(bytes, what) ? &taken_states : &refused_states) += 1;
            }
    }
    print_message("%zu taken, %zu refused\n", taken_states, refused_states);
    assert_true(taken_states > 1000 && refused_states > 1000);
}

/* Records that are left out, that are there twice, in another order, and the state's end anywhere. */
static void test_every_record(void **state) {
    (void)state;
    static uint8_t whole[STATE];
    place places[PLACES];
    size_t records;
    const size_t bytes = save_all_kinds(places, &records);
    memcpy(whole, saved, bytes);
    for (size_t i = 0; i < records; i++) {
        const place p = places[i];
        const size_t behind = p.at + p.bytes;
        char what[MESSAGE];
        snprintf(what, sizeof what, "record %zu of kind %u", i, p.kind);
        memmove(saved + p.at, saved + behind, bytes - behind);
        seal(saved, bytes - p.bytes, (uint32_t)records - 1);
        try_state(bytes - p.bytes, what);
        memcpy(saved, whole, behind);
        memcpy(saved + behind, whole + p.at, bytes - p.at);
        seal(saved, bytes + p.bytes, (uint32_t)records + 1);
        assert_false(try_state(bytes + p.bytes, what));
        memcpy(saved, whole, bytes);
        if (i + 1 < records) {
            memcpy(saved + p.at, whole + behind, places[i + 1].bytes);
            memcpy(saved + p.at + places[i + 1].bytes, whole + p.at, p.bytes);
            seal(saved, bytes, (uint32_t)records);
            assert_false(try_state(bytes, what));
        }
        memcpy(saved, whole, bytes);
    }
    for (size_t n = sizeof(state_head); n < bytes; n++) {
        memcpy(saved, whole, n);
        seal(saved, n, (uint32_t)records);
        assert_false(try_state(n, "cut off"));
    }
}

static void test_random_numbers(void **state) {
    (void)state;
    tsm_random random = {.next = TSM_RANDOM_WORDS};
    const size_t bytes = sizeof(state_head) + sizeof(state_record) + sizeof random;
    for (uint32_t beyond = 0; beyond < 3; beyond++) {
        const state_record r = {.kind = STATE_RANDOM};
        random.next = TSM_RANDOM_WORDS + beyond;
        save_to(start(0), saved);
        memcpy(saved + sizeof(state_head), &r, sizeof r);
        memcpy(saved + sizeof(state_head) + sizeof r, &random, sizeof random);
        seal(saved, bytes, 1);
        assert_int_equal(try_state(bytes, "random numbers"), !beyond);
        /* The last ones count. */
        memcpy(saved + bytes, saved + sizeof(state_head), bytes - sizeof(state_head));
        seal(saved, 2 * bytes - sizeof(state_head), 2);
        assert_int_equal(try_state(2 * bytes - sizeof(state_head), "random numbers twice"), !beyond);
    }
}

static void test_heads(void **state) {
    (void)state;
    tsm_instance *inst = start(1);
    const size_t bytes = save_to(inst, saved);
    for (uint64_t n = 0; n < 2 * bytes; n++) {
        state_head h;
        memcpy(&h, saved, sizeof h);
        h.bytes = n;
        h.head_sum = tsm_sum_of((const uint8_t *)&h, STATE_HEAD_SUMMED);
        memcpy(saved, &h, sizeof h);
        assert_int_equal(tsm_instance_load(inst, saved, bytes), n == bytes ? TSM_OK : TSM_BAD_FILE);
        const char *text = n < sizeof h || n > bytes ? "the state is cut off" : "the state is damaged";
        if (n != bytes && strncmp(tsm_error(inst), text, strlen(text)) != 0)
            fail_msg("%d bytes: %s", (int)n, tsm_error(inst));
    }
}

/* As long as the program, with another byte. */
static void test_almost_the_same_program(void **state) {
    (void)state;
    const size_t bytes = save_to(start(0), saved);
    uint8_t *file = aligned_alloc(64, (file_bytes + 63) / 64 * 64), *at = file;
    assert_non_null(file);
    memcpy(file, program_file, file_bytes);
    while (memcmp(at, "keep_and_raise", 14) != 0)
        at++;
    *at = 'K';
    tsm_program other;
    tsm_instance *inst;
    assert_int_equal(tsm_program_open(&other, file, file_bytes, message, sizeof message), TSM_OK);
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    assert_int_equal(tsm_instance_init(&inst, &other, &options, buffers[1], BUFFER), TSM_OK);
    assert_int_equal(tsm_instance_load(inst, saved, bytes), TSM_BAD_ARGUMENT);
    assert_string_equal(tsm_error(inst), "the state belongs to another program");
    free(file);
}

/* ---- Requests for memory that fail ---- */

static void test_saving_fails(void **state) {
    (void)state;
    place places[PLACES];
    size_t records, needed;
    const size_t bytes = save_all_kinds(places, &records);
    tsm_instance *inst = start(1);
    load(inst, saved, bytes);
    const size_t used = used_by(inst);
    tsm_status status = TSM_OUT_OF_MEMORY;
    uint64_t number = 0;
    for (; status != TSM_OK; number++) {
        needed = 1;
        failing_heap_at(number);
        status = tsm_instance_save(inst, again, STATE, &needed);
        failing_heap_at(FAILING_NEVER);
        if (status == TSM_OK)
            break;
        assert_int_equal(status, TSM_OUT_OF_MEMORY);
        assert_int_equal(needed, 0);
        assert_int_equal(used_by(inst), used);
    }
    assert_true(number > 2);
    assert_int_equal(needed, bytes);
    assert_memory_equal(saved, again, bytes);
}

static void assert_loading_fails_whole(size_t bytes, const char *what) {
    tsm_status status = TSM_OUT_OF_MEMORY;
    uint64_t failed = 0;
    for (uint64_t number = 0; number < 2000; number++) {
        tsm_instance *inst = start(1);
        failing_heap_at(number);
        status = tsm_instance_load(inst, saved, bytes);
        const bool had_all = failing_heap.requests <= number;
        failing_heap_at(FAILING_NEVER);
        if (had_all) {
            assert_int_equal(status, TSM_OK);
            break;
        }
        if (status == TSM_OK) /* went on without that memory */
            continue;
        failed++;
        if (status != TSM_OUT_OF_MEMORY)
            fail_msg("%s: request %d: %s", what, (int)number, tsm_error(inst));
        if (tsm_instance_reset(inst) != TSM_OK)
            fail_msg("%s: request %d: %s", what, (int)number, tsm_error(inst));
        assert_refused(inst, status, what);
    }
    assert_int_equal(status, TSM_OK);
    assert_true(failed > 2);
}

static void test_loading_fails(void **state) {
    (void)state;
    place places[PLACES];
    size_t records;
    assert_loading_fails_whole(save_all_kinds(places, &records), "all kinds");
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        assert_loading_fails_whole(write_state(&taken[i]), taken[i].name);
}

/* Without any memory from some request on even bringing the instance back fails; with memory it succeeds again. */
static void test_no_memory_at_all(void **state) {
    (void)state;
    place places[PLACES];
    size_t records;
    const size_t bytes = save_all_kinds(places, &records);
    failing_heap.all_behind = true;
    for (uint64_t number = 0; number < 120; number++) {
        tsm_instance *inst = start(1);
        failing_heap_at(number);
        const tsm_status status = tsm_instance_load(inst, saved, bytes);
        failing_heap_at(FAILING_NEVER);
        assert_int_equal(status, TSM_OUT_OF_MEMORY);
        assert_true(strlen(tsm_error(inst)) > 10);
        assert_int_equal(tsm_instance_reset(inst), TSM_OK);
        assert_refused(inst, status, "no memory");
        load(inst, saved, bytes);
    }
    failing_heap.all_behind = false;
}

/* ---- tsm_call_or_restore ---- */

/* Methods that change what instances have, and raise. */
static const char *const raising[] = {"keep_and_raise", "add_and_raise", "unsqueeze_and_raise", "transpose_and_raise",
                                      "set_and_raise"};

static void assert_as_saved(tsm_instance *inst, size_t bytes, const char *what) {
    assert_int_equal(save_to(inst, again), bytes);
    if (memcmp(saved, again, bytes) != 0)
        fail_msg("%s: not restored", what);
}

static void test_restored(void **state) {
    (void)state;
    place places[PLACES];
    size_t records;
    const size_t bytes = save_all_kinds(places, &records);
    for (size_t i = 0; i < 2 * sizeof raising / sizeof *raising; i++) {
        tsm_instance *inst = start(1);
        load(inst, saved, bytes);
        const char *name = raising[i / 2];
        const tsm_value argument = i % 2 ? plain(inst) : scalar(inst);
        tsm_value result;
        for (int time = 0; time < 3; time++) {
            assert_int_equal(tsm_call_or_restore(inst, method_of(inst, name), &argument, 1, &result), TSM_RAISED);
            assert_as_saved(inst, bytes, name);
        }
        assert_int_equal(tsm_call(inst, method_of(inst, name), &argument, 1, &result), TSM_RAISED);
        assert_true(save_to(inst, again) != bytes || memcmp(saved, again, bytes) != 0);
        tsm_release(inst, argument);
        assert_int_equal(tsm_instance_reset(inst), TSM_OK);
        assert_int_equal(used_by(inst), fresh_used);
    }
}

static void test_keeping_fails(void **state) {
    (void)state;
    place places[PLACES];
    size_t records;
    const size_t bytes = save_all_kinds(places, &records);
    for (size_t i = 0; i < sizeof raising / sizeof *raising; i++) {
        bool had_all = false;
        uint64_t number = 0;
        for (; !had_all; number++) {
            tsm_instance *inst = start(1);
            load(inst, saved, bytes);
            const tsm_value argument = plain(inst);
            tsm_value result;
            failing_heap_at(number);
            const tsm_status status = tsm_call_or_restore(inst, method_of(inst, raising[i]), &argument, 1, &result);
            had_all = failing_heap.requests <= number;
            failing_heap_at(FAILING_NEVER);
            assert_true(status == TSM_RAISED || (status == TSM_OUT_OF_MEMORY && !had_all));
            assert_as_saved(inst, bytes, raising[i]);
            tsm_release(inst, argument);
            assert_int_equal(tsm_instance_reset(inst), TSM_OK);
            assert_int_equal(used_by(inst), fresh_used);
        }
        assert_true(number > 50);
    }
}

int main(int argc, char **argv) {
    assert_int_equal(argc, 2);
    program_file = read_file(argv[1], &file_bytes);
    if (!program_file || tsm_program_open(&program, program_file, file_bytes, message, sizeof message) != TSM_OK) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    tsm_instance *inst = start(0);
    fresh_used = used_by(inst);
    fresh_bytes = save_to(inst, saved);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_parts_stay_shared),
        cmocka_unit_test(test_what_is_shared),
        cmocka_unit_test(test_a_dict_whose_entries_moved),
        cmocka_unit_test(test_a_failed_future_raises_still),
        cmocka_unit_test(test_nested_tensors_are_refused),
        cmocka_unit_test(test_written_states),
        cmocka_unit_test(test_refused_states),
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_every_record),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_almost_the_same_program),
        cmocka_unit_test(test_saving_fails),
        cmocka_unit_test(test_loading_fails),
        cmocka_unit_test(test_no_memory_at_all),
        cmocka_unit_test(test_restored),
        cmocka_unit_test(test_keeping_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
