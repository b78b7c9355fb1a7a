/* Packing of quantized weights. */
#include "runtime/kernels/quantized/quantized_pack.h"

#include <string.h>

quantized_layout tsm_quantized_layout_of(const quantized_weight_form *f, bool is_whole) {
    const bool is_depthwise = quantized_is_depthwise(f);
    quantized_layout l = {.runs = is_depthwise ? 1 : f->groups, .panel_bytes = quantized_blocks(f) * TSM_Q8_BLOCK};
    const size_t outputs = f->outputs / l.runs, last = (outputs - 1) % TSM_Q8_PANEL + 1;
    l.panels = (outputs + TSM_Q8_PANEL - 1) / TSM_Q8_PANEL;
    l.last_block = is_whole || is_depthwise ? (size_t)TSM_Q8_BLOCK
                                            : (last + TSM_Q8_GROUP - 1) / TSM_Q8_GROUP * TSM_Q8_GROUP * TSM_Q8_GROUP;
    l.run_bytes = (l.panels - 1) * l.panel_bytes + quantized_blocks(f) * l.last_block;
    l.bytes = l.runs * l.run_bytes + TSM_Q8_BLOCK - l.last_block;
    return l;
}

/* In which block of its panel the weight for input i and tap (row, column) is, and of the four there which one. */
static size_t place_in_panel(const quantized_weight_form *f, size_t i, size_t row, size_t column) {
    return quantized_is_depthwise(f) ? column * ((f->rows + 3) / 4 * 4) + row
                                     : (row * f->width + column) * f->depth + i;
}

void tsm_quantized_pack(int8_t *packed, int32_t *sums, const int8_t *w, const quantized_weight_form *f) {
    const quantized_layout l = tsm_quantized_layout_of(f, false);
    const size_t of_run = f->outputs / l.runs;
    memset(packed, 0, l.bytes);
    for (size_t o = 0; o < f->outputs; o++) {
        const size_t of = o % of_run, panel = of / TSM_Q8_PANEL,
                     block = panel + 1 < l.panels ? (size_t)TSM_Q8_BLOCK : l.last_block;
        int8_t *to = packed + o / of_run * l.run_bytes + panel * l.panel_bytes + of % TSM_Q8_PANEL * TSM_Q8_GROUP;
        sums[o] = 0;
        for (size_t i = 0; i < f->depth; i++)
            for (size_t r = 0; r < f->rows; r++)
                for (size_t c = 0; c < f->width; c++, w++) {
                    const size_t k = place_in_panel(f, i, r, c);
                    to[k / TSM_Q8_GROUP * block + k % TSM_Q8_GROUP] = *w;
                    sums[o] += *w;
                }
    }
}
