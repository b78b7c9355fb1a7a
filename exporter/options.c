#include "exporter/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/codegen/codegen.h"
#include "exporter/passes/pipeline.h"

static const char usage[] =
    "usage: tsmc INPUT -o OUT.tsm [options]\n"
    "Exports the TorchScript program INPUT for libtsmobile: an archive (.pt, .ptl), or a function or module "
    "class of a source\n(FILE.py:NAME, 'FILE.py:Net(10, hidden=20)').\n\n"
    "  -o, --output FILE   where to write\n"
    "  --method NAME       export only the methods named (repeatable; default: all of the module's); forward then runs "
    "without the\n"
    "                      module's own hooks, as model.forward(x) does\n"
    "  -O0 | -O1 | -O2     no optimization | safe passes | everything (default)\n"
    "  --example FILE      arguments (.json, or a tuple in a .pt) of forward or the first method: shapes and types are "
    "specialized to\n"
    "                      them, memory is planned; other arguments run too, by the general code in the same file\n"
    "  --dump STAGE        print and stop: ast, ir, ir:PASS (after that pass), bytecode, plan, ops, types\n"
    "  --bundle FILE       store these inputs (and with --expect FILE the output) as a test case of forward\n"
    "  --weights FILE      the state dict for a module class: what torch.save(model.state_dict()) writes\n"
    "  --eval              compile as after module.eval(); without it the training flags are kept\n"
    "  --interface-depth N room for N calls through interfaces, one inside the other (default 16)\n"
    "  --strip             leave out debug information\n"
    "  --target-runtime V  write for an older libtsmobile, from 0.1.0 on (default: the newest); 0.1.0 has no plans\n"
    "  --version, --help\n";

void options_refuse(const char *message, const char *detail) {
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
        options_refuse("there is no pass ", mem_printf("'%s'; the passes are %s", stage + 3, strbuf_text(&known)));
    options_refuse("unknown stage to dump: ", stage);
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

static uint32_t read_depth(const char *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*end || end == text || n < 1 || n > CODEGEN_MOST_INTERFACE_DEPTH)
        options_refuse("--interface-depth wants a number from 1 to 4096, not ", text);
    return (uint32_t)n;
}

static int read_level(const char *text) {
    if (text[0] < '0' || text[0] > '2' || text[1])
        options_refuse("unknown optimization level -O", text);
    return text[0] - '0';
}

enum { METHOD = 256, DUMP, STRIP, EXAMPLE, BUNDLE, EXPECT, WEIGHTS, TARGET, EVAL, INTERFACE_DEPTH, VERSION, HELP };

static const struct option table[] = {{"output", required_argument, NULL, 'o'},
                                      {"method", required_argument, NULL, METHOD},
                                      {"dump", required_argument, NULL, DUMP},
                                      {"strip", no_argument, NULL, STRIP},
                                      {"example", required_argument, NULL, EXAMPLE},
                                      {"bundle", required_argument, NULL, BUNDLE},
                                      {"expect", required_argument, NULL, EXPECT},
                                      {"weights", required_argument, NULL, WEIGHTS},
                                      {"target-runtime", required_argument, NULL, TARGET},
                                      {"eval", no_argument, NULL, EVAL},
                                      {"interface-depth", required_argument, NULL, INTERFACE_DEPTH},
                                      {"version", no_argument, NULL, VERSION},
                                      {"help", no_argument, NULL, HELP},
                                      {NULL, 0, NULL, 0}};

static void read_option(settings *s, int option, const char *text) {
    switch (option) {
    case 'o':
        s->output = text;
        break;
    case 'O':
        s->level = read_level(text);
        break;
    case METHOD:
        arrput(s->methods, text);
        break;
    case DUMP:
        check_stage(text);
        s->dump = text;
        break;
    case EXAMPLE:
        s->example = text;
        break;
    case BUNDLE:
        s->bundle = text;
        break;
    case EXPECT:
        s->expect = text;
        break;
    case WEIGHTS:
        s->weights = text;
        break;
    case TARGET:
        s->target = read_target(text);
        break;
    case EVAL:
        s->eval = true;
        break;
    case INTERFACE_DEPTH:
        s->interface_depth = read_depth(text);
        break;
    case STRIP:
        s->strip = true;
        break;
    case VERSION:
        puts("tsmc " TSMC_VERSION);
        exit(0);
    case HELP:
        fputs(usage, stdout);
        exit(0);
    default: /* getopt has said what is wrong */
        exit(2);
    }
}

settings options_read(int argc, char **argv) {
    settings s = {.level = 2};
    for (int option; (option = getopt_long(argc, argv, "o:O:", table, NULL)) != -1;)
        read_option(&s, option, optarg);
    if (optind + 1 != argc)
        options_refuse(optind == argc ? "no input" : "more than one input", "");
    s.input = argv[optind];
    if (!s.output && !s.dump)
        options_refuse("no output: give -o OUT.tsm", "");
    if (s.expect && !s.bundle)
        options_refuse("--expect wants the inputs too: give --bundle FILE", "");
    if (s.dump && !strcmp(s.dump, "plan") && (!s.example || !codegen_target_has(s.target, OPCODE_GUARD)))
        options_refuse("there is a plan only with --example, for libtsmobile 0.2.0 or newer", "");
    return s;
}
