/* Which values of a graph depend on given tensors by operators that autograd records, and which tensors are changed.
 *
 * The answer is about the whole graph: loop variables depend on what any iteration may bring. What is said not to
 * depend has no gradient; what is said to depend may have one. */
#ifndef TSMC_PASSES_ANALYSIS_GRADIENT_FLOW_H
#define TSMC_PASSES_ANALYSIS_GRADIENT_FLOW_H

#include "exporter/ir/ir.h"

typedef struct gradient_flow gradient_flow;

typedef enum { GRADIENTS_ON, GRADIENTS_OFF, GRADIENTS_UNKNOWN } gradient_mode;

/* The value that v is another name of: behind casts, and behind operators that return the tensor that they changed. */
ir_value *flow_origin(const ir_value *v);

/* Whether an object that a with statement enters is torch.no_grad or torch.enable_grad. */
bool flow_is_mode(const ir_value *object);

/* Whether it is an operator on lists or dicts of any item type. NULL: it is not. */
bool flow_is_container_operator(const op_schema *s);

/* Nothing depends yet. The modes of no_grad, enable_grad and set_grad_enabled are known from here on. */
gradient_flow *flow_new(ir_graph *g);
/* The same of the graph of f, which has not changed since f was made: what is known of it is shared. */
gradient_flow *flow_like(const gradient_flow *f);
/* Marks `source` and all that depends on it. */
void flow_mark(gradient_flow *f, ir_value *source);
bool flow_depends(const gradient_flow *f, const ir_value *v);
bool flow_has_dependent_input(const gradient_flow *f, const ir_node *n);
/* Whether autograd records what n does. */
gradient_mode flow_mode(const gradient_flow *f, const ir_node *n);

/* Whether something that depends is stored to an attribute of this name. */
bool flow_attribute_depends(const gradient_flow *f, const char *attribute);

#endif
