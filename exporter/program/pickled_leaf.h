/* Values of a pickle that hold no others, as constants. */
#ifndef TSMC_PROGRAM_PICKLED_LEAF_H
#define TSMC_PROGRAM_PICKLED_LEAF_H

#include "exporter/archive/pickle.h"
#include "exporter/ir/ir.h"

/* None, a number, a text, a device, a dtype or layout (their numbers), a tensor (not copied); an int is read as a float
 * where one is wanted. NULL for a value of another kind. */
ir_constant *pickled_leaf(const pkl_value *v, bool wants_float);

#endif
