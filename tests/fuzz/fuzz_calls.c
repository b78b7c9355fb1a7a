/* Fuzzing harness: sequences of calls of the C interface. An input is
 *
 *     | steps (1 byte) | STEP_BYTES for each step | a .tsm file |
 *
 * The file is accepted; the steps make, read, pass and release values in any order, also values of one instance given
 * back to it as something else, one value given twice, and instances reset between. What tsmobile.h forbids is left
 * out: values of one instance passed to another, use after the last release, and a reset while values are held. */
#include <string.h>

#include "tests/fuzz/files.h"

enum {
    STEP_BYTES = 4,
    MOST_STEPS = 64,
    HELD = 16,
    INSTANCES = 2,
    MOST_ARGUMENTS = 8,
    FUEL = 2000,
    TICKS = 5,
    MEMORY_BYTES = 512
};

typedef struct {
    tsm_instance *inst;
    tsm_value held[HELD]; /* None, or with one count that is ours */
} user;

typedef struct {
    const uint8_t *steps, *file;
    size_t step_count, bytes;
    tsm_program program;
    user users[INSTANCES];
    harness_random random;
    bool accepted;
} execution;

static uint8_t *memory[4];

/* ---- Steps: a number of the step and three of its own ---- */

static void hold(user *u, size_t at, tsm_value v) {
    tsm_release(u->inst, u->held[at % HELD]);
    u->held[at % HELD] = v;
}

static void make_number(user *u, const uint8_t *s) {
    tsm_value v = tsm_none();
    switch (s[2] % 6) {
    case 0:
        v = tsm_int(s[3] < 128 ? s[3] % 8 - 2 : harness_extreme_int(s[3]));
        break;
    case 1:
        v = tsm_float(harness_extreme_float(s[3]));
        break;
    case 2:
        v = tsm_bool(s[3] & 1);
        break;
    case 3:
        if (tsm_complex_new(u->inst, &v, harness_extreme_float(s[3]), 1) != TSM_OK)
            v = tsm_none();
        break;
    case 4:
        if (tsm_str_new(u->inst, &v, (const char *)s, s[3] % 4) != TSM_OK)
            v = tsm_none();
        break;
    default:
        if (tsm_device_parse(u->inst, &v, s[3] & 1 ? "cpu" : s[3] & 2 ? "cuda:7" : "nothing") != TSM_OK)
            v = tsm_none();
    }
    hold(u, s[1], v);
}

static void make_tensor(user *u, const uint8_t *s) {
    tsm_value v = tsm_none();
    tsm_dim sizes[TSM_MAX_DIMS + 1], strides[TSM_MAX_DIMS + 1];
    const int dtype = s[2] % (TSM_DTYPE_COUNT + 1), dims = s[3] % (TSM_MAX_DIMS + 2);
    for (int d = 0; d <= TSM_MAX_DIMS; d++) {
        sizes[d] = s[2] < 240 ? (s[3] >> d % 4) % 4 : (tsm_dim)harness_extreme_int(s[3] + (unsigned)d);
        strides[d] = s[1] < 200 ? (s[1] >> d % 3) % 4 : (tsm_dim)harness_extreme_int(s[1] + (unsigned)d);
    }
    size_t reach = 1;
    for (int d = 0; d < dims && d < TSM_MAX_DIMS; d++)
        reach += (size_t)sizes[d] * ((size_t)strides[d] + 4);
    tsm_status status;
    const bool is_borrowed = s[1] & 1 && s[2] < 240 && s[1] < 200 && reach * 16 <= MEMORY_BYTES;
    if (is_borrowed)
        status = tsm_tensor_wrap(u->inst, &v, (tsm_dtype)dtype, dims, sizes, s[3] & 1 ? strides : NULL,
                                 memory[s[1] / 2 % 4] + MEMORY_BYTES - reach * 16);
    else
        status = tsm_tensor_new(u->inst, &v, (tsm_dtype)dtype, dims, sizes);
    tsm_tensor_view view;
    if (status == TSM_OK && tsm_tensor_get(v, &view)) {
        size_t elements = 1;
        for (int d = 0; d < dims; d++)
            elements *= (size_t)view.sizes[d];
        if (!is_borrowed && elements < FILES_BUFFER_BYTES) /* a new one has any bytes */
            memset(view.data, s[2], elements * tsm_dtype_size(view.dtype));
    }
    hold(u, s[1], status == TSM_OK ? v : tsm_none());
}

static void set_quantizer(user *u, const uint8_t *s) {
    double scales[4];
    int64_t zero_points[4];
    for (int i = 0; i < 4; i++) {
        scales[i] = harness_extreme_float(s[3] + (unsigned)i);
        zero_points[i] = s[3] & 1 ? i : harness_extreme_int(s[3]);
    }
    const tsm_value v = u->held[s[1] % HELD];
    const tsm_dim channels = s[2] / 4 % 6 - 1 <= 4 ? s[2] / 4 % 6 - 1 : 4;
    if (s[2] >= 192) /* the scales serve as zero points, too */
        tsm_tensor_set_float_quantizer(u->inst, v, s[2] % 4 - 2, channels, scales, scales);
    else
        tsm_tensor_set_quantizer(u->inst, v, s[2] % 4 - 2, channels, scales, zero_points);
}

static void make_container(user *u, const uint8_t *s) {
    tsm_value items[4], v = tsm_none();
    for (int i = 0; i < 4; i++)
        items[i] = u->held[(s[2] + i * (s[3] & 3)) % HELD];
    if ((s[3] & 4 ? tsm_list_new : tsm_tuple_new)(u->inst, &v, items, s[3] / 8 % 5) == TSM_OK)
        hold(u, s[1], v);
}

static void change_dict(user *u, const uint8_t *s) {
    tsm_value v;
    if (u->held[s[1] % HELD].tag == TSM_TAG_DICT)
        tsm_dict_set(u->inst, u->held[s[1] % HELD], u->held[s[2] % HELD], u->held[s[3] % HELD]);
    else if (tsm_dict_new(u->inst, &v) == TSM_OK)
        hold(u, s[1], v);
}

/* An attribute, an item or a key becomes a value of its own. */
static void take_part(user *u, const uint8_t *s) {
    const tsm_value from = u->held[s[2] % HELD];
    tsm_value key, item = tsm_sequence_get(from, s[3] % 4);
    if (from.tag == TSM_TAG_DICT)
        tsm_dict_get(from, s[3] % 4, &key, &item);
    if (from.tag == TSM_TAG_OBJECT)
        tsm_object_attribute(u->inst, from, s[3] % 8, &item);
    tsm_retain(item);
    hold(u, s[1], item);
}

static void call(execution *e, user *u, const uint8_t *s) {
    const size_t methods = tsm_method_count(&e->program);
    const int method = s[1] == 255 ? -1 : s[1] == 254 ? (int)methods : methods ? (int)(s[1] % methods) : 0;
    tsm_value arguments[MOST_ARGUMENTS], result;
    size_t n = method >= 0 && (size_t)method < methods ? tsm_method_arguments(&e->program, (size_t)method) : 1;
    n = n < MOST_ARGUMENTS ? n + (s[3] == 255) : MOST_ARGUMENTS;
    const bool makes = s[3] & 1 && method >= 0 && (size_t)method < methods && s[3] != 255;
    for (size_t i = 0; i < n; i++)
        arguments[i] = makes ? files_argument(u->inst, &e->program, (size_t)method, i, &e->random)
                             : u->held[(s[2] + i * (s[3] >> 1 & 3)) % HELD];
    const tsm_status status = tsm_call(u->inst, method, arguments, n, &result);
    if (status != TSM_OK && result.tag != TSM_TAG_NONE)
        harness_fault("a call that failed has a result");
    if (status != TSM_OK && !strlen(tsm_error(u->inst)))
        harness_fault("a call that failed has no message");
    for (size_t i = 0; makes && i < n; i++)
        tsm_release(u->inst, arguments[i]);
    hold(u, s[3] / 8, result);
}

static void take_case(execution *e, user *u, const uint8_t *s) {
    tsm_value arguments, expected;
    int method;
    bool has_expected;
    if (tsm_bundle_get(u->inst, s[1] % 4, &method, &arguments, &expected, &has_expected) != TSM_OK)
        return;
    hold(u, s[2], arguments);
    hold(u, s[3], expected);
    (void)e;
}

static void release_all(user *u) {
    for (int i = 0; i < HELD; i++)
        hold(u, (size_t)i, tsm_none());
}

static void look_around(execution *e, user *u) {
    tsm_profile_row row;
    const tsm_usage usage = tsm_instance_usage(u->inst);
    if (usage.used_bytes > usage.buffer_bytes || usage.high_water_bytes < usage.used_bytes)
        harness_fault("the usage contradicts itself");
    for (size_t i = 0; tsm_profile_get(u->inst, i, &row); i++)
        if (!strlen(row.name))
            harness_fault("a row of the profile without a name");
    tsm_instance_bytes(&e->program);
    for (int i = 0; i < HELD; i++)
        files_read(u->inst, u->held[i], 0);
}

static void run_step(execution *e, const uint8_t *s) {
    user *u = &e->users[s[0] / 128];
    if (!u->inst)
        return;
    static const char *const names[] = {"make_number", "make_tensor", "set_quantizer", "make_container",
                                        "change_dict", "take_part",   "take_case",     "release",
                                        "reset",       "look_around", "call",          "call"};
    harness_at(names[s[0] % 12]);
    switch (s[0] % 12) {
    case 0:
        make_number(u, s);
        return;
    case 1:
        make_tensor(u, s);
        return;
    case 2:
        set_quantizer(u, s);
        return;
    case 3:
        make_container(u, s);
        return;
    case 4:
        change_dict(u, s);
        return;
    case 5:
        take_part(u, s);
        return;
    case 6:
        take_case(e, u, s);
        return;
    case 7:
        hold(u, s[1], tsm_none());
        return;
    case 8:
        release_all(u);
        tsm_instance_reset(u->inst);
        return;
    case 9:
        look_around(e, u);
        return;
    default:
        call(e, u, s);
    }
}

static void execute(void *context) {
    execution *e = context;
    char *message = files_message();
    if (tsm_program_open(&e->program, e->file, e->bytes, message, FILES_MESSAGE_BYTES) != TSM_OK)
        return;
    e->accepted = true;
    const size_t bytes = FILES_BUFFER_BYTES / INSTANCES;
    const tsm_options plain = {.fuel = FUEL},
                      options = {
                          .fuel = FUEL, .message = message, .message_bytes = FILES_MESSAGE_BYTES, .profile = true};
    for (size_t i = 0; i < INSTANCES; i++) {
        user *u = &e->users[i];
        for (int k = 0; k < HELD; k++)
            u->held[k] = tsm_none();
        if (tsm_instance_init(&u->inst, &e->program, i ? &options : &plain,
                              files_buffer(FILES_BUFFER_BYTES) + i * bytes, bytes) != TSM_OK)
            u->inst = NULL;
    }
    for (size_t i = 0; i < e->step_count; i++)
        run_step(e, e->steps + i * STEP_BYTES);
    for (size_t i = 0; i < INSTANCES; i++)
        if (e->users[i].inst)
            release_all(&e->users[i]);
}

/* ---- Inputs ---- */

static size_t head_bytes(const uint8_t *data, size_t bytes) {
    const size_t head = bytes ? 1 + (size_t)(data[0] % (MOST_STEPS + 1)) * STEP_BYTES : 0;
    return head < bytes ? head : bytes;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        memory[i] = harness_guarded(MEMORY_BYTES);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static execution e;
    memset(&e, 0, sizeof e);
    const size_t head = head_bytes(data, bytes);
    e.steps = data + 1;
    e.step_count = head ? (head - 1) / STEP_BYTES : 0;
    e.bytes = bytes - head;
    e.file = files_copy(data + head, e.bytes);
    e.random = files_random(data, head);
    if (e.file)
        harness_run(execute, &e, TICKS);
    harness_count(e.accepted);
    return 0;
}

/* Only steps are changed: fuzz_files tests damaged files. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed) {
    harness_random r = {seed};
    const size_t head = head_bytes(data, bytes);
    if (!head)
        return bytes;
    if (data[0] < MOST_STEPS && bytes + STEP_BYTES <= most && !harness_below(&r, 3)) {
        memmove(data + 1 + STEP_BYTES, data + 1, bytes - 1);
        for (int i = 0; i < STEP_BYTES; i++)
            data[1 + i] = (uint8_t)harness_next(&r);
        data[0]++;
        return bytes + STEP_BYTES;
    }
    if (head > 1 + STEP_BYTES && data[0] <= MOST_STEPS && !harness_below(&r, 6)) { /* without the first step */
        memmove(data + 1, data + 1 + STEP_BYTES, bytes - 1 - STEP_BYTES);
        data[0]--;
        return bytes - STEP_BYTES;
    }
    if (head > 1)
        for (size_t n = 1 + harness_below(&r, 4); n > 0; n--)
            data[1 + harness_below(&r, head - 1)] = (uint8_t)harness_next(&r);
    return bytes;
}
