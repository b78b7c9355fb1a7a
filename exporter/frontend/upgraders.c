#include "exporter/frontend/upgraders.h"

#include <string.h>

/* In which format versions the operators changed: torch/csrc/jit/operator_upgraders/version_map.h of PyTorch. */
static const struct {
    const char *op, *upgrader;
    int version; /* the first one with today's meaning */
} changes[] = {
    {"aten::div", "div_tensor", 4},       {"aten::div", "div_scalar", 4},         {"aten::div", "div_out", 4},
    {"aten::div_", "div_inplace_tensor", 4}, {"aten::div_", "div_inplace_scalar", 4}, {"aten::full", "full", 5},
    {"aten::full", "full_out", 5},        {"aten::linspace", "linspace", 8},      {"aten::linspace", "linspace_out", 8},
    {"aten::logspace", "logspace", 9},    {"aten::logspace", "logspace_out", 9},
};

/* What they meant, in today's operators. Division of integers was floor division towards zero; `full` made floats; the number of
 * steps could be left out. */
static const char source[] =
    "def div_tensor(self: Tensor, other: Tensor) -> Tensor:\n"
    "  if torch.is_floating_point(self) or torch.is_floating_point(other):\n"
    "    return torch.true_divide(self, other)\n"
    "  return torch.divide(self, other, rounding_mode=\"trunc\")\n"
    "def div_scalar(self: Tensor, other: number) -> Tensor:\n"
    "  if torch.is_floating_point(self) or isinstance(other, float):\n"
    "    return torch.true_divide(self, other)\n"
    "  return torch.divide(self, other, rounding_mode=\"trunc\")\n"
    "def div_out(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:\n"
    "  if torch.is_floating_point(self) or torch.is_floating_point(other) or torch.is_floating_point(out):\n"
    "    return torch.true_divide(self, other, out=out)\n"
    "  return torch.divide(self, other, rounding_mode=\"trunc\", out=out)\n"
    "def div_inplace_tensor(self: Tensor, other: Tensor) -> Tensor:\n"
    "  if torch.is_floating_point(self) or torch.is_floating_point(other):\n"
    "    return torch.true_divide_(self, other)\n"
    "  return torch.divide_(self, other, rounding_mode=\"trunc\")\n"
    "def div_inplace_scalar(self: Tensor, other: number) -> Tensor:\n"
    "  if torch.is_floating_point(self) or isinstance(other, float):\n"
    "    return torch.true_divide_(self, other)\n"
    "  return torch.divide_(self, other, rounding_mode=\"trunc\")\n"
    "def full(size: List[int], fill_value: number, *, dtype: Optional[int]=None, layout: Optional[int]=None,\n"
    "    device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:\n"
    "  if dtype is None:\n"
    "    return torch.full(size, float(fill_value), layout=layout, device=device, pin_memory=pin_memory)\n"
    "  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)\n"
    "def full_out(size: List[int], fill_value: number, *, out: Tensor) -> Tensor:\n"
    "  return torch.full(size, fill_value, out=out)\n"
    "def linspace(start: number, end: number, steps: Optional[int]=None, *, dtype: Optional[int]=None,\n"
    "    layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:\n"
    "  n = 100 if steps is None else steps\n"
    "  return torch.linspace(start, end, n, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)\n"
    "def linspace_out(start: number, end: number, steps: Optional[int]=None, *, out: Tensor) -> Tensor:\n"
    "  n = 100 if steps is None else steps\n"
    "  return torch.linspace(start, end, n, out=out)\n"
    "def logspace(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, dtype: Optional[int]=None,\n"
    "    layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:\n"
    "  n = 100 if steps is None else steps\n"
    "  return torch.logspace(start, end, n, base, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)\n"
    "def logspace_out(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, out: Tensor) -> Tensor:\n"
    "  n = 100 if steps is None else steps\n"
    "  return torch.logspace(start, end, n, base, out=out)\n";

#define QUALIFIER "__torch__.torch.upgraders"

/* Whether the arguments fit, tried without leaving anything behind. */
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
            if (e->program->version >= changes[i].version || strcmp(changes[i].op, name))
                continue;
            program_add_source(e->program, QUALIFIER, source);
            function *f = program_find_function(e->program, mem_printf(QUALIFIER ".%s", changes[i].upgrader));
            if (fits(e, f, arguments, conversions, range))
                return f;
        }
    return NULL;
}
