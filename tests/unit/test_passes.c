/* Passes, by the text of a graph in and out: what each does, and where it must not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/passes/analysis/mutation.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/lower/lower_tuples.h"
#include "exporter/passes/optimize/cse.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/fold_constants.h"
#include "exporter/passes/optimize/fold_conv_batch_norm.h"
#include "exporter/passes/optimize/functionalize.h"
#include "exporter/passes/optimize/fuse_activations.h"
#include "exporter/passes/optimize/fuse_channel_shuffle.h"
#include "exporter/passes/optimize/fuse_pointwise.h"
#include "exporter/passes/optimize/fuse_set_item.h"
#include "exporter/passes/optimize/hoist_rank.h"
#include "exporter/passes/optimize/insert_layout_conversions.h"
#include "exporter/passes/optimize/pack_weights.h"
#include "exporter/passes/optimize/peephole.h"
#include "exporter/program/program.h"
#include "runtime/kernels/simd/f32.h"

static mutation *analyse(ir_graph *g) {
    function *f = MEM_NEW(function);
    f->name = g->name;
    f->graph = g;
    f->state = FUNCTION_READY;
    function **functions = NULL;
    arrput(functions, f);
    return mutation_analyse(NULL, functions, NULL);
}

static const char *printed(const ir_graph *g) {
    strbuf b = {0};
    ir_print(g, &b);
    return strbuf_text(&b);
}

typedef void (*plain_pass)(ir_graph *g);
typedef void (*mutation_pass)(ir_graph *g, mutation *m);

static void assert_graph(const ir_graph *g, const char *expected) {
    if (ir_fault(g))
        fail_msg("%s", ir_fault(g));
    assert_string_equal(printed(g), expected);
}

static void assert_plain(plain_pass pass, const char *in, const char *out) {
    ir_graph *g = ir_parse(in, NULL, NULL);
    pass(g);
    assert_graph(g, out);
}

static void assert_pass(mutation_pass pass, const char *in, const char *out) {
    ir_graph *g = ir_parse(in, NULL, NULL);
    pass(g, analyse(g));
    dce(g);
    assert_graph(g, out);
}

/* The first node of this kind, in whatever block. */
static const ir_node *find_in_block(const ir_block *b, const char *name) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (!strcmp(ir_kind_name(n->kind), name))
            return n;
        for (size_t i = 0; i < arrlenu(n->blocks); i++) {
            const ir_node *inner = find_in_block(n->blocks[i], name);
            if (inner)
                return inner;
        }
    }
    return NULL;
}

static const ir_node *find(const ir_graph *g, const char *name) {
    return find_in_block(g->block, name);
}

/* The pass leaves the graph as it is. */
static void assert_untouched(mutation_pass pass, const char *text) {
    assert_pass(pass, text, text);
}

/* ---- fold, dce ---- */

static void constants_are_folded_by_the_runtime(void **state) {
    (void)state;
    assert_plain(fold_constants,
                 "graph():\n"
                 "  %0 : int = prim::Constant[value=-7]()\n"
                 "  %1 : int = prim::Constant[value=2]()\n"
                 "  %2 : int = aten::floordiv(%0, %1)\n"
                 "  return (%2)\n",
                 "graph():\n"
                 "  %0 : int = prim::Constant[value=-7]()\n"
                 "  %1 : int = prim::Constant[value=2]()\n"
                 "  %3 : int = prim::Constant[value=-4]()\n"
                 "  return (%3)\n");
}

static void what_raises_is_not_folded(void **state) {
    (void)state;
    static const char division[] = "graph():\n"
                                   "  %0 : int = prim::Constant[value=1]()\n"
                                   "  %1 : int = prim::Constant[value=0]()\n"
                                   "  %2 : int = aten::floordiv(%0, %1)\n"
                                   "  return (%2)\n";
    assert_plain(fold_constants, division, division);
}

static void decided_branches_are_inlined(void **state) {
    (void)state;
    assert_plain(fold_constants,
                 "graph(%x.0 : int):\n"
                 "  %1 : bool = prim::Constant[value=0]()\n"
                 "  %2 : int = prim::If(%1)\n"
                 "    block0():\n"
                 "      -> (%x.0)\n"
                 "    block1():\n"
                 "      %3 : int = aten::neg(%x.0)\n"
                 "      -> (%3)\n"
                 "  return (%2)\n",
                 "graph(%x.0 : int):\n"
                 "  %1 : bool = prim::Constant[value=0]()\n"
                 "  %3 : int = aten::neg(%x.0)\n"
                 "  return (%3)\n");
}

static void dropout_goes_when_it_does_not_train(void **state) {
    (void)state;
    assert_plain(fold_constants,
                 "graph(%x.0 : Tensor, %p.1 : float):\n"
                 "  %2 : bool = prim::Constant[value=0]()\n"
                 "  %3 : Tensor = aten::dropout(%x.0, %p.1, %2)\n"
                 "  return (%3)\n",
                 "graph(%x.0 : Tensor,\n"
                 "      %p.1 : float):\n"
                 "  %2 : bool = prim::Constant[value=0]()\n"
                 "  return (%x.0)\n");
}

static void dead_code_goes_and_effects_stay(void **state) {
    (void)state;
    assert_plain(dce,
                 "graph(%x.0 : Tensor, %l.1 : int[], %i.2 : int):\n"
                 "  %3 : Tensor = aten::relu(%x.0)\n"
                 "  %4 : Tensor = aten::relu_(%x.0)\n"
                 "  %5 : int[] = aten::append(%l.1, %i.2)\n"
                 "  return (%i.2)\n",
                 "graph(%x.0 : Tensor,\n"
                 "      %l.1 : int[],\n"
                 "      %i.2 : int):\n"
                 "  %4 : Tensor = aten::relu_(%x.0)\n"
                 "  %5 : int[] = aten::append(%l.1, %i.2)\n"
                 "  return (%i.2)\n");
}

/* ---- cse ---- */

static void equal_nodes_become_one(void **state) {
    (void)state;
    assert_pass(cse,
                "graph(%x.0 : Tensor, %c.1 : bool):\n"
                "  %2 : int = prim::Constant[value=1]()\n"
                "  %3 : int = prim::Constant[value=1]()\n"
                "  %4 : int = aten::size(%x.0, %2)\n"
                "  %5 : int = prim::If(%c.1)\n"
                "    block0():\n"
                "      %6 : int = aten::size(%x.0, %3)\n"
                "      -> (%6)\n"
                "    block1():\n"
                "      -> (%2)\n"
                "  %7 : int = aten::add(%4, %5)\n"
                "  return (%7)\n",
                "graph(%x.0 : Tensor,\n"
                "      %c.1 : bool):\n"
                "  %2 : int = prim::Constant[value=1]()\n"
                "  %4 : int = aten::size(%x.0, %2)\n"
                "  %5 : int = prim::If(%c.1)\n"
                "    block0():\n"
                "      -> (%4)\n"
                "    block1():\n"
                "      -> (%2)\n"
                "  %7 : int = aten::add(%4, %5)\n"
                "  return (%7)\n");
}

static void what_is_below_does_not_serve_what_is_beside(void **state) {
    (void)state;
    assert_untouched(cse, "graph(%a.0 : int,\n"
                          "      %c.1 : bool):\n"
                          "  %2 : int = prim::If(%c.1)\n"
                          "    block0():\n"
                          "      %3 : int = aten::neg(%a.0)\n"
                          "      -> (%3)\n"
                          "    block1():\n"
                          "      %4 : int = aten::neg(%a.0)\n"
                          "      -> (%4)\n"
                          "  return (%2)\n");
}

static void reads_around_a_write_stay_two(void **state) {
    (void)state;
    assert_untouched(cse, "graph(%l.0 : int[],\n"
                          "      %i.1 : int):\n"
                          "  %2 : int = aten::len(%l.0)\n"
                          "  %3 : int[] = aten::append(%l.0, %i.1)\n"
                          "  %4 : int = aten::len(%l.0)\n"
                          "  %5 : int = aten::sub(%4, %2)\n"
                          "  return (%5)\n");
}

static void results_with_an_identity_stay_two(void **state) {
    (void)state;
    assert_untouched(cse, "graph(%x.0 : Tensor):\n"
                          "  %1 : Tensor = aten::relu(%x.0)\n"
                          "  %2 : Tensor = aten::relu(%x.0)\n"
                          "  %3 : (Tensor, Tensor) = prim::TupleConstruct(%1, %2)\n"
                          "  return (%3)\n");
}

/* ---- fuse_set_item ---- */

#define ASSIGNMENT(VIEW, VALUE, REST)                                                                                  \
    "graph(%x.0 : Tensor, %i.1 : int, %n.2 : " VALUE "):\n"                                                            \
    "  %3 : int = prim::Constant[value=0]()\n"                                                                         \
    "  %4 : bool = prim::Constant[value=0]()\n"                                                                        \
    "  %5 : Tensor = " VIEW "\n"                                                                                       \
    "  %6 : int = prim::dtype(%5)\n"                                                                                   \
    "  %7 : Device = prim::device(%5)\n"                                                                               \
    "  %8 : Tensor = aten::tensor(%n.2, %6, %7, %4)\n"                                                                 \
    "  %9 : Tensor = aten::copy_(%5, %8, %4)\n" REST

static void numbers_are_stored_into_items(void **state) {
    (void)state;
    assert_plain(fuse_set_item, ASSIGNMENT("aten::select(%x.0, %3, %i.1)", "float", "  return (%x.0)\n"),
                 "graph(%x.0 : Tensor,\n"
                 "      %i.1 : int,\n"
                 "      %n.2 : float):\n"
                 "  %3 : int = prim::Constant[value=0]()\n"
                 "  %4 : bool = prim::Constant[value=0]()\n"
                 "  tsm::set_item_(%x.0, %3, %i.1, %n.2)\n"
                 "  return (%x.0)\n");
    /* The view is wanted elsewhere too. */
    assert_plain(fuse_set_item, ASSIGNMENT("aten::select(%x.0, %3, %i.1)", "bool", "  return (%5)\n"),
                 "graph(%x.0 : Tensor,\n"
                 "      %i.1 : int,\n"
                 "      %n.2 : bool):\n"
                 "  %3 : int = prim::Constant[value=0]()\n"
                 "  %4 : bool = prim::Constant[value=0]()\n"
                 "  %5 : Tensor = aten::select(%x.0, %3, %i.1)\n"
                 "  tsm::set_number_(%5, %n.2)\n"
                 "  return (%5)\n");
    /* It is no select. */
    assert_plain(fuse_set_item, ASSIGNMENT("aten::detach(%x.0)", "int", "  return (%x.0)\n"),
                 "graph(%x.0 : Tensor,\n"
                 "      %i.1 : int,\n"
                 "      %n.2 : int):\n"
                 "  %3 : int = prim::Constant[value=0]()\n"
                 "  %4 : bool = prim::Constant[value=0]()\n"
                 "  %5 : Tensor = aten::detach(%x.0)\n"
                 "  tsm::set_number_(%5, %n.2)\n"
                 "  return (%x.0)\n");
}

static void other_copies_stay(void **state) {
    (void)state;
    static const char *const texts[] = {
        ASSIGNMENT("aten::select(%x.0, %3, %i.1)", "int", "  return (%9)\n"), /* the copy's result is used */
        ASSIGNMENT("aten::select(%x.0, %3, %i.1)", "int", "  return (%8)\n"), /* so is the number's tensor */
        ASSIGNMENT("aten::select(%x.0, %3, %i.1)", "complex", "  return (%x.0)\n")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ir_graph *g = ir_parse(texts[i], NULL, NULL);
        fuse_set_item(g);
        assert_non_null(find(g, "aten::copy_"));
    }
}

/* ---- peephole ---- */

static void numbers_of_known_kinds_are_converted_by_name(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%i.0 : int, %f.1 : float, %b.2 : bool):\n"
                           "  %3 : float = aten::Float(%i.0)\n"
                           "  %4 : float = aten::Float(%f.1)\n"
                           "  %5 : int = aten::Int(%i.0)\n"
                           "  %6 : int = aten::Int(%b.2)\n"
                           "  return (%3, %4, %5, %6)\n",
                           NULL, NULL);
    IR_EACH(n, g->block)
    n->schema = schema_find(!strncmp(n->schema->name, "aten::Float", 11) ? "aten::Float.Scalar" : "aten::Int.Scalar");
    peephole(g, analyse(g));
    assert_graph(g, "graph(%i.0 : int,\n"
                    "      %f.1 : float,\n"
                    "      %b.2 : bool):\n"
                    "  %3 : float = aten::Float(%i.0)\n"
                    "  %6 : int = aten::Int(%b.2)\n"
                    "  return (%3, %f.1, %i.0, %6)\n");
    assert_string_equal(ir_first(g->block)->schema->full_name, "aten::Float.int");
    assert_string_equal(ir_first(g->block)->next->schema->full_name, "aten::Int.bool");
}

static void containers_are_taken_apart(void **state) {
    (void)state;
    assert_pass(peephole,
                "graph(%a.0 : int, %b.1 : int):\n"
                "  %2 : int = prim::Constant[value=-1]()\n"
                "  %3 : int[] = prim::ListConstruct(%a.0, %b.1)\n"
                "  %4 : int = aten::__getitem__(%3, %2)\n"
                "  %5 : int = aten::len(%3)\n"
                "  %6 : (int, int) = prim::TupleConstruct(%4, %5)\n"
                "  %7 : int, %8 : int = prim::TupleUnpack(%6)\n"
                "  %9 : int = aten::add(%7, %8)\n"
                "  return (%9)\n",
                "graph(%a.0 : int,\n"
                "      %b.1 : int):\n"
                "  %10 : int = prim::Constant[value=2]()\n"
                "  %9 : int = aten::add(%b.1, %10)\n"
                "  return (%9)\n");
}

static void changed_lists_are_not_taken_apart(void **state) {
    (void)state;
    assert_untouched(peephole, "graph(%a.0 : int):\n"
                               "  %1 : int = prim::Constant[value=0]()\n"
                               "  %2 : int[] = prim::ListConstruct(%a.0)\n"
                               "  %3 : int[] = aten::_set_item(%2, %1, %1)\n"
                               "  %4 : int = aten::__getitem__(%2, %1)\n"
                               "  return (%4)\n");
}

static void neutral_operands_go(void **state) {
    (void)state;
    assert_pass(peephole,
                "graph(%a.0 : int, %x.1 : Tensor, %c.2 : bool):\n"
                "  %3 : int = prim::Constant[value=0]()\n"
                "  %4 : int = prim::Constant[value=1]()\n"
                "  %5 : int = aten::add(%3, %a.0)\n"
                "  %6 : int = aten::mul(%5, %4)\n"
                "  %7 : Tensor = aten::add(%x.1, %3, %4)\n"
                "  %8 : bool = aten::__not__(%c.2)\n"
                "  %9 : bool = aten::__not__(%8)\n"
                "  %10 : (int, Tensor, bool) = prim::TupleConstruct(%6, %7, %9)\n"
                "  return (%10)\n",
                "graph(%a.0 : int,\n"
                "      %x.1 : Tensor,\n"
                "      %c.2 : bool):\n"
                "  %3 : int = prim::Constant[value=0]()\n"
                "  %4 : int = prim::Constant[value=1]()\n"
                "  %7 : Tensor = aten::add(%x.1, %3, %4)\n"
                "  %10 : (int, Tensor, bool) = prim::TupleConstruct(%a.0, %7, %c.2)\n"
                "  return (%10)\n");
}

static void a_check_that_raised_is_not_asked_again(void **state) {
    (void)state;
    assert_pass(peephole,
                "graph(%c.0 : bool, %t.1 : str, %a.2 : int):\n"
                "  %3 : NoneType = prim::Constant()\n"
                "  prim::If(%c.0)\n"
                "    block0():\n"
                "      prim::RaiseException(%t.1, %3)\n"
                "      -> ()\n"
                "    block1():\n"
                "      -> ()\n"
                "  %4 : int = prim::If(%c.0)\n"
                "    block0():\n"
                "      %5 : int = aten::neg(%a.2)\n"
                "      -> (%5)\n"
                "    block1():\n"
                "      -> (%a.2)\n"
                "  return (%4)\n",
                "graph(%c.0 : bool,\n"
                "      %t.1 : str,\n"
                "      %a.2 : int):\n"
                "  %3 : NoneType = prim::Constant()\n"
                "  prim::If(%c.0)\n"
                "    block0():\n"
                "      prim::RaiseException(%t.1, %3)\n"
                "      -> ()\n"
                "    block1():\n"
                "      -> ()\n"
                "  return (%a.2)\n");
}

/* ---- lower_tuples ---- */

static void tuples_go_through_loops_as_their_items(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%n.0 : int, %a.1 : int, %b.2 : int):\n"
                           "  %3 : bool = prim::Constant[value=1]()\n"
                           "  %4 : (int, int) = prim::TupleConstruct(%a.1, %b.2)\n"
                           "  %5 : (int, int) = prim::Loop(%n.0, %3, %4)\n"
                           "    block0(%6 : int, %7 : (int, int)):\n"
                           "      %8 : int, %9 : int = prim::TupleUnpack(%7)\n"
                           "      %10 : int = aten::add(%8, %9)\n"
                           "      %11 : (int, int) = prim::TupleConstruct(%9, %10)\n"
                           "      -> (%3, %11)\n"
                           "  %12 : int, %13 : int = prim::TupleUnpack(%5)\n"
                           "  return (%13)\n",
                           NULL, NULL);
    lower_tuples(g);
    peephole(g, analyse(g));
    dce(g);
    assert_graph(g, "graph(%n.0 : int,\n"
                    "      %a.1 : int,\n"
                    "      %b.2 : int):\n"
                    "  %3 : bool = prim::Constant[value=1]()\n"
                    "  %17 : int, %18 : int = prim::Loop(%n.0, %3, %a.1, %b.2)\n"
                    "    block0(%6 : int, %14 : int, %15 : int):\n"
                    "      %10 : int = aten::add(%14, %15)\n"
                    "      -> (%3, %15, %10)\n"
                    "  return (%18)\n");
}

/* ---- functionalize, rank_questions ---- */

static void in_place_operators_on_new_tensors_become_functional(void **state) {
    (void)state;
    assert_plain(functionalize,
                 "graph(%x.0 : Tensor):\n"
                 "  %1 : Tensor = aten::neg(%x.0)\n"
                 "  %2 : Tensor = aten::relu_(%1)\n"
                 "  %3 : Tensor = aten::exp(%1)\n"
                 "  return (%3)\n",
                 "graph(%x.0 : Tensor):\n"
                 "  %1 : Tensor = aten::neg(%x.0)\n"
                 "  %2 : Tensor = aten::relu(%1)\n"
                 "  %3 : Tensor = aten::exp(%2)\n"
                 "  return (%3)\n");
}

static void in_place_operators_that_others_see_stay(void **state) {
    (void)state;
    static const char argument[] = "graph(%x.0 : Tensor):\n"
                                   "  %1 : Tensor = aten::relu_(%x.0)\n"
                                   "  return (%1)\n";
    static const char viewed[] = "graph(%x.0 : Tensor,\n"
                                 "      %i.1 : int):\n"
                                 "  %2 : Tensor = aten::neg(%x.0)\n"
                                 "  %3 : Tensor = aten::unsqueeze(%2, %i.1)\n"
                                 "  %4 : Tensor = aten::relu_(%2)\n"
                                 "  return (%3)\n";
    static const char in_loop[] = "graph(%x.0 : Tensor,\n"
                                  "      %n.1 : int,\n"
                                  "      %t.2 : bool):\n"
                                  "  %3 : Tensor = aten::neg(%x.0)\n"
                                  "  prim::Loop(%n.1, %t.2)\n"
                                  "    block0(%4 : int):\n"
                                  "      %5 : Tensor = aten::relu_(%3)\n"
                                  "      -> (%t.2)\n"
                                  "  return (%3)\n";
    assert_plain(functionalize, argument, argument);
    assert_plain(functionalize, viewed, viewed);
    assert_plain(functionalize, in_loop, in_loop);
}

static void ranks_are_asked_before_layers(void **state) {
    (void)state;
    assert_plain(hoist_rank,
                 "graph(%x.0 : Tensor, %w.1 : Tensor, %b.2 : Tensor?):\n"
                 "  %3 : Tensor = aten::relu(%x.0)\n"
                 "  %4 : Tensor = aten::linear(%3, %w.1, %b.2)\n"
                 "  %5 : int = aten::dim(%4)\n"
                 "  return (%5)\n",
                 "graph(%x.0 : Tensor,\n"
                 "      %w.1 : Tensor,\n"
                 "      %b.2 : Tensor?):\n"
                 "  %3 : Tensor = aten::relu(%x.0)\n"
                 "  %4 : Tensor = aten::linear(%3, %w.1, %b.2)\n"
                 "  %5 : int = aten::dim(%3)\n"
                 "  return (%5)\n");
}

/* ---- Layers: graphs whose weights are constants, which texts cannot hold ---- */

static ir_constant *filled(int ndim, const int64_t *sizes, float first, float step) {
    float *data;
    ir_constant *c = tensor_constant_new_floats(ndim, sizes, &data);
    int64_t n = pt_tensor_numel(c->tensor);
    for (int64_t i = 0; i < n; i++)
        data[i] = first + step * (float)i;
    return c;
}

/* Parameter `i` of the graph becomes a constant (and stays as an unused parameter). */
static void bind(ir_graph *g, uint32_t i, ir_constant *c) {
    ir_value *v = ir_insert_constant(ir_first(g->block), c);
    ir_replace_uses(g->block->param->outputs[i], v);
}

static const char convolution[] =
    "graph(%x.0 : Tensor, %w.1 : Tensor, %b.2 : Tensor, %g.3 : Tensor, %m.4 : Tensor, %v.5 : Tensor):\n"
    "  %6 : int = prim::Constant[value=1]()\n"
    "  %7 : int = prim::Constant[value=0]()\n"
    "  %8 : bool = prim::Constant[value=0]()\n"
    "  %9 : float = prim::Constant[value=0.1]()\n"
    "  %10 : float = prim::Constant[value=0.5]()\n"
    "  %11 : int[] = prim::ListConstruct(%6, %6)\n"
    "  %12 : int[] = prim::ListConstruct(%7, %7)\n"
    "  %y.13 : Tensor = aten::conv2d(%x.0, %w.1, %b.2, %11, %12, %11, %6)\n"
    "  %z.14 : Tensor = aten::batch_norm(%y.13, %g.3, %b.2, %m.4, %v.5, %8, %9, %10, %8)\n"
    "  %a.15 : Tensor = aten::add(%z.14, %x.0, %6)\n"
    "  %r.16 : Tensor = aten::relu(%a.15)\n"
    "  return (%r.16)\n";

static ir_graph *bound_convolution(const char *text) {
    static const int64_t weight[] = {2, 2, 1, 1}, channels[] = {2};
    ir_graph *g = ir_parse(text, NULL, NULL);
    bind(g, 1, filled(4, weight, 1, 1));      /* [[1, 2], [3, 4]] */
    bind(g, 2, filled(1, channels, 10, 1));   /* bias and beta [10, 11] */
    bind(g, 3, filled(1, channels, 2, 2));    /* gamma [2, 4] */
    bind(g, 4, filled(1, channels, 1, 0));    /* mean [1, 1] */
    bind(g, 5, filled(1, channels, 0.5f, 3)); /* var [0.5, 3.5] */
    return g;
}

static float element(const ir_value *v, int64_t i) {
    const ir_constant *c = ir_constant_of(v);
    assert_non_null(c);
    return ((const float *)pt_tensor_data(c->tensor))[i];
}

static void batch_norm_goes_into_the_convolution(void **state) {
    (void)state;
    ir_graph *g = bound_convolution(convolution);
    fold_conv_batch_norm(g, analyse(g));
    assert_null(ir_fault(g));
    assert_null(find(g, "aten::batch_norm"));
    /* scale = gamma / sqrt(var + 0.5) = [2, 2] */
    const ir_node *conv = find(g, "aten::conv2d");
    const float weights[] = {2, 4, 6, 8}, biases[] = {(10 - 1) * 2 + 10, (11 - 1) * 2 + 11};
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(element(ir_in(conv, 1), i) - weights[i]) < 1e-5f);
    for (int i = 0; i < 2; i++)
        assert_true(fabsf(element(ir_in(conv, 2), i) - biases[i]) < 1e-5f);
}

static void batch_norm_that_trains_stays(void **state) {
    (void)state;
    char text[sizeof convolution];
    strcpy(text, convolution);
    memcpy(strstr(text, "bool = prim::Constant[value=0]"), "bool = prim::Constant[value=1]",
           strlen("bool = prim::Constant[value=1]"));
    ir_graph *g = bound_convolution(text);
    fold_conv_batch_norm(g, analyse(g));
    assert_non_null(find(g, "aten::batch_norm"));
}

static void convolutions_are_packed_and_fused(void **state) {
    (void)state;
    ir_graph *g = bound_convolution(convolution);
    fold_conv_batch_norm(g, analyse(g));
    pack_weights(g, analyse(g), packed_weights_new());
    fuse_activations(g, analyse(g));
    assert_null(ir_fault(g));
    const ir_node *conv = find(g, "tsm::convolution");
    assert_non_null(conv);
    assert_null(find(g, "aten::add"));
    assert_null(find(g, "aten::relu"));
    /* Packed: [1 panel, 1, 1, 2 inputs, 16 outputs], outputs past 2 are zeros. */
    const float expected[] = {2, 6, 0, 4, 8, 0};
    for (int k = 0; k < 2; k++)
        for (int o = 0; o < 3; o++)
            assert_true(fabsf(element(ir_in(conv, 1), k * 16 + o) - expected[k * 3 + o]) < 1e-5f);
    assert_ptr_equal(ir_in(conv, 3), g->block->param->outputs[0]); /* the residual */
    int64_t activation;
    assert_true(ir_constant_int(ir_in(conv, 9), &activation));
    assert_int_equal(activation, TSM_ACT_RELU);
}

static void weights_that_are_written_to_are_not_packed(void **state) {
    (void)state;
    static const char text[] = "graph(%x.0 : Tensor, %w.1 : Tensor):\n"
                               "  %2 : NoneType = prim::Constant()\n"
                               "  %3 : Tensor = aten::linear(%x.0, %w.1, %2)\n"
                               "  %4 : Tensor = aten::zero_(%w.1)\n"
                               "  return (%3)\n";
    static const int64_t sizes[] = {2, 2};
    ir_graph *g = ir_parse(text, NULL, NULL);
    bind(g, 1, filled(2, sizes, 1, 1));
    pack_weights(g, analyse(g), packed_weights_new());
    assert_null(find(g, "tsm::linear"));
}

static void layouts_are_brought_back_where_they_are_seen(void **state) {
    (void)state;
    static const char text[] =
        "graph(%x.0 : Tensor, %w.1 : Tensor, %b.2 : Tensor, %g.3 : Tensor, %m.4 : Tensor, %v.5 : Tensor):\n"
        "  %6 : int = prim::Constant[value=1]()\n"
        "  %7 : int = prim::Constant[value=0]()\n"
        "  %8 : int[] = prim::ListConstruct(%6, %6)\n"
        "  %9 : int[] = prim::ListConstruct(%7, %7)\n"
        "  %y.10 : Tensor = aten::conv2d(%x.0, %w.1, %b.2, %8, %9, %8, %6)\n"
        "  %e.11 : Tensor = aten::exp(%y.10)\n"
        "  %s.12 : int[] = aten::stride(%e.11)\n"
        "  %s.13 : int[] = aten::size(%e.11)\n"
        "  return (%s.12)\n";
    ir_graph *g = bound_convolution(text);
    pack_weights(g, analyse(g), packed_weights_new());
    insert_layout_conversions(g, analyse(g));
    assert_null(ir_fault(g));
    const ir_node *stride = find(g, "aten::stride"), *size = find(g, "aten::size"), *exponential = find(g, "aten::exp");
    assert_string_equal(ir_kind_name(ir_in(stride, 0)->node->kind), "aten::contiguous");
    assert_ptr_equal(ir_in(size, 0)->node, exponential);
    assert_ptr_equal(ir_in(exponential, 0)->node, find(g, "tsm::convolution"));
}

static void spelled_out_channel_shuffles_are_recognized(void **state) {
    (void)state;
    static const char text[] = "graph(%x.0 : Tensor, %g.1 : int):\n"
                               "  %2 : int[] = aten::size(%x.0)\n"
                               "  %3 : int, %4 : int, %5 : int, %6 : int = prim::ListUnpack(%2)\n"
                               "  %7 : int = aten::floordiv(%4, %g.1)\n"
                               "  %8 : int[] = prim::ListConstruct(%3, %g.1, %7, %5, %6)\n"
                               "  %9 : Tensor = aten::view(%x.0, %8)\n"
                               "  %10 : int = prim::Constant[value=1]()\n"
                               "  %11 : int = prim::Constant[value=2]()\n"
                               "  %12 : Tensor = aten::transpose(%9, %10, %11)\n"
                               "  %13 : int = prim::Constant[value=0]()\n"
                               "  %14 : Tensor = aten::contiguous(%12, %13)\n"
                               "  %15 : int = prim::Constant[value=-1]()\n"
                               "  %16 : int[] = prim::ListConstruct(%3, %15, %5, %6)\n"
                               "  %17 : Tensor = aten::view(%14, %16)\n"
                               "  return (%17)\n";
    assert_pass(fuse_channel_shuffle, text,
                "graph(%x.0 : Tensor,\n"
                "      %g.1 : int):\n"
                "  %2 : int[] = aten::size(%x.0)\n"
                "  %3 : int, %4 : int, %5 : int, %6 : int = prim::ListUnpack(%2)\n" /* raises when there are not four */
                "  %18 : Tensor = aten::channel_shuffle(%x.0, %g.1)\n"
                "  return (%18)\n");
    /* Height and width exchanged: another operation. */
    char other[sizeof text];
    strcpy(other, text);
    memcpy(strstr(other, "%15, %5, %6"), "%15, %6, %5", strlen("%15, %6, %5"));
    ir_graph *g = ir_parse(other, NULL, NULL);
    fuse_channel_shuffle(g, analyse(g));
    assert_null(find(g, "aten::channel_shuffle"));
}

static void shuffles_of_joined_tensors_are_one_copy(void **state) {
    (void)state;
    assert_pass(fuse_channel_shuffle,
                "graph(%x.0 : Tensor, %y.1 : Tensor):\n"
                "  %2 : int = prim::Constant[value=1]()\n"
                "  %3 : Tensor[] = prim::ListConstruct(%x.0, %y.1)\n"
                "  %4 : Tensor = aten::cat(%3, %2)\n"
                "  %5 : int[] = aten::size(%4)\n"
                "  %6 : int = prim::Constant[value=2]()\n"
                "  %7 : Tensor = aten::channel_shuffle(%4, %6)\n"
                "  return (%7, %5)\n",
                "graph(%x.0 : Tensor,\n"
                "      %y.1 : Tensor):\n"
                "  %3 : Tensor[] = prim::ListConstruct(%x.0, %y.1)\n"
                "  %8 : Tensor = tsm::cat_shuffled(%3)\n"
                "  %5 : int[] = aten::size(%8)\n"
                "  return (%8, %5)\n");
    /* The joined tensor is used for itself, too. */
    ir_graph *g = ir_parse("graph(%x.0 : Tensor, %y.1 : Tensor):\n"
                           "  %2 : int = prim::Constant[value=1]()\n"
                           "  %3 : Tensor[] = prim::ListConstruct(%x.0, %y.1)\n"
                           "  %4 : Tensor = aten::cat(%3, %2)\n"
                           "  %6 : int = prim::Constant[value=2]()\n"
                           "  %7 : Tensor = aten::channel_shuffle(%4, %6)\n"
                           "  return (%7, %4)\n",
                           NULL, NULL);
    fuse_channel_shuffle(g, analyse(g));
    assert_non_null(find(g, "aten::channel_shuffle"));
}

static void pointwise_chains_are_one_pass(void **state) {
    (void)state;
    static const char chain[] = "graph(%x.0 : Tensor, %y.1 : Tensor):\n"
                                "  %2 : int = prim::Constant[value=1]()\n"
                                "  %3 : float = prim::Constant[value=2.]()\n"
                                "  %4 : Tensor = aten::mul(%x.0, %3)\n"
                                "  %5 : Tensor = aten::add(%4, %y.1, %2)\n"
                                "  %6 : Tensor = aten::tanh(%5)\n"
                                "  return (%6)\n";
    ir_graph *g = ir_parse(chain, NULL, NULL);
    fuse_pointwise(g, analyse(g));
    assert_null(ir_fault(g));
    const ir_node *made = find(g, "tsm::pointwise"), *branch = g->block->result->inputs[0]->node;
    assert_int_equal(branch->kind, IR_IF);
    assert_ptr_equal(made->block, branch->blocks[0]);
    assert_ptr_equal(find(g, "aten::add")->block, branch->blocks[1]);
    const ir_constant *code = ir_constant_of(ir_in(made, 4));
    assert_int_equal(code->string.length, 12);
    assert_memory_equal(code->string.bytes, "*0aA+00bty0.", 12);
    /* What lies between is used elsewhere, too: it is made before, and the chain begins behind it. */
    char other[sizeof chain];
    strcpy(other, chain);
    memcpy(strstr(other, "return (%6)"), "return (%5)", strlen("return (%5)"));
    g = ir_parse(other, NULL, NULL);
    fuse_pointwise(g, analyse(g));
    code = ir_constant_of(ir_in(find(g, "tsm::pointwise"), 4));
    assert_int_equal(code->string.length, 8);
    /* A single operator stays, and so does what is written to. */
    g = ir_parse("graph(%x.0 : Tensor):\n"
                 "  %1 : int = prim::Constant[value=1]()\n"
                 "  %2 : Tensor = aten::relu(%x.0)\n"
                 "  %3 : Tensor = aten::add_(%2, %1, %1)\n"
                 "  %4 : Tensor = aten::tanh(%2)\n"
                 "  return (%4)\n",
                 NULL, NULL);
    fuse_pointwise(g, analyse(g));
    assert_null(find(g, "tsm::pointwise"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_folded_by_the_runtime),
        cmocka_unit_test(what_raises_is_not_folded),
        cmocka_unit_test(decided_branches_are_inlined),
        cmocka_unit_test(dropout_goes_when_it_does_not_train),
        cmocka_unit_test(dead_code_goes_and_effects_stay),
        cmocka_unit_test(equal_nodes_become_one),
        cmocka_unit_test(what_is_below_does_not_serve_what_is_beside),
        cmocka_unit_test(reads_around_a_write_stay_two),
        cmocka_unit_test(results_with_an_identity_stay_two),
        cmocka_unit_test(containers_are_taken_apart),
        cmocka_unit_test(changed_lists_are_not_taken_apart),
        cmocka_unit_test(neutral_operands_go),
        cmocka_unit_test(a_check_that_raised_is_not_asked_again),
        cmocka_unit_test(tuples_go_through_loops_as_their_items),
        cmocka_unit_test(in_place_operators_on_new_tensors_become_functional),
        cmocka_unit_test(in_place_operators_that_others_see_stay),
        cmocka_unit_test(ranks_are_asked_before_layers),
        cmocka_unit_test(batch_norm_goes_into_the_convolution),
        cmocka_unit_test(batch_norm_that_trains_stays),
        cmocka_unit_test(numbers_are_stored_into_items),
        cmocka_unit_test(other_copies_stay),
        cmocka_unit_test(numbers_of_known_kinds_are_converted_by_name),
        cmocka_unit_test(convolutions_are_packed_and_fused),
        cmocka_unit_test(weights_that_are_written_to_are_not_packed),
        cmocka_unit_test(layouts_are_brought_back_where_they_are_seen),
        cmocka_unit_test(spelled_out_channel_shuffles_are_recognized),
        cmocka_unit_test(shuffles_of_joined_tensors_are_one_copy),
        cmocka_unit_test(pointwise_chains_are_one_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
