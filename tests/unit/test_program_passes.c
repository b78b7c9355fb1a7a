/* Passes that see functions, classes and the module: TorchScript source in, the text of a graph out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/diag.h"
#include "exporter/passes/analysis/call_graph.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/lower/check_opaque_layouts.h"
#include "exporter/passes/lower/decompose_operators.h"
#include "exporter/passes/lower/inline_calls.h"
#include "exporter/passes/lower/lower_object_sorts.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/freeze_attributes.h"
#include "exporter/passes/optimize/prune_attributes.h"

static program *load(const char *text, const char *entry) {
    source_options options = {NULL, evaluate_operator};
    return program_load_source("test.py", text, strlen(text), entry, &options);
}

static ir_graph *entry_graph(program *p) {
    return function_graph(program_entries(p)[0]);
}

/* The graph's text without the places in the source, and with objects named by nothing but their being one. */
static const char *plain(const ir_graph *g) {
    strbuf text = {0}, out = {0};
    ir_print(g, &text);
    for (const char *p = strbuf_text(&text); *p;) {
        if (!strncmp(p, " # test.py", 10))
            p += strcspn(p, "\n");
        else if (!strncmp(p, "object(0x", 9))
            p += strcspn(p, ")"), strbuf_add(&out, "object(");
        else
            strbuf_add_n(&out, p++, 1);
    }
    return strbuf_text(&out);
}

static void assert_text(const ir_graph *g, const char *expected) {
    if (ir_fault(g))
        fail_msg("%s", ir_fault(g));
    assert_string_equal(plain(g), expected);
}

/* ---- inline ---- */

static void calls_are_inlined_inside_out(void **state) {
    (void)state;
    ir_graph *g = entry_graph(load("def inner(x: int) -> int:\n"
                                   "    y = x + 1\n"
                                   "    return y * 2\n"
                                   "def middle(x: int) -> int:\n"
                                   "    return inner(inner(-x))\n"
                                   "def outer(x: int) -> int:\n"
                                   "    z = middle(x)\n"
                                   "    return z\n",
                                   "outer"));
    inline_calls(g);
    assert_text(g, "graph(%x.0 : int):\n"
                   "  %2 : int = aten::neg(%x.0)\n"
                   "  %3 : int = prim::Constant[value=1]()\n"
                   "  %y.4 : int = aten::add(%2, %3)\n"
                   "  %5 : int = prim::Constant[value=2]()\n"
                   "  %6 : int = aten::mul(%y.4, %5)\n"
                   "  %7 : int = prim::Constant[value=1]()\n"
                   "  %y.8 : int = aten::add(%6, %7)\n"
                   "  %9 : int = prim::Constant[value=2]()\n"
                   "  %z.10 : int = aten::mul(%y.8, %9)\n"
                   "  return (%z.10)\n");
}

static void inlined_nodes_keep_their_chain_of_callers(void **state) {
    (void)state;
    ir_graph *g = entry_graph(load("def inner(x: int) -> int:\n"
                                   "    return x + 1\n"
                                   "def outer(x: int) -> int:\n"
                                   "    return inner(x)\n",
                                   "outer"));
    inline_calls(g);
    const ir_scope *scope = ir_in(g->block->result, 0)->node->scope;
    assert_string_equal(scope->function, "__torch__.test.inner");
    assert_string_equal(scope->caller->function, "__torch__.test.outer");
    assert_null(scope->caller->caller);
}

static void interface_calls_and_forks_are_not_inlined(void **state) {
    (void)state;
    ir_graph *g = entry_graph(load("import torch\n"
                                   "@torch.jit.interface\n"
                                   "class Step:\n"
                                   "    def run(self, x: int) -> int:\n"
                                   "        pass\n"
                                   "def twice(x: int) -> int:\n"
                                   "    return x * 2\n"
                                   "def f(s: Step, x: int) -> int:\n"
                                   "    return s.run(x) + torch.jit.wait(torch.jit.fork(twice, x))\n",
                                   "f"));
    inline_calls(g);
    const char *text = plain(g);
    assert_non_null(strstr(text, "prim::InterfaceCall[name=\"run\"]"));
    assert_non_null(strstr(text, "prim::fork"));
}

/* ---- freeze, prune_attributes ---- */

static const char counter[] = "import torch\n"
                              "class Scale(torch.nn.Module):\n"
                              "    def __init__(self):\n"
                              "        super().__init__()\n"
                              "        self.factor = 3\n"
                              "class Counter(torch.nn.Module):\n"
                              "    def __init__(self):\n"
                              "        super().__init__()\n"
                              "        self.count = 1\n"
                              "        self.scale = Scale()\n"
                              "    def forward(self, x: int) -> int:\n"
                              "        self.count += x\n"
                              "        return self.count * self.scale.factor\n";

static ir_graph *frozen(program *p) {
    function **entries = program_entries(p);
    ir_graph *g = function_graph(entries[0]);
    bind_self(g, program_module(p));
    freeze_attributes(g, mutation_analyse(p, entries, program_module(p)));
    dce(g);
    return g;
}

static void attributes_that_nobody_stores_to_become_constants(void **state) {
    (void)state;
    assert_text(frozen(load(counter, "Counter")), "graph(%self.0 : __torch__.test.Counter,\n"
                                                  "      %x.1 : int):\n"
                                                  "  %8 : __torch__.test.Counter = prim::Constant[value=object()]()\n"
                                                  "  %2 : int = prim::GetAttr[name=\"count\"](%8)\n"
                                                  "  %3 : int = aten::add(%2, %x.1)\n"
                                                  "  prim::SetAttr[name=\"count\"](%8, %3)\n"
                                                  "  %4 : int = prim::GetAttr[name=\"count\"](%8)\n"
                                                  "  %6 : int = prim::Constant[value=3]()\n"
                                                  "  %7 : int = aten::mul(%4, %6)\n"
                                                  "  return (%7)\n");
}

static const ir_constant *attribute_of(ir_constant *object, const char *name) {
    return object->list.items[class_find_attribute(object->type->definition, intern(name))];
}

static void unread_attributes_are_not_kept(void **state) {
    (void)state;
    program *p = load(counter, "Counter");
    frozen(p);
    ir_constant *module = program_module(p);
    assert_int_equal(attribute_of(module, "scale")->kind, CONST_OBJECT);
    prune_attributes(module, program_entries(p));
    assert_int_equal(attribute_of(module, "count")->kind, CONST_INT);
    assert_int_equal(attribute_of(module, "scale")->kind, CONST_NONE); /* freezing put its factor into the graph */
}

/* ---- reach, lower_object_sorts, decompose ---- */

static bool names_function(function *const *functions, const char *name) {
    for (size_t i = 0; i < arrlenu(functions); i++)
        if (!strcmp(functions[i]->name, name))
            return true;
    return false;
}

static void forks_and_methods_behind_an_interface_are_reached(void **state) {
    (void)state;
    program *p = load("import torch\n"
                      "@torch.jit.interface\n"
                      "class Step:\n"
                      "    def run(self, x: int) -> int:\n"
                      "        pass\n"
                      "@torch.jit.script\n"
                      "class Double:\n"
                      "    def __init__(self):\n"
                      "        pass\n"
                      "    def run(self, x: int) -> int:\n"
                      "        return x * 2\n"
                      "    def other(self, x: int) -> int:\n"
                      "        return x\n"
                      "def forked(x: int) -> int:\n"
                      "    return x\n"
                      "def lonely(x: int) -> int:\n"
                      "    return x\n"
                      "def call(s: Step, x: int) -> int:\n"
                      "    return s.run(x)\n"
                      "def f(x: int) -> int:\n"
                      "    return call(Double(), x) + torch.jit.wait(torch.jit.fork(forked, x))\n",
                      "f");
    function **functions = call_graph_reachable(p, program_entries(p));
    assert_true(names_function(functions, "__torch__.test.Double.run"));
    assert_false(names_function(functions, "__torch__.test.Double.other"));
    assert_false(names_function(functions, "__torch__.test.lonely"));
}

static void objects_are_sorted_by_a_function_of_their_class(void **state) {
    (void)state;
    program *p = load("import torch\n"
                      "from typing import List\n"
                      "@torch.jit.script\n"
                      "class Word:\n"
                      "    def __init__(self, n: int):\n"
                      "        self.n = n\n"
                      "    def __lt__(self, other: 'Word') -> bool:\n"
                      "        return self.n < other.n\n"
                      "def f(a: List[Word], b: List[int]):\n"
                      "    a.sort()\n"
                      "    b.sort()\n",
                      "f");
    ir_graph *g = entry_graph(p);
    assert_true(lower_object_sorts(p, g));
    assert_false(lower_object_sorts(p, g));
    const char *text = plain(g);
    const char *numbers = strstr(text, "aten::sort");
    assert_non_null(numbers);
    assert_null(strstr(numbers + 1, "aten::sort"));
}

static void operators_without_a_kernel_become_calls(void **state) {
    (void)state;
    program *p = load("import torch\n"
                      "def f(x: torch.Tensor, y: torch.Tensor):\n"
                      "    return torch.nn.functional.l1_loss(x, y) + torch.relu(x)\n",
                      "f");
    function **functions = call_graph_reachable(p, program_entries(p));
    bool rewritten = false;
    for (size_t i = 0; i < arrlenu(functions); i++)
        rewritten |= decompose_operators(p, function_graph(functions[i]));
    assert_true(rewritten);
    assert_non_null(strstr(plain(entry_graph(p)), "aten::relu"));
}

/* The overload of the first node of that kind, after decomposing `x * c` with a constant for c. */
static const char *overload_with(ir_constant *c) {
    program *p = load("import torch\n"
                      "def f(x: torch.Tensor, c: torch.Tensor):\n"
                      "    return x * c\n",
                      "f");
    ir_graph *g = entry_graph(p);
    ir_replace_uses(g->block->param->outputs[1], ir_insert_constant(ir_first(g->block), c));
    decompose_operators(p, g);
    IR_EACH(n, g->block) {
        if (n->kind == ir_kind_of("aten::mul"))
            return n->schema->overload;
    }
    return "";
}

static void constants_without_dimensions_are_numbers(void **state) {
    (void)state;
    const int64_t one = 1;
    void *data;
    assert_string_equal(overload_with(tensor_constant_new(PT_FLOAT64, 0, NULL, &data)), "Scalar");
    assert_string_equal(overload_with(tensor_constant_new(PT_INT8, 0, NULL, &data)), "Scalar");
    assert_string_equal(overload_with(tensor_constant_new(PT_FLOAT64, 1, &one, &data)), "Tensor");
    assert_string_equal(overload_with(tensor_constant_new(PT_COMPLEX64, 0, NULL, &data)), "Tensor");
}

static void empty_lists_name_their_dtype(void **state) {
    (void)state;
    program *p = load("import torch\n"
                      "from typing import List\n"
                      "def f(a: List[int], b: List[float]):\n"
                      "    return torch.tensor(a), torch.tensor(b)\n",
                      "f");
    decompose_operators(p, entry_graph(p));
    const char *text = plain(entry_graph(p));
    const char *dtype = strstr(text, "prim::Constant[value=4]");
    assert_non_null(dtype);
    assert_null(strstr(dtype + 1, "prim::Constant[value=6]"));
}

static bool refuses_questions(const char *question) {
    program *p = load(mem_printf("import torch\n"
                                 "def f(x):\n"
                                 "    y = x.to_mkldnn()\n"
                                 "    return y.to_dense(), %s\n",
                                 question),
                      "f");
    function **entries = program_entries(p);
    function_graph(entries[0]);
    diag_handler h;
    if (DIAG_TRY(&h))
        return strstr(h.message, "is not supported in a program that makes tensors of MKL-DNN's layout") != NULL;
    check_opaque_layouts(entries);
    diag_end(&h);
    return false;
}

static void questions_about_opaque_layouts_are_refused(void **state) {
    (void)state;
    assert_true(refuses_questions("x.is_mkldnn"));
    assert_true(refuses_questions("[y.layout for i in range(2)]"));
    assert_false(refuses_questions("x.is_cuda"));
}

static void numbered_einsum_gets_an_equation(void **state) {
    (void)state;
    program *p = load("import torch\n"
                      "def f(a, b):\n"
                      "    return torch.einsum(a, [0, 51], b, [51, 2], [2, 0])\n",
                      "f");
    decompose_operators(p, entry_graph(p));
    const char *text = plain(entry_graph(p));
    assert_non_null(strstr(text, "prim::Constant[value=\"Az,zC->CA\"]"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_inlined_inside_out),
        cmocka_unit_test(inlined_nodes_keep_their_chain_of_callers),
        cmocka_unit_test(interface_calls_and_forks_are_not_inlined),
        cmocka_unit_test(attributes_that_nobody_stores_to_become_constants),
        cmocka_unit_test(unread_attributes_are_not_kept),
        cmocka_unit_test(forks_and_methods_behind_an_interface_are_reached),
        cmocka_unit_test(objects_are_sorted_by_a_function_of_their_class),
        cmocka_unit_test(operators_without_a_kernel_become_calls),
        cmocka_unit_test(constants_without_dimensions_are_numbers),
        cmocka_unit_test(empty_lists_name_their_dtype),
        cmocka_unit_test(questions_about_opaque_layouts_are_refused),
        cmocka_unit_test(numbered_einsum_gets_an_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
