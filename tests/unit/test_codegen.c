/* Lowering, by the text of a graph in and the bytecode out: which instructions are chosen, where values live, and where
 * they are dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/diag.h"
#include "exporter/codegen/codegen.h"
#include "exporter/codegen/lower_function.h"
#include "exporter/codegen/merge_storages.h"
#include "runtime/include/tsmobile.h"

static program *new_program(const char *text, const char *entry) {
    source_options options = {0};
    return program_load_source("test.py", text, strlen(text), entry, &options);
}

/* One instruction of the dump without its meaning, spaces made single. */
static void add_plain_line(strbuf *out, const char *line, size_t length) {
    const char *meaning = memchr(line, ';', length);
    if (meaning)
        length = (size_t)(meaning - line);
    while (length && line[length - 1] == ' ')
        length--;
    bool space = true;
    for (size_t i = 0; i < length; i++) {
        if (line[i] != ' ' || !space)
            strbuf_add_n(out, line + i, 1);
        space = line[i] == ' ';
    }
    strbuf_add(out, "\n");
}

/* The functions of an image as text. */
static const char *plain_code(const image *m) {
    strbuf dump = {0}, out = {0};
    image_print(m, &dump);
    const char *line = strstr(strbuf_text(&dump), "\nfunction ");
    while (line && *line) {
        size_t length = strcspn(line, "\n");
        if (length)
            add_plain_line(&out, line, length);
        line += length + (line[length] == '\n');
    }
    return strbuf_text(&out);
}

static const image *lower(ir_graph *g) {
    program *p = new_program("def none() -> int:\n    return 0\n", "none");
    image_builder *u = builder_new(p, (codegen_options){.strip_debug = true});
    uint32_t index;
    builder_function(u, program_new_function(p, "f", g, NULL));
    function *f = builder_next_function(u, &index);
    lower_function(u, f, index);
    return builder_image(u);
}

static void assert_lowered(const char *graph, const char *code) {
    assert_string_equal(plain_code(lower(ir_parse(graph, NULL, NULL))), code);
}

static void a_comparison_and_its_branch_are_one_jump(void **state) {
    (void)state;
    assert_lowered("graph(%a.0 : int, %b.1 : int):\n"
                   "  %2 : bool = aten::lt(%a.0, %b.1)\n"
                   "  %3 : int = prim::If(%2)\n"
                   "    block0():\n"
                   "      %4 : int = aten::mul(%a.0, %b.1)\n"
                   "      -> (%4)\n"
                   "    block1():\n"
                   "      -> (%a.0)\n"
                   "  return (%3)\n",
                   "function f(i0, i1) registers: 0 values, 3 ints, 0 floats, 0 bools\n"
                   "0 JLE_I i1 i0 @3\n"
                   "1 MUL_I i2 i0 i1\n"
                   "2 JMP @4\n"
                   "3 MOVE_S i2 i0\n"
                   "4 RET (i2)\n");
}

static void containers_swap_through_a_free_register(void **state) {
    (void)state;
    assert_lowered("graph(%n.0 : int, %x.1 : Tensor, %y.2 : Tensor):\n"
                   "  %3 : bool = prim::Constant[value=1]()\n"
                   "  %4 : Tensor, %5 : Tensor = prim::Loop(%n.0, %3, %x.1, %y.2)\n"
                   "    block0(%i.6 : int, %a.7 : Tensor, %b.8 : Tensor):\n"
                   "      -> (%3, %b.8, %a.7)\n"
                   "  %9 : int = prim::Constant[value=1]()\n"
                   "  %10 : Tensor = aten::sub(%4, %5, %9)\n"
                   "  return (%10)\n",
                   "function f(i0, v0, v1) registers: 3 values, 2 ints, 0 floats, 1 bools\n"
                   "0 LOADI i1 0\n"
                   "1 JLTK_I i0 1 @6\n"
                   "2 TAKE v2 v1\n"
                   "3 MOVE v1 v0\n"
                   "4 TAKE v0 v2\n"
                   "5 LOOP i1 i0 @2\n"
                   "6 OP aten::sub.Tensor(v0', v1', 1) -> v1\n"
                   "7 RET (v1')\n");
}

static void a_number_is_never_none(void **state) {
    (void)state;
    assert_lowered("graph(%a.0 : int):\n"
                   "  %1 : NoneType = prim::Constant()\n"
                   "  %2 : bool = aten::__isnot__(%a.0, %1)\n"
                   "  %3 : int = aten::_unwrap_optional(%a.0)\n"
                   "  %4 : int = aten::add(%3, %a.0)\n"
                   "  %5 : (bool, int) = prim::TupleConstruct(%2, %4)\n"
                   "  return (%5)\n",
                   "function f(i0) registers: 1 values, 2 ints, 0 floats, 1 bools\n"
                   "0 LOADB b0 1\n"
                   "1 MOVE_S i1 i0\n"
                   "2 ADD_I i1 i1 i0\n"
                   "3 TUPLE_CONSTRUCT v0(b0, i1)\n"
                   "4 RET (v0')\n");
}

static void numbers_swap_through_a_free_register(void **state) {
    (void)state;
    assert_lowered("graph(%n.0 : int, %a.1 : int, %b.2 : int):\n"
                   "  %3 : bool = prim::Constant[value=1]()\n"
                   "  %4 : int, %5 : int = prim::Loop(%n.0, %3, %a.1, %b.2)\n"
                   "    block0(%i.6 : int, %x.7 : int, %y.8 : int):\n"
                   "      -> (%3, %y.8, %x.7)\n"
                   "  %9 : int = aten::sub(%4, %5)\n"
                   "  return (%9)\n",
                   "function f(i0, i1, i2) registers: 0 values, 5 ints, 0 floats, 1 bools\n"
                   "0 LOADI i3 0\n"
                   "1 JLTK_I i0 1 @6\n"
                   "2 MOVE_S i4 i2\n"
                   "3 MOVE_S i2 i1\n"
                   "4 MOVE_S i1 i4\n"
                   "5 LOOP i3 i0 @2\n"
                   "6 SUB_I i2 i1 i2\n"
                   "7 RET (i2)\n");
}

static void last_uses_are_marked_and_registers_used_again(void **state) {
    (void)state;
    assert_lowered("graph(%x.0 : Tensor, %y.1 : Tensor):\n"
                   "  %2 : int = prim::Constant[value=1]()\n"
                   "  %3 : Tensor = aten::add(%x.0, %x.0, %2)\n"
                   "  %4 : Tensor = aten::mul(%3, %y.1)\n"
                   "  %5 : Tensor[] = prim::ListConstruct(%4, %x.0)\n"
                   "  return (%5)\n",
                   "function f(v0, v1) registers: 3 values, 0 ints, 0 floats, 0 bools\n"
                   "0 OP aten::add.Tensor(v0, v0, 1) -> v2\n"
                   "1 OP aten::mul.Tensor(v2', v1') -> v2\n"
                   "2 LIST_CONSTRUCT v2(v2', v0') type 0\n"
                   "3 RET (v2')\n");
}

static void a_while_loop_ends_in_one_jump(void **state) {
    (void)state;
    /* The literal 1 needs no register, and the loop variable is computed where it stays. */
    assert_lowered("graph(%n.0 : int):\n"
                   "  %1 : int = prim::Constant[value=9223372036854775807]()\n"
                   "  %2 : bool = aten::gt(%n.0, %n.0)\n"
                   "  %3 : int = prim::Constant[value=1]()\n"
                   "  %4 : int = prim::Loop(%1, %2, %n.0)\n"
                   "    block0(%i.5 : int, %x.6 : int):\n"
                   "      %7 : int = aten::floordiv(%x.6, %x.6)\n"
                   "      %8 : bool = aten::gt(%7, %3)\n"
                   "      -> (%8, %7)\n"
                   "  return (%4)\n",
                   "function f(i0) registers: 0 values, 1 ints, 0 floats, 1 bools\n"
                   "0 LT_I b0 i0 i0\n"
                   "1 JF b0 @4\n"
                   "2 FLOORDIV_I i0 i0 i0\n"
                   "3 JGEK_I i0 2 @2\n"
                   "4 RET (i0)\n");
}

static void what_dies_in_one_branch_is_dropped_in_the_other(void **state) {
    (void)state;
    assert_lowered("graph(%x.0 : Tensor, %c.1 : bool):\n"
                   "  %2 : int = prim::Constant[value=1]()\n"
                   "  %3 : Tensor = aten::relu(%x.0)\n"
                   "  %4 : Tensor = prim::If(%c.1)\n"
                   "    block0():\n"
                   "      %5 : Tensor = aten::add(%3, %3, %2)\n"
                   "      -> (%5)\n"
                   "    block1():\n"
                   "      -> (%x.0)\n"
                   "  return (%4)\n",
                   "function f(v0, b0) registers: 3 values, 0 ints, 0 floats, 1 bools\n"
                   "0 OP aten::relu(v0) -> v1\n"
                   "1 JF b0 @5\n"
                   "2 DROP v0\n"
                   "3 OP aten::add.Tensor(v1, v1', 1) -> v2\n"
                   "4 JMP @7\n"
                   "5 DROP v1\n"
                   "6 TAKE v2 v0\n"
                   "7 RET (v2')\n");
}

static void constants_are_loaded_where_no_list_holds_them(void **state) {
    (void)state;
    assert_lowered("graph(%d.0 : Dict(str, Tensor), %x.1 : Tensor):\n"
                   "  %2 : str = prim::Constant[value=\"k\"]()\n"
                   "  %3 : bool = aten::__contains__(%d.0, %2)\n"
                   "  %4 : Tensor = prim::If(%3)\n"
                   "    block0():\n"
                   "      %5 : Tensor = aten::__getitem__(%d.0, %2)\n"
                   "      -> (%5)\n"
                   "    block1():\n"
                   "      -> (%x.1)\n"
                   "  return (%4)\n",
                   "function f(v0, v1) registers: 3 values, 0 ints, 0 floats, 1 bools\n"
                   "0 LOADC v2 \"k\"\n"
                   "1 DICT_HAS b0 v0 v2\n"
                   "2 DROP v2\n"
                   "3 JF b0 @10\n"
                   "4 DROP v1\n"
                   "5 LOADC v1 \"k\"\n"
                   "6 DICT_GET v2 v0 v1\n"
                   "7 DROP v0\n"
                   "8 DROP v1\n"
                   "9 JMP @12\n"
                   "10 DROP v0\n"
                   "11 TAKE v2 v1\n"
                   "12 RET (v2')\n");
}

/* A loop over n of a body with `nodes` additions. */
static const image *lower_long_loop(int nodes) {
    strbuf b = {0};
    strbuf_add(&b, "graph(%n.0 : int, %x.1 : int):\n"
                   "  %2 : bool = prim::Constant[value=1]()\n"
                   "  %3 : int = prim::Loop(%n.0, %2, %x.1)\n"
                   "    block0(%i.4 : int, %5 : int):\n");
    for (int i = 0; i < nodes; i++)
        strbuf_printf(&b, "      %%%d : int = aten::add(%%%d, %%i.4)\n", i + 6, i + 5);
    strbuf_printf(&b,
                  "      -> (%%2, %%%d)\n"
                  "  return (%%3)\n",
                  nodes + 5);
    return lower(ir_parse(strbuf_text(&b), NULL, NULL));
}

static uint32_t count_opcode(const image *m, opcode op) {
    uint32_t count = 0;
    for (size_t i = 0; i < arrlenu(m->functions[0].code); i++)
        count += m->functions[0].code[i].op == op;
    return count;
}

static void long_loops_jump_far(void **state) {
    (void)state;
    assert_int_equal(count_opcode(lower_long_loop(1000), OPCODE_LOOP), 1);
    const image *m = lower_long_loop(40000);
    assert_int_equal(count_opcode(m, OPCODE_LOOP), 0);
    assert_int_equal(count_opcode(m, OPCODE_JT), 1);
}

/* ---- Whole programs ---- */

static const image *compile(const char *text, const char *entry) {
    program *p = new_program(text, entry);
    function **entries = program_entries(p), **functions = NULL;
    function_graph(entries[0]);
    function **all = program_functions(p);
    for (size_t i = 0; i < arrlenu(all); i++)
        arrput(functions, all[i]);
    codegen_options options = {0};
    return codegen_run(p, entries, functions, options);
}

static void the_stack_has_room_for_the_deepest_chain_of_calls(void **state) {
    (void)state;
    const image *m = compile("def leaf(a: int, b: int, c: int) -> int:\n"
                             "    return a * b * c\n"
                             "def middle(a: int) -> int:\n"
                             "    return leaf(a, a, a)\n"
                             "def top(a: int) -> int:\n"
                             "    return middle(a) + leaf(a, 1, 2)\n",
                             "top");
    assert_int_equal(m->stack_frames, 3);
    uint32_t registers = 0;
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        registers += (m->functions[i].int_registers + 1u) / 2; /* two numbers share a slot */
    assert_int_equal(m->stack_registers, registers);
}

static void early_returns_meet_in_one(void **state) {
    (void)state;
    const image *m = compile("def f(a: int) -> int:\n"
                             "    if a > 0:\n"
                             "        return 1\n"
                             "    return 2\n",
                             "f");
    assert_string_equal(plain_code(m), "function __torch__.test.f(i0) registers: 0 values, 1 ints, 0 floats, 0 bools\n"
                                       "0 JLTK_I i0 1 @3\n"
                                       "1 LOADI i0 1\n"
                                       "2 JMP @4\n"
                                       "3 LOADI i0 2\n"
                                       "4 RET (i0)\n");
}

static void all_missing_operators_are_named_at_once(void **state) {
    (void)state;
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        compile("import torch\n"
                "def f(x):\n"
                "    y = torch.to_sparse_bsr(x, [1, 1])\n"
                "    z = torch._sparse_sum(x)\n"
                "    return torch.to_sparse_bsr(y, [1, 1]), z\n",
                "f");
        diag_end(&h);
        fail_msg("compiled");
    }
    assert_non_null(strstr(h.message, "uses 2 operators that tsmobile does not support"));
    assert_non_null(strstr(h.message, "aten::to_sparse_bsr (2 times)"));
    assert_non_null(strstr(h.message, "aten::_sparse_sum (1 time)"));
}

static void add_stored(image *m, const char *bytes, bool is_mutable) {
    image_storage storage = {(const uint8_t *)bytes, strlen(bytes), 0, is_mutable};
    image_constant constant = {.tensor = MEM_NEW(image_tensor)};
    constant.tensor->storage = (uint32_t)arrlenu(m->storages);
    arrput(m->storages, storage);
    arrput(m->constants, constant);
}

static void equal_bytes_are_stored_once(void **state) {
    (void)state;
    image m = {0};
    static const char *const bytes[] = {"one weight", "one weighs", "one weight", "", "one weight", ""};
    for (size_t i = 0; i < 6; i++)
        add_stored(&m, bytes[i], i == 4); /* what changes is a copy of its own */
    merge_storages(&m);
    assert_int_equal(arrlenu(m.storages), 4);
    for (size_t i = 0; i < 6; i++) {
        const image_storage *s = &m.storages[m.constants[i].tensor->storage];
        assert_int_equal(s->bytes, strlen(bytes[i]));
        assert_memory_equal(s->data, bytes[i], s->bytes);
        assert_int_equal(s->is_mutable, i == 4);
    }
    assert_int_equal(m.constants[0].tensor->storage, m.constants[2].tensor->storage);
    assert_int_equal(m.constants[3].tensor->storage, m.constants[5].tensor->storage);
}

static void guards_say_what_values_must_be(void **state) {
    (void)state;
    const image *m = lower(ir_parse("graph(%x : Tensor, %m : Tensor?, %b : bool):\n"
                                    "  %t : int[] = prim::Constant[value=[6, 2, 3]]()\n"
                                    "  %n : NoneType = prim::Constant()\n"
                                    "  %f : bool = prim::Constant[value=1]()\n"
                                    "  %c : bool = prim::TypeCheck(%x, %t, %m, %n, %b, %f)\n"
                                    "  return (%c)\n",
                                    NULL, NULL));
    assert_non_null(strstr(plain_code(m), "GUARD b0(v0', v1', b0) plan 0\n"));
    static const uint32_t words[] = {TSM_TAG_TENSOR | TSM_FLOAT32 << 8 | 2 << 16, 2, 3, TSM_TAG_NONE,
                                     TSM_TAG_BOOL | 1 << 8};
    assert_int_equal(arrlenu(m->plans[0].guards), 5);
    assert_memory_equal(m->plans[0].guards, words, sizeof words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comparison_and_its_branch_are_one_jump),
        cmocka_unit_test(containers_swap_through_a_free_register),
        cmocka_unit_test(a_number_is_never_none),
        cmocka_unit_test(numbers_swap_through_a_free_register),
        cmocka_unit_test(last_uses_are_marked_and_registers_used_again),
        cmocka_unit_test(a_while_loop_ends_in_one_jump),
        cmocka_unit_test(what_dies_in_one_branch_is_dropped_in_the_other),
        cmocka_unit_test(constants_are_loaded_where_no_list_holds_them),
        cmocka_unit_test(long_loops_jump_far),
        cmocka_unit_test(the_stack_has_room_for_the_deepest_chain_of_calls),
        cmocka_unit_test(early_returns_meet_in_one),
        cmocka_unit_test(all_missing_operators_are_named_at_once),
        cmocka_unit_test(equal_bytes_are_stored_once),
        cmocka_unit_test(guards_say_what_values_must_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
