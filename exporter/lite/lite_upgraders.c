/* The table of operators that changed and the library functions that do what they did. */
#include "exporter/lite/lite_upgraders.h"

#include <string.h>

#include "exporter/archive/archive.h"
#include "exporter/program/builtins.h"

/* From which version on an overload means what it means today: kOperatorVersionMap of PyTorch; then those that PyTorch
 * 2 changed. */
static const struct {
    const char *full_name, *upgrader;
    int version;
} changes[] = {
    {"aten::div.Tensor", "div_tensor", 4},
    {"aten::div.Scalar", "div_scalar", 4},
    {"aten::div.out", "div_out", 4},
    {"aten::div_.Tensor", "div_inplace_tensor", 4},
    {"aten::div_.Scalar", "div_inplace_scalar", 4},
    {"aten::full", "full", 5},
    {"aten::full.out", "full_out", 5},
    {"aten::linspace", "linspace", 8},
    {"aten::linspace.out", "linspace_out", 8},
    {"aten::logspace", "logspace", 9},
    {"aten::logspace.out", "logspace_out", 9},
    {"aten::linspace", "linspace_1", PT_TORCH_2_VERSION},
    {"aten::linspace.out", "linspace_1_out", PT_TORCH_2_VERSION},
    {"aten::_scaled_dot_product_attention_math", "scaled_dot_product_attention_math", PT_TORCH_2_VERSION},
};

function *upgrade_of(program *p, const char *full_name) {
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (p->version < changes[i].version && !strcmp(changes[i].full_name, full_name)) {
            builtin_library_load(p, "torch.upgraders");
            return program_find_function(p, mem_printf("__torch__.torch.upgraders.%s", changes[i].upgrader));
        }
    return NULL;
}
