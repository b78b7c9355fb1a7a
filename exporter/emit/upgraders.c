/* Replaces operators of older archives by functions that do what they did. */
#include "exporter/emit/upgraders.h"

#include <string.h>

#include "exporter/program/builtins.h"

/* In which format versions the operators changed: torch/csrc/jit/operator_upgraders/version_map.h of PyTorch. Then
 * those that PyTorch 2 changed; overloads that came with it take tensors for numbers. */
enum { TORCH_2 = 11 }; /* PT_TORCH_2_VERSION of archive/archive.h */
static const struct {
    const char *op, *upgrader;
    int version; /* the first one with today's meaning */
} changes[] = {
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

function *upgrader_of(emitter *e, const char *name, const argument_list *arguments, source_range range) {
    if (e->function->is_builtin)
        return NULL;
    for (int conversions = 0; conversions < 2; conversions++)
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            if (e->program->version >= changes[i].version || strcmp(changes[i].op, name) ||
                (conversions && changes[i].version == TORCH_2))
                continue;
            builtin_library_load(e->program, "torch.upgraders");
            function *f = program_find_function(e->program, mem_printf(QUALIFIER ".%s", changes[i].upgrader));
            if (fits(e, f, arguments, conversions, range))
                return f;
        }
    return NULL;
}
