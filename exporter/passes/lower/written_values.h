/* Operators that write into tensors, and the tensors that would hold the same if they were new. */
#ifndef TSMC_PASSES_LOWER_WRITTEN_VALUES_H
#define TSMC_PASSES_LOWER_WRITTEN_VALUES_H

#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/program/program.h"

/* Marks what the requests in a block ask gradients of. */
void write_mark_asked(gradient_flow *f, const ir_block *b);

/* Whether n writes to its first input and to no other, and gives it back. */
bool write_is_first(const ir_node *n);
/* Whether it writes what it is given, whatever was there before. */
bool write_is_given(const ir_node *n);
/* The operator that gives what one that writes leaves; NULL: there is none. */
const op_schema *write_functional(const op_schema *s);
/* The view that an operator makes of its first input in the place of it (x.unsqueeze_(0), x.t_()); NULL: it does not.
 */
const op_schema *write_view_in_place(const ir_node *n);

/* Asks before n, where the operator that writes asks, whether input i shares elements of the written tensor (PyTorch
 * raises). */
void write_insert_overlap_check(ir_node *n, uint32_t i);
/* The list or tuple `display` with other items; before `at`. */
ir_value *write_insert_display(ir_node *at, const ir_node *display, ir_value *const *items);
/* An operator with n's inputs, but `first` in the place of the first one. */
ir_value *write_insert_like(ir_node *at, const ir_node *n, const op_schema *s, ir_value *first);
/* What the written tensor, which is n's first input, holds afterwards, of its dtype and sizes; before n. */
ir_value *write_insert_result(program *p, ir_node *n);

#endif
