/* tsmc: exports TorchScript programs to .tsm files. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/archive/archive.h"
#include "exporter/base/diag.h"
#include "exporter/codegen/codegen.h"
#include "exporter/example/observe.h"
#include "exporter/example/plan.h"
#include "exporter/example/values.h"
#include "exporter/frontend/parser.h"
#include "exporter/frontend/program.h"
#include "exporter/mobile/mobile.h"
#include "exporter/passes/evaluate.h"
#include "exporter/passes/pipeline.h"
#include "exporter/passes/training.h"

typedef struct {
    const char *input, *output, *dump, *example, *bundle, *expect, *weights;
    const char **methods;
    int level;
    bool strip, eval;
    uint32_t interface_depth; /* 0: not given */
    target_runtime target;
} settings;

static const char usage[] =
    "usage: tsmc INPUT -o OUT.tsm [options]\n"
    "Exports the TorchScript program INPUT for libtsmobile: an archive (.pt, .ptl), or a function or module "
    "class of a source\n(FILE.py:NAME, 'FILE.py:Net(10, hidden=20)').\n\n"
    "  -o, --output FILE   where to write\n"
    "  --method NAME       export only the methods named (repeatable; default: all of the module's)\n"
    "  -O0 | -O1 | -O2     no optimization | safe passes | everything (default)\n"
    "  --example FILE      arguments (.json, or a tuple in a .pt) of forward or the first method: shapes and types are specialized to\n"
    "                      them, memory is planned; other arguments run too, by the general code in the same file\n"
    "  --dump STAGE        print and stop: ast, ir, ir:PASS (after that pass), bytecode, plan, ops, types\n"
    "  --bundle FILE       store these inputs (and with --expect FILE the output) as a test case of forward\n"
    "  --weights FILE      the state dict for a module class: what torch.save(model.state_dict()) writes\n"
    "  --eval              compile as after module.eval(); without it the training flags are kept\n"
    "  --interface-depth N room for N calls through interfaces, one inside the other (default 16)\n"
    "  --strip             leave out debug information\n"
    "  --target-runtime V  write for libtsmobile V (0.1.0 or 0.2.0; default: the newest); 0.1.0 has no plans\n"
    "  --version, --help\n";

enum {
    OPTION_METHOD = 256,
    OPTION_DUMP,
    OPTION_STRIP,
    OPTION_EXAMPLE,
    OPTION_BUNDLE,
    OPTION_EXPECT,
    OPTION_WEIGHTS,
    OPTION_TARGET,
    OPTION_EVAL,
    OPTION_INTERFACE_DEPTH,
    OPTION_VERSION,
    OPTION_HELP
};

static _Noreturn void wrong_usage(const char *message, const char *detail) {
    fprintf(stderr, "tsmc: %s%s\n%s", message, detail, usage);
    exit(2);
}

/* What --dump knows, besides ir:PASS. */
static const char *const stages[] = {"ast", "ir", "bytecode", "plan", "ops", "types"};

static void check_stage(const char *stage) {
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (!strcmp(stage, stages[i]))
            return;
    const char *const *passes = pipeline_names();
    strbuf known = {0};
    for (size_t i = 0; passes[i]; i++) {
        if (!strncmp(stage, "ir:", 3) && !strcmp(stage + 3, passes[i]))
            return;
        strbuf_printf(&known, "%s%s", i ? ", " : "", passes[i]);
    }
    if (!strncmp(stage, "ir:", 3))
        wrong_usage("there is no pass ", mem_printf("'%s'; the passes are %s", stage + 3, strbuf_text(&known)));
    wrong_usage("unknown stage to dump: ", stage);
}

static target_runtime read_target(const char *version) {
    if (!strcmp(version, "0.2.0") || !strcmp(version, "0.2"))
        return TARGET_0_2;
    if (!strcmp(version, "0.1.0") || !strcmp(version, "0.1"))
        return TARGET_0_1;
    wrong_usage("files can be written for libtsmobile 0.1.0 and 0.2.0, not for ", version);
}

static uint32_t read_depth(const char *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*end || end == text || n < 1 || n > CODEGEN_MOST_INTERFACE_DEPTH)
        wrong_usage("--interface-depth wants a number from 1 to 4096, not ", text);
    return (uint32_t)n;
}

static settings parse_options(int argc, char **argv) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"method", required_argument, NULL, OPTION_METHOD},
                                            {"dump", required_argument, NULL, OPTION_DUMP},
                                            {"strip", no_argument, NULL, OPTION_STRIP},
                                            {"version", no_argument, NULL, OPTION_VERSION},
                                            {"help", no_argument, NULL, OPTION_HELP},
                                            {"example", required_argument, NULL, OPTION_EXAMPLE},
                                            {"bundle", required_argument, NULL, OPTION_BUNDLE},
                                            {"expect", required_argument, NULL, OPTION_EXPECT},
                                            {"weights", required_argument, NULL, OPTION_WEIGHTS},
                                            {"target-runtime", required_argument, NULL, OPTION_TARGET},
                                            {"eval", no_argument, NULL, OPTION_EVAL},
                                            {"interface-depth", required_argument, NULL, OPTION_INTERFACE_DEPTH},
                                            {NULL, 0, NULL, 0}};
    settings s = {.level = 2};
    int option;
    while ((option = getopt_long(argc, argv, "o:O:", options, NULL)) != -1) {
        switch (option) {
        case 'o':
            s.output = optarg;
            break;
        case 'O':
            if (optarg[0] < '0' || optarg[0] > '2' || optarg[1])
                wrong_usage("unknown optimization level -O", optarg);
            s.level = optarg[0] - '0';
            break;
        case OPTION_METHOD:
            arrput(s.methods, optarg);
            break;
        case OPTION_DUMP:
            check_stage(optarg);
            s.dump = optarg;
            break;
        case OPTION_EXAMPLE:
            s.example = optarg;
            break;
        case OPTION_BUNDLE:
            s.bundle = optarg;
            break;
        case OPTION_EXPECT:
            s.expect = optarg;
            break;
        case OPTION_WEIGHTS:
            s.weights = optarg;
            break;
        case OPTION_TARGET:
            s.target = read_target(optarg);
            break;
        case OPTION_EVAL:
            s.eval = true;
            break;
        case OPTION_INTERFACE_DEPTH:
            s.interface_depth = read_depth(optarg);
            break;
        case OPTION_STRIP:
            s.strip = true;
            break;
        case OPTION_VERSION:
            puts("tsmc " TSMC_VERSION);
            exit(0);
        case OPTION_HELP:
            fputs(usage, stdout);
            exit(0);
        default:
            exit(2);
        }
    }
    if (optind + 1 != argc)
        wrong_usage(optind == argc ? "no input" : "more than one input", "");
    s.input = argv[optind];
    if (!s.output && !s.dump)
        wrong_usage("no output: give -o OUT.tsm", "");
    if (s.expect && !s.bundle)
        wrong_usage("--expect wants the inputs too: give --bundle FILE", "");
    if (s.dump && !strcmp(s.dump, "plan") && (!s.example || s.target == TARGET_0_1))
        wrong_usage("there is a plan only with --example, for libtsmobile 0.2.0 or newer", "");
    return s;
}

static function **choose_entries(program *p, const settings *s) {
    function **all = program_entries(p), **chosen = NULL;
    if (!arrlenu(s->methods))
        return all;
    for (size_t i = 0; i < arrlenu(s->methods); i++) {
        function *found = NULL;
        for (size_t k = 0; k < arrlenu(all) && !found; k++)
            found = strcmp(all[k]->base_name, s->methods[i]) ? NULL : all[k];
        if (!found)
            diag_fail("%s has no method '%s'", s->input, s->methods[i]);
        arrput(chosen, found);
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

static void dump_graphs(function *const *functions) {
    for (size_t i = 0; i < arrlenu(functions); i++) {
        strbuf b = {0};
        ir_print(function_graph(functions[i]), &b);
        printf("%s:\n%s\n", functions[i]->name, b.text);
    }
}

typedef struct {
    char *key;
    int value;
} operator_count;

static void count_operators(const ir_block *b, operator_count **counts) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            count_operators(n->blocks[i], counts);
        char *name = (char *)(n->schema ? n->schema->full_name : ir_kind_name(n->kind));
        shput(*counts, name, shget(*counts, name) + 1);
    }
}

static void dump_operators(function *const *functions) {
    operator_count *counts = NULL;
    for (size_t i = 0; i < arrlenu(functions); i++)
        count_operators(function_graph(functions[i])->block, &counts);
    for (size_t i = 0; i < shlenu(counts); i++)
        printf("%6d  %s\n", counts[i].value, counts[i].key);
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

static void write_file(const char *path, const uint8_t *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
        diag_fail("cannot write %s: %s", path, strerror(errno));
}

/* ---- Reading ---- */

static char *read_text(const char *path, size_t *n) {
    strbuf b = {0};
    char piece[4096];
    FILE *f = fopen(path, "rb");
    if (!f)
        diag_fail("cannot read %s: %s", path, strerror(errno));
    for (size_t got; (got = fread(piece, 1, sizeof piece, f)) > 0;)
        strbuf_add_n(&b, piece, got);
    fclose(f);
    *n = b.length;
    return mem_strndup(strbuf_text(&b), b.length);
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

/* Bytecode is read where there is no code, from which it was made and which says more. */
static program *load_archive(const char *path, bool wants_tree) {
    zip_bytes file = zip_load_file(path);
    bool is_flatbuffer = lite_is_flatbuffer(file);
    pt_archive *archive = is_flatbuffer ? NULL : pt_archive_open_memory(path, file);
    if (is_flatbuffer || (archive->has_bytecode && !arrlen(archive->files))) {
        if (wants_tree)
            diag_fail("%s holds bytecode, not code", path);
        const lite_module *m = is_flatbuffer ? lite_read_flatbuffer(path, file) : lite_read_archive(archive);
        return program_load_lite(m, evaluate_operator);
    }
    if (!wants_tree)
        return program_load_archive_with(archive, evaluate_operator);
    dump_ast(archive);
    return NULL;
}

/* NULL when the dump of trees was asked for and is done. */
static program *load_program(const settings *s) {
    bool wants_tree = s->dump && !strcmp(s->dump, "ast");
    const char *entry = NULL, *path = source_path(s->input, &entry);
    if (!path && s->weights)
        wrong_usage("--weights are for module classes of .py sources, not for ", s->input);
    if (!path)
        return load_archive(s->input, wants_tree);
    size_t n;
    const char *text = read_text(path, &n);
    if (wants_tree) {
        print_tree(source_new(path, text, n, 1), DIALECT_PYTHON);
        return NULL;
    }
    if (!entry)
        diag_fail("%s: name the function or module class to export: %s:NAME", path, path);
    source_options options = {s->weights, evaluate_operator};
    return program_load_source(path, text, n, entry, &options);
}

/* The entry that examples and test cases are for: forward, or else the first. */
static function *main_entry(function *const *entries) {
    for (size_t i = 0; i < arrlenu(entries); i++)
        if (!strcmp(entries[i]->base_name, "forward"))
            return entries[i];
    return entries[0];
}

static bool dumps(const settings *s, const char *stage) { return s->dump && !strcmp(s->dump, stage); }

static void print_image(const image *m) {
    strbuf b = {0};
    image_print(m, &b);
    fputs(b.text, stdout);
}

/* What is written: the image with its plan. */
static image *make_image(const settings *s, program *p, function *const *entries, function *const *functions, const example *e) {
    codegen_options lowering = {.strip_debug = s->strip, .target = s->target, .interface_depth = s->interface_depth};
    function *entry = main_entry(entries);
    if (s->bundle) {
        ir_constant **arguments = values_read_arguments(s->bundle, entry);
        values_mark_written(arguments, entry, mutation_analyse(p, functions, program_module(p)));
        lowering.arguments = values_as_tuple(arguments);
    }
    if (s->expect)
        lowering.expected = values_read_result(s->expect, entry);
    image *m = codegen_run(p, entries, functions, lowering);
    strbuf report = {0};
    if (e->entry)
        plan_memory(m, e, &report);
    if (dumps(s, "plan"))
        fputs(strbuf_text(&report), stdout);
    return m;
}

int main(int argc, char **argv) {
    settings s = parse_options(argc, argv);
    program *p = load_program(&s);
    if (!p)
        return 0;
    if (s.eval)
        training_turn_off(program_module(p));
    function **entries = choose_entries(p, &s);
    if (dumps(&s, "types")) {
        dump_types(p);
        return 0;
    }
    bool unoptimized = dumps(&s, "ir");
    pipeline_options options = {.level = unoptimized ? 0 : s.level, .observe = observe_example};
    example e = {0};
    if (s.example && s.target == TARGET_0_1)
        diag_warn("libtsmobile 0.1.0 has no plans: --example is not used");
    else if (s.example && !unoptimized) {
        e.entry = main_entry(entries);
        e.arguments = values_read_arguments(s.example, e.entry);
        values_add_defaults(&e.arguments, e.entry);
        options.example = &e;
    }
    if (s.dump && !strncmp(s.dump, "ir:", 3))
        options.stop_after = s.dump + 3;
    function **functions = pipeline_run(p, entries, options);
    if (unoptimized || options.stop_after) {
        dump_graphs(functions);
        return 0;
    }
    if (dumps(&s, "ops")) {
        dump_operators(functions);
        return 0;
    }
    if (!s.eval && program_module(p))
        training_warn(functions);
    image *m = make_image(&s, p, entries, functions, &e);
    if (dumps(&s, "bytecode"))
        print_image(m);
    if (s.dump)
        return 0;
    size_t bytes;
    uint8_t *file = image_write(m, &bytes);
    if (!file)
        diag_fail("the program part of the file is larger than 2 GiB");
    write_file(s.output, file, bytes);
    return 0;
}
