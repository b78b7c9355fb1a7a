/* The IR: text out and in, and what lint finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/diag.h"
#include "exporter/ir/ir.h"
#include "exporter/schema/graph_parser.h"
#include "exporter/schema/schema.h"

static const char *printed(const ir_graph *g) {
    strbuf b = {0};
    ir_print(g, &b);
    return strbuf_text(&b);
}

/* A text that the printer would print comes back unchanged, and its graph has no fault. */
static void assert_round_trip(const char *text) {
    ir_graph *g = ir_parse(text, NULL, NULL);
    assert_string_equal(printed(g), text);
    assert_null(ir_fault(g));
}

static void scalars_and_operators(void **state) {
    (void)state;
    assert_round_trip("graph(%a.1 : int):\n"
                      "  %2 : int = prim::Constant[value=2]()\n"
                      "  %a.5 : int = aten::add(%a.1, %2)\n"
                      "  return (%a.5)\n");
}

static void control_flow(void **state) {
    (void)state;
    assert_round_trip("graph(%n.0 : int,\n"
                      "      %x.1 : Tensor):\n"
                      "  %2 : bool = prim::Constant[value=1]()\n"
                      "  %3 : int = prim::Constant[value=0]()\n"
                      "  %s.4 : int = prim::Loop(%n.0, %2, %3)\n"
                      "    block0(%i.5 : int, %s.6 : int):\n"
                      "      %7 : bool = aten::lt(%i.5, %s.6)\n"
                      "      %s.8 : int = prim::If(%7)\n"
                      "        block0():\n"
                      "          -> (%i.5)\n"
                      "        block1():\n"
                      "          %s.9 : int = aten::mul(%s.6, %i.5)\n"
                      "          -> (%s.9)\n"
                      "      -> (%2, %s.8)\n"
                      "  %10 : (int, Tensor) = prim::TupleConstruct(%s.4, %x.1)\n"
                      "  return (%10)\n");
}

static void constants_of_all_kinds(void **state) {
    (void)state;
    assert_round_trip("graph():\n"
                      "  %0 : NoneType = prim::Constant()\n"
                      "  %1 : float = prim::Constant[value=0.1]()\n"
                      "  %2 : float = prim::Constant[value=-inf]()\n"
                      "  %3 : complex = prim::Constant[value=1.-2.5j]()\n"
                      "  %4 : str = prim::Constant[value=\"a\\\"b\\\\\\n\\001\"]()\n"
                      "  %5 : int[] = prim::Constant[value=[1, -2]]()\n"
                      "  %6 : (int, str) = prim::Constant[value=(3, \"x\")]()\n"
                      "  %7 : Dict(str, float[]) = prim::Constant[value={\"k\": [1., 2.5]}]()\n"
                      "  %8 : Device = prim::Constant[value=\"cpu\"]()\n"
                      "  return (%7)\n");
}

static void types_of_all_kinds(void **state) {
    (void)state;
    assert_round_trip("graph(%0 : int[][]?,\n"
                      "      %1 : Dict(int, (Tensor, str?)),\n"
                      "      %2 : Future(Tensor[]),\n"
                      "      %3 : Union(int[], float, str),\n"
                      "      %4 : Any,\n"
                      "      %5 : ()):\n"
                      "  %6 : bool = prim::isinstance[types=[int, str[]]](%4)\n"
                      "  return (%6)\n");
}

/* As torch.jit.script prints: names with equal numbers, comments, tensors with shapes. */
static void pytorchs_own_text(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%x.1 : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu),\n"
                           "      %y.1 : Tensor):\n"
                           "  %1 : int = prim::Constant[value=1]() # test.py:3:15\n"
                           "  %4 : Tensor = aten::add(%x.1, %y.1, %1) # test.py:3:11\n"
                           "  return (%4)\n",
                           NULL, NULL);
    assert_null(ir_fault(g));
    const ir_node *add = ir_first(g->block)->next;
    assert_string_equal(add->schema->full_name, "aten::add.Tensor");
    assert_int_equal(ir_in(add, 0)->type->kind, TYPE_TENSOR);
    assert_true(ir_in(add, 0)->id != ir_in(add, 1)->id);
}

static void overloads_follow_the_inputs(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%0 : float, %1 : int, %2 : str[]):\n"
                           "  %3 : float = aten::mul(%0, %1)\n"
                           "  %4 : int = aten::len(%2)\n"
                           "  return (%3)\n",
                           NULL, NULL);
    assert_string_equal(ir_first(g->block)->schema->full_name, "aten::mul.float_int");
    assert_string_equal(ir_first(g->block)->next->schema->full_name, "aten::len.t");
}

static void check_refused(const char *text, const char *message) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        ir_parse(text, NULL, NULL);
        diag_end(&h);
        fail_msg("no error in %s", text);
    } else if (!strstr(h.message, message)) {
        fail_msg("'%s' instead of '%s'", h.message, message);
    }
}

static void bad_texts_are_named_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"graph(%0 : int):\n  return (%1)\n", "line 2, column 13: %1 is not defined"},
        {"graph(%0 : int, %0 : int):\n  return ()\n", "line 1, column 25: %0 is defined twice"},
        {"graph(%0 : shape):\n  return ()\n", "line 1, column 17: unknown type 'shape'"},
        {"graph():\n  %0 : int = aten::no_such()\n  return ()\n", "no operator aten::no_such takes these inputs"},
        {"graph():\n  %0 : int = prim::Constant[value=x]()\n  return ()\n", "an integer expected"},
        {"graph():\n  %0 : Tensor = prim::Constant[value=<Tensor>]()\n  return ()\n",
         "constants of type Tensor cannot be read"},
        {"graph():\n  %0 : str = prim::Constant[value=\"a", "the string does not end"},
        {"graph():\n", "'return' expected"},
        {"graph(", "'%' expected"},
        {"graph():\n  return ()\nx", "nothing more expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(cases[i].text, cases[i].message);
}

/* ---- Lint ---- */

static const char small[] = "graph(%c.0 : bool,\n"
                            "      %x.1 : int):\n"
                            "  %2 : int = aten::add(%x.1, %x.1)\n"
                            "  %y.3 : int = prim::If(%c.0)\n"
                            "    block0():\n"
                            "      %4 : int = aten::neg(%2)\n"
                            "      -> (%4)\n"
                            "    block1():\n"
                            "      -> (%x.1)\n"
                            "  return (%y.3)\n";

static void assert_fault(const ir_graph *g, const char *what) {
    const char *fault = ir_fault(g);
    assert_non_null(fault);
    if (!strstr(fault, what))
        fail_msg("'%s' instead of '%s'", fault, what);
}

static void uses_outside_of_the_block_are_faults(void **state) {
    (void)state;
    ir_graph *g = ir_parse(small, NULL, NULL);
    ir_node *branch = ir_first(g->block)->next;
    ir_node_set_input(g->block->result, 0, ir_first(branch->blocks[0])->outputs[0]);
    assert_fault(g, "%4 has 2 uses on its list, and the graph has 1");
}

static void uses_before_the_definition_are_faults(void **state) {
    (void)state;
    ir_graph *g = ir_parse(small, NULL, NULL);
    ir_node *add = ir_first(g->block);
    ir_unlink(add);
    ir_append(g->block, add);
    assert_fault(g, "%2 is used where its definition does not reach");
}

static void lists_of_uses_are_checked(void **state) {
    (void)state;
    ir_graph *g = ir_parse(small, NULL, NULL);
    ir_value *x = g->block->param->outputs[1];
    arrput(x->uses, ((ir_use){ir_first(g->block), 7}));
    assert_fault(g, "%1 has 4 uses on its list, and the graph has 3");
    g = ir_parse(small, NULL, NULL);
    arrsetlen(g->block->param->outputs[1]->uses, 0);
    assert_fault(g, "input 0 is not on the list of uses of %1");
}

static void types_are_checked(void **state) {
    (void)state;
    ir_graph *g = ir_parse(small, NULL, NULL);
    g->block->param->outputs[1]->type = type_basic(TYPE_STR);
    assert_fault(g, "input 0 is of type str, and aten::add.int takes int");
    g = ir_parse(small, NULL, NULL);
    g->block->param->outputs[0]->type = type_basic(TYPE_INT);
    assert_fault(g, "prim::If has a bool and two blocks");
    g = ir_parse(small, NULL, NULL);
    ir_first(g->block)->next->outputs[0]->type = type_basic(TYPE_STR);
    assert_fault(g, "result 0 of a block is of type int");
}

static void blocks_must_agree_with_their_node(void **state) {
    (void)state;
    ir_graph *g = ir_parse(small, NULL, NULL);
    ir_node_remove_input(ir_first(g->block)->next->blocks[1]->result, 0);
    assert_fault(g, "a block has another number of results than the node has outputs");
}

/* Compares what ir_is_before says of every two nodes of a block with their places in its list. */
static void assert_order(const ir_block *b) {
    bool behind = false;
    for (const ir_node *x = b->param; x; x = x->next, behind = false)
        for (const ir_node *y = b->param; y; y = y->next) {
            assert_int_equal(ir_is_before(x, y), behind);
            behind |= x == y;
        }
}

static ir_node *new_int(ir_graph *g) {
    return ir_node_new(g, IR_CONSTANT, 1);
}

/* More nodes at one place than there are numbers between two neighbours: one behind the other, each before the last
 * one, moved about, and in a block whose order was not asked for meanwhile. */
static void order_is_that_of_the_list(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph():\n  return ()\n", NULL, NULL);
    ir_append(g->block, new_int(g));
    ir_node *last = ir_first(g->block);
    for (int i = 0; i < 300; i++)
        ir_insert_before(last, new_int(g));
    assert_order(g->block);
    for (int i = 0; i < 300; i++)
        ir_insert_before(ir_first(g->block), new_int(g));
    assert_order(g->block);
    for (int i = 0; i < 40; i++) {
        ir_insert_after(last, new_int(g));
        ir_move_before(ir_first(g->block)->next, g->block->result->previous);
        if (i % 8 == 0)
            assert_order(g->block);
    }
    for (int i = 0; i < 20; i++)
        ir_destroy(ir_first(g->block)->next);
    assert_order(g->block);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_and_operators),
        cmocka_unit_test(control_flow),
        cmocka_unit_test(constants_of_all_kinds),
        cmocka_unit_test(types_of_all_kinds),
        cmocka_unit_test(pytorchs_own_text),
        cmocka_unit_test(overloads_follow_the_inputs),
        cmocka_unit_test(bad_texts_are_named_with_their_place),
        cmocka_unit_test(uses_outside_of_the_block_are_faults),
        cmocka_unit_test(uses_before_the_definition_are_faults),
        cmocka_unit_test(lists_of_uses_are_checked),
        cmocka_unit_test(types_are_checked),
        cmocka_unit_test(blocks_must_agree_with_their_node),
        cmocka_unit_test(order_is_that_of_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
