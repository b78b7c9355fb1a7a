/* Reads the command line of tsmc. */
#include "exporter/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/codegen/codegen.h"
#include "exporter/execute/targets.h"
#include "exporter/passes/pipeline.h"
#include "exporter/tables.h"

static const char usage[] =
    "usage: tsmc INPUT -o OUT.tsm [options]\n"
    "Exports the TorchScript program INPUT for libtsmobile: an archive (.pt, .ptl), a program of "
    "torch.export\n(.pt2, or several: a.pt2:forward b.pt2:encode), or a function or module class of a source "
    "(FILE.py:NAME, 'FILE.py:Net(10, hidden=20)').\n\n"
    "  -o, --output FILE   where to write; - is standard output\n"
    "  --method NAME       export only the methods named (repeatable; default: all of the module's); forward then runs "
    "without the\n"
    "                      module's own hooks, as model.forward(x) does\n"
    "  -O0 | -O1 | -O2     no optimization | safe passes | everything (default)\n"
    "  --example [METHOD=]FILE\n"
    "                      arguments (.json, or a tuple in a .pt) of METHOD, else of forward or the first method: "
    "shapes "
    "and types are\n"
    "                      specialized to them, memory is planned; other arguments run too, by the general code in the "
    "same file\n"
    "                      (repeatable: code and a plan for each); a .pt2 (its largest call) and what torch.jit.trace "
    "of PyTorch 2\n"
    "                      made have an example of their own\n"
    "  --shape ARGUMENT:N,3,2*M\n"
    "                      names for sizes of the --example's tensors (repeatable), which --bound N=1..64 bounds "
    "(repeatable): planned is\n"
    "                      the largest call, and the buffer that the file states is enough for all\n"
    "  --no-example        do not specialize to the example of the file itself\n"
    "  --dump STAGE        print and stop: ast, ir, ir:PASS (after that pass), bytecode, plan, ops, types\n"
    "  --stop-after PASS   leave out the passes behind PASS, but for those without which the program cannot run\n"
    "  --verify            run the program with the --example after every pass; say which pass is the first that "
    "changes\n"
    "                      what it computes, and at which node; exit status 1 if one does. -o is not needed\n"
    "  --tolerance X       how far numbers may differ for --verify, relative and absolute (default 1e-4)\n"
    "  --bundle [FILE]     store these inputs (and with --expect FILE the output) as a test case of forward; without "
    "FILE those with\n"
    "                      which torch.export made the program\n"
    "  --weights FILE      the state dict for a module class: what torch.save(model.state_dict()) writes\n"
    "  --weights f16|int8  store the weights of layers as half floats, or as int8 with a scale for each output; "
    "--verify says how much\n"
    "                      that changes (a state dict of such a name: ./f16)\n"
    "  --quantize [METHOD=]FILE\n"
    "                      make layers int8: FILE (.json, or .pt) is a list of calls of METHOD, else of forward, each "
    "as "
    "for --example,\n"
    "                      that are to stand for all (repeatable); prints what each layer loses\n"
    "  --quantize-skip NAME\n"
    "                      leave this layer, or the layers of this module, with floats (repeatable)\n"
    "  --quantize-limit DB leave layers with floats whose own loss is above this: a signal-to-noise ratio below DB "
    "decibels (default 15)\n"
    "  --quantize-range extremes|error\n"
    "                      ranges of tensors: from the least to the greatest number, or with the least squared error "
    "(default)\n";

/* The rest: compilers need not take a longer text. */
static const char usage_of_more[] =
    "  --checkpoint NAME   compute what calls of this function, method or module class compute again for their "
    "gradients, instead of\n"
    "                      keeping it: less memory, more time (repeatable)\n"
    "  --eval              compile as after module.eval(); without it the training flags are kept\n"
    "  --interface-depth N room for N calls through interfaces, one inside the other (default 16)\n"
    "  --check             INPUT is a .tsm file: open it as libtsmobile does and compare its checksums; exit status 2 "
    "if it "
    "is damaged\n"
    "  --info              INPUT is a .tsm file: print what it says of itself\n"
    "  --json              print the table of --info, --check, --sizes, --verify, --quantize, --limits, --dump ops or "
    "--dump plan "
    "as "
    "JSON\n"
    "  --emit-c FOLDER     the INPUTs are .tsm files: write each as C into FOLDER, NAME.h and NAME.c with its bytes, "
    "its "
    "sizes and calls\n"
    "                      with C types, and operators.c, with which a program links the operators of these files and "
    "no "
    "others; FILE.c instead of FOLDER: these operators alone\n"
    "  --memory MIB        how much memory tsmc may take, besides eight times the size of the files that it reads "
    "(default 4096)\n"
    "  --sizes             print the bytes of the file's parts, of each tensor, and of what each operator reads; -o is "
    "not needed\n"
    "  --report FILE.html  write a page to look at: the graph with its lines, the memory plan, sizes, targets; -o is "
    "not "
    "needed\n"
    "  --meta KEY=VALUE    metadata to store in the file (repeatable); tsmc adds where the program came from, and its "
    "SHA-256\n"
    "  --strip             leave out debug information, descriptions, and where the program came from\n"
    "  --target NAME       plan memory for x86-64, aarch64, armv7, wasm32, cortex-m4f, cortex-m55 or rv32imc "
    "(default: for any of them); each: for any, and for each of them when the file becomes C by --emit-c\n"
    "  --target-runtime V  write for an older libtsmobile, from 0.1.0 on (default: the newest); 0.1.0 has no plans\n"
    "  --limits            print what tsmc limits, and how\n"
    "  --version, -h, --help\n";

void options_refuse(const char *message, const char *detail) {
    fprintf(stderr, "tsmc: %s%s; --help lists the options\n", message, detail);
    exit(2);
}

/* What --dump knows, besides ir:PASS. */
static const char *const stages[] = {"ast", "ir", "bytecode", "plan", "ops", "types"};

static void check_pass(const char *name) {
    strbuf known = {0};
    if (pipeline_has(name))
        return;
    for (const char *const *pass = pipeline_names(); *pass; pass++)
        strbuf_printf(&known, "%s%s", known.length ? ", " : "", *pass);
    options_refuse("there is no pass ", mem_printf("'%s'; the passes are %s", name, strbuf_text(&known)));
}

static void check_stage(const char *stage) {
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (!strcmp(stage, stages[i]))
            return;
    if (strncmp(stage, "ir:", 3))
        options_refuse("unknown stage to dump: ", stage);
    check_pass(stage + 3);
}

/* "0.2.0" or "0.2", one of the versions that brought opcodes. */
static uint32_t read_target(const char *text) {
    strbuf known = {0};
    uint32_t last = 0;
    for (int op = 0; op < OPCODE_COUNT; op++) {
        uint32_t version = opcode_table[op].since;
        if (version == last)
            continue;
        const char *name = image_version_text(version);
        if (!strcmp(text, name) || !strcmp(text, mem_strndup(name, strlen(name) - strlen(".0"))))
            return version;
        strbuf_printf(&known, "%s%s", last ? ", " : "", name);
        last = version;
    }
    options_refuse(mem_printf("files can be written for libtsmobile %s, not for ", strbuf_text(&known)), text);
}

static const char *read_machine(const char *text) {
    const char *known;
    if (!target_exists(text, &known))
        options_refuse(mem_printf("buffers are planned for the targets %s, or for each, not for ", known), text);
    return text;
}

static uint32_t read_depth(const char *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*end || end == text || n < 1 || n > CODEGEN_MOST_INTERFACE_DEPTH)
        options_refuse("--interface-depth wants a number from 1 to 4096, not ", text);
    return (uint32_t)n;
}

static uint64_t read_memory(const char *text) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    if (*end || end == text || *text == '-' || n < 1 || n > 1 << 24)
        options_refuse("--memory wants a number of MiB from 1 to 16777216, not ", text);
    return n;
}

static double read_tolerance(const char *text) {
    char *end;
    double x = strtod(text, &end);
    if (*end || end == text || !(x >= 0) || x > 1)
        options_refuse("--tolerance wants a number from 0 to 1, not ", text);
    return x;
}

static double read_ratio(const char *text) {
    char *end;
    double x = strtod(text, &end);
    if (*end || end == text || !(x >= 0) || x > 1000)
        options_refuse("--quantize-limit wants a number of decibels from 0 to 1000, not ", text);
    return x;
}

static bool read_range_kind(const char *text) {
    if (strcmp(text, "extremes") && strcmp(text, "error"))
        options_refuse("--quantize-range is extremes or error, not ", text);
    return !strcmp(text, "extremes");
}

static int read_level(const char *text) {
    if (text[0] < '0' || text[0] > '2' || text[1])
        options_refuse("unknown optimization level -O", text);
    return text[0] - '0';
}

enum {
    METHOD = 256,
    DUMP,
    STRIP,
    EXAMPLE,
    SHAPE,
    BOUND,
    NO_EXAMPLE,
    BUNDLE,
    EXPECT,
    WEIGHTS,
    QUANTIZE,
    QUANTIZE_SKIP,
    QUANTIZE_LIMIT,
    QUANTIZE_RANGE,
    TARGET,
    MACHINE,
    CHECKPOINT,
    EVAL,
    INTERFACE_DEPTH,
    STOP_AFTER,
    VERIFY,
    TOLERANCE,
    CHECK,
    EMIT_C,
    MEMORY,
    SIZES,
    REPORT,
    META,
    INFO,
    JSON,
    LIMITS,
    VERSION,
    HELP
};

static const struct option table[] = {{"output", required_argument, NULL, 'o'},
                                      {"method", required_argument, NULL, METHOD},
                                      {"dump", required_argument, NULL, DUMP},
                                      {"strip", no_argument, NULL, STRIP},
                                      {"stop-after", required_argument, NULL, STOP_AFTER},
                                      {"verify", no_argument, NULL, VERIFY},
                                      {"tolerance", required_argument, NULL, TOLERANCE},
                                      {"example", required_argument, NULL, EXAMPLE},
                                      {"shape", required_argument, NULL, SHAPE},
                                      {"bound", required_argument, NULL, BOUND},
                                      {"no-example", no_argument, NULL, NO_EXAMPLE},
                                      {"bundle", optional_argument, NULL, BUNDLE},
                                      {"expect", required_argument, NULL, EXPECT},
                                      {"weights", required_argument, NULL, WEIGHTS},
                                      {"quantize", required_argument, NULL, QUANTIZE},
                                      {"quantize-skip", required_argument, NULL, QUANTIZE_SKIP},
                                      {"quantize-limit", required_argument, NULL, QUANTIZE_LIMIT},
                                      {"quantize-range", required_argument, NULL, QUANTIZE_RANGE},
                                      {"target-runtime", required_argument, NULL, TARGET},
                                      {"target", required_argument, NULL, MACHINE},
                                      {"checkpoint", required_argument, NULL, CHECKPOINT},
                                      {"eval", no_argument, NULL, EVAL},
                                      {"interface-depth", required_argument, NULL, INTERFACE_DEPTH},
                                      {"check", no_argument, NULL, CHECK},
                                      {"emit-c", required_argument, NULL, EMIT_C},
                                      {"memory", required_argument, NULL, MEMORY},
                                      {"meta", required_argument, NULL, META},
                                      {"info", no_argument, NULL, INFO},
                                      {"json", no_argument, NULL, JSON},
                                      {"report", required_argument, NULL, REPORT},
                                      {"sizes", no_argument, NULL, SIZES},
                                      {"limits", no_argument, NULL, LIMITS},
                                      {"version", no_argument, NULL, VERSION},
                                      {"help", no_argument, NULL, HELP},
                                      {NULL, 0, NULL, 0}};

_Noreturn static void print_and_end(int option) {
    if (option == VERSION)
        puts("tsmc " TSMC_VERSION);
    else
        printf("%s%s", usage, usage_of_more);
    exit(0);
}

/* What an option without a value sets. */
static bool *flag_of(settings *s, int option) {
    switch (option) {
    case EVAL:
        return &s->eval;
    case VERIFY:
        return &s->verify;
    case STRIP:
        return &s->strip;
    case CHECK:
        return &s->check;
    case SIZES:
        return &s->sizes;
    case INFO:
        return &s->info;
    case JSON:
        return &s->json;
    case LIMITS:
        return &s->limits;
    default:
        return NULL;
    }
}

static void read_weights(settings *s, const char *text) {
    if (!strcmp(text, "f16"))
        s->elements = WEIGHTS_F16;
    else if (!strcmp(text, "int8"))
        s->elements = WEIGHTS_INT8;
    else
        s->weights = text;
}

/* Options of quantizing; false: it is another. */
static bool read_quantizing(settings *s, int option, const char *text) {
    switch (option) {
    case QUANTIZE:
        arrput(s->calibrations, text);
        return true;
    case QUANTIZE_SKIP:
        arrput(s->unquantized, text);
        return true;
    case QUANTIZE_LIMIT:
        s->least_ratio = read_ratio(text);
        return true;
    case QUANTIZE_RANGE:
        s->has_extremes = read_range_kind(text);
        s->has_range = true;
        return true;
    default:
        return false;
    }
}

/* Options whose texts are gathered as they are; false: it is another. */
static bool read_gathered(settings *s, int option, const char *text) {
    switch (option) {
    case METHOD:
        arrput(s->methods, text);
        return true;
    case CHECKPOINT:
        arrput(s->checkpoints, text);
        return true;
    case SHAPE:
        arrput(s->shapes, text);
        return true;
    case BOUND:
        arrput(s->bounds, text);
        return true;
    default:
        return false;
    }
}

static void read_option(settings *s, int option, const char *text) {
    bool *flag = flag_of(s, option);
    if (flag)
        *flag = true;
    if (flag || read_quantizing(s, option, text) || read_gathered(s, option, text))
        return;
    switch (option) {
    case 'o':
        s->output = text;
        break;
    case 'O':
        s->level = read_level(text);
        break;
    case DUMP:
        check_stage(text);
        s->dump = text;
        break;
    case EXAMPLE:
        arrput(s->examples, text);
        break;
    case BUNDLE:
        s->bundle = text;
        s->bundles_own = !text;
        break;
    case EXPECT:
        s->expect = text;
        break;
    case WEIGHTS:
        read_weights(s, text);
        break;
    case TARGET:
        s->target = read_target(text);
        break;
    case MACHINE:
        s->plans_each = !strcmp(text, "each");
        s->machine = s->plans_each ? NULL : read_machine(text);
        break;
    case INTERFACE_DEPTH:
        s->interface_depth = read_depth(text);
        break;
    case STOP_AFTER:
        check_pass(text);
        s->stop_after = text;
        break;
    case TOLERANCE:
        s->tolerance = read_tolerance(text);
        break;
    case NO_EXAMPLE:
        s->no_example = true;
        break;
    case EMIT_C:
        s->emit_c = text;
        break;
    case MEMORY:
        limit_set_memory(read_memory(text));
        break;
    case REPORT:
        s->report = text;
        break;
    case META:
        if (!strchr(text, '=') || *text == '=')
            options_refuse("--meta wants KEY=VALUE, not ", text);
        arrput(s->metadata, text);
        break;
    case VERSION:
    case HELP:
    case 'h':
        print_and_end(option);
    default: /* getopt has said what is wrong */
        exit(2);
    }
}

/* What tsmrun --check allows, too: operators that passes join or reorder round otherwise, which grows from layer to
 * layer but stays well below this in networks of float32; a wrong formula is seldom so close. */
static const double DEFAULT_TOLERANCE = 1e-4;

/* Bytes whose range fits their numbers have 30 to 45 decibels. */
static const double DEFAULT_LEAST_RATIO = 15;

/* Options that need others, or exclude them. */
static void check_together(const settings *s) {
    const bool has_table = s->info || s->check || s->sizes || s->verify || s->calibrations ||
                           (s->dump && (!strcmp(s->dump, "ops") || !strcmp(s->dump, "plan")));
    if (s->json && !has_table)
        options_refuse(
            "--json is for --info, --check, --sizes, --verify, --quantize, --limits, --dump ops and --dump plan", "");
    if (s->info && (s->check || s->emit_c || s->output || s->dump || s->verify || s->sizes || s->report || s->metadata))
        options_refuse("--info goes with --json only", "");
    if ((s->check || s->emit_c) &&
        (s->output || s->dump || s->verify || s->sizes || s->report || (s->check && s->emit_c)))
        options_refuse(s->check ? "--check" : "--emit-c", " goes with no other option");
    if (!s->output && !s->dump && !s->verify && !s->sizes && !s->report && !s->check && !s->info && !s->emit_c)
        options_refuse("no output: give -o OUT.tsm", "");
    if (s->expect && !s->bundle && !s->bundles_own)
        options_refuse("--expect wants the inputs too: give --bundle FILE", "");
    if (s->stop_after && s->dump && (!strcmp(s->dump, "plan") || !strncmp(s->dump, "ir", 2)))
        options_refuse("--stop-after does not go with --dump ", s->dump);
    if (s->sizes && s->dump)
        options_refuse("--sizes does not go with --dump ", s->dump);
    if (s->report && s->dump)
        options_refuse("--report does not go with --dump ", s->dump);
    if (s->verify && arrlenu(s->examples) > 1)
        options_refuse("--verify runs the program with one --example, not several", "");
    if (s->verify && s->dump)
        options_refuse("--verify does not go with --dump ", s->dump);
    if (s->elements != WEIGHTS_AS_THEY_ARE && s->level < 2)
        options_refuse("--weights f16 and int8 are for -O2, which packs weights", "");
    if ((s->shapes || s->bounds) && !s->examples)
        options_refuse("--shape and --bound want the types and elements of an --example", "");
    if (s->calibrations && s->level < 2)
        options_refuse("--quantize is for -O2, which prepares layers", "");
    if (!s->calibrations && (s->unquantized || s->least_ratio >= 0 || s->has_range))
        options_refuse("--quantize-skip, --quantize-limit and --quantize-range are for --quantize", "");
    if (s->machine && (s->verify || (s->dump && strcmp(s->dump, "plan"))))
        options_refuse("--target is for memory plans, which --verify and --dump do not write", "");
    if (s->plans_each && (s->verify || s->dump))
        options_refuse("--target each is for files, which --verify and --dump do not write", "");
    if (s->tolerance >= 0 && !s->verify)
        options_refuse("--tolerance is for --verify", "");
    const bool pipes_file = s->output && !strcmp(s->output, "-"), pipes_report = s->report && !strcmp(s->report, "-");
    if ((pipes_file || pipes_report) && (s->sizes || s->verify || s->calibrations || (pipes_file && pipes_report)))
        options_refuse("standard output takes one file, or what --sizes, --verify and --quantize print: name a file",
                       "");
}

_Noreturn static void print_limits(bool as_json) {
    json_report o = {.is_json = as_json};
    if (as_json)
        tables_limits(&o);
    else
        limit_print_all();
    json_report_end(&o);
    exit(0);
}

settings options_read(int argc, char **argv) {
    settings s = {.level = 2, .tolerance = -1, .least_ratio = -1};
    for (int option; (option = getopt_long(argc, argv, "ho:O:", table, NULL)) != -1;) {
        if (option == BUNDLE && !optarg && optind < argc && argv[optind][0] != '-')
            optarg = argv[optind++]; /* getopt looks for it behind '=' only */
        read_option(&s, option, optarg);
    }
    for (int i = optind; i < argc; i++)
        arrput(s.inputs, argv[i]);
    if (s.limits)
        print_limits(s.json);
    if (!s.inputs)
        options_refuse("no input", "");
    for (size_t i = 0; !s.emit_c && arrlenu(s.inputs) > 1 && i < arrlenu(s.inputs); i++)
        if (!strstr(s.inputs[i], ".pt2:"))
            options_refuse("more than one input: only programs of torch.export are joined, as FILE.pt2:METHOD", "");
    s.input = s.inputs[0];
    check_together(&s);
    if (s.least_ratio < 0)
        s.least_ratio = DEFAULT_LEAST_RATIO;
    if (s.tolerance < 0)
        s.tolerance = DEFAULT_TOLERANCE;
    return s;
}
