/* Arguments of larger sizes than those of an example: the plan for the largest call is made with them. */
#ifndef TSMC_EXECUTE_ENLARGE_H
#define TSMC_EXECUTE_ENLARGE_H

#include "exporter/ir/ir.h"

/* Elements up to which `tsmc` runs the largest call unasked. */
enum { ENLARGE_MOST_ELEMENTS = 1 << 20 };

/* Elements of tensors of these sizes (stb_ds arrays), together; INT64_MAX when there are more. */
int64_t enlarge_elements(int64_t *const *sizes);

/* Puts tensors of these sizes into the arguments, an stb_ds array, in the order in which tensors stand in them. The
 * elements are repeated, so that indices stay in their ranges; those of empty tensors are zeros. Sizes with more than
 * `most` are left alone. Smaller sizes leave elements out. False when the tensors are others: of other dimensions, too
 * many, too few, or not strided. */
bool enlarge_arguments(ir_constant **arguments, int64_t *const *sizes, int64_t most);

#endif
