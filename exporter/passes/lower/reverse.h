/* Reverse mode from one request back: behind the operators stand calls of their derivative formulas, last operator
 * first; branches and loops are reversed by branches and loops (tape.h). */
#ifndef TSMC_PASSES_LOWER_REVERSE_H
#define TSMC_PASSES_LOWER_REVERSE_H

#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/analysis/memory_classes.h"
#include "exporter/passes/lower/number_items.h"
#include "exporter/program/program.h"

/* The gradient of one item of a list or tuple. */
typedef struct {
    int64_t index;
    ir_value *gradient;
} item_gradient;

typedef enum {
    USE_BY_FORMULA, /* the node's formula reads the value, or PyTorch's keeps it */
    USE_INSIDE,     /* the node's formula reads the value, where PyTorch's reads others */
    USE_BY_COPY,    /* the node is copied, to be computed again */
    USE_MADE,       /* the node made the value; its formula need not read it */
} use_kind;

/* Whether a gradient is there is known at run time only: a branch that was not taken, or a loop without turns, gives
 * none. Where it is not there it is zeros. */
typedef struct {
    ir_value *is_there; /* a bool */
    bool is_carried;    /* it depends on a variable of a loop whose body is not finished */
} gradient_presence;

/* What formulas read of the values of the program. */
typedef struct {
    memory_classes *classes;
    memory_classes *recorded; /* of names that gradients pass between */
    struct {
        const ir_value *value;
        const ir_node *node; /* that made or read it */
        use_kind by;
    } * list;
    ir_value **asked;             /* those that formulas ask for type and sizes only */
    ir_value **written;           /* by operators of the graph; found when a part is computed again */
    const ir_node **flag_changes; /* of the graph (leaf_flags.h) */
    struct {
        const ir_value *key;
        gradient_presence value;
    } * presences; /* of gradients; those that are always there have none */
    struct {
        const ir_value *key;
        const ir_node *value;
    } * entries; /* marks of what the table of written tensors held (saved_values.h) */
} formula_uses;

/* A part that is computed again (checkpoint.h). */
typedef struct recomputation recomputation;

/* A tensor outside of a block whose gradient comes from inside: a value, or an item of a list or tuple. */
typedef struct {
    ir_value *value;
    int64_t index; /* of the item; NO_ITEM: the value itself */
} outer_tensor;

/* A gradient that a reversed loop carries, of a variable of the loop or of what lies outside of it. */
typedef struct {
    outer_tensor target; /* what it is added to after the loop */
    gradient_presence before;
    ir_value *marker; /* in the body, for its presence there */
    gradient_presence after_turn;
    ir_value *after_loop; /* where the loop carries whether it is there */
} carried_gradient;

/* One request under way, or the part of it in a branch or a loop. */
typedef struct derivation {
    program *program;
    gradient_flow *flow;
    const ir_node *request;
    ir_node *at;            /* new nodes stand before it */
    ir_value_map gradients; /* of tensors, by flow_origin */
    struct {
        const ir_value *key;
        item_gradient *value;
    } * items; /* of lists and tuples */
    struct {
        const ir_value *key;
        ir_value *value;
    } * lists;                      /* of lists that grow: a list of the gradients of their items, by flow_origin */
    const struct derivation *outer; /* of the block around; NULL: there is none */
    const numbered_items *numbers;  /* of containers that are not followed item by item; NULL: there are none */
    formula_uses *uses;
    struct {
        const ir_value *key;
        bool value;
    } * sums;             /* gradients that nothing else reads: more may be added in place */
    recomputation *again; /* the innermost part that is computed again; NULL: there is none */
    bool keeps_graph;     /* create_graph: nothing is changed in place */
    bool is_last;         /* no other request reads what was kept for this one */
    /* In a loop: the gradients that it carries. */
    struct ir_node *loop;
    const ir_block *body; /* of the loop that is reversed */
    carried_gradient *carried;
} derivation;

/* A call of a helper of torch.derivatives, before d->at. */
ir_value *reverse_insert_helper(derivation *d, const char *name, ir_value *const *inputs, uint32_t count);
ir_value *reverse_insert_list(derivation *d, const type *element, ir_value *const *items, uint32_t count);

/* The gradient of v so far; NULL: none. */
ir_value *reverse_gradient_of(const derivation *d, const ir_value *v);
void reverse_accumulate(derivation *d, const ir_value *v, ir_value *gradient);
/* Whether the gradient is there at run time; is_there is NULL where it always is. */
gradient_presence reverse_presence_of(const derivation *d, const ir_value *gradient);

void reverse_note_use(derivation *d, const ir_node *n, const ir_value *v, use_kind by);

/* Where the user asked for n: of code of PyTorch's own (torch.nn.functional, layers), the call that led there. */
source_range reverse_users_range(const ir_node *n);

/* The node that makes a list whose items stay what they were then; raises a compile error at `user` where there is
 * none. */
const ir_node *reverse_list_display(const ir_node *user, const ir_value *list);
/* The innermost loop that n stands in; NULL: none. */
const ir_node *reverse_loop_around(const ir_node *n);
bool reverse_is_among(ir_value *const *values, const ir_value *v);

/* Runs what stands before the request backward, up to the sources. The gradients of the outputs are accumulated
 * before. Raises a compile error at what cannot be differentiated, and at writes to what formulas read. */
void reverse_from_request(derivation *d, ir_value *const *sources);

#endif
