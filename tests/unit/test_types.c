/* Types: identity, texts, subtyping, unification, substitution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exporter/ir/types.h"
#include "exporter/program/program.h"

#define INT type_basic(TYPE_INT)
#define FLOAT type_basic(TYPE_FLOAT)
#define STR type_basic(TYPE_STR)
#define NONE type_basic(TYPE_NONE)
#define TENSOR type_basic(TYPE_TENSOR)
#define ANY type_basic(TYPE_ANY)

static const type *tuple_of(const type *a, const type *b) {
    return type_tuple((const type *[]){a, b}, 2);
}
static const type *union_of(const type *a, const type *b) {
    return type_union((const type *[]){a, b}, 2);
}

static void equal_types_have_equal_pointers(void **state) {
    (void)state;
    assert_ptr_equal(type_list(INT), type_list(INT));
    assert_ptr_equal(type_dict(STR, type_list(INT)), type_dict(STR, type_list(INT)));
    assert_ptr_equal(tuple_of(INT, STR), tuple_of(INT, STR));
    assert_ptr_equal(union_of(INT, STR), union_of(STR, INT));
    assert_ptr_not_equal(type_list(INT), type_list(FLOAT));
    assert_ptr_not_equal(type_nominal(TYPE_CLASS, "__torch__.A", NULL), type_nominal(TYPE_CLASS, "__torch__.A", NULL));
}

static void texts_are_those_of_pytorch(void **state) {
    (void)state;
    const type *d = type_dict(STR, tuple_of(INT, type_optional(TENSOR)));
    assert_string_equal(d->text, "Dict(str, (int, Tensor?))");
    assert_string_equal(type_annotation(d), "Dict[str, Tuple[int, Optional[Tensor]]]");
    assert_string_equal(type_list(type_list(INT))->text, "int[][]");
    assert_string_equal(type_annotation(type_tuple(NULL, 0)), "Tuple[()]");
    assert_string_equal(type_tuple(NULL, 0)->text, "()");
    assert_string_equal(type_annotation(type_future(INT)), "Future[int]");
    assert_string_equal(type_basic(TYPE_NUMBER)->text, "Scalar");
    assert_string_equal(type_annotation(type_basic(TYPE_NUMBER)), "number");
    const type *members[] = {INT, STR, NONE, type_list(INT)};
    assert_string_equal(type_annotation(type_union(members, 4)), "Union[List[int], int, NoneType, str]");
    assert_string_equal(type_nominal(TYPE_ENUM, "__torch__.Color", NULL)->text, "Enum<__torch__.Color>");
}

static void optionals_and_unions_have_one_form(void **state) {
    (void)state;
    assert_ptr_equal(type_optional(type_optional(INT)), type_optional(INT));
    assert_ptr_equal(type_optional(NONE), NONE);
    assert_ptr_equal(type_optional(ANY), ANY);
    assert_ptr_equal(union_of(INT, NONE), type_optional(INT));
    assert_ptr_equal(union_of(INT, INT), INT);
    assert_ptr_equal(union_of(INT, type_basic(TYPE_NUMBER)), type_basic(TYPE_NUMBER));
    const type *both = type_optional(union_of(INT, STR));
    assert_int_equal(both->kind, TYPE_UNION);
    assert_true(type_admits_none(both));
    assert_ptr_equal(type_without_none(both), union_of(INT, STR));
    assert_ptr_equal(type_union((const type *[]){union_of(INT, STR), NONE}, 2), both);
    assert_false(type_admits_none(union_of(INT, STR)));
}

static void subtyping(void **state) {
    (void)state;
    const type *p = type_named_tuple("__torch__.P", (const char *[]){"a", "b"}, (const type *[]){INT, STR}, 2, NULL);
    struct {
        const type *a, *b;
        bool fits;
    } cases[] = {
        {INT, ANY, true},
        {ANY, INT, false},
        {INT, type_optional(INT), true},
        {NONE, type_optional(INT), true},
        {type_optional(INT), INT, false},
        {type_optional(INT), NONE, false},
        {INT, type_basic(TYPE_NUMBER), true},
        {type_basic(TYPE_BOOL), type_basic(TYPE_NUMBER), false},
        {INT, FLOAT, false},
        {type_list(INT), type_list(type_optional(INT)), false},
        {type_list(INT), type_basic(TYPE_ANY_LIST), true},
        {tuple_of(INT, NONE), tuple_of(type_optional(INT), type_optional(STR)), true},
        {tuple_of(INT, STR), type_tuple((const type *[]){INT}, 1), false},
        {p, tuple_of(INT, STR), true},
        {tuple_of(INT, STR), p, false},
        {INT, union_of(INT, STR), true},
        {union_of(INT, STR), ANY, true},
        {union_of(INT, STR), INT, false},
        {type_optional(INT), type_optional(union_of(INT, STR)), true},
        {type_future(INT), type_future(type_optional(INT)), true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (type_is_subtype(cases[i].a, cases[i].b, NULL) != cases[i].fits)
            fail_msg("%s <= %s", cases[i].a->text, cases[i].b->text);
}

static void unification(void **state) {
    (void)state;
    assert_ptr_equal(type_unify(INT, INT, false), INT);
    assert_ptr_equal(type_unify(INT, NONE, false), type_optional(INT));
    assert_ptr_equal(type_unify(type_optional(INT), INT, false), type_optional(INT));
    assert_null(type_unify(INT, STR, false));
    assert_null(type_unify(INT, FLOAT, false));
    assert_ptr_equal(type_unify(INT, STR, true), union_of(INT, STR));
    assert_ptr_equal(type_unify(tuple_of(INT, NONE), tuple_of(NONE, STR), false),
                     tuple_of(type_optional(INT), type_optional(STR)));
    assert_null(type_unify(type_list(INT), type_list(STR), false));
}

static void substitution(void **state) {
    (void)state;
    const char *names[] = {intern("t")};
    const type *types[] = {INT};
    assert_ptr_equal(type_substitute(type_list(type_var("t")), names, types, 1), type_list(INT));
    assert_ptr_equal(type_substitute(type_optional(type_var("t")), names, types, 1), type_optional(INT));
    assert_null(type_substitute(type_list(type_var("s")), names, types, 1));
    assert_ptr_equal(type_substitute(type_list(STR), names, types, 1), type_list(STR));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_types_have_equal_pointers),
        cmocka_unit_test(texts_are_those_of_pytorch),
        cmocka_unit_test(optionals_and_unions_have_one_form),
        cmocka_unit_test(subtyping),
        cmocka_unit_test(unification),
        cmocka_unit_test(substitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
