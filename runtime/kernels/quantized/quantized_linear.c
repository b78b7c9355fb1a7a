/* Linear layers on int8 products: quantized (static) and, with inputs quantized by their own range, of floats
 * (dynamic). */
#include "runtime/kernels/quantized/quantized_layer.h"

enum { QLINEAR_TASK_WORK = 1 << 19 };

typedef struct {
    const tsm_q8_loops *q8;
    const uint8_t *a; /* rows of `inputs` bytes */
    size_t inputs;
    const quantized_weight *weight;
    void *out; /* bytes or floats */
    size_t result_size;
    const tsm_q8_finish *finish;
} linear_job;

/* Pointers to the rows of a tile. Rows that are not whole groups of four are copied, and so are padded. */
static void qlinear_point_at_rows(const linear_job *j, size_t first, size_t rows, const uint8_t **a, uint8_t *copies) {
    size_t padded = (j->inputs + TSM_Q8_GROUP - 1) / TSM_Q8_GROUP * TSM_Q8_GROUP;
    for (size_t r = 0; r < rows; r++) {
        a[r] = j->a + (first + r) * j->inputs;
        if (padded != j->inputs)
            a[r] = memcpy(copies + r * padded, a[r], j->inputs);
    }
}

static void qlinear_multiply_range(void *argument, void *scratch, size_t begin, size_t end) {
    const linear_job *j = argument;
    size_t most = j->q8->gemm_rows;
    const uint8_t **a = scratch;
    const loops_cut cut = loops_cut_of(end - begin, most);
    for (size_t i = 0; i < cut.tiles; i++) {
        size_t at, rows = loops_cut_rows(&cut, i, &at);
        qlinear_point_at_rows(j, begin + at, rows, a, (uint8_t *)(a + most));
        tsm_q8_gemm_block g = {
            .rows = rows,
            .columns = j->weight->outputs,
            .taps = 1,
            .groups = (j->inputs + TSM_Q8_GROUP - 1) / TSM_Q8_GROUP,
            .a = a,
            .a_step = rows,
            .b = j->weight->packed,
            .b_panel = j->weight->panel_bytes,
            .b_last = j->weight->last_block,
            .c = (char *)j->out + (begin + at) * j->weight->outputs * j->result_size,
            .c_stride = (ptrdiff_t)j->weight->outputs,
            .finish = j->finish,
        };
        j->q8->gemm(&g);
    }
}

static tsm_status qlinear_multiply(tsm_exec *x, linear_job *j, size_t rows) {
    size_t tile = j->q8->gemm_rows, padded = j->inputs % TSM_Q8_GROUP ? j->inputs + TSM_Q8_GROUP : 0;
    size_t work = j->inputs * j->weight->outputs + 1, grain = (QLINEAR_TASK_WORK / work + tile) / tile * tile;
    return tsm_loops_parallel(x, rows, grain, tile * (TSM_WORD_BYTES + padded), qlinear_multiply_range, j);
}

/* Sizes of the result, the input's with the last one replaced; charges the product. */
static tsm_status result_sizes(tsm_exec *x, const tsm_tensor *a, size_t inputs, size_t outputs, tsm_dim *sizes) {
    if (a->dims < 1 || (size_t)a->sizes[a->dims - 1] != inputs)
        return TSM_RAISE(x, "The size of the last dimension of the input, %ld, must match the %ld inputs of the weight",
                         a->dims ? (int64_t)a->sizes[a->dims - 1] : 0, (int64_t)inputs);
    memcpy(sizes, a->sizes, (size_t)a->dims * sizeof *sizes);
    sizes[a->dims - 1] = (tsm_dim)outputs;
    return tsm_charge_product(x, (uint64_t)a->elements, outputs, 1);
}

static size_t row_count(const tsm_tensor *a, size_t inputs) {
    return inputs ? (size_t)a->elements / inputs : 0;
}

/* ---- Static ---- */

static tsm_status linear(tsm_exec *x, tsm_tensor *a, const quantized_weight_form *wf, const quantized_weight *w,
                         const quantized_result *r, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS];
    quantized_input input;
    quantized_finish finish = {.memory = NULL};
    tsm_tensor *plain = NULL, *y = NULL;
    int32_t zero_point;
    TSM_TRY(result_sizes(x, a, wf->depth, wf->outputs, sizes));
    TSM_TRY(tsm_quantized_result_zero(x, (tsm_dtype)a->dtype, r->zero_point, &zero_point));
    TSM_TRY(tsm_quantized_open(x, a, "quantized::linear", &input));
    tsm_status status = tsm_tensor_contiguous(x, input.tensor, &plain);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_UINT8, a->dims, sizes, &y);
    if (status == TSM_OK)
        status = tsm_quantized_finish_make(x, w, 1, &input, r, zero_point, &finish);
    if (status == TSM_OK && y->elements) {
        linear_job j = {loops_q8(x), plain->data, wf->depth, w, y->data, 1, &finish.finish};
        status = qlinear_multiply(x, &j, row_count(plain, wf->depth));
    }
    tsm_scratch_free(x, finish.memory);
    tsm_tensor_drop(x, plain);
    tsm_tensor_drop(x, input.tensor);
    return tsm_quantized_close(x, status, y, (tsm_dtype)a->dtype, r->scale, r->zero_point, out);
}

/* ---- Dynamic ---- */

/* The rows of a, quantized: bytes in scratch memory. */
static tsm_status quantize_rows(tsm_exec *x, const tsm_tensor *a, uint8_t **bytes, float *scale, int32_t *zero_point) {
    float least, greatest;
    *bytes = tsm_scratch(x, (size_t)a->elements);
    if (!*bytes)
        return TSM_OUT_OF_MEMORY;
    loops_q8(x)->range(a->data, (size_t)a->elements, &least, &greatest);
    tsm_quantized_choose(least, greatest, UINT8_MAX, scale, zero_point);
    if (*zero_point < 0)
        *zero_point = 0; /* the scale is infinite, and so are the results, or NaN */
    loops_q8(x)->quantize(*bytes, a->data, (size_t)a->elements, 1.0f / *scale, *zero_point);
    return TSM_OK;
}

static tsm_status multiply_dynamic(tsm_exec *x, const tsm_tensor *a, const quantized_weight_form *wf,
                                   const quantized_weight *w, bool relu, tsm_tensor *y) {
    uint8_t *bytes = NULL;
    float scale;
    int32_t zero_point;
    quantized_finish finish = {.memory = NULL};
    tsm_status status = quantize_rows(x, a, &bytes, &scale, &zero_point);
    if (status == TSM_OK)
        status = tsm_quantized_finish_floats(x, w, scale, zero_point, relu, &finish);
    if (status == TSM_OK) {
        linear_job j = {loops_q8(x), bytes, wf->depth, w, y->data, sizeof(float), &finish.finish};
        status = qlinear_multiply(x, &j, row_count(a, wf->depth));
    }
    tsm_scratch_free(x, finish.memory);
    tsm_scratch_free(x, bytes);
    return status;
}

static tsm_status linear_dynamic(tsm_exec *x, tsm_tensor *a, const quantized_weight_form *wf, const quantized_weight *w,
                                 bool relu, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_tensor *plain, *y = NULL;
    if (a->dtype != TSM_FLOAT32)
        return TSM_RAISE(x, "quantized::linear_dynamic: expected a float tensor, got %s",
                         tsm_dtype_name((tsm_dtype)a->dtype));
    TSM_TRY(result_sizes(x, a, wf->depth, wf->outputs, sizes));
    TSM_TRY(tsm_tensor_contiguous(x, a, &plain));
    tsm_status status = tsm_tensor_make(x, TSM_FLOAT32, a->dims, sizes, &y);
    if (status == TSM_OK && y->elements && plain->elements)
        status = multiply_dynamic(x, plain, wf, w, relu, y);
    tsm_tensor_drop(x, plain);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

/* ---- The operators ---- */

/* A weight [outputs, inputs] from arguments packed, scales, sums, bias, sizes. */
static tsm_status qlinear_read_weight(tsm_exec *x, const tsm_value *const *in, quantized_weight_form *f,
                                      quantized_weight *w) {
    tsm_dim sizes[5];
    int dims = tsm_arg_ints(x, in, 5, sizes, 5);
    if (dims < 0)
        return TSM_RAISED;
    if (dims != 2 || !tsm_quantized_weight_form_of(dims, sizes, 1, f))
        return TSM_RAISE(x, "The weight tensor for quantized::linear_prepack should be 2-dimensional.");
    return tsm_quantized_weight_read(x, in, 1, f, w);
}

static tsm_status qlinear_call(tsm_exec *x, const tsm_value *const *in, bool float_bias, tsm_value *out) {
    quantized_weight_form f;
    quantized_weight w;
    quantized_result r = {arg_float(in, 6), arg_int(in, 7), arg_bool(in, 8), float_bias};
    TSM_TRY(qlinear_read_weight(x, in, &f, &w));
    return linear(x, arg_tensor(in, 0), &f, &w, &r, out);
}

TSM_KERNEL(tsm_quantized_linear) {
    return qlinear_call(x, in, false, out);
}

TSM_KERNEL(tsm_quantized_linear_float_bias) {
    return qlinear_call(x, in, true, out);
}

TSM_KERNEL(tsm_quantized_linear_dynamic) {
    quantized_weight_form f;
    quantized_weight w;
    TSM_TRY(qlinear_read_weight(x, in, &f, &w));
    return linear_dynamic(x, arg_tensor(in, 0), &f, &w, arg_bool(in, 6), out);
}
