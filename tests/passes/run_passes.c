/* Runs test cases of passes and of code generation, which are files (README.md):
 *
 *     run_passes [--update] FOLDER-OR-FILE...
 *     run_passes --table FOLDER      every pass of the pipeline has a case in FOLDER/NAME that it changes
 *
 * Exit status 1 when a case fails. With --update the expectations are replaced by what came out. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "case_file.h"
#include "exporter/base/diag.h"
#include "exporter/codegen/codegen.h"
#include "exporter/execute/calibrate.h"
#include "exporter/execute/observe_shapes.h"
#include "exporter/execute/values.h"
#include "exporter/passes/analysis/call_graph.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/lower/collect_appends.h"
#include "exporter/passes/lower/unroll_loops.h"
#include "exporter/passes/optimize/build_lists.h"
#include "exporter/passes/optimize/fold_constants.h"
#include "exporter/passes/pipeline.h"
#include "exporter/schema/graph_parser.h"
#include "exporter/source/load.h"
#include "runtime/value/half.h"

/* A case while it runs. */
typedef struct {
    const case_file *file;
    program *program;
    function **entries, **functions;
    ir_graph *graph; /* the entry's */
    shape_facts facts;
    pipeline_options options;
    const image *image; /* made by the step "codegen" */
} test_case;

/* ---- Tensors in settings ---- */

/* "float32[2, 3] 1 2 3 4 5 6": a dtype, sizes, and the elements; the last one given stands for the rest. */
static ir_constant *parse_tensor(const char *text) {
    size_t n = strcspn(text, "[");
    pt_dtype dtype;
    int64_t sizes[SHAPE_MAX_DIMS];
    int dims = 0;
    if (text[n] != '[' || !pt_dtype_from_name(mem_strndup(text, n), &dtype))
        diag_fail("no tensor: %s", text);
    char *at = (char *)text + n + 1;
    while (*at && *at != ']' && dims < SHAPE_MAX_DIMS) {
        sizes[dims++] = strtoll(at, &at, 10);
        at += strspn(at, ", ");
    }
    void *data;
    ir_constant *c = tensor_constant_new(dtype, dims, sizes, &data);
    double element = 0;
    for (int64_t i = 0; i < pt_tensor_numel(c->tensor); i++) {
        at += strspn(at, "] ");
        element = *at ? strtod(at, &at) : element;
        if (dtype == PT_FLOAT32)
            ((float *)data)[i] = (float)element;
        else if (dtype == PT_FLOAT16)
            ((uint16_t *)data)[i] = tsm_half_of_float((float)element);
        else if (dtype == PT_BFLOAT16)
            ((uint16_t *)data)[i] = tsm_bfloat16_of_float((float)element);
        else if (element != 0)
            diag_fail("elements are for floats of 16 and 32 bits: %s", text);
    }
    return c;
}

/* The same elements as coordinates and values (COO), where they are not zero. */
static ir_constant *sparse_copy(const pt_tensor *dense) {
    const float *elements = pt_tensor_data(dense);
    int64_t all = pt_tensor_numel(dense), count = 0;
    for (int64_t i = 0; i < all; i++)
        count += elements[i] != 0;
    void *indices, *values;
    pt_tensor *t = MEM_NEW(pt_tensor);
    *t = *dense;
    t->layout = PT_SPARSE_COO;
    t->storage = NULL;
    t->indices = tensor_constant_new(PT_INT64, 2, (int64_t[]){dense->ndim, count}, &indices)->tensor;
    t->values = tensor_constant_new(PT_FLOAT32, 1, &count, &values)->tensor;
    for (int64_t i = 0, k = 0; i < all; i++) {
        if (elements[i] == 0)
            continue;
        int64_t rest = i;
        for (int d = dense->ndim; d-- > 0; rest /= dense->sizes[d])
            ((int64_t *)indices)[d * count + k] = rest % dense->sizes[d];
        ((float *)values)[k++] = elements[i];
    }
    return const_tensor(t);
}

static void print_tensor(const pt_tensor *t, strbuf *out) {
    strbuf_printf(out, "%s[", pt_dtype_name(t->dtype));
    for (int d = 0; d < t->ndim; d++)
        strbuf_printf(out, "%s%" PRId64, d ? ", " : "", t->sizes[d]);
    strbuf_add(out, t->layout == PT_STRIDED ? "]" : "] sparse");
    const bool has_floats = t->dtype == PT_FLOAT32 || t->dtype == PT_FLOAT16 || t->dtype == PT_BFLOAT16;
    for (int64_t i = 0; t->layout == PT_STRIDED && has_floats && i < pt_tensor_numel(t); i++)
        strbuf_printf(out, " %g", (double)tensor_constant_as_floats(t)[i]);
    strbuf_add(out, "\n");
}

/* ---- What settings say of a graph ---- */

/* The parameter "%name ..." of a setting; *rest is what stands behind the name. */
static ir_value *parameter_of(const test_case *t, const char *setting, const char **rest) {
    size_t n = strcspn(setting, " ");
    *rest = setting + n + strspn(setting + n, " ");
    ir_value **all = t->graph->block->param->outputs;
    for (size_t i = 0; i < arrlenu(all); i++)
        if (all[i]->name && strlen(all[i]->name) == n - 1 && !memcmp(setting + 1, all[i]->name, n - 1))
            return all[i];
    diag_fail("the graph has no such parameter: %s", setting);
}

static void each_node(ir_block *b, void (*visit)(ir_node *n, void *data), void *data) {
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            each_node(n->blocks[i], visit, data);
        visit(n, data);
    }
}

/* `constant: %w float32[2, 2] 1`: the parameter's uses become uses of a constant. */
static void set_constant(test_case *t, const char *text) {
    ir_value *v = parameter_of(t, text, &text);
    ir_replace_uses(v, ir_insert_constant(ir_first(t->graph->block), parse_tensor(text)));
}

/* `sparse: %w float32[2, 2] 1 0 0 2`: the same with a sparse constant. */
static void set_sparse_constant(test_case *t, const char *text) {
    ir_value *v = parameter_of(t, text, &text);
    ir_replace_uses(v, ir_insert_constant(ir_first(t->graph->block), sparse_copy(parse_tensor(text)->tensor)));
}

/* `given: %x float32[4, 6]`: the shape of a parameter. */
static void set_given(test_case *t, const char *text) {
    const ir_value *v = parameter_of(t, text, &text);
    hmput(t->facts.given, v, shape_without_strides(shape_of_constant(parse_tensor(text))));
}

typedef struct {
    const char *name;
    const shape *shape;
    shape_map *seen;
} sight;

static void see_node(ir_node *n, void *data) {
    const sight *s = data;
    if (n->schema && !strcmp(n->schema->name, s->name))
        shape_see(s->seen, ir_out(n, 0), s->shape);
}

/* `seen: aten::relu float32[4, 6]`: the shape of the results of all operators of a name. */
static void set_seen(test_case *t, const char *text) {
    size_t n = strcspn(text, " ");
    sight s = {mem_strndup(text, n), shape_of_constant(parse_tensor(text + n + 1)), &t->facts.seen};
    each_node(t->graph->block, see_node, &s);
}

static void select_overload(ir_node *n, void *data) {
    const op_schema *s = data;
    if (n->schema && !strcmp(n->schema->name, s->name))
        n->schema = s;
}

/* `overload: aten::Int.Scalar`: of all operators of its name. */
static void set_overload(test_case *t, const char *text) {
    const op_schema *s = schema_find(text);
    if (!s)
        diag_fail("there is no operator %s", text);
    each_node(t->graph->block, select_overload, (void *)s);
}

/* `weights: int8`: what narrow_weights makes of weights. */
static void set_weights(test_case *t, const char *text) {
    t->options.weights = strcmp(text, "int8") ? WEIGHTS_F16 : WEIGHTS_INT8;
}

/* `skip: linear#2`: a layer that quantize leaves with floats. */
static void set_skip(test_case *t, const char *text) {
    arrput(t->options.quantization->skipped, text);
}

/* `limit: 40`: the signal-to-noise ratio that quantize wants of each layer. */
static void set_limit(test_case *t, const char *text) {
    t->options.quantization->least_ratio = strtod(text, NULL);
}

static const struct {
    const char *key;
    void (*set)(test_case *t, const char *text);
} settings[] = {
    {"constant", set_constant}, {"sparse", set_sparse_constant}, {"given", set_given}, {"seen", set_seen},
    {"overload", set_overload}, {"weights", set_weights},        {"skip", set_skip},   {"limit", set_limit},
};

/* ---- Steps: passes of the pipeline, and parts of passes ---- */

static void step_unroll_loops(test_case *t) {
    unroll_loops(t->graph->block, &(unroll_limits){16, 256, NULL}, &t->facts.seen);
}

static void step_collect_appends(test_case *t) {
    collect_appends(t->graph);
}

static void step_build_lists(test_case *t) {
    build_lists(t->graph->block);
}

/* As often as there is something to fold, as specializing does. */
static void step_fold_shapes(test_case *t) {
    for (bool changed = true; changed;) {
        t->facts.mutation = mutation_analyse(t->program, t->entries, t->functions, NULL);
        changed = fold_shapes(t->graph->block, &t->facts);
        fold_constants(t->graph, t->facts.mutation);
        changed |= unroll_loops(t->graph->block, &(unroll_limits){16, 256, NULL}, &t->facts.seen);
    }
}

static void step_codegen(test_case *t) {
    t->image = codegen_run(t->program, t->entries, t->functions, (codegen_options){.strip_debug = true});
}

static const struct {
    const char *name;
    void (*run)(test_case *t);
} parts[] = {
    {"unroll_loops", step_unroll_loops}, {"collect_appends", step_collect_appends},
    {"build_lists", step_build_lists},   {"fold_shapes", step_fold_shapes},
    {"codegen", step_codegen},
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

static void run_step(test_case *t, const char *name) {
    for (int i = 0; i < PART_COUNT; i++)
        if (!strcmp(parts[i].name, name)) {
            parts[i].run(t);
            return;
        }
    t->functions = pipeline_run_pass(name, t->program, t->entries, t->options);
}

/* ---- What can be expected ---- */

/* A graph without source ranges; objects are printed without their addresses, which differ from run to run. */
static void print_graph(const ir_graph *g, strbuf *out) {
    strbuf text = {0};
    ir_print(g, &text);
    for (const char *p = strbuf_text(&text); *p;) {
        if (!strncmp(p, " # ", 3))
            p += strcspn(p, "\n");
        else if (!strncmp(p, "object(0x", 9))
            p += strcspn(p, ")"), strbuf_add(out, "object(");
        else
            strbuf_add_n(out, p++, 1);
    }
}

static void print_after(test_case *t, strbuf *out) {
    if (ir_fault(t->graph))
        diag_fail("the graph is broken: %s", ir_fault(t->graph));
    print_graph(t->graph, out);
}

static void print_constant_node(ir_node *n, void *data) {
    if (n->kind == IR_CONSTANT && n->constant && n->constant->kind == CONST_TENSOR)
        print_tensor(n->constant->tensor, data);
}

static void print_constants(test_case *t, strbuf *out) {
    each_node(t->graph->block, print_constant_node, out);
}

static void print_overload(ir_node *n, void *data) {
    if (n->schema)
        strbuf_printf(data, "%s\n", n->schema->full_name);
}

static void print_overloads(test_case *t, strbuf *out) {
    each_node(t->graph->block, print_overload, out);
}

static void print_caller(ir_node *n, void *data) {
    if (!n->scope)
        return;
    strbuf_printf(data, "%s:", ir_kind_name(n->kind));
    for (const ir_scope *s = n->scope; s; s = s->caller)
        strbuf_printf(data, " %s", s->function);
    strbuf_add(data, "\n");
}

static void print_callers(test_case *t, strbuf *out) {
    each_node(t->graph->block, print_caller, out);
}

static void print_functions(test_case *t, strbuf *out) {
    for (size_t i = 0; i < arrlenu(t->functions); i++)
        strbuf_printf(out, "%s\n", t->functions[i]->name);
}

/* The attributes of the module that are not None, and of modules in it. */
static void print_object(const ir_constant *object, const char *path, strbuf *out) {
    const class_def *c = object->type->definition;
    for (size_t i = 0; i < arrlenu(c->attributes); i++) {
        const ir_constant *value = object->list.items[i];
        const char *name = mem_printf("%s%s", path, c->attributes[i].name);
        if (value->kind != CONST_NONE)
            strbuf_printf(out, "%s : %s\n", name, value->type->text);
        if (value->kind == CONST_OBJECT)
            print_object(value, mem_printf("%s.", name), out);
    }
}

/* What became of the layers of quantize, without decibels. */
static void print_layers(test_case *t, strbuf *out) {
    const quantized_layer *layers = t->options.quantization->layers;
    for (size_t i = 0; i < arrlenu(layers); i++)
        strbuf_printf(out, "%s: %s\n", layers[i].name, layers[i].bytes ? "int8" : layers[i].reason);
}

static void print_module(test_case *t, strbuf *out) {
    print_object(program_module(t->program), "", out);
}

static void print_object_node(ir_node *n, void *data) {
    if (n->kind == IR_CONSTANT && n->constant && n->constant->kind == CONST_OBJECT)
        print_object(n->constant, "", data);
}

static void print_objects(test_case *t, strbuf *out) {
    each_node(t->graph->block, print_object_node, out);
}

/* The values that depend on the first parameter. */
static void list_dependent(const gradient_flow *f, const ir_block *b, strbuf *out) {
    for (const ir_node *n = b->param;; n = n->next) {
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            if (flow_depends(f, ir_out(n, i)))
                strbuf_printf(out, "%s\n", ir_out(n, i)->name);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            list_dependent(f, n->blocks[i], out);
        if (n == b->result)
            return;
    }
}

static void print_dependent(test_case *t, strbuf *out) {
    gradient_flow *f = flow_new(t->graph);
    flow_mark(f, ir_out(t->graph->block->param, 0));
    list_dependent(f, t->graph->block, out);
}

static void print_settled(test_case *t, strbuf *out) {
    t->facts.mutation = mutation_analyse(t->program, t->entries, t->functions, NULL);
    strbuf_add(out, shapes_unsettled(t->graph->block, &t->facts) ? "no\n" : "yes\n");
}

/* A line of the dump of bytecode without its meaning, spaces made single. */
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

/* The functions of the image. */
static void print_bytecode(test_case *t, strbuf *out) {
    strbuf dump = {0};
    image_print(t->image, &dump);
    const char *line = strstr(strbuf_text(&dump), "\nfunction ");
    while (line && *line) {
        size_t length = strcspn(line, "\n");
        if (length)
            add_plain_line(out, line, length);
        line += length + (line[length] == '\n');
    }
}

static void print_image_summary(test_case *t, strbuf *out) {
    const image *m = t->image;
    strbuf_printf(out, "stack: %u registers, %u frames\n", m->stack_registers, m->stack_frames);
    for (size_t i = 0; i < arrlenu(m->features); i++)
        strbuf_printf(out, "feature: %s\n", m->features[i]);
    for (size_t i = 0; i < arrlenu(m->plans); i++) {
        strbuf_add(out, "guards:");
        for (size_t k = 0; k < arrlenu(m->plans[i].guards); k++)
            strbuf_printf(out, " 0x%" PRIx32, m->plans[i].guards[k]);
        strbuf_add(out, "\n");
    }
}

static const struct {
    const char *name;
    void (*print)(test_case *t, strbuf *out);
} outputs[] = {
    {"after", print_after},       {"constants", print_constants}, {"overloads", print_overloads},
    {"callers", print_callers},   {"functions", print_functions}, {"module", print_module},
    {"objects", print_objects},   {"dependent", print_dependent}, {"settled", print_settled},
    {"bytecode", print_bytecode}, {"image", print_image_summary}, {"layers", print_layers},
};
enum { OUTPUT_COUNT = sizeof outputs / sizeof *outputs };

/* ---- Running a case ---- */

static void load_source(test_case *t, const char *text) {
    source_options options = {NULL, evaluate_operator};
    const char *entry = case_file_setting(t->file, "entry");
    t->program = program_load_source("test.py", text, strlen(text), entry ? entry : "f", &options);
    t->entries = program_entries(t->program);
    t->graph = function_graph(t->entries[0]);
}

/* The function of a graph takes and returns what the graph does. */
static op_schema *schema_of(const ir_graph *g) {
    op_schema *s = MEM_NEW(op_schema);
    const ir_value *const *parameters = (const ir_value *const *)g->block->param->outputs;
    s->name = s->full_name = "f";
    s->overload = "";
    s->argument_count = (uint32_t)arrlenu(parameters);
    schema_argument *arguments = MEM_ARRAY(schema_argument, s->argument_count + 1), *result = MEM_NEW(schema_argument);
    for (uint32_t i = 0; i < s->argument_count; i++) {
        arguments[i].name = parameters[i]->name ? parameters[i]->name : mem_printf("p%u", i);
        arguments[i].type = parameters[i]->type;
    }
    result->type = ir_in(g->block->result, 0)->type;
    s->arguments = arguments;
    s->returns = result;
    s->return_count = 1;
    return s;
}

static void load_graph(test_case *t, const char *text) {
    load_source(t, "def f() -> int:\n    return 0\n");
    t->graph = ir_parse(text, NULL, NULL);
    t->entries = NULL;
    arrput(t->entries, program_new_function(t->program, "f", t->graph, schema_of(t->graph)));
    t->entries[0]->base_name = "f";
}

/* The arguments that a section holds; with `calls` those of several calls, which that gets. */
static ir_constant **arguments_of(const test_case *t, const char *text, ir_constant ****calls) {
    const op_schema *s = t->entries[0]->schema;
    const type **types = NULL;
    for (uint32_t i = t->entries[0]->owner ? 1 : 0; i < s->argument_count; i++)
        arrput(types, s->arguments[i].type);
    const type *call = type_tuple(types, (uint32_t)arrlenu(types));
    const ir_constant *all = values_parse_json(t->file->path, text, strlen(text), calls ? type_list(call) : call);
    ir_constant **arguments = NULL;
    for (uint32_t i = 0; i < all->list.count; i++)
        arrput(arguments, all->list.items[i]);
    for (size_t i = 0; calls && i < arrlenu(arguments); i++) {
        ir_constant **of_call = NULL;
        for (uint32_t k = 0; k < arguments[i]->list.count; k++)
            arrput(of_call, arguments[i]->list.items[k]);
        arrput(*calls, of_call);
    }
    return arguments;
}

/* The calls of `---- calibration`, for quantize. */
static void load_calibration(test_case *t) {
    const case_section *section = case_file_section(t->file, "calibration");
    ir_constant ***calls = NULL;
    if (!section)
        return;
    quantization *q = MEM_NEW(quantization);
    arguments_of(t, section->text, &calls);
    for (size_t i = 0; i < arrlenu(calls); i++) {
        const calibration_call call = {t->entries[0], calls[i]};
        arrput(q->calls, call);
    }
    q->has_extremes = true;
    q->runs = calibration_runs_of(calibration_new(q->calls, (codegen_options){0}));
    t->options.quantization = q;
}

static void load(test_case *t) {
    const case_section *graph = case_file_section(t->file, "graph"), *source = case_file_section(t->file, "source"),
                       *inputs = case_file_section(t->file, "example");
    if (!graph == !source)
        diag_fail("a case has either a graph or a source");
    if (graph)
        load_graph(t, graph->text);
    else
        load_source(t, source->text);
    t->options.level = 2;
    if (inputs) {
        const example e = {.entry = t->entries[0], .arguments = arguments_of(t, inputs->text, NULL)};
        arrput(t->options.examples, e);
        t->options.observe = observe_shapes;
    }
    load_calibration(t);
    for (size_t i = 0; i < arrlenu(t->file->settings); i++)
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
            if (!strcmp(t->file->settings[i].key, settings[k].key))
                settings[k].set(t, t->file->settings[i].text);
    t->functions = call_graph_reachable(t->program, t->entries);
}

/* Runs all steps but `without`. */
static void run_steps(test_case *t, const char *without) {
    const char *steps = case_file_setting(t->file, "run");
    while (steps && *steps) {
        size_t n = strcspn(steps, " ");
        const char *name = mem_strndup(steps, n);
        if (!without || strcmp(name, without))
            run_step(t, name);
        steps += n + strspn(steps + n, " ");
    }
}

static bool is_expectation(const char *name) {
    for (int i = 0; i < OUTPUT_COUNT; i++)
        if (!strcmp(outputs[i].name, name))
            return true;
    return !strcmp(name, "unchanged") || !strcmp(name, "error");
}

static const char *output_of(test_case *t, const char *name) {
    strbuf out = {0};
    if (!t->image && (!strcmp(name, "bytecode") || !strcmp(name, "image")))
        diag_fail("there is no %s without codegen", name);
    for (int i = 0; i < OUTPUT_COUNT; i++)
        if (!strcmp(outputs[i].name, name))
            outputs[i].print(t, &out);
    return strbuf_text(&out);
}

/* The texts of the expected sections of a case, in their order. */
static const char **run_sections(const case_file *c, const char *without, const char **before) {
    const char **results = NULL;
    test_case t = {.file = c};
    load(&t);
    strbuf text = {0};
    print_graph(t.graph, &text);
    *before = strbuf_text(&text);
    run_steps(&t, without);
    for (size_t i = 0; i < arrlenu(c->sections); i++) {
        const char *name = c->sections[i].name;
        if (is_expectation(name))
            arrput(results, output_of(&t, !strcmp(name, "unchanged") ? "after" : name));
    }
    return results;
}

/* The same, and *before, the graph before the steps; where the case ends with an error, that is every text. */
static const char **results_of(const case_file *c, const char *without, const char **before) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        const char **results = run_sections(c, without, before);
        diag_end(&h);
        return results;
    }
    const char **errors = NULL;
    for (size_t i = 0; i < arrlenu(c->sections); i++)
        if (is_expectation(c->sections[i].name))
            arrput(errors, mem_printf("%s\n", h.message));
    return errors;
}

/* Whether each line of an expected error occurs in the message. */
static bool error_fits(const char *expected, const char *message) {
    while (*expected) {
        size_t n = strcspn(expected, "\n");
        if (!strstr(message, mem_strndup(expected, n)))
            return false;
        expected += n + (expected[n] == '\n');
    }
    return true;
}

static bool section_fits(const case_section *s, const char *result, const char *before) {
    if (!strcmp(s->name, "error"))
        return *s->text && error_fits(s->text, result);
    const char *expected = !strcmp(s->name, "unchanged") ? before : s->text;
    return expected && !strcmp(case_numbered(expected), case_numbered(result));
}

/* Whether all expectations of a case hold; prints differences when `loud`. */
static bool case_holds(const case_file *c, const char *without, bool loud) {
    const char *before = NULL;
    const char **results = results_of(c, without, &before);
    bool holds = arrlenu(results) > 0;
    size_t k = 0;
    if (!holds && loud)
        printf("  it expects nothing\n");
    for (size_t i = 0; i < arrlenu(c->sections); i++) {
        const case_section *s = &c->sections[i];
        if (!is_expectation(s->name))
            continue;
        const char *result = results[k++];
        bool fits = section_fits(s, result, before);
        holds &= fits;
        if (!fits && loud) {
            printf("  %s:\n", s->name);
            case_print_difference(!strcmp(s->name, "unchanged") ? before ? before : "" : s->text, result);
        }
    }
    return holds;
}

static void update_case(case_file *c) {
    const char *before = NULL;
    const char **results = results_of(c, NULL, &before);
    size_t k = 0;
    for (size_t i = 0; i < arrlenu(c->sections); i++) {
        case_section *s = &c->sections[i];
        if (!is_expectation(s->name))
            continue;
        const char *result = results[k++];
        if (strcmp(s->name, "unchanged") && !section_fits(s, result, before))
            s->text = result;
    }
    case_file_write(c);
}

/* ---- Files and folders ---- */

typedef struct {
    bool update;
    int cases, failures;
} run;

static bool is_folder(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The cases in a folder, sorted: an stb_ds array. */
static const char **cases_in(const char *folder) {
    const char **paths = NULL;
    DIR *d = opendir(folder);
    if (!d)
        diag_fail("%s: cannot be opened", folder);
    for (const struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n > 3 && !strcmp(e->d_name + n - 3, ".ir"))
            arrput(paths, mem_printf("%s/%s", folder, e->d_name));
    }
    closedir(d);
    if (paths)
        qsort(paths, arrlenu(paths), sizeof *paths, by_name);
    return paths;
}

/* The name of the folder that a case is in: what it tests. */
static const char *subject_of(const char *path) {
    const char *end = strrchr(path, '/');
    if (!end)
        diag_fail("%s: name it with its folder", path);
    const char *start = end;
    while (start > path && start[-1] != '/')
        start--;
    return mem_strndup(start, (size_t)(end - start));
}

static bool runs(const case_file *c, const char *step) {
    const char *steps = case_file_setting(c, "run");
    const char *at = steps ? strstr(steps, step) : NULL;
    size_t n = strlen(step);
    return at && (at == steps || at[-1] == ' ') && (at[n] == ' ' || !at[n]);
}

static void run_case(run *r, const char *path) {
    case_file c = case_file_read(path);
    const char *subject = subject_of(path);
    r->cases++;
    if (r->update) {
        update_case(&c);
        return;
    }
    bool holds = case_holds(&c, NULL, false), is_empty = false;
    if (holds && runs(&c, subject) && !case_file_section(&c, "unchanged"))
        is_empty = case_holds(&c, subject, false);
    if (holds && !is_empty)
        return;
    r->failures++;
    printf("%s: fails\n", path);
    if (is_empty)
        printf("  it holds without the pass, too: say \"unchanged\"\n");
    else
        case_holds(&c, NULL, true);
}

static void run_path(run *r, const char *path) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        path = mem_strndup(path, --n);
    if (!is_folder(path)) {
        run_case(r, path);
        return;
    }
    const char **cases = cases_in(path);
    if (!cases)
        diag_fail("%s: there are no cases", path);
    for (size_t i = 0; i < arrlenu(cases); i++)
        run_case(r, cases[i]);
}

/* Whether the folder of each pass has a case in which the pass does something. */
static bool table_is_covered(const char *folder) {
    bool all = true;
    for (const char *const *name = pipeline_names(); *name; name++) {
        const char *pass = mem_strndup(*name, strcspn(*name, ".")), *path = mem_printf("%s/%s", folder, pass);
        const char **cases = is_folder(path) ? cases_in(path) : NULL;
        bool found = false;
        for (size_t i = 0; i < arrlenu(cases); i++) {
            case_file c = case_file_read(cases[i]);
            found |= runs(&c, pass) && !case_file_section(&c, "unchanged");
        }
        if (!found)
            printf("no case in %s shows what the pass does\n", path);
        all &= found;
    }
    return all;
}

int main(int argc, char **argv) {
    run r = {0};
    if (argc == 3 && !strcmp(argv[1], "--table"))
        return !table_is_covered(argv[2]);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--update"))
            r.update = true;
        else
            run_path(&r, argv[i]);
    }
    if (!r.cases)
        diag_fail("usage: run_passes [--update] FOLDER-OR-FILE... | --table FOLDER");
    printf("%d cases, %d failures\n", r.cases, r.failures);
    return r.failures > 0;
}
