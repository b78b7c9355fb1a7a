/* tsmc --verify with passes that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/execute/verify_passes.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/pipeline.h"
#include "exporter/schema/schema.h"
#include "exporter/source/load.h"

static const char source[] = "import torch\n"
                             "def helper(x: torch.Tensor) -> torch.Tensor:\n"
                             "    return torch.sigmoid(x) + 1.0\n"
                             "def f(x: torch.Tensor, n: int) -> torch.Tensor:\n"
                             "    y = torch.relu(x)\n"
                             "    for i in range(n):\n"
                             "        y = helper(y)\n"
                             "    if n > 100:\n"
                             "        y = y * 2.0\n"
                             "    z = torch.tanh(y) - 0.5\n"
                             "    return z.sum(1)\n";

/* Replaces every call of an operator by a call of another one with the same inputs. */
static void replace_operator(ir_block *b, const char *from, const char *to) {
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            replace_operator(n->blocks[i], from, to);
        if (n->schema && !strcmp(n->schema->full_name, from)) {
            n->kind = ir_kind_of(to);
            n->schema = schema_find(to);
        }
    }
}

static void make_tanh_sinh(ir_graph *g) {
    replace_operator(g->block, "aten::tanh", "aten::sinh");
}
static void make_sigmoid_exp(ir_graph *g) {
    replace_operator(g->block, "aten::sigmoid", "aten::exp");
}
static void make_missing(ir_graph *g) {
    replace_operator(g->block, "aten::tanh", "aten::_coalesce");
}

/* A wrong pass: swaps the branches of every if. */
static void swap_branches(ir_graph *g) {
    IR_EACH(n, g->block)
    if (n->kind == IR_IF) {
        ir_block *first = n->blocks[0];
        n->blocks[0] = n->blocks[1];
        n->blocks[1] = first;
    }
}

static const char *verify_with(const pipeline_addition *addition, bool *agrees) {
    program *p = program_load_source("f.py", source, sizeof source - 1, "f", &(source_options){0});
    function **entries = program_entries(p);
    float *data;
    example e = {.entry = entries[0]};
    arrput(e.arguments, tensor_constant_new_floats(2, (int64_t[]){2, 3}, &data));
    arrput(e.arguments, const_int(2));
    for (int i = 0; i < 6; i++)
        data[i] = (float)i - 2.5f;
    verification *v = verify_new(p, entries, &e, 1e-4, (codegen_options){0});
    pipeline_run(p, entries,
                 (pipeline_options){.level = 2, .addition = addition, .after_pass = verify_after_pass, .context = v});
    strbuf report = {0};
    verify_report(v, &report);
    *agrees = verify_agrees(v);
    return strbuf_text(&report);
}

static void assert_holds(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void right_passes_agree(void **state) {
    (void)state;
    bool agrees;
    const char *report = verify_with(NULL, &agrees);
    assert_true(agrees);
    assert_holds(report, "prune_attributes");
    assert_holds(report, "all agree to 0.0001");
}

/* The pass, the node and the line, whatever ran before. */
static void wrong_passes_are_named(void **state) {
    (void)state;
    static const char *const places[] = {"autodiff", "inline_calls", "fold_constants", "cse", "dce"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool agrees;
        pipeline_addition wrong = {"wrong", places[i], make_tanh_sinh};
        const char *report = verify_with(&wrong, &agrees);
        if (agrees)
            fail_msg("after %s:\n%s", places[i], report);
        assert_holds(report, "\nwrong: the result of call 1, element 0: ");
        assert_holds(report, "aten::sinh");
        assert_holds(report, "File \"f.py\", line 10");
        assert_null(strstr(report, "all agree"));
    }
}

static void nodes_in_loops_and_callees_are_named(void **state) {
    (void)state;
    bool agrees;
    pipeline_addition wrong = {"wrong", "cse", make_sigmoid_exp};
    const char *report = verify_with(&wrong, &agrees);
    assert_false(agrees);
    assert_holds(report, "aten::exp");
    assert_holds(report, "line 3");
}

static void wrong_branches_are_found(void **state) {
    (void)state;
    bool agrees;
    pipeline_addition wrong = {"wrong", "lower_tuples", swap_branches};
    const char *report = verify_with(&wrong, &agrees);
    assert_false(agrees);
    assert_holds(report, "\nwrong: the result of call 1");
    assert_holds(report, "aten::mul");
    assert_holds(report, "line 9");
}

static void programs_that_cannot_be_lowered_any_more(void **state) {
    (void)state;
    bool agrees;
    pipeline_addition wrong = {"wrong", "cse", make_missing};
    const char *report = verify_with(&wrong, &agrees);
    assert_false(agrees);
    assert_holds(report, "\nwrong: the program cannot be lowered any more: ");
    assert_holds(report, "aten::_coalesce");
}

/* What docs/debugging.md shows. */
static int print_report(void) {
    bool agrees;
    pipeline_addition wrong = {"wrong", "cse", make_tanh_sinh};
    fputs(verify_with(&wrong, &agrees), stdout);
    return !agrees;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_passes_agree),
        cmocka_unit_test(wrong_passes_are_named),
        cmocka_unit_test(nodes_in_loops_and_callees_are_named),
        cmocka_unit_test(wrong_branches_are_found),
        cmocka_unit_test(programs_that_cannot_be_lowered_any_more),
    };
    if (argc == 2 && !strcmp(argv[1], "report"))
        return print_report();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
