/* Schemas: parsing, the operator list, and the matching of calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/diag.h"
#include "exporter/schema/operator_list.h"
#include "exporter/schema/schema.h"

static void parts_of_a_schema(void **state) {
    (void)state;
    const op_schema *s = schema_parse("aten::f.x(Tensor(a!) self, int[2]? size=[1, 2], *, float p=0.5, str mode=\"a "
                                      "b\") -> (Tensor(a!), Tensor[] rest)");
    assert_string_equal(s->name, "aten::f");
    assert_string_equal(s->overload, "x");
    assert_string_equal(s->full_name, "aten::f.x");
    assert_int_equal(s->argument_count, 4);
    assert_int_equal(s->return_count, 2);
    assert_true(s->arguments[0].is_write);
    assert_int_equal(s->arguments[0].alias_set, 1);
    assert_int_equal(s->returns[0].alias_set, 1);
    assert_true(s->returns[0].may_alias);
    assert_string_equal(s->arguments[1].type->text, "int[]?");
    assert_int_equal(s->arguments[1].list_size, 2);
    assert_int_equal(s->arguments[1].default_value->list.items[1]->integer, 2);
    assert_false(s->arguments[1].keyword_only);
    assert_true(s->arguments[2].keyword_only);
    assert_true(s->arguments[2].default_value->real == 0.5);
    assert_string_equal(s->arguments[3].default_value->string.bytes, "a b");
    assert_string_equal(s->returns[1].name, "rest");
}

static void special_schemas(void **state) {
    (void)state;
    const op_schema *append = schema_find("aten::append.t");
    assert_int_equal(append->arguments[0].type->items[0]->kind, TYPE_VAR);
    assert_true(append->arguments[1].contained_wildcard);
    const op_schema *print = schema_find("prim::Print");
    assert_true(print->variable_arguments);
    assert_int_equal(print->return_count, 0);
    const op_schema *dict = schema_parse("aten::g(Dict(str, t)(a!) self, (int, Tensor)[] pairs, SymInt n=-1) -> t(*)");
    assert_string_equal(dict->arguments[0].type->text, "Dict(str, t)");
    assert_true(dict->arguments[0].is_write);
    assert_string_equal(dict->arguments[1].type->text, "(int, Tensor)[]");
    assert_int_equal(dict->arguments[2].type->kind, TYPE_INT);
    assert_int_equal(dict->arguments[2].default_value->integer, -1);
    assert_int_equal(dict->returns[0].alias_set, UINT64_C(1) << 63);
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        schema_parse("aten::g(Tensor) -");
        diag_end(&h);
        fail();
    } else
        assert_non_null(strstr(h.message, "aten::g(Tensor) -"));
}

static void the_whole_list_parses(void **state) {
    (void)state;
    for (size_t i = 0; i < operator_list_count; i++)
        assert_non_null(schema_parse(operator_list[i].schema)->name);
    uint32_t count;
    assert_non_null(schema_overloads("aten::add", &count));
    assert_true(count > 5);
    assert_null(schema_overloads("aten::no_such_operator", &count));
    assert_int_equal(count, 0);
    assert_true(schema_is_mutating(schema_find("aten::add_.Tensor")));
    assert_false(schema_is_mutating(schema_find("aten::add.Tensor")));
    assert_true(schema_has_side_effects(schema_find("aten::warn")));
    assert_true(schema_is_nondeterministic(schema_find("aten::rand")));
}

/* ---- Matching ---- */

static ir_graph *graph;

static call_argument given(const type *t) {
    return (call_argument){NULL, ir_graph_add_input(graph, NULL, t), {0}};
}

static call_argument given_int(int64_t v) {
    return (call_argument){NULL, ir_insert_constant(graph->block->result, const_int(v)), {0}};
}

static ir_node *call(const char *name, call_argument *arguments, uint32_t count) {
    return schema_call(name, graph->block->result, (source_range){0}, arguments, count);
}

static int new_graph(void **state) {
    (void)state;
    graph = ir_graph_new("f");
    return 0;
}

static void overloads_are_tried_in_order(void **state) {
    (void)state;
    const type *tensor = type_basic(TYPE_TENSOR), *number = type_basic(TYPE_INT), *real = type_basic(TYPE_FLOAT);
    assert_string_equal(call("aten::add", (call_argument[]){given(tensor), given(tensor)}, 2)->schema->full_name,
                        "aten::add.Tensor");
    assert_string_equal(call("aten::add", (call_argument[]){given(tensor), given(number)}, 2)->schema->full_name,
                        "aten::add.Scalar");
    assert_string_equal(call("aten::add", (call_argument[]){given(number), given(number)}, 2)->schema->full_name,
                        "aten::add.int");
    ir_node *mixed = call("aten::add", (call_argument[]){given(number), given(real)}, 2);
    assert_string_equal(mixed->schema->full_name, "aten::add.int_float");
    assert_ptr_equal(ir_out(mixed, 0)->type, real);
}

static void defaults_become_constants(void **state) {
    (void)state;
    ir_node *n =
        call("aten::add", (call_argument[]){given(type_basic(TYPE_TENSOR)), given(type_basic(TYPE_TENSOR))}, 2);
    int64_t alpha = 0;
    assert_int_equal(ir_input_count(n), 3);
    assert_true(ir_constant_int(ir_in(n, 2), &alpha));
    assert_int_equal(alpha, 1);
}

static void single_numbers_become_lists(void **state) {
    (void)state;
    ir_node *n = call("aten::max_pool2d", (call_argument[]){given(type_basic(TYPE_TENSOR)), given_int(3)}, 2);
    assert_int_equal(ir_in(n, 1)->node->kind, IR_LIST_CONSTRUCT);
    assert_int_equal(ir_input_count(ir_in(n, 1)->node), 2);
    ir_node *view =
        call("aten::view", (call_argument[]){given(type_basic(TYPE_TENSOR)), given_int(2), given_int(3)}, 3);
    assert_int_equal(ir_in(view, 1)->node->kind, IR_LIST_CONSTRUCT);
}

static void tuples_become_lists(void **state) {
    (void)state;
    const type *pair = type_tuple((const type *[]){type_basic(TYPE_INT), type_basic(TYPE_INT)}, 2);
    ir_node *n = call("aten::view", (call_argument[]){given(type_basic(TYPE_TENSOR)), given(pair)}, 2);
    assert_int_equal(ir_in(n, 1)->node->kind, IR_LIST_CONSTRUCT);
    assert_ptr_equal(ir_in(n, 1)->type, type_list(type_basic(TYPE_INT)));
}

static void tensors_become_numbers_last(void **state) {
    (void)state;
    ir_node *n =
        call("aten::select",
             (call_argument[]){given(type_basic(TYPE_TENSOR)), given_int(0), given(type_basic(TYPE_TENSOR))}, 3);
    assert_string_equal(ir_kind_name(ir_in(n, 2)->node->kind), "aten::IntImplicit");
}

static void type_variables_are_bound(void **state) {
    (void)state;
    const type *list = type_list(type_basic(TYPE_STR));
    ir_node *n = call("aten::__getitem__", (call_argument[]){given(list), given_int(0)}, 2);
    assert_ptr_equal(ir_out(n, 0)->type, type_basic(TYPE_STR));
    ir_node *d = call("aten::keys", (call_argument[]){given(type_dict(type_basic(TYPE_STR), list))}, 1);
    assert_ptr_equal(ir_out(d, 0)->type, list);
}

static void misfits_are_explained(void **state) {
    (void)state;
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        call("aten::floordiv", (call_argument[]){given(type_basic(TYPE_STR)), given(type_basic(TYPE_INT))}, 2);
        diag_end(&h);
        fail();
    }
    assert_non_null(strstr(h.message, "Arguments for call are not valid.\nThe following variants are available:"));
    assert_non_null(strstr(h.message, "Expected a value of type 'int' for argument 'a' but instead found type 'str'."));
    assert_int_equal(ir_first(graph->block)->kind, IR_RETURN); /* nothing of the tries is left */
    if (!DIAG_TRY(&h)) {
        call("aten::no_such_operator", NULL, 0);
        diag_end(&h);
        fail();
    }
    assert_non_null(strstr(h.message, "Unknown builtin op: aten::no_such_operator."));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_schema),
        cmocka_unit_test(special_schemas),
        cmocka_unit_test(the_whole_list_parses),
        cmocka_unit_test_setup(overloads_are_tried_in_order, new_graph),
        cmocka_unit_test_setup(defaults_become_constants, new_graph),
        cmocka_unit_test_setup(single_numbers_become_lists, new_graph),
        cmocka_unit_test_setup(tuples_become_lists, new_graph),
        cmocka_unit_test_setup(tensors_become_numbers_last, new_graph),
        cmocka_unit_test_setup(type_variables_are_bound, new_graph),
        cmocka_unit_test_setup(misfits_are_explained, new_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
