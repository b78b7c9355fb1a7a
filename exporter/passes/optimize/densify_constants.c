/* Sparse constants: which uses allow a dense copy, and the copy from either sparse format. */
#include "exporter/passes/optimize/densify_constants.h"

#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/schema.h"

/* Elements that a dense copy may have: what is sparse because it is huge stays so. */
enum { MOST_ELEMENTS = 1 << 24 };

static const int64_t *indices_of(const pt_tensor *t) {
    return pt_tensor_data(t);
}

/* Where the rows of values go. */
typedef struct {
    char *to;
    const char *values;
    size_t row_bytes;
    uint8_t *is_filled; /* by place */
} scatter;

/* False when the place has a row already: repeated indices, whose rows would have to be added up. */
static bool put_row(scatter *s, int64_t place, int64_t row) {
    if (s->is_filled[place])
        return false;
    s->is_filled[place] = 1;
    memcpy(s->to + (size_t)place * s->row_bytes, s->values + (size_t)row * s->row_bytes, s->row_bytes);
    return true;
}

static bool fill_from_coordinates(scatter *s, const pt_tensor *t) {
    const int64_t *indices = indices_of(t->indices), rows = t->indices->sizes[1];
    for (int64_t row = 0; row < rows; row++) {
        int64_t place = 0;
        for (int64_t d = 0; d < t->indices->sizes[0]; d++)
            place = place * t->sizes[d] + indices[d * rows + row];
        if (!put_row(s, place, row))
            return false;
    }
    return true;
}

static bool fill_from_rows(scatter *s, const pt_tensor *t) {
    const int64_t *starts = indices_of(t->row_starts), *columns = indices_of(t->columns);
    for (int64_t r = 0; r < t->sizes[0]; r++)
        for (int64_t i = starts[r]; i < starts[r + 1]; i++)
            if (!put_row(s, r * t->sizes[1] + columns[i], i))
                return false;
    return true;
}

/* NULL when there is no dense copy. */
static ir_constant *dense_copy(const pt_tensor *t) {
    bool is_coo = t->layout == PT_SPARSE_COO;
    bool has_long_indices =
        is_coo ? t->indices->dtype == PT_INT64 : t->row_starts->dtype == PT_INT64 && t->columns->dtype == PT_INT64;
    int64_t elements = 1, places = 1;
    for (int d = 0; d < t->ndim; d++) {
        if (t->sizes[d] > MOST_ELEMENTS || (elements *= t->sizes[d]) > MOST_ELEMENTS)
            return NULL;
        places *= !is_coo || d < t->indices->sizes[0] ? t->sizes[d] : 1;
    }
    if (!has_long_indices || !elements)
        return NULL;
    void *data;
    ir_constant *c = tensor_constant_new(t->dtype, t->ndim, t->sizes, &data);
    scatter s = {data, pt_tensor_data(t->values), (size_t)(elements / places) * pt_dtype_size(t->dtype),
                 mem_alloc((size_t)places)};
    memset(s.is_filled, 0, (size_t)places);
    return (is_coo ? fill_from_coordinates(&s, t) : fill_from_rows(&s, t)) ? c : NULL;
}

static bool is_to_dense(const ir_node *n) {
    return (ir_is_operator(n, "aten::to_dense") || ir_is_operator(n, "aten::_to_dense")) &&
           ir_in(n, 1)->type->kind == TYPE_NONE;
}

/* Operators whose result has the same elements whatever the layout of their operands. (Not products of elements: what
 * is not stored in a sparse operand is zero, whatever stands in the other.) */
static bool takes_dense_as_well(const ir_node *n) {
    static const char *const names[] = {"aten::mm",          "aten::matmul",     "aten::mv",
                                        "aten::addmm",       "aten::_sparse_mm", "aten::_sparse_addmm",
                                        "aten::_sparse_sum", "aten::add.Tensor", "aten::sub.Tensor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ir_is_operator(n, names[i]))
            return true;
    return false;
}

static void densify(ir_node *n) {
    const pt_tensor *t = ir_constant_of(ir_out(n, 0))->tensor;
    ir_use *uses = ir_out(n, 0)->uses;
    for (size_t i = 0; i < arrlenu(uses); i++)
        if (!takes_dense_as_well(uses[i].user) && !is_to_dense(uses[i].user))
            return;
    ir_constant *dense = dense_copy(t);
    if (!dense)
        return;
    const op_schema *clone =
        schema_find("aten::clone"); /* to_dense makes a new tensor, from the same first arguments */
    for (size_t i = 0; i < arrlenu(uses); i++)
        if (is_to_dense(uses[i].user)) {
            while (ir_input_count(uses[i].user) > clone->argument_count)
                ir_node_remove_input(uses[i].user, clone->argument_count);
            ir_node_set_operator(uses[i].user, clone);
        }
    ir_replace_uses(ir_out(n, 0), ir_insert_constant(n, dense));
}

static void densify_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            densify_block(n->blocks[i]);
        const ir_constant *c = n->kind == IR_CONSTANT ? ir_constant_of(ir_out(n, 0)) : NULL;
        if (c && c->kind == CONST_TENSOR && c->tensor->layout != PT_STRIDED)
            densify(n);
    }
}

void densify_constants(ir_graph *g) {
    densify_block(g->block);
}
