/* tsmobile.wasm: libtsmobile for JavaScript, which calls the functions of tsmobile.h and this one, and reads their
 * structs where the assertions say that members stand (runtime.mjs). */
#include "tsmobile.h"
#include <stddef.h>
#include <stdlib.h>

#define AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), "runtime.mjs reads " #type)
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "runtime.mjs reads " #type)
AT(tsm_value, tag, 0);
AT(tsm_value, as, 8);
SIZE(tsm_value, 16);
AT(tsm_value_info, name, 0);
AT(tsm_value_info, type, 4);
AT(tsm_value_info, dtype, 8);
AT(tsm_value_info, rank, 12);
AT(tsm_value_info, sizes, 16);
AT(tsm_tensor_view, dtype, 0);
AT(tsm_tensor_view, dims, 4);
AT(tsm_tensor_view, sizes, 8);
AT(tsm_tensor_view, strides, 12);
AT(tsm_tensor_view, data, 16);
AT(tsm_tensor_view, quantizer_axis, 20);
AT(tsm_tensor_view, quantizer_channels, 24);
AT(tsm_tensor_view, scales, 28);
AT(tsm_tensor_view, zero_points, 32);
AT(tsm_tensor_view, float_zero_points, 36);
SIZE(tsm_tensor_view, 40);
AT(tsm_usage, fixed_bytes, 4);
AT(tsm_usage, high_water_bytes, 12);
AT(tsm_usage, instructions, 16);
AT(tsm_usage, work, 24);
AT(tsm_profile_row, calls, 8);
AT(tsm_profile_row, nanoseconds, 16);
AT(tsm_profile_row, bytes, 24);

/* Functions of JavaScript; `id` tells programs apart. */
#define IMPORT(name) __attribute__((import_module("tsmobile"), import_name(name)))
IMPORT("print") void js_print(int32_t id, const char *text, size_t n, int32_t is_warning);
IMPORT("now") double js_now(void); /* milliseconds */

/* An opened program, its instance and its buffer. */
typedef struct {
    tsm_program program; /* the first member */
    tsm_instance *inst;
    void *buffer;
    int32_t id;
    char message[16384];
} js_program;
AT(js_program, program, 0);

static void print(void *context, const char *text, size_t n) {
    const js_program *p = context;
    js_print(p->id, text, n, 0);
}

static void warn(void *context, const char *text, size_t n) {
    const js_program *p = context;
    js_print(p->id, text, n, 1);
}

static uint64_t nanoseconds(void *context) {
    (void)context;
    return (uint64_t)(js_now() * 1e6);
}

/* Where these are exported, so that JavaScript does not know the struct. */
js_program *js_new(int32_t id);
tsm_status js_open(js_program *p, const void *file, size_t bytes, bool with_checksums);
tsm_status js_start(js_program *p, size_t buffer_bytes, double fuel, bool profile);
tsm_instance *js_instance(const js_program *p);
const char *js_message(const js_program *p);
void js_delete(js_program *p);

/* NULL: there is no memory. */
js_program *js_new(int32_t id) {
    js_program *p = calloc(1, sizeof *p);
    if (p)
        p->id = id;
    return p;
}

/* Verifies the file. */
tsm_status js_open(js_program *p, const void *file, size_t bytes, bool with_checksums) {
    const tsm_status status = tsm_program_open(&p->program, file, bytes, p->message, sizeof p->message);
    if (status != TSM_OK || !with_checksums)
        return status;
    const tsm_status sums = tsm_program_check_sums(&p->program, p->message, sizeof p->message);
    return sums == TSM_UNSUPPORTED ? status : sums; /* files of 0.1.0 have no checksums */
}

tsm_status js_start(js_program *p, size_t buffer_bytes, double fuel, bool profile) {
    enum { ALIGNMENT = 64 };
    const tsm_options options = {.size = sizeof options,
                                 .platform = {.context = p, .print = print, .warn = warn, .nanoseconds = nanoseconds},
                                 .fuel = (uint64_t)fuel,
                                 .message = p->message,
                                 .message_bytes = sizeof p->message,
                                 .profile = profile};
    p->buffer = aligned_alloc(ALIGNMENT, (buffer_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (!p->buffer)
        return TSM_OUT_OF_MEMORY;
    return tsm_instance_init(&p->inst, &p->program, &options, p->buffer, buffer_bytes);
}

tsm_instance *js_instance(const js_program *p) {
    return p->inst;
}

const char *js_message(const js_program *p) {
    return p->message;
}

void js_delete(js_program *p) {
    free(p->buffer);
    free(p);
}
