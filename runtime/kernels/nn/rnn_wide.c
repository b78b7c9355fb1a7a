/* Recurrent cells of complex numbers and of ints: PyTorch has them, because its cells are made of operators that do. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/nn/rnn.h"

/* ---- Complex numbers ---- */

/* out = w [width][n] a + bias */
static void complex_project(const void *weight, const void *bias, const tsm_complex *a, size_t width, size_t n,
                            tsm_complex *out) {
    const tsm_complex *w = weight, *b = bias;
    for (size_t j = 0; j < width; j++, w += n) {
        tsm_complex sum = b ? b[j] : cx(0, 0);
        for (size_t i = 0; i < n; i++)
            sum = cx_add(sum, cx_mul(w[i], a[i]));
        out[j] = sum;
    }
}

static tsm_complex complex_sigmoid(tsm_complex a) {
    return tsm_cx_div(cx(1, 0), cx_add(cx(1, 0), tsm_cx_exp(cx_neg(a))));
}

static void complex_update(cell_kind kind, size_t n, const tsm_complex *gi, const tsm_complex *gh, tsm_complex *h,
                           tsm_complex *c) {
    for (size_t i = 0; i < n; i++) {
        const tsm_complex first = cx_add(gi[i], gh[i]);
        if (kind == CELL_TANH) {
            h[i] = tsm_cx_tanh(first);
        } else if (kind == CELL_LSTM) {
            const tsm_complex forget = complex_sigmoid(cx_add(gi[n + i], gh[n + i])),
                              made = tsm_cx_tanh(cx_add(gi[2 * n + i], gh[2 * n + i])),
                              shown = complex_sigmoid(cx_add(gi[3 * n + i], gh[3 * n + i]));
            c[i] = cx_add(cx_mul(forget, c[i]), cx_mul(complex_sigmoid(first), made));
            h[i] = cx_mul(shown, tsm_cx_tanh(c[i]));
        } else {
            const tsm_complex keep = complex_sigmoid(cx_add(gi[n + i], gh[n + i])),
                              reset = cx_mul(complex_sigmoid(first), gh[2 * n + i]),
                              made = tsm_cx_tanh(cx_add(gi[2 * n + i], reset));
            h[i] = cx_add(made, cx_mul(keep, cx_sub(h[i], made)));
        }
    }
}

RNN_DIRECTION(tsm_rnn_direction_complex, tsm_complex, complex_project, complex_update)

/* ---- Ints ---- */

/* w [n] a, wrapping around. */
static uint64_t int_product(const int64_t *w, const int64_t *a, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)w[i] * (uint64_t)a[i];
    return sum;
}

/* What an element of the dtype keeps of a sum. */
static int64_t int_kept(uint64_t sum, tsm_dtype dtype) {
    switch (dtype) {
    case TSM_UINT8:
        return (uint8_t)sum;
    case TSM_INT8:
        return (int8_t)(uint8_t)sum;
    case TSM_INT16:
        return (int16_t)(uint16_t)sum;
    case TSM_INT32:
        return (int32_t)(uint32_t)sum;
    default:
        return (int64_t)sum;
    }
}

/* The new state of one row, into `made`. */
static void int_step(const run_shape *s, const cell_parameters *p, const int64_t *a, const int64_t *state,
                     int64_t *made) {
    const int64_t *w_ih = p->w_ih.data, *w_hh = p->w_hh.data, *b_ih = p->b_ih, *b_hh = p->b_hh;
    for (size_t j = 0; j < s->hidden; j++) {
        uint64_t sum = int_product(w_ih + j * p->inputs, a, p->inputs);
        sum += int_product(w_hh + j * s->state, state, s->state);
        sum += b_ih ? (uint64_t)b_ih[j] : 0;
        sum += b_hh ? (uint64_t)b_hh[j] : 0;
        const int64_t kept = int_kept(sum, s->dtype);
        made[j] = s->kind == CELL_RELU && kept < 0 ? 0 : kept;
    }
}

tsm_status tsm_rnn_direction_ints(tsm_exec *x, const run_shape *s, const cell_parameters *p, const int64_t *a,
                                  int64_t *y, size_t y_row, int64_t *h) {
    int64_t *made = tsm_scratch(x, s->hidden * sizeof *made);
    if (!made)
        return TSM_OUT_OF_MEMORY;
    for (size_t k = 0; k < s->steps; k++)
        for (size_t b = 0; b < s->batch; b++) {
            const size_t row = (s->backward ? s->steps - 1 - k : k) * s->batch + b;
            int_step(s, p, a + row * p->inputs, h + b * s->state, made);
            memcpy(h + b * s->state, made, s->hidden * sizeof *made);
            memcpy(y + row * y_row, made, s->hidden * sizeof *made);
        }
    tsm_scratch_free(x, made);
    return TSM_OK;
}
