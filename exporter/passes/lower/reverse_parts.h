/* What the files of reverse mode share (reverse.h). */
#ifndef TSMC_PASSES_LOWER_REVERSE_PARTS_H
#define TSMC_PASSES_LOWER_REVERSE_PARTS_H

#include "exporter/passes/lower/reverse.h"

enum { NO_ITEM = -1 };

static const gradient_presence reverse_always = {NULL, false};

/* A compile error at n, where the user asked for it. */
_Noreturn void reverse_refuse(const ir_node *n, const char *why);

/* Zeros of the sizes of t; a tensor without elements for what is None. */
ir_value *reverse_insert_zeros(derivation *d, outer_tensor t);

void reverse_set_presence(derivation *d, const ir_value *gradient, gradient_presence presence);
/* Of what comes from both. */
gradient_presence reverse_either_presence(derivation *d, gradient_presence a, gradient_presence b);
ir_value *reverse_insert_sum(derivation *d, ir_value *a, ir_value *b);

/* Gradients so far: of a tensor, more of which may be added in place, and of the items of a container. */
void reverse_set_sum(derivation *d, const ir_value *origin, ir_value *sum);
void reverse_accumulate_item(derivation *d, const ir_value *container, int64_t index, ir_value *gradient);
item_gradient *reverse_items_of(derivation *d, const ir_value *container);

/* From `last` back to the block's beginning. */
void reverse_block(derivation *d, ir_node *last);

/* ---- Branches and loops (reverse_control.c) ---- */

void reverse_if(derivation *d, ir_node *n);
void reverse_loop(derivation *d, ir_node *n);
/* In a loop: the variable of it for the gradient of v, which lies outside. */
ir_value *reverse_carry_outer(derivation *d, const ir_value *v);

#endif
