/* Planned calls in libtsmobile: what the guard lets through, what a call leaves behind, and plans that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/codegen/codegen.h"
#include "exporter/execute/observe_shapes.h"
#include "exporter/execute/plan_memory.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/pipeline.h"
#include "exporter/source/load.h"
#include "runtime/interpreter/instance.h"

enum { BUFFER = 1 << 20, MOST = 4096 };

static const char source[] = "import torch\n"
                             "def f(x: torch.Tensor, fails: bool) -> torch.Tensor:\n"
                             "    a = torch.relu(x)\n"
                             "    b = a + x\n"
                             "    c = torch.matmul(a, b.t())\n"
                             "    if fails:\n"
                             "        raise ValueError('it was told to')\n"
                             "    d = c * 2.0 + c.size(0)\n"
                             "    e = torch.cat([a, b, torch.matmul(d, x)], 1)\n"
                             "    return e.sum(1) + d.sum(0)\n";

static _Alignas(64) uint8_t buffer[BUFFER];
static float elements[MOST];

/* The example: float32 [12, 16], false. */
static image *export_planned(bool plans) {
    program *p =
        program_load_source("f.py", source, sizeof source - 1, "f", &(source_options){NULL, evaluate_operator});
    function **entries = program_entries(p);
    float *data;
    example e = {.entry = entries[0]}, *examples = NULL;
    arrput(e.arguments, tensor_constant_new_floats(2, (int64_t[]){12, 16}, &data));
    arrput(e.arguments, const_bool(false));
    if (plans)
        arrput(examples, e);
    pipeline_options options = {.level = 2, .observe = observe_shapes, .examples = examples};
    function **functions = pipeline_run(p, entries, options);
    image *m = codegen_run(p, entries, functions, (codegen_options){.strip_debug = true});
    plan_memory(m, examples, NULL, NULL);
    return m;
}

static const tsm_program *open_image(const image *m) {
    char message[256] = "";
    size_t bytes;
    const uint8_t *file = image_write(m, &bytes);
    tsm_program *p = MEM_NEW(tsm_program);
    if (tsm_program_open(p, file, bytes, message, sizeof message) != TSM_OK)
        fail_msg("%s", message);
    return p;
}

static tsm_instance *start(const tsm_program *p, size_t bytes) {
    tsm_instance *inst;
    assert_int_equal(tsm_instance_init(&inst, p, NULL, buffer, bytes), TSM_OK);
    return inst;
}

static tsm_status call_as(tsm_instance *inst, tsm_dtype dtype, tsm_dim rows, tsm_dim columns, bool fails,
                          tsm_value *result) {
    tsm_value arguments[2] = {tsm_none(), tsm_bool(fails)};
    assert_int_equal(tsm_tensor_wrap(inst, &arguments[0], dtype, 2, (tsm_dim[]){rows, columns}, NULL, elements),
                     TSM_OK);
    tsm_status status = tsm_call(inst, 0, arguments, 2, result);
    tsm_release(inst, arguments[0]);
    return status;
}

static tsm_status call(tsm_instance *inst, tsm_value *result) {
    return call_as(inst, TSM_FLOAT32, 12, 16, false, result);
}

/* What the program gives without a plan. */
static const float *expected(tsm_dim rows, tsm_dim columns) {
    static _Alignas(64) uint8_t other[BUFFER];
    static float copy[MOST];
    static const tsm_program *general;
    tsm_instance *inst;
    tsm_value result;
    tsm_tensor_view view;
    if (!general)
        general = open_image(export_planned(false));
    assert_int_equal(tsm_instance_init(&inst, general, NULL, other, sizeof other), TSM_OK);
    assert_int_equal(call_as(inst, TSM_FLOAT32, rows, columns, false, &result), TSM_OK);
    assert_true(tsm_tensor_get(result, &view));
    memcpy(copy, view.data, (size_t)rows * sizeof *copy);
    return copy;
}

static void assert_result(tsm_value result, tsm_dim rows, tsm_dim columns) {
    tsm_tensor_view view;
    assert_true(tsm_tensor_get(result, &view));
    assert_int_equal(view.sizes[0], rows);
    assert_memory_equal(view.data, expected(rows, columns), (size_t)rows * sizeof(float));
}

static int fill(void **state) {
    (void)state;
    for (int i = 0; i < MOST; i++)
        elements[i] = (float)(i * 37 % 101) / 50 - 1;
    return 0;
}

/* ---- Calls ---- */

static void test_the_example_is_planned(void **state) {
    (void)state;
    const image *m = export_planned(true);
    const tsm_program *p = open_image(m);
    tsm_instance *inst = start(p, BUFFER);
    size_t before = tsm_instance_usage(inst).used_bytes;
    tsm_value result;
    for (int i = 0; i < 3; i++) {
        size_t placed = inst->exec.placed_bytes;
        assert_int_equal(call(inst, &result), TSM_OK);
        assert_true(inst->exec.placed_bytes > placed);
        assert_result(result, 12, 16);
        tsm_release(inst, result);
        assert_int_equal(tsm_instance_usage(inst).used_bytes, before);
    }
}

static void test_other_arguments_run_the_general_code(void **state) {
    (void)state;
    tsm_instance *inst = start(open_image(export_planned(true)), BUFFER);
    static const tsm_dim shapes[][2] = {{12, 15}, {11, 16}, {1, 1}, {16, 12}, {40, 40}};
    tsm_value result;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        assert_int_equal(call_as(inst, TSM_FLOAT32, shapes[i][0], shapes[i][1], false, &result), TSM_OK);
        assert_int_equal(inst->exec.placed_bytes, 0);
        assert_result(result, shapes[i][0], shapes[i][1]);
        tsm_release(inst, result);
    }
    assert_int_equal(call_as(inst, TSM_FLOAT64, 12, 16, false, &result), TSM_OK);
    assert_int_equal(inst->exec.placed_bytes, 0);
    tsm_release(inst, result);
    assert_int_equal(call(inst, &result), TSM_OK);
    assert_true(inst->exec.placed_bytes > 0);
}

/* A call with another bool than the example takes the general code, and raises there. */
static void test_failures_leave_nothing(void **state) {
    (void)state;
    tsm_instance *inst = start(open_image(export_planned(true)), BUFFER);
    size_t before = tsm_instance_usage(inst).used_bytes;
    tsm_value result;
    assert_int_equal(call_as(inst, TSM_FLOAT32, 12, 16, true, &result), TSM_RAISED);
    assert_non_null(strstr(tsm_error(inst), "it was told to"));
    assert_int_equal(tsm_instance_usage(inst).used_bytes, before);
}

static void test_results_may_be_held(void **state) {
    (void)state;
    tsm_instance *inst = start(open_image(export_planned(true)), BUFFER);
    size_t before = tsm_instance_usage(inst).used_bytes;
    tsm_value results[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(call(inst, &results[i]), TSM_OK);
    for (int i = 0; i < 3; i++)
        assert_result(results[i], 12, 16);
    for (int i = 0; i < 3; i++)
        tsm_release(inst, results[i]);
    assert_int_equal(tsm_instance_usage(inst).used_bytes, before);
    assert_null(inst->exec.placement);
}

static void test_the_need_is_exact(void **state) {
    (void)state;
    const image *m = export_planned(true);
    const tsm_program *p = open_image(m);
    size_t need = tsm_method_bytes(p, 0);
    assert_true(need > 0 && need < 16384);
    tsm_value result;
    tsm_instance *inst = start(p, need);
    assert_int_equal(call(inst, &result), TSM_OK);
    assert_result(result, 12, 16);
    tsm_release(inst, result);
    inst = start(p, need - 192); /* the order in which values are given back may decide about a few granules */
    assert_int_equal(call(inst, &result), TSM_OUT_OF_MEMORY);
    assert_non_null(strstr(tsm_error(inst), "bytes"));
    assert_int_equal(call_as(inst, TSM_FLOAT32, 2, 2, false, &result),
                     TSM_OK); /* the instance is usable: this call takes the general code */
    assert_result(result, 2, 2);
    assert_int_equal(tsm_method_bytes(open_image(export_planned(false)), 0), 0);
}

/* ---- Wrong plans ---- */

/* Whatever the plan says, results are right, or memory is short. */
static void run_wrong(image *m, bool may_lack_memory) {
    tsm_instance *inst = start(open_image(m), BUFFER);
    size_t before = tsm_instance_usage(inst).used_bytes;
    tsm_value results[2];
    for (int i = 0; i < 2; i++) {
        tsm_status status = call(inst, &results[i]);
        if (may_lack_memory && status == TSM_OUT_OF_MEMORY)
            continue;
        assert_int_equal(status, TSM_OK);
        assert_result(results[i], 12, 16);
    }
    tsm_release(inst, results[0]);
    tsm_release(inst, results[1]);
    assert_int_equal(tsm_instance_usage(inst).used_bytes, before);
}

static void test_wrong_offsets(void **state) {
    (void)state;
    image *m = export_planned(true);
    image_plan *plan = &m->plans[0];
    static const uint32_t offsets[] = {0, 1, 3, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX / 2};
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        for (size_t i = 0; i < arrlenu(plan->blocks); i++)
            plan->blocks[i].offset = offsets[k];
        run_wrong(m, false);
    }
    for (uint32_t seed = 1; seed < 50; seed++) {
        for (size_t i = 0; i < arrlenu(plan->blocks); i++)
            plan->blocks[i].offset = (uint32_t)(i * seed * 2654435761u) % (plan->region + 2);
        run_wrong(m, false);
    }
}

static void test_wrong_lists(void **state) {
    (void)state;
    for (int damage = 0; damage < 7; damage++) {
        image *m = export_planned(true);
        image_plan *plan = &m->plans[0];
        if (damage == 0)
            plan->most_live = 0;
        if (damage == 1)
            plan->most_live = 1;
        if (damage == 2)
            plan->region = 1;
        if (damage == 3)
            arrsetlen(plan->blocks, 1);
        if (damage == 4)
            arrsetlen(plan->blocks, 0);
        for (size_t i = 0; i < arrlenu(plan->blocks); i++) {
            if (damage == 5)
                plan->blocks[i].granules = UINT32_MAX;
            if (damage == 6)
                plan->blocks[i].granules ^= 1;
        }
        run_wrong(m, false);
    }
}

static void test_regions_that_do_not_fit(void **state) {
    (void)state;
    static const uint32_t sizes[] = {BUFFER / 64, UINT32_MAX, UINT32_MAX / 64 + 1};
    for (size_t i = 0; i < 2 * (sizeof sizes / sizeof *sizes); i++) {
        image *m = export_planned(true);
        *(i % 2 ? &m->plans[0].region : &m->plans[0].most_live) = sizes[i / 2];
        run_wrong(m, true);
    }
}

static void test_wrong_guards(void **state) {
    (void)state;
    for (int damage = 0; damage < 5; damage++) {
        image *m = export_planned(true);
        image_plan *plan = &m->plans[0];
        if (damage < 4)
            arrsetlen(plan->guards, (size_t)damage);
        else
            plan->guards[0] |= 0xff0000; /* more dimensions than there are words */
        tsm_instance *inst = start(open_image(m), BUFFER);
        tsm_value result;
        assert_int_equal(call(inst, &result), TSM_OK);
        assert_result(result, 12, 16);
        assert_int_equal(inst->exec.placed_bytes, 0);
    }
}

static void test_guards_name_plans_that_exist(void **state) {
    (void)state;
    image *m = export_planned(true);
    arrsetlen(m->plans, 0);
    char message[256];
    size_t bytes;
    const uint8_t *file = image_write(m, &bytes);
    tsm_program p;
    assert_int_equal(tsm_program_open(&p, file, bytes, message, sizeof message), TSM_BAD_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_example_is_planned),
        cmocka_unit_test(test_other_arguments_run_the_general_code),
        cmocka_unit_test(test_failures_leave_nothing),
        cmocka_unit_test(test_results_may_be_held),
        cmocka_unit_test(test_the_need_is_exact),
        cmocka_unit_test(test_wrong_offsets),
        cmocka_unit_test(test_wrong_lists),
        cmocka_unit_test(test_regions_that_do_not_fit),
        cmocka_unit_test(test_wrong_guards),
        cmocka_unit_test(test_guards_name_plans_that_exist),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
