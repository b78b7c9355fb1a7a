/* Operators without a kernel: calls of library functions, numbers for tensors without dimensions, einsum's equation. */
#include "exporter/passes/lower/decompose_operators.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"
#include "exporter/schema/operator_node.h"

/* What makes an operator without a kernel; NULL: nothing does. */
static function *decomposition(program *p, const op_schema *s) {
    if (!s || schema_is_implemented(s))
        return NULL;
    function *f = builtin_decomposition(p, s->full_name);
    return f && f->schema->argument_count == s->argument_count ? f : NULL;
}

/* A node of n's place, before n. */
static ir_node *insert_like(ir_node *n, ir_kind kind, ir_value *const *inputs, uint32_t count, const type *made) {
    ir_node *node = ir_node_new(n->graph, kind, 1);
    node->range = n->range;
    node->scope = n->scope;
    node->outputs[0]->type = made;
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(node, inputs[i]);
    ir_insert_before(n, node);
    return node;
}

/* A call of f with the inputs of n, before n. */
static ir_node *insert_call(ir_node *n, function *f) {
    function_graph(f);
    ir_node *call = insert_like(n, IR_CALL_FUNCTION, n->inputs, ir_input_count(n), f->schema->returns[0].type);
    call->callee = f;
    return call;
}

/* Several results come as one tuple, none as None. */
static void take_results(ir_node *n, ir_node *call) {
    uint32_t count = ir_output_count(n);
    if (count == 0)
        return;
    if (count == 1) {
        ir_replace_uses(ir_out(n, 0), ir_out(call, 0));
        return;
    }
    ir_node *unpack = ir_node_new(n->graph, IR_TUPLE_UNPACK, count);
    unpack->range = n->range;
    unpack->scope = n->scope;
    ir_node_add_input(unpack, ir_out(call, 0));
    for (uint32_t i = 0; i < count; i++) {
        unpack->outputs[i]->type = n->outputs[i]->type;
        ir_replace_uses(n->outputs[i], unpack->outputs[i]);
    }
    ir_insert_before(n, unpack);
}

/* At run time an empty list does not say what it would hold, so torch.tensor([]) of ints and bools names its dtype. */
static void name_dtype(ir_node *n) {
    if (!n->schema ||
        (strcmp(n->schema->full_name, "aten::tensor") && strcmp(n->schema->full_name, "aten::as_tensor.list")))
        return;
    const ir_constant *given = ir_constant_of(ir_in(n, 1));
    const type *t = ir_in(n, 0)->type;
    if (!given || given->kind != CONST_NONE)
        return;
    while (t->kind == TYPE_LIST)
        t = type_element(t);
    enum { INT64 = 4, COMPLEX64 = 9, BOOL = 11 }; /* PyTorch's numbers */
    int64_t dtype = t->kind == TYPE_INT       ? INT64
                    : t->kind == TYPE_BOOL    ? BOOL
                    : t->kind == TYPE_COMPLEX ? COMPLEX64
                                              : -1;
    if (dtype >= 0)
        ir_node_set_input(n, 1, ir_insert_constant(n, const_int(dtype)));
}

/* The number that a tensor without dimensions holds; NULL for types that Python's numbers do not have. */
static ir_constant *number_of(const pt_tensor *t) {
    if (t->ndim || t->layout != PT_STRIDED || t->qscheme != PT_NOT_QUANTIZED)
        return NULL;
    const void *at = pt_tensor_data(t);
    switch (t->dtype) {
    case PT_BOOL:
        return const_bool(*(const uint8_t *)at != 0);
    case PT_UINT8:
        return const_int(*(const uint8_t *)at);
    case PT_INT8:
        return const_int(*(const int8_t *)at);
    case PT_INT16:
        return const_int(*(const int16_t *)at);
    case PT_INT32:
        return const_int(*(const int32_t *)at);
    case PT_INT64:
        return const_int(*(const int64_t *)at);
    case PT_FLOAT32:
        return const_float((double)*(const float *)at);
    case PT_FLOAT64:
        return const_float(*(const double *)at);
    case PT_COMPLEX64:
        return const_complex((double)((const float *)at)[0], (double)((const float *)at)[1]);
    case PT_COMPLEX128:
        return const_complex(((const double *)at)[0], ((const double *)at)[1]);
    default:
        return NULL;
    }
}

/* A constant tensor without dimensions is a number to PyTorch: it does not take part in choosing the result's dtype as
 * a tensor would. Its operator becomes the one for numbers, "aten::mul.Scalar" for "aten::mul.Tensor". */
static void take_number(ir_node *n, mutation *m) {
    const op_schema *s = n->schema;
    if (!s || strcmp(s->overload, "Tensor") || s->argument_count < 2 || s->arguments[1].type->kind != TYPE_TENSOR)
        return;
    const ir_constant *c = ir_constant_of(ir_in(n, 1));
    const op_schema *scalar = schema_find(mem_printf("%s.Scalar", s->name));
    if (!c || c->kind != CONST_TENSOR || mutation_is_written(m, ir_in(n, 1)) || !scalar ||
        scalar->argument_count != s->argument_count || scalar->arguments[1].type->kind != TYPE_NUMBER ||
        !schema_is_implemented(scalar))
        return;
    ir_constant *number = number_of(c->tensor);
    if (!number)
        return;
    ir_node_set_input(n, 1, ir_insert_constant(n, number));
    ir_node_set_operator(n, scalar);
}

/* Dead operators are not called: dce could not remove the call. Those without results are dead, too, unless their rows
 * say that they have effects: TorchScript removes assertions that write to nothing. */
static bool is_dead(const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (ir_use_count(ir_out(n, i)))
            return false;
    return !schema_has_trait(n->schema, TRAIT_EFFECTS) && !operator_writes_any(n);
}

/* ---- Products named by numbers of dimensions: einsum(a, [0, 1], b, [1, 2], [0, 2]) ---- */

/* Adds the letters of a list of constant numbers, and refuses numbers that have none; false when they are not known. */
static bool add_letters(strbuf *equation, const ir_value *list) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if (list->node->kind != IR_LIST_CONSTRUCT)
        return false;
    for (uint32_t i = 0; i < ir_input_count(list->node); i++) {
        int64_t number;
        if (!ir_constant_int(ir_in(list->node, i), &number))
            return false;
        if (number < 0 || number >= (int64_t)sizeof letters - 1)
            source_fail(list->node->range, "einsum(): not all subscripts are in [0, %d)", (int)sizeof letters - 1);
        strbuf_add_n(equation, &letters[number], 1);
    }
    return true;
}

/* "AB,BC->AC" for the inputs of n, and its tensors into `tensors`; false when n has another form. */
static bool spell_equation(const ir_node *n, strbuf *equation, ir_value ***tensors) {
    uint32_t count = ir_input_count(n);
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        if (ir_in(n, i)->type->kind != TYPE_TENSOR || ir_in(n, i + 1)->type->kind != TYPE_LIST)
            return false;
        arrput(*tensors, ir_in(n, i));
        if (i)
            strbuf_add(equation, ",");
        if (!add_letters(equation, ir_in(n, i + 1)))
            return false;
    }
    if (count % 2 == 0)
        return true;
    strbuf_add(equation, "->");
    return add_letters(equation, ir_in(n, count - 1));
}

/* Gives an einsum of that form the equation that it stands for. */
static bool name_dimensions(ir_node *n) {
    strbuf equation = {0};
    ir_value **tensors = NULL;
    if (!ir_is_operator(n, "aten::einsum.sublist") || !spell_equation(n, &equation, &tensors))
        return false;
    const type *tensor = type_basic(TYPE_TENSOR);
    ir_value *inputs[] = {
        ir_insert_constant(n, const_str(strbuf_text(&equation), strlen(strbuf_text(&equation)))),
        ir_out(insert_like(n, IR_LIST_CONSTRUCT, tensors, (uint32_t)arrlenu(tensors), type_list(tensor)), 0),
        ir_insert_constant(n, const_none())};
    const op_schema *s = schema_find("aten::einsum");
    ir_node *made = insert_like(n, s->kind, inputs, 3, tensor);
    made->schema = s;
    ir_replace_uses(ir_out(n, 0), ir_out(made, 0));
    ir_destroy(n);
    return true;
}

void replace_by_call(ir_node *n, function *f) {
    if (!is_dead(n))
        take_results(n, insert_call(n, f));
    ir_destroy(n);
}

/* ---- Dtypes that PyTorch refuses ---- */

static bool holds_tensors(const type *t) {
    t = type_without_none(t);
    return t->kind == TYPE_TENSOR || (t->kind == TYPE_LIST && type_without_none(type_element(t))->kind == TYPE_TENSOR);
}

static bool is_checked(const ir_node *n, const char *operator_name) {
    const ir_node *before = n->previous;
    const bool asks = before->schema && ir_is_operator(before, "tsm::check_dtypes");
    return asks && !strcmp(ir_constant_of(ir_in(before, 0))->string.bytes, operator_name);
}

/* The question whether n takes the dtypes of its tensors, before n. Operators with kernels are asked when they run. */
static void insert_check(ir_node *n) {
    const op_schema *s = n->schema;
    if (!s->traits.refuses || is_dead(n) || is_checked(n, s->full_name))
        return;
    ir_node *check = operator_insert_node(n, "tsm::check_dtypes", NULL, 0);
    ir_node_add_input(check, ir_insert_constant(check, const_str(s->full_name, strlen(s->full_name))));
    ir_node_add_input(check, ir_insert_constant(check, const_int(s->traits.refuses)));
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (holds_tensors(s->arguments[i].type) && !(s->arguments[i].keyword_only && s->arguments[i].is_write))
            ir_node_add_input(check, ir_in(n, i));
}

typedef struct {
    program *program;
    mutation *mutation;
    bool keeps_derivatives;
    bool checks_dtypes;
} rewriting;

static bool rewrite_block(const rewriting *r, ir_block *b) {
    stack_check();
    bool changed = false;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= rewrite_block(r, n->blocks[i]);
        if (name_dimensions(n)) {
            changed = true;
            continue;
        }
        name_dtype(n);
        take_number(n, r->mutation);
        function *f = decomposition(r->program, n->schema);
        if (!f)
            continue;
        if (r->checks_dtypes)
            insert_check(n);
        if (r->keeps_derivatives && builtin_keeps_derivative(n->schema->full_name))
            continue;
        if (r->keeps_derivatives)
            saved_mark_reads(r->program, n);
        replace_by_call(n, f);
        changed = true;
    }
    return changed;
}

bool decompose_operators(program *p, function *f, mutation *m, bool keeps_derivatives) {
    const rewriting r = {p, m, keeps_derivatives, !builtin_is_part_of_operator(f)};
    return rewrite_block(&r, function_graph(f)->block);
}
