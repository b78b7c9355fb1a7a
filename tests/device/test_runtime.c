/* Tests the runtime's public interface on every target: values, limits, damaged files, small buffers.
 *
 *     test_runtime [MODEL.tsm]     the digits model; bare-metal programs carry it */
#include "runtime/kernels/simd/casts.h"
#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/q8.h"
#include "runtime/value/half.h"
#include "tests/device/check.h"
#include "tests/device/model.h"
#include <stdint.h>

enum { BUFFER_BYTES = 256 * 1024, PIXELS = 64 };

static void *buffers[2];
static char message[512];
static platform_file model;
static tsm_program program;

static tsm_status make(tsm_instance **inst, int buffer, size_t bytes) {
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    message[0] = 0;
    return tsm_instance_init(inst, &program, &options, buffers[buffer], bytes);
}

static tsm_status run(tsm_instance *inst, float first_pixel, float scores[10]) {
    static float pixels[PIXELS];
    const tsm_dim sizes[4] = {1, 1, 8, 8};
    tsm_value argument, result;
    tsm_tensor_view view;
    pixels[0] = first_pixel;
    tsm_status status = tsm_tensor_wrap(inst, &argument, TSM_FLOAT32, 4, sizes, NULL, pixels);
    if (status != TSM_OK)
        return status;
    status = tsm_call(inst, tsm_method(&program, "forward"), &argument, 1, &result);
    if (status == TSM_OK && tsm_tensor_get(result, &view))
        memcpy(scores, view.data, 10 * sizeof *scores);
    tsm_release(inst, result);
    tsm_release(inst, argument);
    return status;
}

static void opens_the_model(void) {
    CHECK(tsm_version() == TSM_VERSION_NUMBER);
    CHECK(tsm_program_open(&program, model.data, model.bytes, message, sizeof message) == TSM_OK);
    CHECK_TEXT(message, "");
    CHECK(tsm_method(&program, "forward") >= 0);
    CHECK(tsm_method(&program, "backward") == -1);
    CHECK(tsm_method_arguments(&program, (size_t)tsm_method(&program, "forward")) == 1);
}

/* What tsmc knows of this machine's kernels. */
static void takes_the_workspace_of_its_target(void) {
#if defined(__x86_64__)
    const char *const name = "x86-64";
#elif defined(__aarch64__)
    const char *const name = "aarch64";
#elif defined(__wasm__)
    const char *const name = "wasm32";
#elif defined(__ARM_FEATURE_MVE)
    const char *const name = "cortex-m55";
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    const char *const name = "cortex-m4f";
#elif defined(__riscv)
    const char *const name = "rv32imc";
#else
    const char *const name = "armv7";
#endif
    const struct {
        const char *target;
        size_t rows, q8_rows, scratch;
        bool is_narrow;
    } known[] = {
#define WORKSPACE(target, rows, q8_rows, scratch, is_narrow) {target, rows, q8_rows, scratch, is_narrow},
#include "runtime/kernels/simd/targets.def"
    };
    const tsm_f32_loops *f32 = tsm_f32_select();
    const tsm_q8_loops *q8 = tsm_q8_select(0);
    int found = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found += !strcmp(known[i].target, name) && known[i].rows == f32->gemm_rows &&
                 known[i].q8_rows == q8->gemm_rows && known[i].scratch == f32->scratch_limit &&
                 known[i].is_narrow == f32->is_narrow;
    CHECK(found == 1);
}

/* Every half float, and floats about each number where rounding to one or to a bfloat16 changes, NaNs included, in runs
 * of which some elements fill no vector. */
static void converts_half_floats(void) {
    enum { RUN = 8 * 8 + 5, ENDS = 6 };
    static const uint32_t ends[ENDS] = {0, 1, 0x0fff, 0x1000, 0x1001, 0x1fff};
    static tsm_exec x;
    const tsm_cast to_float = tsm_cast_find(&x, TSM_FLOAT16, TSM_FLOAT32),
                   to_half = tsm_cast_find(&x, TSM_FLOAT32, TSM_FLOAT16),
                   to_bfloat16 = tsm_cast_find(&x, TSM_FLOAT32, TSM_BFLOAT16);
    CHECK(to_float && to_half && to_bfloat16);
    static uint16_t halves[RUN];
    static float floats[RUN];
    bool widened = true, rounded = true;
    for (uint32_t first = 0; first < 0x10000; first += RUN) {
        for (uint32_t i = 0; i < RUN; i++)
            halves[i] = (uint16_t)(first + i);
        to_float(floats, halves, RUN);
        for (uint32_t i = 0; i < RUN; i++)
            widened &= tsm_bits_of_float(floats[i]) == tsm_bits_of_float(tsm_float_of_half((uint16_t)(first + i)));
    }
    for (uint32_t end = 0; end < ENDS; end++)
        for (uint32_t first = 0; first < 0x80000; first += RUN) {
            for (uint32_t i = 0; i < RUN; i++) {
                const uint32_t bits = ((first + i) << 13) + ends[end];
                memcpy(&floats[i], &bits, sizeof bits);
            }
            to_half(halves, floats, RUN);
            for (uint32_t i = 0; i < RUN; i++)
                rounded &= halves[i] == tsm_half_of_float(floats[i]);
            to_bfloat16(halves, floats, RUN);
            for (uint32_t i = 0; i < RUN; i++)
                rounded &= halves[i] == tsm_bfloat16_of_float(floats[i]);
        }
    CHECK(widened);
    CHECK(rounded);
}

static void keeps_values(void) {
    tsm_instance *inst;
    tsm_value items[2], list, tuple, dict, key, item;
    double re, im;
    size_t n;
    CHECK(make(&inst, 0, BUFFER_BYTES) == TSM_OK);
    const size_t before = tsm_instance_usage(inst).used_bytes;

    CHECK(tsm_str_new(inst, &items[0], "pl\0us", 5) == TSM_OK);
    CHECK(tsm_complex_new(inst, &items[1], 1.5, -2) == TSM_OK);
    CHECK(tsm_list_new(inst, &list, items, 1) == TSM_OK);
    CHECK(tsm_tuple_new(inst, &tuple, items, 2) == TSM_OK);
    CHECK(tsm_dict_new(inst, &dict) == TSM_OK);
    CHECK(tsm_dict_set(inst, dict, tsm_int(INT64_MIN), list) == TSM_OK);
    CHECK(tsm_dict_set(inst, dict, tsm_int(7), tuple) == TSM_OK);
    CHECK(tsm_dict_set(inst, dict, tsm_int(7), list) == TSM_OK);

    CHECK(memcmp(tsm_str_get(tsm_sequence_get(list, 0), &n), "pl\0us", 5) == 0 && n == 5);
    CHECK(tsm_complex_get(tsm_sequence_get(tuple, 1), &re, &im) && re == 1.5 && im == -2);
    CHECK(tsm_dict_size(dict) == 2);
    tsm_dict_get(dict, 0, &key, &item);
    CHECK(key.tag == TSM_TAG_INT && key.as.i == INT64_MIN && item.tag == TSM_TAG_LIST);
    tsm_dict_get(dict, 1, &key, &item);
    CHECK(key.as.i == 7 && item.tag == TSM_TAG_LIST);

    tsm_release(inst, dict);
    tsm_release(inst, tuple);
    tsm_release(inst, list);
    tsm_release(inst, items[1]);
    tsm_release(inst, items[0]);
    CHECK(tsm_instance_usage(inst).used_bytes == before);
}

static void makes_tensors(void) {
    tsm_instance *inst;
    const tsm_dim sizes[2] = {2, 3};
    tsm_value tensor;
    tsm_tensor_view view;
    CHECK(make(&inst, 0, BUFFER_BYTES) == TSM_OK);
    CHECK(tsm_tensor_new(inst, &tensor, TSM_INT32, 2, sizes) == TSM_OK && tsm_tensor_get(tensor, &view));
    CHECK(view.dtype == TSM_INT32 && view.dims == 2 && view.sizes[1] == 3 && view.strides[0] == 3);
    memset(view.data, 0, 6 * sizeof(int32_t));
    tsm_release(inst, tensor);
}

static void has_a_text_for_every_status(void) {
    for (int s = TSM_OK; s <= TSM_INTERNAL; s++)
        CHECK(tsm_status_text((tsm_status)s)[0] != 0);
    CHECK(tsm_status_text((tsm_status)1000) != NULL);
}

static void runs_twice_with_the_same_bits(void) {
    tsm_instance *one = NULL, *two = NULL;
    float a[10], b[10], c[10];
    CHECK(make(&one, 0, BUFFER_BYTES) == TSM_OK && make(&two, 1, BUFFER_BYTES) == TSM_OK);
    CHECK(run(one, 0.25f, a) == TSM_OK);
    CHECK(run(two, 0.75f, b) == TSM_OK);
    CHECK(run(two, 0.25f, c) == TSM_OK);
    CHECK(memcmp(a, c, sizeof a) == 0);
    CHECK(memcmp(a, b, sizeof a) != 0);
    const tsm_usage usage = tsm_instance_usage(two);
    CHECK(usage.used_bytes <= usage.high_water_bytes && usage.high_water_bytes <= BUFFER_BYTES);
}

static void refuses_wrong_arguments(void) {
    tsm_instance *inst;
    tsm_value arguments[2] = {tsm_int(3), tsm_int(4)}, result;
    const int forward = tsm_method(&program, "forward");
    float scores[10];
    CHECK(make(&inst, 0, BUFFER_BYTES) == TSM_OK);
    CHECK(tsm_call(inst, forward, arguments, 1, &result) == TSM_BAD_ARGUMENT && result.tag == TSM_TAG_NONE);
    CHECK(tsm_error(inst)[0] != 0);
    CHECK(tsm_call(inst, forward, arguments, 0, &result) == TSM_BAD_ARGUMENT);
    CHECK(tsm_call(inst, forward, arguments, 2, &result) == TSM_BAD_ARGUMENT);
    CHECK(run(inst, 0, scores) == TSM_OK);
}

static void says_how_much_memory_is_missing(void) {
    float scores[10], right[10];
    tsm_instance *inst;
    CHECK(make(&inst, 1, BUFFER_BYTES) == TSM_OK && run(inst, 0.5f, right) == TSM_OK);
    const size_t enough = tsm_instance_usage(inst).high_water_bytes, before_calls = tsm_instance_bytes(&program);
    CHECK(before_calls > 0 && before_calls <= enough);
    size_t refused = 0, stopped = 0;
    for (size_t bytes = 0; bytes <= BUFFER_BYTES; bytes += enough / 64) {
        const tsm_status made = make(&inst, 0, bytes);
        refused += made == TSM_OUT_OF_MEMORY;
        CHECK(made == TSM_OK || (made == TSM_OUT_OF_MEMORY && message[0] != 0));
        if (made != TSM_OK)
            continue;
        const tsm_status ran = run(inst, 0.5f, scores);
        stopped += ran == TSM_OUT_OF_MEMORY;
        CHECK(ran == TSM_OUT_OF_MEMORY || (ran == TSM_OK && memcmp(scores, right, sizeof right) == 0));
    }
    CHECK(refused > 0 && stopped > 0);
}

/* A NULL message buffer means that no text is wanted, whatever size is given with it. */
static void does_without_messages(void) {
    tsm_program other;
    tsm_instance *inst;
    tsm_value result;
    const tsm_options options = {.message_bytes = sizeof message};
    CHECK(tsm_program_open(&other, model.data, 7, NULL, sizeof message) == TSM_BAD_FILE);
    CHECK(tsm_program_open(&other, model.data, model.bytes, NULL, sizeof message) == TSM_OK);
    CHECK(tsm_instance_init(&inst, &other, &options, buffers[0], 64) == TSM_OUT_OF_MEMORY);
    CHECK(tsm_instance_init(&inst, &other, &options, buffers[0], BUFFER_BYTES) == TSM_OK);
    CHECK(tsm_call(inst, -1, NULL, 0, &result) == TSM_BAD_ARGUMENT && tsm_error(inst)[0] != 0);
}

/* Copies of the file, cut short or with one byte changed, are refused or opened, and never crash. */
static void survives_damaged_files(void) {
    size_t bytes;
    char *copy = platform_buffer(model.bytes, &bytes);
    tsm_program damaged;
    CHECK(copy != NULL);
    if (!copy)
        return;
    memcpy(copy, model.data, model.bytes);
    for (size_t n = 0; n < model.bytes; n += 1 + n / 4)
        CHECK(tsm_program_open(&damaged, copy, n, message, sizeof message) != TSM_OK);
    for (size_t i = 0; i < model.bytes; i += 1 + i / 16) {
        copy[i] ^= 0x41;
        const tsm_status status = tsm_program_open(&damaged, copy, model.bytes, message, sizeof message);
        CHECK(status == TSM_OK || status == TSM_BAD_FILE || status == TSM_UNSUPPORTED);
        copy[i] ^= 0x41;
    }
    CHECK(tsm_program_open(&damaged, copy, model.bytes, message, sizeof message) == TSM_OK);
}

int main(int argc, char **argv) {
    platform_arguments(&argc, argv);
    if (argc < 1 + MODEL_ARGUMENTS) {
        fputs("usage: test_runtime MODEL.tsm\n", stderr);
        return 2;
    }
    model = model_open(argv + 1);
    for (int i = 0; i < 2; i++) {
        size_t got;
        buffers[i] = platform_buffer(BUFFER_BYTES, &got);
        if (!buffers[i]) {
            fputs("there is no memory for the buffers\n", stderr);
            return 2;
        }
    }
    CHECK_RUN(opens_the_model);
    CHECK_RUN(takes_the_workspace_of_its_target);
    CHECK_RUN(converts_half_floats);
    CHECK_RUN(keeps_values);
    CHECK_RUN(makes_tensors);
    CHECK_RUN(has_a_text_for_every_status);
    CHECK_RUN(runs_twice_with_the_same_bits);
    CHECK_RUN(refuses_wrong_arguments);
    CHECK_RUN(says_how_much_memory_is_missing);
    CHECK_RUN(does_without_messages);
    CHECK_RUN(survives_damaged_files);
    return check_finish();
}
