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

static void rnn_f64_update(cell_kind kind, size_t n, const double *gi, const double *gh, double *h, double *c) {
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

RNN_DIRECTION(tsm_rnn_direction_f64, double, rnn_f64_project, rnn_f64_update)
