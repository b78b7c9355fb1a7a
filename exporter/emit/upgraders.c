/* Replaces operators by functions that do what they do in the archive's version. */
#include "exporter/emit/upgraders.h"

#include <string.h>

#include "exporter/program/builtins.h"

enum { TORCH_2 = 11 }; /* PT_TORCH_2_VERSION of archive/archive.h */

typedef struct {
    const char *op, *upgrader;
    int version;
} change;

/* In which format versions the operators changed, the first ones with today's meaning:
 * torch/csrc/jit/operator_upgraders/version_map.h of PyTorch. Then those that PyTorch 2 changed; overloads that came
 * with it take tensors for numbers. */
static const change older[] = {
    {"aten::div", "div_tensor", 4},
    {"aten::div", "div_scalar", 4},
    {"aten::div", "div_out", 4},
    {"aten::div_", "div_inplace_tensor", 4},
    {"aten::div_", "div_inplace_scalar", 4},
    {"aten::full", "full", 5},
    {"aten::full", "full_out", 5},
    {"aten::linspace", "linspace", 8},
    {"aten::linspace", "linspace_out", 8},
    {"aten::logspace", "logspace", 9},
    {"aten::logspace", "logspace_out", 9},
    {"aten::linspace", "linspace_1", TORCH_2},
    {"aten::linspace", "linspace_1_out", TORCH_2},
    {"aten::_scaled_dot_product_attention_math", "scaled_dot_product_attention_math", TORCH_2},
    {"aten::aminmax", "aminmax", TORCH_2},
    {"aten::aminmax", "aminmax_out", TORCH_2},
    {"aten::_aminmax", "aminmax_dim", TORCH_2},
    {"aten::_aminmax", "aminmax_dim_out", TORCH_2},
};

/* From which version on the operators refuse arguments that they took before. */
static const change newer[] = {
    {"aten::masked_fill", "masked_fill_number", TORCH_2},
    {"aten::masked_fill", "masked_fill_tensor", TORCH_2},
    {"aten::masked_fill_", "masked_fill_number_inplace", TORCH_2},
    {"aten::masked_fill_", "masked_fill_tensor_inplace", TORCH_2},
    {"aten::index_put", "index_put", TORCH_2},
    {"aten::index_put", "index_put_list", TORCH_2},
    {"aten::index_put", "index_put_out", TORCH_2},
    {"aten::index_put_", "index_put_inplace", TORCH_2},
    {"aten::index_put_", "index_put_inplace_list", TORCH_2},
    {"aten::_index_put_impl_", "index_put_impl_inplace", TORCH_2},
    {"aten::_index_put_impl_", "index_put_impl_inplace_list", TORCH_2},
    {"aten::masked_select", "masked_select", TORCH_2},
    {"aten::masked_select", "masked_select_out", TORCH_2},
    {"aten::masked_scatter", "masked_scatter", TORCH_2},
    {"aten::masked_scatter_", "masked_scatter_inplace", TORCH_2},
    {"aten::stft", "stft", TORCH_2},
    {"aten::stft", "stft_center", TORCH_2},
    {"aten::istft", "istft", TORCH_2},
};

#define QUALIFIER "__torch__.torch.upgraders"

/* Whether the arguments match the function's schema. Nodes that the attempt inserts are removed again. */
static bool fits(emitter *e, const function *f, const argument_list *a, bool conversions, source_range range) {
    ir_node *mark = e->at->previous;
    strbuf why = {0};
    bool matches = schema_try(f->schema, e->at, range, NULL, a->items, a->count, conversions, &why) != NULL;
    while (e->at->previous != mark)
        ir_destroy(e->at->previous);
    return matches;
}

/* The function of a row, where its version is meant and it takes the arguments; else NULL. */
static function *function_of(emitter *e, const change *c, const char *name, const argument_list *arguments,
                             bool conversions, source_range range) {
    if (strcmp(c->op, name) != 0 || (conversions && c->version == TORCH_2))
        return NULL;
    builtin_library_load(e->program, "torch.upgraders");
    function *f = program_find_function(e->program, mem_printf(QUALIFIER ".%s", c->upgrader));
    return fits(e, f, arguments, conversions, range) ? f : NULL;
}

function *upgrader_of(emitter *e, const char *name, const argument_list *arguments, source_range range) {
    function *f = NULL;
    if (e->function->is_builtin)
        return NULL;
    for (int conversions = 0; conversions < 2; conversions++) {
        for (size_t i = 0; !f && i < sizeof older / sizeof *older; i++)
            if (e->program->version < older[i].version)
                f = function_of(e, &older[i], name, arguments, conversions, range);
        for (size_t i = 0; !f && i < sizeof newer / sizeof *newer; i++)
            if (e->program->version >= newer[i].version)
                f = function_of(e, &newer[i], name, arguments, conversions, range);
    }
    return f;
}
