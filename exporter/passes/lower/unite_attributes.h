/* Reads of attributes, united for passes that follow values: what is read twice is one tensor. */
#ifndef TSMC_PASSES_LOWER_UNITE_ATTRIBUTES_H
#define TSMC_PASSES_LOWER_UNITE_ATTRIBUTES_H

#include "exporter/program/program.h"

/* Makes reads of one attribute one value. Where nothing stores to the attribute, all reads are united; else the reads
 * up to a node that stores to it or may do so, behind which the stored value is used. Tensors that branches and loops
 * store are variables of theirs. Storing the tensor that was
 * read, changed in place (self.w -= d), does not count as storing. `self` is the object whose method the graph is;
 * NULL: not known. Where it is known, reads of different attributes that hold the same tensor are united too, if no
 * function of `functions` (an stb_ds array) stores to them, and reads of its numbers, bools and strings become
 * constants. */
void unite_attributes(ir_graph *g, const ir_constant *self, function *const *functions);

typedef struct held_attributes held_attributes;

/* Reads of the graph may be asked about; arguments as above. */
held_attributes *held_attributes_new(const ir_graph *g, const ir_constant *self, function *const *functions);
/* What an attribute holds from the first call on, when the read begins at `self`; NULL: that may change, or is not
 * known. */
const ir_constant *held_attribute(const held_attributes *h, const ir_node *read);

/* Whether a store may come before the read, to the attribute of that name of whatever object. */
bool attribute_is_stored_before(const ir_node *read);

/* Another read than this one that may give the same object; NULL: there is none. `after` is the one returned before,
 * NULL at first. */
ir_node *next_separate_read(const ir_node *read, const ir_node *after);

#endif
