/* tsmc: exports TorchScript programs to .tsm files. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/archive/archive.h"
#include "exporter/base/diag.h"
#include "exporter/base/file.h"
#include "exporter/base/terminal.h"
#include "exporter/codegen/codegen.h"
#include "exporter/embed/embed.h"
#include "exporter/execute/bounds.h"
#include "exporter/execute/calibrate.h"
#include "exporter/execute/describe.h"
#include "exporter/execute/enlarge.h"
#include "exporter/execute/evaluate_composite.h"
#include "exporter/execute/observe_shapes.h"
#include "exporter/execute/plan_memory.h"
#include "exporter/execute/plan_targets.h"
#include "exporter/execute/targets.h"
#include "exporter/execute/values.h"
#include "exporter/execute/verify_passes.h"
#include "exporter/export/export_program.h"
#include "exporter/export_report.h"
#include "exporter/options.h"
#include "exporter/passes/analysis/call_graph.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/pipeline.h"
#include "exporter/passes/training_mode.h"
#include "exporter/program/program.h"
#include "exporter/program_file.h"
#include "exporter/schema/schema.h"
#include "exporter/sizes.h"
#include "exporter/source/load.h"
#include "exporter/source/unknown_operators.h"
#include "exporter/syntax/parser.h"
#include "exporter/tables.h"
#include "platform/info.h"
#include "platform/platform.h"

/* The entries, and behind them the functions that other workers may be asked to call. */
static function **with_remote_functions(program *p, function **entries) {
    function **reachable = call_graph_reachable(p, entries);
    for (size_t i = 0; i < arrlenu(entries); i++)
        entries[i]->is_entry = true;
    for (size_t i = 0; i < arrlenu(reachable); i++)
        if (reachable[i]->is_remote && !reachable[i]->is_entry)
            arrput(entries, reachable[i]);
    return entries;
}

/* Without --method what is exported is the call of the module, model(x), hooks included; a method that is named,
 * model.forward(x), is that method alone, as in PyTorch. */
static function **choose_entries(program *p, const settings *s) {
    function **all = program_entries(p), **chosen = NULL;
    if (!arrlenu(all))
        diag_fail("%s: the module has no methods", s->input);
    if (!arrlenu(s->methods))
        return pipeline_entries(p, all);
    for (size_t i = 0; i < arrlenu(s->methods); i++) {
        function *found = NULL;
        for (size_t k = 0; k < arrlenu(all) && !found; k++)
            found = strcmp(all[k]->base_name, s->methods[i]) ? NULL : all[k];
        if (!found)
            diag_fail("%s has no method '%s'", s->input, s->methods[i]);
        arrput(chosen, found->without_hooks ? found->without_hooks : found);
    }
    return chosen;
}

/* ---- Dumps ---- */

static void print_tree(const source_file *file, dialect d) {
    strbuf b = {0};
    ast_print(parse_file(file, d), &b);
    printf("%s\n", b.text);
}

static void dump_ast(const pt_archive *archive) {
    for (size_t i = 0; i < arrlenu(archive->files); i++) {
        pt_code_file *f = pt_archive_code((pt_archive *)archive, archive->files[i].qualifier);
        print_tree(source_new(f->path, f->text, f->length, 1), DIALECT_SERIALIZED);
    }
}

/* bounds: NULL where no sizes are named. */
static void dump_graphs(function *const *functions, const size_bounds *bounds, const example *examples) {
    for (size_t i = 0; i < arrlenu(functions); i++) {
        strbuf b = {0};
        if (bounds)
            bounds_print_graph(bounds, functions[i], examples, &b);
        else
            ir_print(function_graph(functions[i]), &b);
        printf("%s:\n%s\n", functions[i]->name, b.text);
    }
}

typedef struct {
    char *key;
    int value;
} operator_count;

static void count_operators(const ir_block *b, operator_count **counts) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            count_operators(n->blocks[i], counts);
        char *name = (char *)(n->schema ? n->schema->full_name : ir_kind_name(n->kind));
        shput(*counts, name, shget(*counts, name) + 1);
    }
}

static void dump_operators(function *const *functions, json_report *o) {
    operator_count *counts = NULL;
    for (size_t i = 0; i < arrlenu(functions); i++)
        count_operators(function_graph(functions[i])->block, &counts);
    if (o->is_json)
        fputc('[', json_report_member(o, "operators"));
    for (size_t i = 0; i < shlenu(counts); i++)
        if (o->is_json)
            printf("%s{\"count\": %d, \"name\": \"%s\"}", i ? ",\n  " : "", counts[i].value, counts[i].key);
        else
            printf("%6d  %s\n", counts[i].value, counts[i].key);
    if (o->is_json)
        putchar(']');
}

static void dump_types(program *p) {
    class_def **classes = program_classes(p);
    for (size_t i = 0; i < arrlenu(classes); i++) {
        printf("%s\n", classes[i]->name);
        for (size_t k = 0; k < arrlenu(classes[i]->attributes); k++)
            printf("    %s : %s\n", classes[i]->attributes[k].name, type_annotation(classes[i]->attributes[k].type));
        for (size_t k = 0; k < arrlenu(classes[i]->methods); k++)
            printf("    %s\n", schema_text(classes[i]->methods[k]->schema));
    }
}

/* ---- Writing ---- */

static platform_output *create_file(const char *path) {
    char reason[256];
    platform_output *output = platform_output_open(path, NULL, reason, sizeof reason);
    if (!output)
        diag_fail("cannot write %s: %s", path, reason);
    return output;
}

static void finish_file(platform_output *output, const char *path) {
    char reason[256];
    if (!platform_output_close(output, reason, sizeof reason))
        diag_fail("cannot write %s: %s", path, reason);
}

static void write_file(const char *path, const uint8_t *bytes, size_t n) {
    platform_output *output = create_file(path);
    fwrite(bytes, 1, n, platform_output_stream(output));
    finish_file(output, path);
}

static void write_report(const settings *s, const export_report *r) {
    platform_output *output = create_file(s->report);
    export_report_write(r, platform_output_stream(output));
    finish_file(output, s->report);
}

/* ---- Reading ---- */

/* The file of METHOD=FILE. */
static const char *file_of(const char *text) {
    const char *end = text;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    return end > text && *end == '=' ? end + 1 : text;
}

/* "FILE.py:NAME": returns FILE.py and sets *entry to NAME; NULL when the input is no source. */
static const char *source_path(const char *input, const char **entry) {
    const char *end = strstr(input, ".py");
    while (end && end[3] && end[3] != ':')
        end = strstr(end + 1, ".py");
    if (!end)
        return NULL;
    *entry = end[3] ? end + 4 : NULL;
    return mem_strndup(input, (size_t)(end + 3 - input));
}

/* What the program's file says of example inputs; both may be NULL. */
typedef struct {
    export_file *exported;
    pt_archive *archive;
} own_examples;

/* The program of main_entry. */
static export_file *main_program(export_file *const *files) {
    for (size_t i = 0; i < arrlenu(files); i++)
        if (!strcmp(files[i]->method, "forward"))
            return files[i];
    return files[0];
}

static program *load_archive(const char *path, bool wants_tree, own_examples *own) {
    const program_file f = program_file_open(path, zip_load_file(path));
    *own = (own_examples){f.exported ? main_program(f.exported) : NULL, f.archive};
    if (!wants_tree)
        return program_file_load(&f);
    if (f.is_bytecode || f.exported)
        diag_fail("%s holds %s, not code", path, f.exported ? "a graph" : "bytecode");
    dump_ast(f.archive);
    return NULL;
}

/* "FILE.pt2:METHOD": returns FILE.pt2 and sets *method; NULL when the input names no method. */
static const char *exported_path(const char *input, const char **method) {
    static const char end[] = ".pt2:";
    const char *found = strstr(input, end);
    if (!found || !found[strlen(end)])
        return NULL;
    *method = intern(found + strlen(end));
    return mem_strndup(input, (size_t)(found - input) + strlen(end) - 1);
}

/* Programs of torch.export as the methods of one module; `main_file` gets the one that main_entry is of. */
static program *load_exported(const settings *s, export_file **main_file) {
    export_file **files = NULL;
    for (size_t i = 0; i < arrlenu(s->inputs); i++) {
        const char *method = NULL, *path = exported_path(s->inputs[i], &method);
        if (!path)
            options_refuse("no method is named: ", s->inputs[i]);
        export_file *const *programs = program_file_open(path, zip_load_file(path)).exported;
        if (!programs)
            diag_fail("%s: is no program of torch.export", path);
        arrput(files, export_file_choose(programs, method));
    }
    *main_file = main_program(files);
    return program_load_export(files, evaluate_operator);
}

/* Refuses to write over a file that is read. */
static void check_outputs(const settings *s) {
    const char **read = NULL, *const outputs[] = {s->output, s->report}, *ignored;
    for (size_t i = 0; i < arrlenu(s->inputs); i++) {
        const char *path = source_path(s->inputs[i], &ignored);
        path = path ? path : exported_path(s->inputs[i], &ignored);
        arrput(read, path ? path : s->inputs[i]);
    }
    for (size_t i = 0; i < arrlenu(s->examples); i++)
        arrput(read, file_of(s->examples[i]));
    for (size_t i = 0; i < arrlenu(s->calibrations); i++)
        arrput(read, file_of(s->calibrations[i]));
    arrput(read, s->weights);
    arrput(read, s->bundle);
    arrput(read, s->expect);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        for (size_t k = 0; outputs[i] && k < arrlenu(read); k++)
            if (read[k] && platform_is_same_file(outputs[i], read[k]))
                diag_fail("%s is read, and would be written over; give another name", outputs[i]);
}

/* NULL when the dump of trees was asked for and is done. */
static program *load_program(const settings *s, own_examples *own) {
    bool wants_tree = s->dump && !strcmp(s->dump, "ast");
    const char *entry = NULL, *path = source_path(s->input, &entry);
    if (!path && s->weights)
        options_refuse("--weights FILE is for module classes of .py sources, not for ", s->input);
    if (!path && !wants_tree && exported_path(s->input, &entry))
        return load_exported(s, &own->exported);
    if (!path)
        return load_archive(s->input, wants_tree, own);
    size_t n;
    const char *text = file_read(path, &n);
    if (wants_tree) {
        print_tree(source_new(path, text, n, 1), DIALECT_PYTHON);
        return NULL;
    }
    source_options options = {s->weights, evaluate_composite};
    return program_load_source(path, text, n, entry, &options);
}

static function *entry_named(function *const *entries, const char *name) {
    for (size_t i = 0; i < arrlenu(entries); i++)
        if (!strcmp(entries[i]->base_name, name))
            return entries[i];
    return NULL;
}

/* The entry that examples and test cases are for: forward, or else the first. */
static function *main_entry(function *const *entries) {
    function *forward = entry_named(entries, "forward");
    return forward ? forward : entries[0];
}

static bool dumps(const settings *s, const char *stage) {
    return s->dump && !strcmp(s->dump, stage);
}

static void print_image(const image *m) {
    strbuf b = {0};
    image_print(m, &b);
    fputs(b.text, stdout);
}

/* The arguments with which torch.export made the program; NULL when there are none. */
static ir_constant **exported_arguments(export_file *f, const function *entry) {
    const pkl_value *call = f ? export_file_examples(f) : NULL;
    return call ? values_of_call(f->name, call, entry) : NULL;
}

/* Arguments like those with which torch.jit.trace made the program, of zeros; NULL when the archive does not say. */
static ir_constant **traced_arguments(pt_archive *a, const function *entry) {
    const pkl_value *methods = a ? pt_archive_traced_inputs(a) : NULL;
    const pkl_value *inputs = methods && methods->kind == PKL_DICT ? pkl_dict_get(methods, entry->base_name) : NULL;
    return inputs ? values_of_inputs(a->name, inputs, entry) : NULL;
}

/* Those of the program's file; NULL when it has none that can be read: classes of the author's own are not known here.
 */
static ir_constant **own_arguments(const own_examples *own, const function *entry, bool wants_elements) {
    diag_handler h;
    ir_constant **volatile arguments = NULL;
    if (!DIAG_TRY(&h)) {
        arguments = exported_arguments(own->exported, entry);
        if (!arguments && !wants_elements)
            arguments = traced_arguments(own->archive, entry);
        diag_end(&h);
    } else
        diag_warn("the example inputs are not used: %s", h.message);
    return arguments;
}

/* What the file says of itself. */
static void describe(const settings *s, image *m, function *const *entries, const example *examples) {
    const char *ignored, *path = source_path(s->input, &ignored);
    if (!path)
        path = exported_path(s->input, &ignored);
    for (size_t i = 0; i < arrlenu(s->metadata); i++)
        describe_entry(m, s->metadata[i]);
    if (s->strip)
        return;
    if (s->elements != WEIGHTS_AS_THEY_ARE)
        describe_entry(m, s->elements == WEIGHTS_F16 ? "weights.elements=f16" : "weights.elements=int8");
    if (s->calibrations)
        describe_entry(m, "layers=int8");
    describe_entries(m, entries);
    describe_examples(m, examples);
    if (path || arrlenu(s->inputs) == 1)
        describe_source(m, "source", path ? path : s->input);
    if (s->weights)
        describe_source(m, "weights", s->weights);
}

/* What is written: the image, with plans when it was specialized to examples, which `plans` then gets. */
static image *make_image(const settings *s, program *p, function *const *entries, function *const *functions,
                         const example *examples, const own_examples *own, plan_details **plans, json_report *o) {
    codegen_options lowering = {.strip_debug = s->strip, .target = s->target, .interface_depth = s->interface_depth};
    function *entry = main_entry(entries);
    if (s->bundle || s->bundles_own) {
        ir_constant **arguments = s->bundle ? values_read_arguments(s->bundle, entry) : own_arguments(own, entry, true);
        if (!arguments)
            diag_fail("%s has no example inputs: give --bundle FILE", s->input);
        values_mark_written(arguments, entry, mutation_analyse(p, entries, functions, program_module(p)));
        lowering.arguments = values_as_tuple(arguments);
    }
    if (s->expect)
        lowering.expected = values_read_result(s->expect, entry);
    terminal_progress("writing instructions", 0, 0);
    image *m = codegen_run(p, entries, functions, lowering);
    terminal_progress("planning memory", 0, 0);
    plan_knowledge *known = plan_knowledge_new();
    *plans = plan_memory(m, examples, s->machine, known);
    if (s->plans_each)
        plan_targets(m, examples, known);
    terminal_end_progress();
    strbuf text = {0};
    if (dumps(s, "plan") && o->is_json)
        tables_plans(o, *plans);
    for (size_t i = 0; dumps(s, "plan") && !o->is_json && i < arrlenu(*plans); i++)
        plan_print(&(*plans)[i], &text);
    fputs(strbuf_text(&text), stdout);
    describe(s, m, entries, examples);
    return m;
}

/* Whether the program is specialized to the examples: a runtime may have no plans, and --stop-after may leave
 * specializing out. */
static bool specializes(const settings *s, const example *examples) {
    if (!examples || dumps(s, "ir"))
        return false;
    if (!codegen_target_has(s->target, OPCODE_GUARD)) {
        if (s->examples)
            diag_warn("libtsmobile %s has no plans: --example is not used", image_version_text(s->target));
        return false;
    }
    return !s->stop_after || !strcmp(s->stop_after, "specialize");
}

/* The arguments of the file made as large as torch.export allows; NULL when they have no bound or are too large. */
static ir_constant **enlarged_arguments(const own_examples *own, const function *entry, int64_t *const *sizes) {
    ir_constant **arguments = own_arguments(own, entry, true);
    return arguments && enlarge_arguments(arguments, sizes, ENLARGE_MOST_ELEMENTS) ? arguments : NULL;
}

/* The largest call that the ranges of the file's program allow; nothing when they have no bound. */
static void take_largest(example *e, const own_examples *own) {
    int64_t ***sets = own->exported->largest_sizes;
    const int64_t elements = sets ? enlarge_elements(sets[0]) : 0;
    if (elements > ENLARGE_MOST_ELEMENTS) {
        diag_warn("the largest arguments have %lld elements: no memory is planned for them; --example FILE plans for "
                  "other sizes",
                  (long long)elements);
        return;
    }
    e->arguments = sets ? enlarged_arguments(own, e->entry, sets[0]) : NULL;
    for (size_t i = 1; e->arguments && i < arrlenu(sets); i++) {
        ir_constant **other = enlarged_arguments(own, e->entry, sets[i]);
        if (other)
            arrput(e->others, other);
        e->samples += other && i >= own->exported->corners;
    }
}

/* The example with which torch.jit.trace made the program, or torch.export; of the last the largest call that its
 * ranges allow. To verify, elements are wanted. NULL: there is none. */
static example *own_example(const settings *s, function *const *entries, const own_examples *own) {
    example e = {.entry = main_entry(entries), .is_own = true}, *one = NULL;
    if (s->no_example)
        return NULL;
    if (own->exported && !own->exported->has_static_shapes)
        take_largest(&e, own);
    else
        e.arguments = own_arguments(own, e.entry, s->verify);
    if (e.arguments)
        arrput(one, e);
    return one;
}

/* The method of METHOD=FILE, which *file gets; without METHOD the main one. */
static function *method_of_file(const char *option, const char *text, function *const *entries, const char **file) {
    *file = file_of(text);
    const char *name = *file > text ? mem_strndup(text, (size_t)(*file - text) - 1) : NULL;
    function *f = name ? entry_named(entries, name) : main_entry(entries);
    if (!f)
        diag_fail("%s %s: the program has no method %s", option, text, name);
    return f;
}

/* The example of FILE, or of METHOD=FILE. */
static example given_example(const char *text, function *const *entries) {
    const char *file;
    example e = {.entry = method_of_file("--example", text, entries, &file)};
    e.arguments = values_read_arguments(file, e.entry);
    return e;
}

/* Those of --example, or else that of the program's file: an stb_ds array. */
static example *read_examples(const settings *s, function *const *entries, const own_examples *own) {
    example *all = s->examples ? NULL : own_example(s, entries, own);
    for (size_t i = 0; i < arrlenu(s->examples); i++) {
        const example e = given_example(s->examples[i], entries);
        arrput(all, e);
    }
    const size_bounds *bounds = bounds_read(s->shapes, s->bounds);
    if (bounds && arrlenu(all) != 1)
        diag_fail("--shape names the sizes of one example: give one --example");
    for (size_t i = 0; i < arrlenu(all); i++) {
        values_add_defaults(&all[i].arguments, all[i].entry);
        if (bounds)
            bounds_apply(bounds, &all[i]);
        for (size_t k = 0; k < arrlenu(all[i].others); k++)
            values_add_defaults(&all[i].others[k], all[i].entry);
        for (size_t k = 0; k < i; k++)
            if (example_admits(&all[k], &all[i]))
                diag_fail("--example %s: its call takes the code for %s", s->examples[i], s->examples[k]);
    }
    return all;
}

/* ---- Quantizing ---- */

static bool is_called(const calibration_call *calls, const function *f) {
    for (size_t i = 0; i < arrlenu(calls); i++)
        if (calls[i].entry == f)
            return true;
    return false;
}

/* What the options say of quantizing; NULL: nothing. `runs` gets how the calls are run. */
static quantization *read_quantization(const settings *s, function *const *entries, calibration **runs) {
    quantization *q = s->calibrations ? MEM_NEW(quantization) : NULL;
    for (size_t i = 0; i < arrlenu(s->calibrations); i++) {
        const char *file;
        calibration_call call = {method_of_file("--quantize", s->calibrations[i], entries, &file), NULL};
        ir_constant ***all = values_read_calls(file, call.entry);
        for (size_t k = 0; k < arrlenu(all); k++) {
            call.arguments = all[k];
            values_add_defaults(&call.arguments, call.entry);
            arrput(q->calls, call);
        }
    }
    if (!q)
        return NULL;
    for (size_t i = 0; i < arrlenu(entries); i++)
        if (!is_called(q->calls, entries[i]))
            diag_warn("--quantize: no call of method '%s' is given, so it stays with floats", entries[i]->base_name);
    q->skipped = s->unquantized;
    q->least_ratio = s->least_ratio;
    q->has_extremes = s->has_extremes;
    *runs = calibration_new(q->calls, (codegen_options){.interface_depth = s->interface_depth});
    q->runs = calibration_runs_of(*runs);
    return q;
}

static void report_quantization(const calibration *c, const quantization *q, json_report *o) {
    strbuf text = {0};
    if (!q)
        return;
    terminal_end_progress();
    if (o->is_json)
        tables_quantization(o, c, q);
    else
        calibration_report(c, q, &text);
    fputs(strbuf_text(&text), stdout);
}

static pipeline_options choose_passes(const settings *s, example *examples) {
    bool dumps_pass = s->dump && !strncmp(s->dump, "ir:", 3);
    return (pipeline_options){.level = dumps(s, "ir") ? 0 : s->level,
                              .stop_after = dumps_pass ? s->dump + 3 : s->stop_after,
                              .is_lowered = !dumps_pass,
                              .keeps_formats = !codegen_target_has(s->target, OPCODE_STR_GET),
                              .weights = s->elements,
                              .checkpoints = s->checkpoints,
                              .examples = specializes(s, examples) ? examples : NULL,
                              .observe = observe_shapes};
}

/* What became of the program; `r` has what a report says beside the image. */
static void write_image(const settings *s, export_report *r, json_report *o) {
    image_sizes sizes;
    size_t bytes;
    uint8_t *file = image_write_measured(r->image, &bytes, &sizes);
    if (!file)
        diag_fail("the program part of the file is larger than 2 GiB");
    if (s->output)
        write_file(s->output, file, bytes);
    if (s->sizes && o->is_json)
        tables_sizes(o, r->image, &sizes, r->functions, r->read_bytes);
    else if (s->sizes) {
        strbuf report = {0};
        sizes_print(r->image, &sizes, r->functions, r->read_bytes, &report);
        fputs(strbuf_text(&report), stdout);
    }
    r->sizes = &sizes;
    r->file = file;
    r->bytes = bytes;
    if (s->report)
        write_report(s, r);
}

static export_report report_of(const settings *s, image *m, function *const *functions, const example *examples,
                               const plan_details *plans) {
    return (export_report){.input = s->input,
                           .image = m,
                           .functions = functions,
                           .examples = examples,
                           .plans = plans,
                           .machine = s->machine,
                           .tolerance = s->tolerance};
}

/* --verify. The file is written only when nothing differs. */
static int verify(const settings *s, program *p, function *const *entries, const own_examples *own, uint64_t read) {
    example *examples = read_examples(s, entries, own);
    if (!examples)
        options_refuse("--verify wants arguments to run the program with: give --example FILE", "");
    pipeline_options options = choose_passes(s, examples);
    calibration *runs = NULL;
    options.quantization = read_quantization(s, entries, &runs);
    verification *v =
        verify_new(p, entries, examples, s->tolerance, (codegen_options){.interface_depth = s->interface_depth});
    if (s->elements != WEIGHTS_AS_THEY_ARE)
        verify_expect_loss(v, "narrow_weights",
                           s->elements == WEIGHTS_F16 ? "weights as half floats" : "weights as int8");
    if (options.quantization)
        verify_expect_loss(v, "quantize", "layers as int8");
    options.after_pass = verify_after_pass;
    options.context = v;
    function **functions = pipeline_run(p, entries, options);
    plan_details *plans = NULL;
    json_report o = {.is_json = s->json};
    report_quantization(runs, options.quantization, &o);
    image *m = verify_agrees(v) ? make_image(s, p, entries, functions, options.examples, own, &plans, &o) : NULL;
    if (m && options.examples)
        verify_image(v, "memory plan", m);
    terminal_end_progress();
    strbuf report = {0};
    if (s->json)
        tables_verification(&o, v);
    else
        verify_report(v, &report);
    fputs(strbuf_text(&report), stdout);
    export_report r = report_of(s, verify_agrees(v) ? m : NULL, functions, options.examples, plans);
    r.verification = v;
    r.read_bytes = read;
    if (r.image && (s->output || s->sizes || s->report))
        write_image(s, &r, &o);
    else if (!r.image && s->report)
        write_report(s, &r);
    json_report_end(&o);
    return r.image ? 0 : 1;
}

static int export(const settings *s, program *p, function *const *entries, const own_examples *own, uint64_t read) {
    json_report o = {.is_json = s->json};
    pipeline_options options = choose_passes(s, read_examples(s, entries, own));
    if (dumps(s, "plan") && !options.examples)
        options_refuse("there is a plan only with --example, for libtsmobile 0.2.0 or newer", "");
    calibration *runs = NULL;
    options.quantization = dumps(s, "ir") ? NULL : read_quantization(s, entries, &runs);
    function **functions = pipeline_run(p, entries, options);
    if (s->dump)
        terminal_end_progress();
    if (s->dump && !strncmp(s->dump, "ir", 2)) {
        strbuf shapes = {0};
        const size_bounds *bounds = bounds_read(s->shapes, s->bounds);
        if (bounds)
            bounds_print(bounds, &shapes);
        fputs(strbuf_text(&shapes), stdout);
        dump_graphs(functions, bounds, options.examples);
        return 0;
    }
    if (dumps(s, "ops")) {
        dump_operators(functions, &o);
        json_report_end(&o);
        return 0;
    }
    report_quantization(runs, s->dump || s->stop_after ? NULL : options.quantization, &o);
    plan_details *plans = NULL;
    image *m = make_image(s, p, entries, functions, options.examples, own, &plans, &o);
    if (dumps(s, "bytecode"))
        print_image(m);
    export_report r = report_of(s, m, functions, options.examples, plans);
    r.read_bytes = read;
    if (!s->dump)
        write_image(s, &r, &o);
    json_report_end(&o);
    if (!s->eval && !s->stop_after && program_module(p))
        training_warn(p, entries, functions);
    return 0;
}

/* Opens a .tsm file and compares its checksums. */
static tsm_program open_program(const char *path) {
    platform_file file;
    tsm_program opened;
    char message[1024];
    if (!platform_file_open(&file, path, message, sizeof message))
        diag_fail("%s: cannot be opened: %s", path, message);
    if (tsm_program_open(&opened, file.data, file.bytes, message, sizeof message) != TSM_OK ||
        tsm_program_check_sums(&opened, message, sizeof message) != TSM_OK)
        diag_fail("%s: %s", path, message);
    return opened;
}

/* --check */
static int check(const settings *s) {
    const tsm_program p = open_program(s->input);
    json_report o = {.is_json = s->json};
    if (s->json)
        fprintf(json_report_member(&o, "bytes"), "%zu", p.file_bytes);
    else
        printf("%s: whole; %zu bytes, checksums compared\n", s->input, p.file_bytes);
    json_report_end(&o);
    return 0;
}

/* --info */
static int info(const settings *s) {
    const tsm_program p = open_program(s->input);
    info_print(stdout, &p, s->json);
    return 0;
}

static void write_text(const char *folder, const char *name, const char *ending, const char *text) {
    write_file(mem_printf("%s/%s%s", folder, name, ending), (const uint8_t *)text, strlen(text));
}

/* --emit-c, into a folder, or of the operators alone into a file */
static int emit_c(const settings *s) {
    const size_t length = strlen(s->emit_c);
    const bool is_file = length > 2 && !strcmp(s->emit_c + length - 2, ".c");
    embed_program *programs = NULL;
    for (size_t i = 0; i < arrlenu(s->inputs); i++) {
        const embed_program p = embed_new(s->inputs[i], open_program(s->inputs[i]));
        for (size_t k = 0; k < i; k++)
            if (!strcmp(programs[k].name, p.name))
                diag_fail("%s and %s would both be called %s in C", s->inputs[k], s->inputs[i], p.name);
        if (!is_file && !strcmp(p.file_name, "operators"))
            diag_fail("%s would be written into operators.c, which is for the operator table", s->inputs[i]);
        arrput(programs, p);
        if (is_file)
            continue;
        write_text(s->emit_c, p.file_name, ".h", embed_header(&p));
        write_text(s->emit_c, p.file_name, ".c", embed_source(&p));
    }
    const char *operators = embed_operators(programs);
    write_file(is_file ? s->emit_c : mem_printf("%s/operators.c", s->emit_c), (const uint8_t *)operators,
               strlen(operators));
    return 0;
}

static int compile(const settings *s, own_examples *own) {
    terminal_progress("reading the program", 0, 0);
    program *p = load_program(s, own);
    if (!p)
        return 0;
    if (s->eval)
        training_turn_off(program_module(p));
    const bool wants_names = s->sizes || s->report || s->calibrations;
    const uint64_t read = wants_names ? sizes_name_tensors(program_module(p)) : 0;
    function **entries = with_remote_functions(p, choose_entries(p, s));
    if (dumps(s, "types")) {
        dump_types(p);
        return 0;
    }
    return s->verify ? verify(s, p, entries, own, read) : export(s, p, entries, own, read);
}

/* All that a program calls and tsmc does not know, when that is what the error is about; NULL: it is not. */
static const char *list_unknown(const settings *s, const own_examples *own, const char *error) {
    static const char *const beginnings[] = {SCHEMA_UNKNOWN, "object has no attribute "};
    bool is_unknown = false;
    error += strspn(error, "\n");
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        is_unknown |= !strncmp(error, beginnings[i], strlen(beginnings[i]));
    const char *entry, *path = source_path(s->input, &entry);
    if (!is_unknown || (!own->archive && !path))
        return NULL;
    const char *all;
    if (path) {
        size_t n;
        const char *text = file_read(path, &n);
        all = unknown_names(path, text, n, entry);
    } else
        all = unknown_operators(own->archive);
    return all ? mem_printf("The %s calls these operators that tsmc does not know:\n%s", path ? "file" : "archive", all)
               : NULL;
}

/* Where an operator is unknown, the error tells all that are. */
static int compile_or_list(const settings *s, own_examples *own) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        const int status = compile(s, own);
        diag_end(&h);
        return status;
    }
    const char *all = list_unknown(s, own, h.message);
    if (!all)
        diag_rethrow(&h);
    diag_fail("%s\n%s", h.message, all);
}

static int run(void *data) {
    const settings *s = data;
    if (s->check)
        return check(s);
    if (s->info)
        return info(s);
    if (s->emit_c)
        return emit_c(s);
    own_examples own = {0};
    check_outputs(s);
    return compile_or_list(s, &own);
}

#if defined(__SANITIZE_ADDRESS__)
/* tsmc keeps its memory until it ends, and pointers to it stand on a stack of its
 * own, at which LeakSanitizer does not look. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0";
}
#endif

int main(int argc, char **argv) {
    settings s = options_read(argc, argv);
    const int status = limit_run_on_stack(run, &s);
    if (fflush(stdout) != 0 || ferror(stdout))
        diag_fail("cannot print: %s", strerror(errno));
    return status;
}
