/* Attributes for passes that follow values: what is read twice is one tensor. */
#ifndef TSMC_PASSES_LOWER_UNITE_ATTRIBUTES_H
#define TSMC_PASSES_LOWER_UNITE_ATTRIBUTES_H

#include "exporter/program/program.h"

/* Reads of one attribute become one value: of an attribute that nothing stores to, wherever they stand; else up to the
 * place where it is stored to or may be, behind which the value stored is read. Storing what was read, changed in place
 * (self.w -= d), counts as nothing stored. Where `self`, the object whose method the graph is, is known (else NULL),
 * attributes that no function of `functions` (an stb_ds array) stores to and that hold one tensor are one. */
void unite_attributes(ir_graph *g, const ir_constant *self, function *const *functions);

/* Another read than this one that may give the same object; NULL: there is none. `after` is the one returned before,
 * NULL at first. */
ir_node *next_separate_read(const ir_node *read, const ir_node *after);

#endif
