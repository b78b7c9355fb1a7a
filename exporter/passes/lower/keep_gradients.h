/* Gradients that outlive a call: what backward() adds to .grad of the module's own tensors.
 *
 * Where some function reads `.grad` of a tensor that an attribute of the module holds all the time, the module gets an
 * attribute more, called after it ("fc.weight.grad"): None in the file, and what backward() stores there afterwards. It
 * is saved, restored and reset like all attributes. */
#ifndef TSMC_PASSES_LOWER_KEEP_GRADIENTS_H
#define TSMC_PASSES_LOWER_KEEP_GRADIENTS_H

#include "exporter/program/program.h"

typedef struct {
    const struct pt_tensor *tensor;
    const char *attribute; /* of the module, where its gradient is */
} kept_gradient;

typedef struct {
    ir_value *tensor, *module;
    const char *attribute;
} kept_leaf;

/* Whether it is such an attribute: names of the author's have no dots. */
bool gradient_is_kept_in(const char *attribute);

bool gradients_are_read(const ir_graph *g);

/* Makes the reads of `.grad` in a method of the module `self` reads of such attributes, which are added to `*kept` (an
 * stb_ds array) and to the module where they are new. Of an item of a list it is seen at run time which tensor it is.
 * is_requested: the method asks for gradients itself; else raises a compile error where it reads one that is not kept.
 */
void keep_gradients(program *p, ir_graph *g, bool is_requested, ir_constant *self, function *const *functions,
                    kept_gradient **kept);

/* What a method of the module reads of the tensors, one value for each: an stb_ds array. */
kept_leaf *kept_leaves(ir_graph *g, const ir_constant *self, function *const *functions, const kept_gradient *kept);

#endif
