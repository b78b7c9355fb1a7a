/* Functions of the compiler's library and the operators that are made of others, run in libtsmobile. */
#include "exporter/execute/evaluate_composite.h"

#include <string.h>

#include "exporter/codegen/codegen.h"
#include "exporter/emit/emit.h"
#include "exporter/execute/runner.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/pipeline.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"

/* "__torch__.package.name" */
static function *library_function(program *p, const char *name) {
    size_t root = strlen("__torch__.");
    builtin_library_load(p, mem_strndup(name + root, (size_t)(strrchr(name, '.') - name) - root));
    return program_find_function(p, name);
}

/* The function of an operator or a call in a program of its own,
 * because passes change the graphs of functions; NULL: there is none. */
static function *function_of(const ir_node *n) {
    program *p = program_new(&emit_front_end, NULL);
    p->version = PT_MAX_VERSION;
    function *f = n->callee ? library_function(p, n->callee->name) : builtin_decomposition(p, n->schema->full_name);
    if (f && f->schema->argument_count == ir_input_count(n))
        p->entry = f;
    return p->entry;
}

typedef struct {
    ir_constant **arguments;
    runner_result result;
} composite_call;

static tsm_status call(runner *t, void *data) {
    composite_call *c = data;
    return runner_call(t, 0, c->arguments, &c->result);
}

/* NULL when the function raises, or gives what is no constant. */
static ir_constant *run_function(function *f, const ir_constant *const *inputs) {
    function **entries = program_entries(f->program);
    function **functions = pipeline_run(f->program, entries, (pipeline_options){.level = 1});
    composite_call c = {.result = {f->schema->returns[0].type, NULL}};
    for (uint32_t i = 0; i < f->schema->argument_count; i++)
        arrput(c.arguments, (ir_constant *)inputs[i]);
    runner t = {0};
    runner_open(&t, codegen_run(f->program, entries, functions, (codegen_options){0}));
    return runner_run(&t, NULL, call, &c) == TSM_OK ? c.result.value : NULL;
}

bool evaluate_composite(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs) {
    if (evaluate_operator(n, inputs, outputs))
        return true;
    bool is_function = n->kind == IR_CALL_FUNCTION && n->callee->is_builtin;
    function *f = is_function || (n->schema && !schema_is_implemented(n->schema)) ? function_of(n) : NULL;
    ir_constant *result = f ? run_function(f, inputs) : NULL;
    if (!result || ir_output_count(n) == 1) {
        outputs[0] = result;
        return result;
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++) /* several results are one tuple */
        outputs[i] = result->list.items[i];
    return true;
}
