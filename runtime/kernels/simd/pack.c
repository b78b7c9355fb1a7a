/* Packing of weights into panels. */
#include "runtime/kernels/simd/pack.h"

#include <string.h>

#include "runtime/value/half.h"

/* A panel from up to 16 rows; k varies fastest in memory when input_stride is 1, so rows are read in short runs. */
static void pack_panel(float *to, const float *w, size_t outputs, size_t inputs, ptrdiff_t output_stride,
                       ptrdiff_t input_stride) {
    if (output_stride == 1 && outputs == TSM_PANEL) {
        for (size_t k = 0; k < inputs; k++)
            memcpy(to + k * TSM_PANEL, w + (ptrdiff_t)k * input_stride, TSM_PANEL * sizeof *to);
        return;
    }
    enum { RUN = 16 };
    for (size_t k = 0; k < inputs; k += RUN) {
        size_t run = inputs - k < RUN ? inputs - k : RUN;
        for (size_t o = 0; o < TSM_PANEL; o++) {
            const float *row = w + (ptrdiff_t)o * output_stride + (ptrdiff_t)k * input_stride;
            float *at = to + k * TSM_PANEL + o;
            if (o >= outputs)
                for (size_t i = 0; i < run; i++)
                    at[i * TSM_PANEL] = 0.0f;
            else
                for (size_t i = 0; i < run; i++)
                    at[i * TSM_PANEL] = row[(ptrdiff_t)i * input_stride];
        }
    }
}

void tsm_pack_matrix(float *packed, const float *w, size_t outputs, size_t inputs, ptrdiff_t output_stride,
                     ptrdiff_t input_stride) {
    for (size_t o = 0; o < outputs; o += TSM_PANEL) {
        size_t n = outputs - o < TSM_PANEL ? outputs - o : TSM_PANEL;
        pack_panel(packed + o * inputs, w + (ptrdiff_t)o * output_stride, n, inputs, output_stride, input_stride);
    }
}

void tsm_pack_taps(float *packed, const float *w, size_t outputs, size_t depth, size_t taps, ptrdiff_t output_stride,
                   ptrdiff_t depth_stride) {
    for (size_t o = 0; o < outputs; o += TSM_PANEL) {
        size_t n = outputs - o < TSM_PANEL ? outputs - o : TSM_PANEL;
        for (size_t t = 0; t < taps; t++)
            pack_panel(packed + (o * taps + t * TSM_PANEL) * depth, w + (ptrdiff_t)o * output_stride + (ptrdiff_t)t, n,
                       depth, output_stride, depth_stride);
    }
}

void tsm_pack_convolution(float *packed, const float *w, size_t first, size_t outputs, size_t depth, size_t taps) {
    tsm_pack_taps(packed, w + first * depth * taps, outputs, depth, taps, (ptrdiff_t)(depth * taps), (ptrdiff_t)taps);
}

void tsm_pack_halves(uint16_t *to, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = tsm_half_of_float(x[i]);
}

void tsm_pack_bfloat16s(uint16_t *to, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = tsm_bfloat16_of_float(x[i]);
}
