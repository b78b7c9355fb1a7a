/* Layers whose weights pack_weights may pack, and the choice among them.
 *
 * A packed weight stands in the file in the place of the plain one. What else needs the plain one computes it from the
 * packed one where it is needed (unpack_weights). So a weight stays plain, and its layers with it, where that would
 * happen in the calls that run the layer as well: where a program embeds words by the weight of its last layer. That of
 * a transposed convolution is never taken apart: it is packed where all that reads it are such layers of one form. */
#ifndef TSMC_PASSES_OPTIMIZE_WEIGHT_LAYERS_H
#define TSMC_PASSES_OPTIMIZE_WEIGHT_LAYERS_H

#include "exporter/passes/analysis/tensor_uses.h"

/* Of a transposed convolution: what the order of packed taps depends on. All are 0 for others. */
typedef struct {
    bool is_transposed;
    int64_t stride[3], dilation[3];
} tap_order;

typedef struct {
    ir_node *node;
    const function *owner;     /* the function that the node stands in */
    const char *packed_name;   /* the operator that takes packed weights */
    uint32_t weight_input;     /* which input of the node is the weight, or the list with the weights */
    const pt_tensor **weights; /* stb_ds array */
    int64_t groups;            /* of a convolution; 0: weights are matrices */
    tap_order order;           /* of its taps */
    bool is_packed;            /* chosen */
} weight_layer;

/* The runs of panels that a weight is packed in. */
int64_t weight_runs(const pt_tensor *w, int64_t groups);

/* The outputs of a layer: a transposed convolution's weight has those of a group, behind the inputs. */
static inline int64_t weight_outputs(const pt_tensor *w, const tap_order *order, int64_t groups) {
    return order->is_transposed ? w->sizes[1] * groups : w->sizes[0];
}

/* Sets is_packed of the layers (an stb_ds array). */
void choose_layers(weight_layer *layers, const weight_scope *scope);

#endif
