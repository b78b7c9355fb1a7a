/* Values that formulas read of the program, and writes that come before: PyTorch raises where a value that it saved was
 * overwritten, and memory that still lies there when a formula reads it has to hold what it held.
 *
 * functional_writes.c, which makes new tensors of writes, leaves marks of what PyTorch would have written to. */
#ifndef TSMC_PASSES_LOWER_SAVED_VALUES_H
#define TSMC_PASSES_LOWER_SAVED_VALUES_H

#include "exporter/passes/lower/reverse.h"

/* Before `at`: the memory of v is written to by what follows, up to the next mark of a name. */
void saved_mark_write(ir_node *at, ir_value *v);
/* Before `at`: in the author's program `name` is the memory of v. */
void saved_mark_name(ir_node *at, ir_value *v, ir_value *name);
/* Behind an operator that is about to be taken apart: what PyTorch keeps for its gradient, by the parameters of
 * OPERATOR__saved in torch.derivatives ("result", "result1", ...: a result; others: the argument of this name). */
void saved_mark_reads(program *p, ir_node *n);

/* Finds the marks of what the table of written tensors held (tensor_table.h). */
void saved_find_entries(formula_uses *uses, const ir_graph *g);
/* Before d->at: raises at run time where v, which the gradient of n reads, was such and has been written to. */
void saved_check_entry(derivation *d, const ir_node *n, const ir_value *v);

/* Raises a compile error at a write between the use of a value that a formula reads and the request. */
void saved_check_writes(const derivation *d);

/* Whether a stands before b in the program's text, each in whatever block; not where one is in the other, nor where
 * they are in two branches. */
bool saved_precedes(const ir_node *a, const ir_node *b);

#endif
