/* Packed parameters of convolutions: states that no file of the tests has, and damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "exporter/program/packed_params.h"

enum { NUMBERS = 11 };

static pkl_value *value_of(pkl_kind kind, int64_t integer) {
    pkl_value *v = MEM_NEW(pkl_value);
    v->kind = kind;
    v->integer = integer;
    return v;
}

static pkl_value *sequence_of(pkl_kind kind, pkl_value **items, size_t count) {
    pkl_value *v = value_of(kind, 0);
    v->seq.items = items;
    v->seq.count = count;
    return v;
}

/* The third form: (3, [2, stride, padding, dilation, output padding, groups, transposed], [None, weight, bias]). */
static pkl_value *third_form(void) {
    pkl_value **numbers = MEM_ARRAY(pkl_value *, NUMBERS), **tensors = MEM_ARRAY(pkl_value *, 3),
              **state = MEM_ARRAY(pkl_value *, 3), *object = value_of(PKL_OBJECT, 0);
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = value_of(PKL_INT, i == 0 ? 2 : (int64_t)i + 10);
    for (size_t i = 0; i < 3; i++)
        tensors[i] = value_of(i == 1 ? PKL_TENSOR : PKL_NONE, 0);
    state[0] = value_of(PKL_INT, 3);
    state[1] = sequence_of(PKL_LIST, numbers, NUMBERS);
    state[2] = sequence_of(PKL_LIST, tensors, 3);
    object->object.class_name = "__torch__.torch.classes.quantized.Conv2dPackedParamsBase";
    object->object.state = sequence_of(PKL_TUPLE, state, 3);
    return object;
}

static void reads_the_third_form(void **state) {
    (void)state;
    const pkl_value *read = packed_params_state(third_form());
    const int64_t stride[] = {11, 12}, padding[] = {13, 14}, output_padding[] = {17, 18}, dilation[] = {15, 16};
    const int64_t *const lists[] = {stride, padding, output_padding, dilation};
    assert_int_equal(read->seq.items[0]->kind, PKL_TENSOR);
    assert_int_equal(read->seq.items[1]->kind, PKL_NONE);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(read->seq.items[2 + i]->seq.items[k]->integer, lists[i][k]);
    assert_int_equal(read->seq.items[6]->integer, 19);
}

static void check_no_number(pkl_kind kind) {
    pkl_value *object = third_form();
    object->object.state->seq.items[1]->seq.items[3]->kind = kind;
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        packed_params_state(object);
        fail_msg("kind %d was taken for a number", (int)kind);
    }
    assert_non_null(strstr(h.message, "are in a form that is not known"));
}

static void refuses_what_is_no_number(void **state) {
    (void)state;
    static const pkl_kind kinds[] = {PKL_FLOAT, PKL_NONE, PKL_STR, PKL_BOOL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_no_number(kinds[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_third_form),
        cmocka_unit_test(refuses_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
