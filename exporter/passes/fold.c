#include "exporter/passes/fold.h"

#include <stdlib.h>
#include <string.h>

#include "exporter/frontend/program.h"
#include "runtime/core/exec.h"

/* ---- Running operators ---- */

enum { FOLD_BUFFER = 1 << 16, FOLD_INPUTS = 8, LONGEST_TEXT = 4096 };

typedef struct {
    tsm_exec exec;
    char *buffer;
    char message[256];
} folder;

static const tsm_operator *find_operator(const char *name) {
    size_t low = 0, high = tsm_operator_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, tsm_operator_table[middle].name);
        if (!order)
            return &tsm_operator_table[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static bool to_value(folder *f, const ir_constant *c, tsm_value *v) {
    switch (c->kind) {
    case CONST_NONE:
        *v = tsm_none();
        return true;
    case CONST_BOOL:
        *v = tsm_bool(c->boolean);
        return true;
    case CONST_INT:
        *v = tsm_int(c->integer);
        return true;
    case CONST_FLOAT:
        *v = tsm_float(c->real);
        return true;
    case CONST_STR:
        return c->string.length <= LONGEST_TEXT && tsm_make_str(&f->exec, c->string.bytes, c->string.length, v) == TSM_OK;
    case CONST_DEVICE:
        return tsm_device_read(&f->exec, c->string.bytes, c->string.length, v) == TSM_OK;
    default:
        return false;
    }
}

static ir_constant *from_value(tsm_value v) {
    switch (v.tag) {
    case TSM_TAG_BOOL:
        return const_bool(v.as.b);
    case TSM_TAG_INT:
        return const_int(v.as.i);
    case TSM_TAG_FLOAT:
        return const_float(v.as.f);
    case TSM_TAG_STR:
        return const_str(tsm_as_str(v)->text, tsm_as_str(v)->length);
    default:
        return NULL;
    }
}

static bool is_foldable(const ir_node *n) {
    if (!n->schema || !schema_is_implemented(n->schema) || schema_has_side_effects(n->schema) ||
        schema_is_nondeterministic(n->schema) || ir_output_count(n) != 1 || ir_input_count(n) > FOLD_INPUTS ||
        n->schema->variable_arguments)
        return false;
    switch (ir_out(n, 0)->type->kind) {
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_BOOL:
    case TYPE_STR:
        break;
    default:
        return false;
    }
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!ir_is_constant(ir_in(n, i)))
            return false;
    return ir_input_count(n) > 0;
}

/* The operator's result, or NULL. What the run allocated goes with the buffer, which starts afresh each time. */
static ir_constant *run_operator(folder *f, const ir_node *n) {
    const tsm_operator *op = find_operator(n->schema->full_name);
    tsm_value values[FOLD_INPUTS], out = tsm_none();
    const tsm_value *in[FOLD_INPUTS];
    tsm_heap_init(&f->exec.heap, f->buffer, FOLD_BUFFER);
    f->exec.op = op;
    f->exec.inputs = ir_input_count(n);
    f->exec.outputs = 1;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        if (!to_value(f, ir_constant_of(ir_in(n, i)), &values[i]))
            return NULL;
        in[i] = &values[i];
    }
    return op->kernel(&f->exec, in, &out) == TSM_OK ? from_value(out) : NULL;
}

/* ---- Rules ---- */

static void replace_by(ir_node *n, ir_value *v) {
    ir_replace_uses(ir_out(n, 0), v);
    ir_destroy(n);
}

static void replace_by_constant(ir_node *n, ir_constant *c) { replace_by(n, ir_insert_constant(n, c)); }

/* x is x; x is None, when the type of x decides it. */
static bool decide_identity(ir_node *n) {
    if (ir_in(n, 0) == ir_in(n, 1)) {
        replace_by_constant(n, const_bool(n->kind == IR_IS));
        return true;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const type *other = ir_in(n, 1 - i)->type;
        if (ir_in(n, i)->type->kind != TYPE_NONE)
            continue;
        if (other->kind != TYPE_NONE && type_admits_none(other))
            return false;
        bool same = other->kind == TYPE_NONE;
        replace_by_constant(n, const_bool(n->kind == IR_IS ? same : !same));
        return true;
    }
    return false;
}

static bool is_dropout_off(const ir_node *n) {
    static const char *const names[] = {"aten::dropout", "aten::dropout_", "aten::feature_dropout", "aten::feature_dropout_",
                                        "aten::alpha_dropout", "aten::alpha_dropout_"};
    bool train;
    if (!n->schema || ir_input_count(n) != 3 || !ir_constant_bool(ir_in(n, 2), &train) || train)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(n->schema->full_name, names[i]))
            return true;
    return false;
}

/* Questions about the surroundings, which are the same wherever libtsmobile runs; its kernels give these answers. */
static bool answer_of_surroundings(const ir_node *n, bool *answer) {
    static const struct {
        const char *name;
        bool answer;
    } table[] = {{"prim::is_cpu", true},
                 {"prim::is_cuda", false},
                 {"prim::is_sparse", false},
                 {"prim::is_sparse_csr", false},
                 {"prim::is_mkldnn", false},
                 {"prim::is_xpu", false},
                 {"prim::is_mps", false},
                 {"prim::is_ort", false},
                 {"prim::is_vulkan", false},
                 {"prim::is_meta", false},
                 {"prim::is_nested", false},
                 {"prim::is_ipu", false},
                 {"aten::has_torch_function", false},
                 {"aten::is_autocast_enabled", false},
                 {"aten::is_autocast_cpu_enabled", false},
                 {"aten::is_vulkan_available", false},
                 {"aten::_nnpack_available", false},
                 {"aten::_use_cudnn_rnn_flatten_weight", false}};
    for (size_t i = 0; n->schema && i < sizeof table / sizeof *table; i++)
        if (!strcmp(n->schema->name, table[i].name)) {
            *answer = table[i].answer;
            return true;
        }
    return false;
}

/* Applies one rule to n; returns the node to go on with. */
static ir_node *fold_node(folder *f, ir_node *n) {
    ir_node *next = n->next;
    bool condition;
    if (n->kind == IR_IF && ir_constant_bool(ir_in(n, 0), &condition))
        return ir_inline_branch(n, condition);
    if ((n->kind == IR_IS || n->kind == IR_IS_NOT) && decide_identity(n))
        return next;
    if (n->kind == IR_UNCHECKED_CAST && ir_in(n, 0)->type == ir_out(n, 0)->type) {
        replace_by(n, ir_in(n, 0));
        return next;
    }
    if (n->kind == IR_UNWRAP_OPTIONAL && !type_admits_none(ir_in(n, 0)->type)) {
        replace_by(n, ir_in(n, 0));
        return next;
    }
    if (is_dropout_off(n)) {
        replace_by(n, ir_in(n, 0));
        return next;
    }
    bool answer;
    if (answer_of_surroundings(n, &answer)) {
        replace_by_constant(n, const_bool(answer));
        return next;
    }
    if (is_foldable(n)) {
        ir_constant *c = run_operator(f, n);
        if (c)
            replace_by_constant(n, c);
    }
    return next;
}

static void fold_block(folder *f, ir_block *b) {
    for (ir_node *n = ir_first(b); n != b->result;) {
        ir_node *next = fold_node(f, n);
        /* A node that is still there may have blocks; one that was replaced has none left. */
        if (next->previous == n && n->block == b)
            for (size_t i = 0; i < arrlenu(n->blocks); i++)
                fold_block(f, n->blocks[i]);
        n = next;
    }
}

void fold_constants(ir_graph *g) {
    folder *f = MEM_NEW(folder);
    f->buffer = mem_alloc_aligned(FOLD_BUFFER, 64);
    f->exec.message = f->message;
    f->exec.message_bytes = sizeof f->message;
    fold_block(f, g->block);
}
