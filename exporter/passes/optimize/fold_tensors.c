/* Operators on weights, run at export. */
#include "exporter/passes/optimize/fold_tensors.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/schema/schema.h"

/* ---- Constant inputs ---- */

typedef struct {
    mutation *mutation;
    struct {
        const ir_value *key;
        bool value;
    } * made; /* the constants that this pass put in the place of what nothing writes to */
} folding;

enum { INPUTS = 8, STEPS = 12, FEW_ELEMENTS = 64 };

/* Operators whose result, when they are given contiguous tensors, is contiguous too, though it is a view. */
static bool keeps_order(const ir_node *n) {
    static const char *const names[] = {"aten::reshape",     "aten::view",   "aten::unsqueeze",
                                        "aten::squeeze.dim", "aten::detach", "aten::flatten.using_ints",
                                        "aten::contiguous"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(n->schema->full_name, names[i]))
            return true;
    return false;
}

static bool can_be_run(const ir_node *n) {
    if (!n->schema || !schema_is_implemented(n->schema) || operator_has_effects(n) ||
        schema_is_nondeterministic(n->schema) || schema_has_trait(n->schema, TRAIT_STRIDES_CHANNELS_LAST) ||
        ir_output_count(n) != 1 || ir_input_count(n) > INPUTS || n->schema->variable_arguments)
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (operator_writes(n, i) || (operator_hands_on(n, i, 0) && !keeps_order(n)))
            return false;
    return true;
}

static const ir_constant *constant_for(folding *f, const ir_value *v, int steps);

/* The inputs as constants; false when one is none. */
static bool find_inputs(folding *f, const ir_node *n, int steps, const ir_constant **inputs) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!(inputs[i] = constant_for(f, ir_in(n, i), steps)))
            return false;
    return true;
}

/* A list of numbers, or of such lists. */
static bool is_list_of_numbers(const type *t) {
    while (t->kind == TYPE_LIST && type_element(t)->kind == TYPE_LIST)
        t = type_element(t);
    return t->kind == TYPE_LIST && type_is_real(type_element(t));
}

/* A list of numbers that is put together of constants. */
static const ir_constant *list_for(folding *f, const ir_value *v, int steps) {
    const ir_node *n = v->node;
    if (steps == 0 || !is_list_of_numbers(v->type) || mutation_is_written(f->mutation, v))
        return NULL;
    if (n->kind == IR_LIST_CONSTRUCT) {
        ir_constant *c = const_new(CONST_LIST, v->type);
        c->list.count = ir_input_count(n);
        c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
        for (uint32_t i = 0; i < c->list.count; i++)
            if (!(c->list.items[i] = (ir_constant *)constant_for(f, ir_in(n, i), steps - 1)))
                return NULL;
        return c;
    }
    const ir_constant *inputs[INPUTS];
    ir_constant *result;
    if (!ir_is_operator(n, "aten::add.t") || !find_inputs(f, n, steps - 1, inputs) ||
        !evaluate_operator_within(n, inputs, &result, (size_t)LIMIT_FOLDING << 10, LIMIT_FOLDING_WORK))
        return NULL;
    return result;
}

static const ir_constant *constant_for(folding *f, const ir_value *v, int steps) {
    stack_check();
    const ir_constant *c = ir_constant_of(v);
    if (!c)
        return list_for(f, v, steps);
    if (c->kind != CONST_TENSOR)
        return type_is_immutable(c->type) || !mutation_is_written(f->mutation, v) ? c : NULL;
    bool is_plain =
        c->tensor->layout == PT_STRIDED && c->tensor->qscheme == PT_NOT_QUANTIZED && pt_tensor_is_contiguous(c->tensor);
    return is_plain && (hmgeti(f->made, v) >= 0 || !mutation_is_written(f->mutation, v)) ? c : NULL;
}

/* ---- Results ---- */

/* The elements of the largest tensor among the inputs; 0: there is none. */
static int64_t most_elements(const ir_constant *const *inputs, uint32_t count) {
    int64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t elements = inputs[i]->kind == CONST_TENSOR ? pt_tensor_numel(inputs[i]->tensor) : 0;
        most = elements > most ? elements : most;
    }
    return most;
}

/* Only operators use the result: nobody outside gets memory of the file instead of a new tensor. */
static bool stays_inside(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!v->uses[i].user->schema)
            return false;
    return true;
}

/* Whether operators read the tensor and hand on nothing of it but views, of which the same is true. */
static bool is_only_read(const ir_value *v) {
    stack_check();
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use *u = &v->uses[i];
        const bool is_view = u->user->schema && keeps_order(u->user) && u->index == 0;
        if (!use_only_reads(u) && !(is_view && is_only_read(ir_out(u->user, 0))))
            return false;
    }
    return true;
}

static bool wants_gradient(const ir_node *n) {
    bool wants = false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (i < n->schema->argument_count && !strcmp(n->schema->arguments[i].name, "requires_grad"))
            return !ir_constant_bool(ir_in(n, i), &wants) || wants;
    return false;
}

/* How many elements may be stored: as many as the inputs have that are stored already, or few, where numbers alone make
 * a tensor that is only read. */
static int64_t storable_elements(const ir_node *n, const ir_constant *const *inputs) {
    const int64_t most = most_elements(inputs, ir_input_count(n));
    return most || !is_only_read(ir_out(n, 0)) || wants_gradient(n) ? most : FEW_ELEMENTS;
}

static void fold_node(folding *f, ir_node *n) {
    const ir_constant *inputs[INPUTS];
    ir_constant *result;
    const ir_value *v = ir_output_count(n) == 1 ? ir_out(n, 0) : NULL;
    if (!v || v->type->kind != TYPE_TENSOR || !can_be_run(n) || !stays_inside(v) || !find_inputs(f, n, STEPS, inputs) ||
        mutation_is_written(f->mutation, v))
        return;
    int64_t most = storable_elements(n, inputs);
    if (!most || !evaluate_operator_within(n, inputs, &result, LIMIT_BYTES(LIMIT_EVALUATION), LIMIT_EVALUATION_WORK) ||
        pt_tensor_numel(result->tensor) > most)
        return;
    ir_value *constant = ir_insert_constant(n, result);
    hmput(f->made, constant, true);
    ir_replace_uses(ir_out(n, 0), constant);
    ir_destroy(n);
}

static void fold_block(folding *f, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            fold_block(f, n->blocks[i]);
        fold_node(f, n);
    }
}

void fold_tensors(ir_graph *g, mutation *m) {
    folding f = {.mutation = m};
    fold_block(&f, g->block);
    hmfree(f.made);
}
