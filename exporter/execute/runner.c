#include "exporter/execute/runner.h"

#include <stdlib.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/diag.h"
#include "exporter/passes/analysis/value_conversion.h"
#include "exporter/program/program.h"

enum { BUFFER_ALIGN = 64 };

void runner_open(runner *t, const image *m) {
    size_t bytes;
    const uint8_t *file = image_write(m, &bytes);
    if (!file)
        diag_fail("the program part of the file is larger than 2 GiB");
    if (tsm_program_open(&t->program, file, bytes, t->message, sizeof t->message) != TSM_OK)
        diag_internal("libtsmobile does not open what was exported: %s", t->message);
}

bool runner_start(runner *t, size_t bytes, void *context) {
    tsm_options options = {.platform = {.context = context}, .message = t->message, .message_bytes = sizeof t->message};
    t->bytes = (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    t->buffer = aligned_alloc(BUFFER_ALIGN, t->bytes);
    if (!t->buffer)
        diag_fail("there is no memory to run the example: %zu bytes are wanted", bytes);
    tsm_status status = tsm_instance_init(&t->inst, &t->program, &options, t->buffer, bytes);
    if (status != TSM_OK && status != TSM_OUT_OF_MEMORY)
        diag_internal("libtsmobile makes no instance of what was exported: %s", t->message);
    if (status != TSM_OK)
        runner_end(t);
    return status == TSM_OK;
}

void runner_end(runner *t) {
    if (t->buffer)
        tsm_heap_forget(t->buffer, t->bytes);
    free(t->buffer);
    t->buffer = NULL;
    t->inst = NULL;
}

/* ---- Arguments ---- */

static tsm_status to_value(tsm_instance *inst, const ir_constant *c, tsm_value *v);

static double number_at(const pt_tensor *t, int64_t i) {
    const uint8_t *data = pt_tensor_data(t);
    double d;
    int64_t n;
    memcpy(&d, data + i * 8, sizeof d);
    memcpy(&n, data + i * 8, sizeof n);
    return t->dtype == PT_FLOAT64 ? d : (double)n;
}

static tsm_status set_quantizer(tsm_instance *inst, const pt_tensor *t, tsm_value v) {
    if (t->qscheme == PT_PER_TENSOR_AFFINE)
        return tsm_tensor_set_quantizer(inst, v, -1, 1, &t->scale, &t->zero_point);
    int64_t channels = t->sizes[t->axis];
    double *scales = MEM_ARRAY(double, channels + 1);
    int64_t *zero_points = MEM_ARRAY(int64_t, channels + 1);
    for (int64_t i = 0; i < channels; i++) {
        scales[i] = number_at(t->scales, i);
        zero_points[i] = (int64_t)number_at(t->zero_points, i);
    }
    return tsm_tensor_set_quantizer(inst, v, t->axis, (tsm_dim)channels, scales, zero_points);
}

/* Its elements are copied: the program may write to them. */
static tsm_status tensor_to_value(tsm_instance *inst, const pt_tensor *t, tsm_value *v) {
    tsm_dim sizes[TSM_MAX_DIMS];
    size_t bytes = pt_tensor_bytes(t);
    if (t->layout != PT_STRIDED || t->ndim > TSM_MAX_DIMS || t->dtype > PT_BFLOAT16)
        diag_fail("the example has a tensor of a kind that is not supported");
    void *data = mem_alloc_aligned(bytes ? bytes : 1, BUFFER_ALIGN);
    if (bytes)
        memcpy(data, pt_tensor_data(t), bytes);
    for (int d = 0; d < t->ndim; d++)
        sizes[d] = (tsm_dim)t->sizes[d];
    TSM_TRY(tsm_tensor_wrap(inst, v, (tsm_dtype)t->dtype, t->ndim, sizes, NULL, data));
    return t->qscheme == PT_NOT_QUANTIZED ? TSM_OK : set_quantizer(inst, t, *v);
}

static tsm_status sequence_to_value(tsm_instance *inst, const ir_constant *c, tsm_value *v) {
    tsm_value *items = MEM_ARRAY(tsm_value, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++)
        TSM_TRY(to_value(inst, c->list.items[i], &items[i]));
    TSM_TRY((c->kind == CONST_TUPLE ? tsm_tuple_new : tsm_list_new)(inst, v, items, c->list.count));
    for (uint32_t i = 0; i < c->list.count; i++)
        tsm_release(inst, items[i]);
    return TSM_OK;
}

static tsm_status dict_to_value(tsm_instance *inst, const ir_constant *c, tsm_value *v) {
    TSM_TRY(tsm_dict_new(inst, v));
    for (uint32_t i = 0; i < c->list.count; i += 2) {
        tsm_value key, item;
        TSM_TRY(to_value(inst, c->list.items[i], &key));
        TSM_TRY(to_value(inst, c->list.items[i + 1], &item));
        TSM_TRY(tsm_dict_set(inst, *v, key, item));
        tsm_release(inst, key);
        tsm_release(inst, item);
    }
    return TSM_OK;
}

/* What was made before a failure is lost with the instance. */
static tsm_status to_value(tsm_instance *inst, const ir_constant *c, tsm_value *v) {
    switch (c->kind) {
    case CONST_NONE:
        *v = tsm_none();
        return TSM_OK;
    case CONST_BOOL:
        *v = tsm_bool(c->boolean);
        return TSM_OK;
    case CONST_INT:
        *v = tsm_int(c->integer);
        return TSM_OK;
    case CONST_FLOAT:
        *v = tsm_float(c->real);
        return TSM_OK;
    case CONST_COMPLEX:
        return tsm_complex_new(inst, v, c->complex.re, c->complex.im);
    case CONST_STR:
        return tsm_str_new(inst, v, c->string.bytes, c->string.length);
    case CONST_DEVICE:
        return tsm_device_parse(inst, v, c->string.bytes);
    case CONST_TENSOR:
        return tensor_to_value(inst, c->tensor, v);
    case CONST_LIST:
    case CONST_TUPLE:
        return sequence_to_value(inst, c, v);
    case CONST_DICT:
        return dict_to_value(inst, c, v);
    case CONST_ENUM:
        return tsm_enum_find(inst, v, c->type->name, c->type->definition->constants[c->integer].name);
    default:
        diag_fail("an example cannot hold objects or functions");
    }
}

/* ---- Calls ---- */

tsm_status runner_call(runner *t, uint32_t method, ir_constant *const *arguments, runner_result *wanted) {
    size_t n = arrlenu(arguments);
    tsm_value *values = MEM_ARRAY(tsm_value, n + 1), result;
    for (size_t i = 0; i < n; i++)
        TSM_TRY(to_value(t->inst, arguments[i], &values[i]));
    tsm_status status = tsm_call(t->inst, (int)method, values, n, &result);
    if (status == TSM_OK && wanted)
        wanted->value = constant_from_value(result, wanted->type);
    if (status == TSM_OK)
        tsm_release(t->inst, result);
    for (size_t i = 0; i < n; i++)
        tsm_release(t->inst, values[i]);
    return status;
}
