/* Packing of quantized weights. */
#include "runtime/kernels/quantized/quantized_pack.h"

#include <string.h>

/* Where the weight of output `o` of a run for input i and tap (row, column) goes, in its panel. */
static size_t packed_offset(const quantized_weight_form *f, size_t i, size_t row, size_t column) {
    size_t k =
        quantized_is_depthwise(f) ? column * ((f->rows + 3) / 4 * 4) + row : (row * f->width + column) * f->depth + i;
    return k / TSM_Q8_GROUP * TSM_Q8_BLOCK + k % TSM_Q8_GROUP;
}

void tsm_quantized_pack(int8_t *packed, int32_t *sums, const int8_t *w, const quantized_weight_form *f) {
    size_t runs = quantized_is_depthwise(f) ? 1 : f->groups, of_run = f->outputs / runs;
    size_t panels = (of_run + TSM_Q8_PANEL - 1) / TSM_Q8_PANEL, panel_bytes = quantized_panel_groups(f) * TSM_Q8_BLOCK;
    memset(packed, 0, quantized_packed_bytes(f));
    for (size_t o = 0; o < f->outputs; o++) {
        size_t of = o % of_run, panel = o / of_run * panels + of / TSM_Q8_PANEL;
        int8_t *to = packed + panel * panel_bytes + of % TSM_Q8_PANEL * TSM_Q8_GROUP;
        sums[o] = 0;
        for (size_t i = 0; i < f->depth; i++)
            for (size_t r = 0; r < f->rows; r++)
                for (size_t c = 0; c < f->width; c++, w++) {
                    to[packed_offset(f, i, r, c)] = *w;
                    sums[o] += *w;
                }
    }
}
