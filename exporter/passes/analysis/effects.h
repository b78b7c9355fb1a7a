/* What operators do with their inputs: writes, storing into containers, handing on. Schemas say most of it, traits
 * the rest; passes ask here for both. Nodes that are no operators are not covered: what they do follows from their
 * kinds. */
#ifndef TSMC_PASSES_ANALYSIS_EFFECTS_H
#define TSMC_PASSES_ANALYSIS_EFFECTS_H

#include "exporter/ir/ir.h"

/* Whether values of the type can be changed or contain such. */
bool type_can_alias(const type *t);

/* Whether the operator writes to this input. */
bool operator_writes(const ir_node *n, uint32_t input);
bool operator_writes_any(const ir_node *n);
/* Whether this input, or what is in it, becomes an item of input 0. */
bool operator_stores(const ir_node *n, uint32_t input);
/* Whether this output may be the input, share memory with it, be in it or contain it. */
bool operator_hands_on(const ir_node *n, uint32_t input, uint32_t output);
/* Whether calls may not be removed when nobody uses their results. */
bool operator_has_effects(const ir_node *n);

/* Whether operators without effects, whose inputs nothing writes to, may run after n instead of before it: not behind
 * calls, control flow and warnings. */
bool node_is_quiet(const ir_node *n);

/* Whether n may make a tensor that requires gradients: torch.tensor(1.5, requires_grad=True). */
bool node_makes_with_flag(const ir_node *n);

/* Whether v is a tensor that an operator makes, and no other name of one of its inputs. */
bool is_new_tensor_of_operator(const ir_value *v);

/* Whether a use neither changes the value nor keeps it nor hands it on. */
bool use_only_reads(const ir_use *u);

/* Whether a use of a list neither changes it nor keeps it nor gives it another name; its items may be handed on. */
bool use_leaves_list(const ir_use *u);

#endif
