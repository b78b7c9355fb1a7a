/* Specialization to an example, by the text of graphs in and out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/lower/unroll_loops.h"
#include "exporter/passes/optimize/build_lists.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/fold_constants.h"
#include "exporter/passes/specialize/guard_entry.h"
#include "exporter/program/program.h"

static function *function_of(ir_graph *g) {
    function *f = MEM_NEW(function);
    f->name = g->name;
    f->graph = g;
    f->state = FUNCTION_READY;
    return f;
}

static mutation *analyse(ir_graph *g) {
    function **functions = NULL;
    arrput(functions, function_of(g));
    return mutation_analyse(NULL, functions, NULL);
}

static const char *printed(const ir_graph *g) {
    strbuf b = {0};
    ir_print(g, &b);
    return strbuf_text(&b);
}

/* The text with its values numbered in the order in which they are named: equal for graphs that differ in names only.
 */
static const char *numbered(const char *text) {
    struct {
        char *key;
        int value;
    } *numbers = NULL;
    strbuf b = {0};
    while (*text) {
        size_t n = *text == '%' ? 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789._") : 0;
        if (n) {
            char *name = mem_strndup(text, n);
            if (shgeti(numbers, name) < 0)
                shput(numbers, name, (int)shlen(numbers));
            strbuf_printf(&b, "%%%d", shget(numbers, name));
        } else {
            strbuf_add_n(&b, text, n = 1);
        }
        text += n;
    }
    return strbuf_text(&b);
}

static void assert_graph(const ir_graph *g, const char *expected) {
    if (ir_fault(g))
        fail_msg("%s", ir_fault(g));
    assert_string_equal(numbered(printed(g)), numbered(expected));
}

static const shape *tensor_shape(int dtype, int dims, const int64_t *sizes) {
    shape *s = MEM_NEW(shape);
    s->kind = SHAPE_TENSOR;
    s->dtype = dtype;
    s->dims = dims;
    for (int d = 0; d < dims; d++)
        s->sizes[d] = sizes[d];
    return s;
}

/* Says of the outputs of all operators of a name that they were seen as float32 of two sizes. */
static void see_all(const ir_block *b, const char *name, int64_t rows, int64_t columns, shape_map *seen) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            see_all(n->blocks[i], name, rows, columns, seen);
        if (n->schema && !strcmp(n->schema->name, name))
            shape_see(seen, ir_out(n, 0), tensor_shape(PT_FLOAT32, 2, (int64_t[]){rows, columns}));
    }
}

/* ---- Guards ---- */

static ir_constant *example_tensor(void) {
    float *data;
    return tensor_constant_new_floats(2, (int64_t[]){4, 6}, &data);
}

static void test_the_entry_is_guarded(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%x : Tensor, %m : Tensor?, %flag : bool, %n : int):\n"
                           "  %r : Tensor = aten::relu(%x)\n"
                           "  return (%r)\n",
                           NULL, NULL);
    example e = {.entry = function_of(g)};
    shape_map given = NULL;
    arrput(e.arguments, example_tensor());
    arrput(e.arguments, const_none());
    arrput(e.arguments, const_bool(true));
    arrput(e.arguments, const_int(3));
    guard_entry_finish(guard_entry(&e, &given));
    assert_graph(g, "graph(%x : Tensor,\n"
                    "      %m : Tensor?,\n"
                    "      %flag : bool,\n"
                    "      %n : int):\n"
                    "  %5 : int[] = prim::Constant[value=[6, 4, 6]]()\n"
                    "  %6 : NoneType = prim::Constant()\n"
                    "  %8 : bool = prim::Constant[value=1]()\n"
                    "  %4 : bool = prim::TypeCheck(%x, %5, %m, %6, %flag, %8)\n"
                    "  %11 : Tensor = prim::If(%4)\n"
                    "    block0():\n"
                    "      %7 : NoneType = prim::Constant()\n"
                    "      %9 : bool = prim::Constant[value=1]()\n"
                    "      %s : Tensor = aten::relu(%x)\n"
                    "      -> (%s)\n"
                    "    block1():\n"
                    "      %r : Tensor = aten::relu(%x)\n"
                    "      -> (%r)\n"
                    "  return (%11)\n");
}

static void test_optional_tensors_are_tensors_inside(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%m : Tensor?):\n"
                           "  %n : NoneType = prim::Constant()\n"
                           "  %b : bool = aten::__is__(%m, %n)\n"
                           "  return (%b)\n",
                           NULL, NULL);
    example e = {.entry = function_of(g)};
    shape_map given = NULL;
    arrput(e.arguments, example_tensor());
    guard_entry_finish(guard_entry(&e, &given));
    fold_constants(g);
    dce(g);
    assert_graph(g, "graph(%m : Tensor?):\n"
                    "  %e : int[] = prim::Constant[value=[6, 4, 6]]()\n"
                    "  %c : bool = prim::TypeCheck(%m, %e)\n"
                    "  %r : bool = prim::If(%c)\n"
                    "    block0():\n"
                    "      %f : bool = prim::Constant[value=0]()\n"
                    "      -> (%f)\n"
                    "    block1():\n"
                    "      %n : NoneType = prim::Constant()\n"
                    "      %b : bool = aten::__is__(%m, %n)\n"
                    "      -> (%b)\n"
                    "  return (%r)\n");
}

static void test_tuples_are_looked_into(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%p : (Tensor, int)):\n"
                           "  %x : Tensor, %n : int = prim::TupleUnpack(%p)\n"
                           "  %i : int = prim::Constant[value=1]()\n"
                           "  %s : int = aten::size(%x, %i)\n"
                           "  return (%s)\n",
                           NULL, NULL);
    ir_constant *pair = const_new(CONST_TUPLE, g->block->param->outputs[0]->type);
    arrput(pair->list.items, example_tensor());
    arrput(pair->list.items, const_int(7));
    pair->list.count = 2;
    example e = {.entry = function_of(g)};
    shape_map given = NULL;
    arrput(e.arguments, pair);
    guarded_entry guarded = guard_entry(&e, &given);
    shape_facts facts = {analyse(g), false, given, NULL};
    assert_true(fold_shapes(guarded.inside, &facts));
    guard_entry_finish(guarded);
    dce(g);
    assert_null(ir_fault(g));
    const ir_constant *answer = ir_constant_of(ir_in(guarded.inside->result, 0));
    assert_non_null(answer);
    assert_int_equal(answer->integer, 6);
}

/* ---- Shapes ---- */

/* Folds what is seen of `name` into the graph, again and again, and compares. */
static void assert_folded(const char *in, const char *name, const char *out) {
    ir_graph *g = ir_parse(in, NULL, NULL);
    shape_facts facts = {.mutation = analyse(g), .shapes_change = shapes_change_in(g->block)};
    for (uint32_t i = 0; i < ir_output_count(g->block->param); i++)
        if (g->block->param->outputs[i]->type->kind == TYPE_TENSOR)
            hmput(facts.given, g->block->param->outputs[i], tensor_shape(PT_FLOAT32, 2, (int64_t[]){4, 6}));
    see_all(g->block, name, 4, 6, &facts.seen);
    for (bool changed = true; changed;) {
        changed = fold_shapes(g->block, &facts);
        fold_constants(g);
        changed |= unroll_loops(g->block, &(unroll_limits){16, 256, NULL}, &facts.seen);
    }
    dce(g);
    assert_graph(g, out);
}

static void test_sizes_are_constants(void **state) {
    (void)state;
    assert_folded("graph(%x : Tensor):\n"
                  "  %r : Tensor = aten::relu(%x)\n"
                  "  %i : int = prim::Constant[value=-1]()\n"
                  "  %a : int = aten::size(%r, %i)\n"
                  "  %b : int = aten::dim(%r)\n"
                  "  %c : int = aten::mul(%a, %b)\n"
                  "  %d : int[] = prim::ListConstruct(%c, %i)\n"
                  "  %y : Tensor = aten::reshape(%r, %d)\n"
                  "  return (%y)\n",
                  "aten::relu",
                  "graph(%x : Tensor):\n"
                  "  %r : Tensor = aten::relu(%x)\n"
                  "  %13 : int[] = prim::Constant[value=[12, -1]]()\n"
                  "  %y : Tensor = aten::reshape(%r, %13)\n"
                  "  return (%y)\n");
}

static void test_size_lists_and_types_are_constants(void **state) {
    (void)state;
    assert_folded("graph(%x : Tensor):\n"
                  "  %s : int[] = aten::size(%x)\n"
                  "  %a : int, %b : int = prim::ListUnpack(%s)\n"
                  "  %n : int = aten::len(%s)\n"
                  "  %t : int = prim::dtype(%x)\n"
                  "  %e : int = aten::numel(%x)\n"
                  "  %r : (int, int, int, int, int) = prim::TupleConstruct(%a, %b, %n, %t, %e)\n"
                  "  return (%r)\n",
                  "",
                  "graph(%x : Tensor):\n"
                  "  %10 : int = prim::Constant[value=4]()\n"
                  "  %11 : int = prim::Constant[value=6]()\n"
                  "  %12 : int = prim::Constant[value=2]()\n"
                  "  %13 : int = prim::Constant[value=6]()\n"
                  "  %14 : int = prim::Constant[value=24]()\n"
                  "  %r : (int, int, int, int, int) = prim::TupleConstruct(%10, %11, %12, %13, %14)\n"
                  "  return (%r)\n");
}

/* What was seen holds for this example only: the sizes of the result depend on elements. */
static void test_sizes_that_depend_on_elements_are_not(void **state) {
    (void)state;
    static const char *const text = "graph(%x : Tensor):\n"
                                    "  %r : Tensor = aten::nonzero(%x)\n"
                                    "  %i : int = prim::Constant[value=0]()\n"
                                    "  %a : int = aten::size(%r, %i)\n"
                                    "  return (%a)\n";
    assert_folded(text, "aten::nonzero", text);
}

static void test_what_follows_from_unknown_numbers_is_not(void **state) {
    (void)state;
    static const char *const text = "graph(%x : Tensor,\n"
                                    "      %n : int):\n"
                                    "  %i : int = prim::Constant[value=0]()\n"
                                    "  %s : int = prim::Constant[value=1]()\n"
                                    "  %r : Tensor = aten::slice(%x, %i, %i, %n, %s)\n"
                                    "  %a : int = aten::size(%r, %i)\n"
                                    "  return (%a)\n";
    assert_folded(text, "aten::slice", text);
}

static void test_masks_decide_sizes_and_positions_do_not(void **state) {
    (void)state;
    ir_graph *g = ir_parse("graph(%x : Tensor, %k : Tensor):\n"
                           "  %l : Tensor?[] = prim::ListConstruct(%k)\n"
                           "  %r : Tensor = aten::index(%x, %l)\n"
                           "  %a : int = aten::dim(%r)\n"
                           "  return (%a)\n",
                           NULL, NULL);
    for (int mask = 1; mask >= 0; mask--) {
        shape_facts facts = {.mutation = analyse(g)};
        hmput(facts.given, g->block->param->outputs[0], tensor_shape(PT_FLOAT32, 2, (int64_t[]){4, 6}));
        hmput(facts.given, g->block->param->outputs[1], tensor_shape(mask ? PT_BOOL : PT_INT64, 1, (int64_t[]){4}));
        see_all(g->block, "aten::index", 4, 6, &facts.seen);
        assert_int_equal(fold_shapes(g->block, &facts), !mask);
    }
}

static void test_written_tensors_are_unknown_where_sizes_change(void **state) {
    (void)state;
    assert_folded("graph(%x : Tensor):\n"
                  "  %i : int = prim::Constant[value=0]()\n"
                  "  %u : Tensor = aten::unsqueeze_(%x, %i)\n"
                  "  %a : int = aten::dim(%x)\n"
                  "  return (%a)\n",
                  "aten::unsqueeze_",
                  "graph(%x : Tensor):\n"
                  "  %i : int = prim::Constant[value=0]()\n"
                  "  %u : Tensor = aten::unsqueeze_(%x, %i)\n"
                  "  %a : int = aten::dim(%x)\n"
                  "  return (%a)\n");
}

static void test_written_lists_stay_lists(void **state) {
    (void)state;
    static const char *const text = "graph(%x : Tensor):\n"
                                    "  %s : int[] = aten::size(%x)\n"
                                    "  %i : int = prim::Constant[value=1]()\n"
                                    "  %t : int[] = aten::append(%s, %i)\n"
                                    "  return (%s)\n";
    assert_folded(text, "", text);
}

static void test_both_branches_must_agree(void **state) {
    (void)state;
    static const char *const same = "graph(%x : Tensor, %c : bool):\n"
                                    "  %y : Tensor = prim::If(%c)\n"
                                    "    block0():\n"
                                    "      %r : Tensor = aten::relu(%x)\n"
                                    "      -> (%r)\n"
                                    "    block1():\n"
                                    "      -> (%x)\n"
                                    "  %d : int = aten::dim(%y)\n"
                                    "  return (%d)\n";
    static const char *const answer = "graph(%x : Tensor,\n"
                                      "      %c : bool):\n"
                                      "  %7 : int = prim::Constant[value=2]()\n"
                                      "  return (%7)\n";
    assert_folded(same, "aten::relu", answer);
    ir_graph *g = ir_parse(same, NULL, NULL); /* the first branch never ran */
    shape_facts facts = {.mutation = analyse(g)};
    hmput(facts.given, g->block->param->outputs[0], tensor_shape(PT_FLOAT32, 2, (int64_t[]){4, 6}));
    assert_false(fold_shapes(g->block, &facts));
}

/* ---- Loops ---- */

static void test_loops_keep_the_shape_that_they_give_back(void **state) {
    (void)state;
    static const char *const loop = "graph(%x : Tensor, %n : int):\n"
                                    "  %t : bool = prim::Constant[value=1]()\n"
                                    "  %y : Tensor = prim::Loop(%n, %t, %x)\n"
                                    "    block0(%i : int, %h : Tensor):\n"
                                    "      %r : Tensor = aten::relu(%h)\n"
                                    "      -> (%t, %r)\n"
                                    "  %d : int = aten::dim(%y)\n"
                                    "  return (%d)\n";
    ir_graph *g = ir_parse(loop, NULL, NULL);
    shape_facts facts = {.mutation = analyse(g)};
    hmput(facts.given, g->block->param->outputs[0], tensor_shape(PT_FLOAT32, 2, (int64_t[]){4, 6}));
    see_all(g->block, "aten::relu", 4, 6, &facts.seen);
    assert_true(fold_shapes(g->block, &facts));
    g = ir_parse(loop, NULL, NULL); /* another shape comes back */
    facts = (shape_facts){.mutation = analyse(g)};
    hmput(facts.given, g->block->param->outputs[0], tensor_shape(PT_FLOAT32, 2, (int64_t[]){4, 6}));
    see_all(g->block, "aten::relu", 4, 7, &facts.seen);
    assert_false(fold_shapes(g->block, &facts));
}

static void test_short_loops_are_unrolled(void **state) {
    (void)state;
    assert_folded("graph(%x : Tensor):\n"
                  "  %t : bool = prim::Constant[value=1]()\n"
                  "  %s : int[] = aten::size(%x)\n"
                  "  %n : int = aten::len(%s)\n"
                  "  %p : int = prim::Loop(%n, %t, %n)\n"
                  "    block0(%i : int, %q : int):\n"
                  "      %k : int = aten::__getitem__(%s, %i)\n"
                  "      %m : int = aten::mul(%q, %k)\n"
                  "      -> (%t, %m)\n"
                  "  return (%p)\n",
                  "",
                  "graph(%x : Tensor):\n"
                  "  %20 : int = prim::Constant[value=48]()\n"
                  "  return (%20)\n");
}

static void test_long_and_uncertain_loops_stay(void **state) {
    (void)state;
    static const char *const text = "graph(%x : Tensor):\n"
                                    "  %t : bool = prim::Constant[value=1]()\n"
                                    "  %n : int = prim::Constant[value=1000]()\n"
                                    "  %p : int = prim::Loop(%n, %t, %n)\n"
                                    "    block0(%i : int, %q : int):\n"
                                    "      %m : int = aten::mul(%q, %i)\n"
                                    "      -> (%t, %m)\n"
                                    "  return (%p)\n";
    assert_folded(text, "", text);
}

/* ---- Lists ---- */

static void assert_built(const char *in, const char *out) {
    ir_graph *g = ir_parse(in, NULL, NULL);
    build_lists(g->block);
    dce(g);
    assert_graph(g, out);
}

static void test_lists_are_built_at_once(void **state) {
    (void)state;
    assert_built("graph(%x : Tensor, %y : Tensor):\n"
                 "  %i : int = prim::Constant[value=0]()\n"
                 "  %l : Tensor[] = prim::ListConstruct(%x)\n"
                 "  %a : Tensor = aten::cat(%l, %i)\n"
                 "  %1 : Tensor[] = aten::append(%l, %a)\n"
                 "  %2 : Tensor[] = aten::append(%l, %y)\n"
                 "  %b : Tensor = aten::cat(%l, %i)\n"
                 "  return (%b)\n",
                 "graph(%x : Tensor,\n"
                 "      %y : Tensor):\n"
                 "  %i : int = prim::Constant[value=0]()\n"
                 "  %l : Tensor[] = prim::ListConstruct(%x)\n"
                 "  %a : Tensor = aten::cat(%l, %i)\n"
                 "  %m : Tensor[] = prim::ListConstruct(%x, %a, %y)\n"
                 "  %b : Tensor = aten::cat(%m, %i)\n"
                 "  return (%b)\n");
}

/* From where it is put into a tuple, or used in a branch, there is one list. */
static void test_lists_that_others_see_stay_one(void **state) {
    (void)state;
    static const char *const pair = "graph(%x : Tensor,\n"
                                    "      %n : int):\n"
                                    "  %l : Tensor[] = prim::ListConstruct(%x)\n"
                                    "  %t : (Tensor[], int) = prim::TupleConstruct(%l, %n)\n"
                                    "  %1 : Tensor[] = aten::append(%l, %x)\n"
                                    "  return (%t)\n";
    assert_built(pair, pair);
    ir_graph *g = ir_parse("graph(%x : Tensor, %c : bool):\n"
                           "  %l : Tensor[] = prim::ListConstruct(%x)\n"
                           "  prim::If(%c)\n"
                           "    block0():\n"
                           "      %1 : Tensor[] = aten::append(%l, %x)\n"
                           "      -> ()\n"
                           "    block1():\n"
                           "      -> ()\n"
                           "  %2 : Tensor[] = aten::append(%l, %x)\n"
                           "  return (%l)\n",
                           NULL, NULL);
    assert_false(build_lists(g->block));
}

/* ---- Settled ---- */

static bool settled(const char *text, const char *name) {
    ir_graph *g = ir_parse(text, NULL, NULL);
    shape_facts facts = {.mutation = analyse(g)};
    hmput(facts.given, g->block->param->outputs[0], tensor_shape(PT_FLOAT32, 2, (int64_t[]){4, 6}));
    see_all(g->block, name, 4, 6, &facts.seen);
    return shapes_are_settled(g->block, &facts);
}

static void test_settled_is_what_follows_from_shapes(void **state) {
    (void)state;
    assert_true(settled("graph(%x : Tensor):\n  %r : Tensor = aten::relu(%x)\n  return (%r)\n", "aten::relu"));
    assert_false(settled("graph(%x : Tensor):\n  %r : Tensor = aten::nonzero(%x)\n  return (%r)\n", "aten::nonzero"));
    assert_false(settled("graph(%x : Tensor, %c : bool):\n"
                         "  %y : Tensor = prim::If(%c)\n"
                         "    block0():\n"
                         "      %r : Tensor = aten::relu(%x)\n"
                         "      -> (%r)\n"
                         "    block1():\n"
                         "      -> (%x)\n"
                         "  return (%y)\n",
                         "aten::relu"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_entry_is_guarded),
        cmocka_unit_test(test_optional_tensors_are_tensors_inside),
        cmocka_unit_test(test_tuples_are_looked_into),
        cmocka_unit_test(test_sizes_are_constants),
        cmocka_unit_test(test_size_lists_and_types_are_constants),
        cmocka_unit_test(test_sizes_that_depend_on_elements_are_not),
        cmocka_unit_test(test_what_follows_from_unknown_numbers_is_not),
        cmocka_unit_test(test_masks_decide_sizes_and_positions_do_not),
        cmocka_unit_test(test_written_tensors_are_unknown_where_sizes_change),
        cmocka_unit_test(test_written_lists_stay_lists),
        cmocka_unit_test(test_both_branches_must_agree),
        cmocka_unit_test(test_loops_keep_the_shape_that_they_give_back),
        cmocka_unit_test(test_short_loops_are_unrolled),
        cmocka_unit_test(test_long_and_uncertain_loops_stay),
        cmocka_unit_test(test_lists_are_built_at_once),
        cmocka_unit_test(test_lists_that_others_see_stay_one),
        cmocka_unit_test(test_settled_is_what_follows_from_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
