#include "exporter/passes/optimize/functionalize.h"

#include <string.h>

#include "exporter/schema/schema.h"

/* The functional operator whose result has the dtype and shape of its first input, as in-place operators have; NULL:
 * none. */
static const op_schema *functional_variant(const op_schema *s) {
    /* Of one tensor and numbers; add_ and mul_ of two tensors keep the first one's dtype, which add and mul may not. */
    static const char *const names[] = {"aten::relu_",       "aten::relu6_",       "aten::hardtanh_",
                                        "aten::hardswish_",  "aten::hardsigmoid_", "aten::silu_",
                                        "aten::sigmoid_",    "aten::tanh_",        "aten::gelu_",
                                        "aten::leaky_relu_", "aten::elu_",         "aten::clamp_",
                                        "aten::clamp_min_",  "aten::clamp_max_",   "aten::mish_",
                                        "aten::celu_",       "aten::selu_",        NULL};
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], s->name) != 0)
            continue;
        size_t base = strlen(s->name) - 1;
        const char *name = mem_strndup(s->name, base);
        if (s->overload[0]) {
            strbuf b = {0};
            strbuf_printf(&b, "%s.%s", name, s->overload);
            name = strbuf_text(&b);
        }
        const op_schema *f = schema_find(name);
        return f && schema_is_implemented(f) ? f : NULL;
    }
    return NULL;
}

/* add_ of the results of two convolutions, or of a product and anything: of floats, as the first one is. */
static bool makes_new_floats(const op_schema *s) {
    static const char *const names[] = {"aten::conv1d", "aten::conv2d",     "aten::conv3d", "aten::_convolution",
                                        "aten::linear", "aten::batch_norm", "aten::addmm",  NULL};
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], s->name))
            return true;
    return false;
}

static bool returns_new_tensor(const ir_value *v) {
    const op_schema *s = v->node->schema;
    if (!s || v->type->kind != TYPE_TENSOR || v->offset >= s->return_count || s->returns[v->offset].alias_set)
        return false;
    if (strstr(s->name, "dropout")) /* gives its input back when it does nothing, which the schema does not say */
        return false;
    for (uint32_t i = 0; i < s->argument_count; i++)
        if (s->arguments[i].is_write)
            return false;
    return true;
}

/* A use that neither keeps the tensor nor hands it on: a plain operator without aliases of this argument. */
static bool only_reads(const ir_use *u) {
    const op_schema *s = u->user->schema;
    return s && u->index < s->argument_count && !s->arguments[u->index].alias_set && !s->arguments[u->index].is_write &&
           !s->arguments[u->index].contained_wildcard;
}

/* x is new, and every other use of it either is over when n runs, or comes later in the program's text and so may take
 * the result. */
static bool may_forget_input(const ir_node *n, const ir_value *x) {
    if (!returns_new_tensor(x) || x->node->block != n->block)
        return false;
    for (size_t i = 0; i < arrlenu(x->uses); i++) {
        const ir_use *u = &x->uses[i];
        if (u->user != n && !ir_is_before(n, u->user) && !only_reads(u))
            return false;
    }
    return true;
}

static const op_schema *variant_of(const ir_node *n) {
    const op_schema *s = n->schema;
    if (!s)
        return NULL;
    if (!strcmp(s->full_name, "aten::add_.Tensor") && ir_in(n, 0)->node->schema &&
        makes_new_floats(ir_in(n, 0)->node->schema) && ir_in(n, 1)->node->schema &&
        ir_in(n, 1)->type->kind == TYPE_TENSOR)
        return schema_find("aten::add.Tensor");
    return functional_variant(s);
}

static void replace_later_uses(ir_node *n, ir_value *x, ir_value *y) {
    for (size_t i = 0; i < arrlenu(x->uses);) {
        ir_use u = x->uses[i];
        if (u.user != n && ir_is_before(n, u.user))
            ir_node_set_input(u.user, u.index, y); /* takes the use out of the array */
        else
            i++;
    }
}

static void functionalize_block(ir_block *b) {
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            functionalize_block(n->blocks[i]);
        const op_schema *f = variant_of(n);
        if (!f || !may_forget_input(n, ir_in(n, 0)))
            continue;
        replace_later_uses(n, ir_in(n, 0), ir_out(n, 0));
        n->schema = f;
        n->kind = f->kind;
    }
}

void functionalize(ir_graph *g) {
    functionalize_block(g->block);
}
