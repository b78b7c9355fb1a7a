/* Gradients: which values depend on a tensor, and what stands in the place of a request, by the text of graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/diag.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/lower/autodiff.h"
#include "exporter/passes/lower/collect_appends.h"
#include "exporter/passes/lower/unroll_loops.h"
#include "exporter/passes/optimize/dce.h"

/* A program with nothing in it but the compiler's library. */
static program *library(void) {
    static const char text[] = "def f() -> int:\n    return 1\n";
    source_options options = {NULL, evaluate_operator};
    return program_load_source("test.py", text, strlen(text), "f", &options);
}

/* ---- Dependence ---- */

/* The values of the graph and its blocks that depend on its first parameter, in order. */
static void list_dependent(const gradient_flow *f, const ir_block *b, strbuf *out) {
    for (const ir_node *n = b->param;; n = n->next) {
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            if (flow_depends(f, ir_out(n, i)))
                strbuf_printf(out, " %s", ir_out(n, i)->name);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            list_dependent(f, n->blocks[i], out);
        if (n == b->result)
            return;
    }
}

static void assert_dependent(const char *graph, const char *expected) {
    ir_graph *g = ir_parse(graph, NULL, NULL);
    gradient_flow *f = flow_new(g);
    strbuf out = {0};
    flow_mark(f, ir_out(g->block->param, 0));
    list_dependent(f, g->block, &out);
    assert_string_equal(strbuf_text(&out), expected);
}

static void results_depend_on_operands(void **state) {
    (void)state;
    assert_dependent("graph(%x.0 : Tensor, %y.1 : Tensor):\n"
                     "  %a.2 : Tensor = aten::mul(%x.0, %y.1)\n"
                     "  %b.3 : Tensor = aten::mul(%y.1, %y.1)\n"
                     "  %c.4 : Tensor = aten::detach(%a.2)\n"
                     "  %d.5 : Tensor = aten::gt(%a.2, %y.1)\n"
                     "  %e.6 : int = aten::dim(%a.2)\n"
                     "  %f.7 : Tensor[] = prim::ListConstruct(%b.3, %a.2)\n"
                     "  %i.8 : int = prim::Constant[value=0]()\n"
                     "  %g.9 : Tensor = aten::cat(%f.7, %i.8)\n"
                     "  return (%g.9)\n",
                     " x a f g");
}

static void nothing_is_recorded_while_gradients_are_off(void **state) {
    (void)state;
    assert_dependent("graph(%x.0 : Tensor):\n"
                     "  %before.1 : bool = aten::is_grad_enabled()\n"
                     "  %off.2 : bool = prim::Constant[value=0]()\n"
                     "  aten::set_grad_enabled(%off.2)\n"
                     "  %a.3 : Tensor = aten::mul(%x.0, %x.0)\n"
                     "  aten::set_grad_enabled(%before.1)\n"
                     "  %b.4 : Tensor = aten::mul(%x.0, %a.3)\n"
                     "  return (%b.4)\n",
                     " x b");
}

static void variables_depend_on_what_later_turns_bring(void **state) {
    (void)state;
    assert_dependent("graph(%x.0 : Tensor, %y.1 : Tensor, %n.2 : int):\n"
                     "  %t.3 : bool = prim::Constant[value=1]()\n"
                     "  %p.4 : Tensor, %q.5 : Tensor, %r.6 : Tensor = prim::Loop(%n.2, %t.3, %y.1, %y.1, %y.1)\n"
                     "    block0(%i.7 : int, %a.8 : Tensor, %b.9 : Tensor, %c.10 : Tensor):\n"
                     "      %d.11 : Tensor = aten::mul(%b.9, %x.0)\n"
                     "      -> (%t.3, %b.9, %d.11, %c.10)\n"
                     "  return (%p.4, %q.5, %r.6)\n",
                     " x p q a b d");
}

static void what_is_put_into_a_list_depends_wherever_the_list_is(void **state) {
    (void)state;
    assert_dependent("graph(%x.0 : Tensor, %n.1 : int):\n"
                     "  %t.2 : bool = prim::Constant[value=1]()\n"
                     "  %l.3 : Tensor[] = prim::ListConstruct()\n"
                     "  prim::Loop(%n.1, %t.2)\n"
                     "    block0(%i.4 : int):\n"
                     "      %m.5 : Tensor[] = aten::append(%l.3, %x.0)\n"
                     "      -> (%t.2)\n"
                     "  %a.6 : Tensor = aten::__getitem__(%l.3, %n.1)\n"
                     "  return (%a.6)\n",
                     " x l m a");
}

/* ---- Straight lines ---- */

static const char *plain(const ir_graph *g) {
    strbuf text = {0}, out = {0};
    ir_print(g, &text);
    for (const char *p = strbuf_text(&text); *p;) {
        if (!strncmp(p, " # ", 3))
            p += strcspn(p, "\n");
        else
            strbuf_add_n(&out, p++, 1);
    }
    return strbuf_text(&out);
}

static void assert_straightened(const char *graph, const char *expected) {
    ir_graph *g = ir_parse(graph, NULL, NULL);
    unroll_loops(g->block, &(unroll_limits){100, 100, NULL}, NULL);
    collect_appends(g);
    dce(g);
    if (ir_fault(g))
        fail_msg("%s", ir_fault(g));
    assert_string_equal(plain(g), expected);
}

static void loops_of_known_length_become_their_turns(void **state) {
    (void)state;
    assert_straightened("graph(%x.0 : Tensor):\n"
                        "  %n.1 : int = prim::Constant[value=2]()\n"
                        "  %t.2 : bool = prim::Constant[value=1]()\n"
                        "  %y.3 : Tensor = prim::Loop(%n.1, %t.2, %x.0)\n"
                        "    block0(%i.4 : int, %a.5 : Tensor):\n"
                        "      %b.6 : Tensor = aten::mul(%a.5, %i.4)\n"
                        "      %c.7 : Tensor = aten::add(%b.6, %x.0, %n.1)\n"
                        "      -> (%t.2, %c.7)\n"
                        "  return (%y.3)\n",
                        "graph(%x.0 : Tensor):\n"
                        "  %n.1 : int = prim::Constant[value=2]()\n"
                        "  %8 : int = prim::Constant[value=0]()\n"
                        "  %b.9 : Tensor = aten::mul(%x.0, %8)\n"
                        "  %c.10 : Tensor = aten::add(%b.9, %x.0, %n.1)\n"
                        "  %11 : int = prim::Constant[value=1]()\n"
                        "  %b.12 : Tensor = aten::mul(%c.10, %11)\n"
                        "  %c.13 : Tensor = aten::add(%b.12, %x.0, %n.1)\n"
                        "  return (%c.13)\n");
}

static void loops_that_may_end_early_stay(void **state) {
    (void)state;
    static const char graph[] = "graph(%x.0 : Tensor,\n"
                                "      %t.1 : bool):\n"
                                "  %n.2 : int = prim::Constant[value=2]()\n"
                                "  %y.3 : Tensor = prim::Loop(%n.2, %t.1, %x.0)\n"
                                "    block0(%i.4 : int, %a.5 : Tensor):\n"
                                "      %b.6 : Tensor = aten::mul(%a.5, %i.4)\n"
                                "      -> (%t.1, %b.6)\n"
                                "  return (%y.3)\n";
    assert_straightened(graph, graph);
}

static void lists_that_grow_before_they_are_seen_become_displays(void **state) {
    (void)state;
    assert_straightened("graph(%x.0 : Tensor, %y.1 : Tensor):\n"
                        "  %l.2 : Tensor[] = prim::ListConstruct(%x.0)\n"
                        "  %m.3 : Tensor[] = aten::append(%l.2, %y.1)\n"
                        "  %z.4 : Tensor = aten::neg(%y.1)\n"
                        "  %o.5 : Tensor[] = aten::append(%l.2, %z.4)\n"
                        "  return (%l.2)\n",
                        "graph(%x.0 : Tensor,\n"
                        "      %y.1 : Tensor):\n"
                        "  %z.4 : Tensor = aten::neg(%y.1)\n"
                        "  %l.2 : Tensor[] = prim::ListConstruct(%x.0, %y.1, %z.4)\n"
                        "  return (%l.2)\n");
}

static void lists_that_are_seen_while_they_grow_stay(void **state) {
    (void)state;
    static const char graph[] = "graph(%x.0 : Tensor):\n"
                                "  %l.1 : Tensor[] = prim::ListConstruct(%x.0)\n"
                                "  %n.2 : int = aten::len(%l.1)\n"
                                "  %m.3 : Tensor[] = aten::append(%l.1, %x.0)\n"
                                "  return (%l.1, %n.2)\n";
    assert_straightened(graph, graph);
}

/* ---- Requests ---- */

static void assert_derived(const char *graph, const char *expected) {
    ir_graph *g = ir_parse(graph, NULL, NULL);
    assert_true(autodiff_is_requested(g));
    autodiff(library(), g);
    assert_false(autodiff_is_requested(g));
    dce(g);
    if (ir_fault(g))
        fail_msg("%s", ir_fault(g));
    assert_string_equal(plain(g), expected);
}

static void a_request_becomes_calls_of_formulas(void **state) {
    (void)state;
    assert_derived("graph(%x.0 : Tensor, %g.1 : Tensor):\n"
                   "  %n : NoneType = prim::Constant()\n"
                   "  %off : bool = prim::Constant[value=0]()\n"
                   "  %y.2 : Tensor = aten::exp(%x.0)\n"
                   "  %z.3 : Tensor = aten::neg(%y.2)\n"
                   "  %outputs : Tensor[] = prim::ListConstruct(%z.3)\n"
                   "  %inputs : Tensor[] = prim::ListConstruct(%x.0)\n"
                   "  %given : Tensor?[] = prim::ListConstruct(%g.1)\n"
                   "  %r : Tensor?[] = aten::grad(%outputs, %inputs, %given, %n, %off, %off)\n"
                   "  return (%r)\n",
                   "graph(%x.0 : Tensor,\n"
                   "      %g.1 : Tensor):\n"
                   "  %y.2 : Tensor = aten::exp(%x.0)\n"
                   "  %20 : Tensor = aten::neg(%g.1)\n"
                   "  %21 : Tensor = aten::mul(%20, %y.2)\n"
                   "  %22 : Tensor = aten::detach(%21)\n"
                   "  %19 : Tensor?[] = prim::ListConstruct(%22)\n"
                   "  return (%19)\n");
}

static void gradients_are_summed_where_values_are_used_twice(void **state) {
    (void)state;
    assert_derived("graph(%x.0 : Tensor, %g.1 : Tensor):\n"
                   "  %n : NoneType = prim::Constant()\n"
                   "  %off : bool = prim::Constant[value=0]()\n"
                   "  %y.2 : Tensor = aten::neg(%x.0)\n"
                   "  %z.3 : Tensor = aten::exp(%x.0)\n"
                   "  %outputs : Tensor[] = prim::ListConstruct(%y.2, %z.3)\n"
                   "  %inputs : Tensor[] = prim::ListConstruct(%x.0)\n"
                   "  %given : Tensor?[] = prim::ListConstruct(%g.1, %g.1)\n"
                   "  %r : Tensor?[] = aten::grad(%outputs, %inputs, %given, %n, %off, %off)\n"
                   "  return (%r)\n",
                   "graph(%x.0 : Tensor,\n"
                   "      %g.1 : Tensor):\n"
                   "  %z.3 : Tensor = aten::exp(%x.0)\n"
                   "  %21 : Tensor = aten::mul(%g.1, %z.3)\n"
                   "  %22 : Tensor = aten::neg(%g.1)\n"
                   "  %23 : int = prim::Constant[value=1]()\n"
                   "  %24 : Tensor = aten::add(%21, %22, %23)\n"
                   "  %25 : Tensor = aten::detach(%24)\n"
                   "  %20 : Tensor?[] = prim::ListConstruct(%25)\n"
                   "  return (%20)\n");
}

static void branches_run_once_more(void **state) {
    (void)state;
    assert_derived("graph(%x.0 : Tensor, %g.1 : Tensor, %c.2 : bool):\n"
                   "  %n : NoneType = prim::Constant()\n"
                   "  %off : bool = prim::Constant[value=0]()\n"
                   "  %z.3 : Tensor = prim::If(%c.2)\n"
                   "    block0():\n"
                   "      %y.4 : Tensor = aten::exp(%x.0)\n"
                   "      -> (%y.4)\n"
                   "    block1():\n"
                   "      -> (%x.0)\n"
                   "  %outputs : Tensor[] = prim::ListConstruct(%z.3)\n"
                   "  %inputs : Tensor[] = prim::ListConstruct(%x.0)\n"
                   "  %given : Tensor?[] = prim::ListConstruct(%g.1)\n"
                   "  %r : Tensor?[] = aten::grad(%outputs, %inputs, %given, %n, %off, %off)\n"
                   "  return (%r)\n",
                   "graph(%x.0 : Tensor,\n"
                   "      %g.1 : Tensor,\n"
                   "      %c.2 : bool):\n"
                   "  %19 : Tensor = prim::If(%c.2)\n"
                   "    block0():\n"
                   "      %y.17 : Tensor = aten::exp(%x.0)\n"
                   "      %22 : Tensor = aten::mul(%g.1, %y.17)\n"
                   "      -> (%22)\n"
                   "    block1():\n"
                   "      -> (%g.1)\n"
                   "  %23 : Tensor = aten::detach(%19)\n"
                   "  %21 : Tensor?[] = prim::ListConstruct(%23)\n"
                   "  return (%21)\n");
}

static void backward_gives_leaves_their_gradients(void **state) {
    (void)state;
    assert_derived("graph(%x.0 : Tensor, %g.1 : Tensor):\n"
                   "  %n : NoneType = prim::Constant()\n"
                   "  %off : bool = prim::Constant[value=0]()\n"
                   "  %first : Tensor = prim::grad(%x.0)\n"
                   "  %y.2 : Tensor = aten::neg(%x.0)\n"
                   "  aten::backward(%y.2, %g.1, %n, %off)\n"
                   "  aten::backward(%y.2, %g.1, %n, %off)\n"
                   "  %second : Tensor = prim::grad(%x.0)\n"
                   "  return (%first, %second)\n",
                   "graph(%x.0 : Tensor,\n"
                   "      %g.1 : Tensor):\n"
                   "  %first.9 : Tensor = prim::grad(%x.0)\n"
                   "  %15 : Tensor = aten::neg(%g.1)\n"
                   "  %16 : Tensor = aten::detach(%15)\n"
                   "  %13 : int = prim::Constant[value=0]()\n"
                   "  %14 : Tensor = aten::clone(%16, %13)\n"
                   "  %20 : Tensor = aten::neg(%g.1)\n"
                   "  %21 : Tensor = aten::detach(%20)\n"
                   "  %22 : int = prim::Constant[value=1]()\n"
                   "  %23 : Tensor = aten::add_(%14, %21, %22)\n"
                   "  return (%first.9, %14)\n");
}

static void what_cannot_be_differentiated_is_named(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%x.0 : Tensor, %g.1 : Tensor):\n"
                           "  %n : NoneType = prim::Constant()\n"
                           "  %off : bool = prim::Constant[value=0]()\n"
                           "  %y.2 : Tensor = aten::lgamma(%x.0)\n"
                           "  aten::backward(%y.2, %g.1, %n, %off)\n"
                           "  %r : Tensor = prim::grad(%x.0)\n"
                           "  return (%r)\n",
                           NULL, NULL);
    diag_handler caught;
    if (!DIAG_TRY(&caught)) {
        autodiff(library(), g);
        diag_end(&caught);
        fail_msg("it was differentiated");
    }
    assert_non_null(
        strstr(caught.message, "aten::lgamma cannot be differentiated: there is no formula for its derivative"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_depend_on_operands),
        cmocka_unit_test(nothing_is_recorded_while_gradients_are_off),
        cmocka_unit_test(variables_depend_on_what_later_turns_bring),
        cmocka_unit_test(what_is_put_into_a_list_depends_wherever_the_list_is),
        cmocka_unit_test(loops_of_known_length_become_their_turns),
        cmocka_unit_test(loops_that_may_end_early_stay),
        cmocka_unit_test(lists_that_grow_before_they_are_seen_become_displays),
        cmocka_unit_test(lists_that_are_seen_while_they_grow_stay),
        cmocka_unit_test(a_request_becomes_calls_of_formulas),
        cmocka_unit_test(gradients_are_summed_where_values_are_used_twice),
        cmocka_unit_test(branches_run_once_more),
        cmocka_unit_test(backward_gives_leaves_their_gradients),
        cmocka_unit_test(what_cannot_be_differentiated_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
