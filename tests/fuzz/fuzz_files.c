/* Fuzzing harness: .tsm files from elsewhere. An input is a file; it is opened, and when it is accepted an instance is
 * made in a bounded buffer and every method called under a limit of fuel, with arguments made of the declared types. */
#include <string.h>

#include "tests/fuzz/files.h"
#include "tests/fuzz/mutate_tsm.h"

enum { FUEL = 2000, MOST_METHODS = 6, MOST_ARGUMENTS = 12, MOST_CASES = 2, TICKS = 5 };

typedef struct {
    const uint8_t *file;
    size_t bytes;
    harness_random random;
    bool accepted;
} execution;

static void call(tsm_instance *inst, const tsm_program *program, size_t method, harness_random *r) {
    tsm_value arguments[MOST_ARGUMENTS], result;
    size_t n = tsm_method_arguments(program, method);
    n = n < MOST_ARGUMENTS ? n : MOST_ARGUMENTS;
    if (n && !harness_below(r, 4))
        n--; /* the default value, where there is one */
    for (size_t i = 0; i < n; i++)
        arguments[i] = files_argument(inst, program, method, i, r);
    if (tsm_call(inst, (int)method, arguments, n, &result) == TSM_OK)
        files_read(inst, result, 0);
    tsm_release(inst, result);
    for (size_t i = 0; i < n; i++)
        tsm_release(inst, arguments[i]);
}

static void call_case(tsm_instance *inst, size_t number) {
    tsm_value arguments, expected, result, values[MOST_ARGUMENTS];
    int method;
    bool has_expected;
    if (tsm_bundle_get(inst, number, &method, &arguments, &expected, &has_expected) != TSM_OK)
        return;
    size_t n = tsm_sequence_size(arguments);
    n = n < MOST_ARGUMENTS ? n : MOST_ARGUMENTS;
    for (size_t i = 0; i < n; i++)
        values[i] = tsm_sequence_get(arguments, i);
    if (tsm_call(inst, method, values, n, &result) == TSM_OK)
        files_read(inst, result, 0);
    tsm_release(inst, result);
    tsm_release(inst, arguments);
    tsm_release(inst, expected);
}

/* So that what was read is not left out. */
static void use(size_t n) {
    volatile size_t sink = n;
    (void)sink;
}

static void read_info(tsm_value_info v) {
    size_t sum = strlen(v.name) + strlen(v.type);
    for (int d = 0; d < v.rank; d++)
        sum += (size_t)v.sizes[d];
    use(sum);
}

/* What the file says of a method is read whole. */
static void describe(const tsm_program *program, size_t m) {
    harness_at("a description");
    use(strlen(tsm_method_doc(program, m)) + strlen(tsm_producer(program)));
    for (size_t i = 0; i < tsm_method_arguments(program, m); i++)
        read_info(tsm_method_input(program, m, i));
    for (size_t i = 0; i < tsm_method_outputs(program, m); i++)
        read_info(tsm_method_output(program, m, i));
    for (size_t i = 0; i < tsm_metadata_count(program); i++) {
        const char *value, *key = tsm_metadata_get(program, i, &value);
        use(strlen(key) + strlen(value));
    }
}

static void run_methods(tsm_instance *inst, const tsm_program *program, harness_random *r) {
    for (size_t m = 0; m < tsm_method_count(program) && m < MOST_METHODS; m++) {
        if (strlen(tsm_method_name(program, m)) + strlen(tsm_method_schema(program, m)) == 0)
            continue;
        tsm_method_bytes(program, m);
        describe(program, m);
        harness_at("a method");
        call(inst, program, m, r);
    }
    for (size_t i = 0; i < tsm_bundle_count(program) && i < MOST_CASES; i++)
        call_case(inst, i);
}

static void execute(void *context) {
    execution *e = context;
    tsm_program program;
    tsm_instance *inst;
    char *message = files_message();
    static const size_t sizes[] = {FILES_BUFFER_BYTES, 1 << 16, 1 << 14};
    harness_at("tsm_program_open");
    if (tsm_program_open(&program, e->file, e->bytes, message, FILES_MESSAGE_BYTES) != TSM_OK)
        return;
    e->accepted = true;
    const size_t bytes = sizes[harness_below(&e->random, 3)];
    const tsm_options options = {.fuel = FUEL,
                                 .message = message,
                                 .message_bytes = FILES_MESSAGE_BYTES,
                                 .profile = !harness_below(&e->random, 8)};
    if (tsm_instance_init(&inst, &program, &options, files_buffer(bytes), bytes) != TSM_OK)
        return;
    run_methods(inst, &program, &e->random);
    harness_at("tsm_instance_reset");
    if (tsm_instance_reset(inst) == TSM_OK)
        run_methods(inst, &program, &e->random);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    execution e = {files_copy(data, bytes), bytes, files_random(data, bytes), false};
    if (e.file)
        harness_run(execute, &e, TICKS);
    harness_count(e.accepted);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed) {
    harness_random r = {seed};
    if (!bytes && most)
        data[bytes++] = 0;
    /* FlatBuffers are read at multiples of 8 bytes only. */
    _Alignas(64) static uint8_t file[FILES_MAX_BYTES];
    if (bytes <= sizeof file) {
        memcpy(file, data, bytes);
        mutate_tsm(&r, file, bytes);
        memcpy(data, file, bytes);
    }
    return bytes;
}
