/* Recurrent cells in double. */
#include "runtime/kernels/nn/rnn.h"
#include "runtime/kernels/simd/vmath64.h"

/* out = w [width][n] a + bias */
static void rnn_f64_project(const void *weight, const void *bias, const double *a, size_t width, size_t n,
                            double *out) {
    const double *w = weight, *b = bias;
    for (size_t j = 0; j < width; j++, w += n) {
        double sum = b ? b[j] : 0;
        for (size_t i = 0; i < n; i++)
            sum += w[i] * a[i];
        out[j] = sum;
    }
}

/* The new state from the gates of input and hidden state: LSTM's i, f, g, o; GRU's r, z, n. */
static void update(cell_kind kind, size_t n, const double *gi, const double *gh, double *h, double *c) {
    for (size_t i = 0; i < n; i++) {
        double first = gi[i] + gh[i];
        if (kind == CELL_TANH) {
            h[i] = vd_tanh(first);
        } else if (kind == CELL_RELU) {
            h[i] = first > 0 ? first : 0;
        } else if (kind == CELL_LSTM) {
            double forget = vd_sigmoid(gi[n + i] + gh[n + i]), made = vd_tanh(gi[2 * n + i] + gh[2 * n + i]);
            c[i] = forget * c[i] + vd_sigmoid(first) * made;
            h[i] = vd_sigmoid(gi[3 * n + i] + gh[3 * n + i]) * vd_tanh(c[i]);
        } else {
            double keep = vd_sigmoid(gi[n + i] + gh[n + i]),
                   made = vd_tanh(gi[2 * n + i] + vd_sigmoid(first) * gh[2 * n + i]);
            h[i] = (1 - keep) * made + keep * h[i];
        }
    }
}

tsm_status tsm_rnn_direction_f64(tsm_exec *x, const run_shape *s, const cell_parameters *p, const double *a, double *y,
                                 size_t y_row, double *h, double *c) {
    size_t width = (size_t)rnn_gates(s->kind) * s->hidden;
    double *gi = tsm_scratch(x, 2 * width * sizeof *gi);
    if (!gi)
        return TSM_OUT_OF_MEMORY;
    double *gh = gi + width;
    for (size_t k = 0; k < s->steps; k++)
        for (size_t b = 0; b < s->batch; b++) {
            size_t row = (s->backward ? s->steps - 1 - k : k) * s->batch + b;
            double *state = h + b * s->state;
            rnn_f64_project(p->w_ih.data, p->b_ih, a + row * p->inputs, width, p->inputs, gi);
            rnn_f64_project(p->w_hh.data, p->b_hh, state, width, s->state, gh);
            if (p->w_hr.data) { /* what the cell gives goes where the input's gates were */
                update(s->kind, s->hidden, gi, gh, gi, c + b * s->hidden);
                rnn_f64_project(p->w_hr.data, NULL, gi, s->state, s->hidden, state);
            } else
                update(s->kind, s->hidden, gi, gh, state, c ? c + b * s->hidden : NULL);
            memcpy(y + row * y_row, state, s->state * sizeof *y);
        }
    tsm_scratch_free(x, gi);
    return TSM_OK;
}
