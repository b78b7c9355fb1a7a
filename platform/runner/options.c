/* The command line of tsmrun: its help, its options, and what it refuses. */
#include "platform/runner/options.h"

#include "platform/runner/die.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: tsmrun FILE.tsm [options]\n"
    "\n"
    "Runs a method of a program made by tsmc and prints the result. A file to read may be a pipe, or - for standard "
    "input.\n"
    "\n"
    "  --method NAME         the method; default: forward, or the only one\n"
    "  --inputs FILE.json    the arguments: a JSON array of values\n"
    "  --npy FILE.npy        a tensor argument, after those of --inputs (repeatable)\n"
    "  --sequence FILE.json  an array of argument arrays: one call for each, the program's state kept\n"
    "  --outputs FILE.json   write the result there (with --sequence: the array of results)\n"
    "  --after FILE.json     write the arguments as they are after the call\n"
    "  --check               run the test cases stored in the file and compare\n"
    "  --bench N             time N runs after a first one\n"
    "  --profile             show where the time went, by operator\n"
    "  --trace FILE.json     write when each operator ran, for chrome://tracing or ui.perfetto.dev\n"
    "  --values FILE.json    write what each operator gave: its lines, shapes, dtypes and statistics\n"
    "  --values-filter X     only operators of that name (aten::relu, relu) or line (12, net.py:12)\n"
    "  --values-elements     with all elements\n"
    "  --report FILE.html    write a page to look at: what ran, time, memory, values (docs/reports.md)\n"
    "  --report-expected F   and in it the differences from the values of operators that --values wrote\n"
    "  --info                print what the file says of itself, and run nothing; with --json as JSON\n"
    "  --arena BYTES         the buffer's size; suffixes K, M, G\n"
    "  --threads N           threads that operators may use (default 1)\n"
    "  --allow-save DIR      torch.save() of the program may write files below this folder; else it fails\n"
    "  --load-state FILE     begin with the attributes that --save-state wrote, of the same program\n"
    "  --save-state FILE     write what the program has changed of its attributes when all calls are done\n"
    "  --fuel N              the most instructions, and units of work, that one call may take\n"
    "  --version, -h, --help\n"
    "\n"
    "Exit status: 0 done; 1 the program raised; 2 wrong usage or bad input; 3 internal fault.\n";

/* A number of at least `least`, with an optional suffix K, M or G when `suffixes`. */
static uint64_t number(const char *option, const char *text, uint64_t least, bool suffixes) {
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    int shift = 0;
    if (suffixes && *end)
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    end += shift > 0;
    if (errno || end == text || *end || *text == '-' || n < least || n > SIZE_MAX >> shift)
        die(EXIT_BAD_INPUT, "--%s needs a number of at least %u, not '%s'", option, (unsigned)least, text);
    return n << shift;
}

enum {
    METHOD = 1,
    INPUTS,
    OUTPUTS,
    SEQUENCE,
    AFTER,
    NPY,
    CHECK,
    BENCH,
    PROFILE,
    TRACE,
    VALUES,
    VALUES_FILTER,
    VALUES_ELEMENTS,
    REPORT,
    REPORT_EXPECTED,
    ARENA,
    THREADS,
    FUEL,
    ALLOW_SAVE,
    LOAD_STATE,
    SAVE_STATE,
    INFO,
    JSON,
    VERSION,
    HELP
};

static const struct option table[] = {{"method", required_argument, NULL, METHOD},
                                      {"inputs", required_argument, NULL, INPUTS},
                                      {"outputs", required_argument, NULL, OUTPUTS},
                                      {"sequence", required_argument, NULL, SEQUENCE},
                                      {"after", required_argument, NULL, AFTER},
                                      {"npy", required_argument, NULL, NPY},
                                      {"check", no_argument, NULL, CHECK},
                                      {"bench", required_argument, NULL, BENCH},
                                      {"profile", no_argument, NULL, PROFILE},
                                      {"trace", required_argument, NULL, TRACE},
                                      {"values", required_argument, NULL, VALUES},
                                      {"values-filter", required_argument, NULL, VALUES_FILTER},
                                      {"values-elements", no_argument, NULL, VALUES_ELEMENTS},
                                      {"report", required_argument, NULL, REPORT},
                                      {"report-expected", required_argument, NULL, REPORT_EXPECTED},
                                      {"arena", required_argument, NULL, ARENA},
                                      {"threads", required_argument, NULL, THREADS},
                                      {"fuel", required_argument, NULL, FUEL},
                                      {"allow-save", required_argument, NULL, ALLOW_SAVE},
                                      {"load-state", required_argument, NULL, LOAD_STATE},
                                      {"save-state", required_argument, NULL, SAVE_STATE},
                                      {"info", no_argument, NULL, INFO},
                                      {"json", no_argument, NULL, JSON},
                                      {"version", no_argument, NULL, VERSION},
                                      {"help", no_argument, NULL, HELP},
                                      {NULL, 0, NULL, 0}};

/* What an option without a value sets; NULL: it is another. */
static bool *flag_of(options *o, int which) {
    switch (which) {
    case CHECK:
        return &o->check;
    case INFO:
        return &o->info;
    case JSON:
        return &o->json;
    case PROFILE:
        return &o->profile;
    case VALUES_ELEMENTS:
        return &o->values_elements;
    default:
        return NULL;
    }
}

static void read_option(options *o, int which, const char *text) {
    bool *flag = flag_of(o, which);
    if (flag) {
        *flag = true;
        return;
    }
    switch (which) {
    case METHOD:
        o->method = text;
        break;
    case INPUTS:
        o->inputs = text;
        break;
    case OUTPUTS:
        o->outputs = text;
        break;
    case SEQUENCE:
        o->sequence = text;
        break;
    case AFTER:
        o->after = text;
        break;
    case NPY:
        if (o->npy_count == MAX_NPY)
            die(EXIT_BAD_INPUT, "there are more than %d --npy arguments", MAX_NPY);
        o->npy[o->npy_count++] = text;
        break;
    case BENCH:
        o->bench = (unsigned long)number("bench", text, 1, false);
        break;
    case TRACE:
        o->trace = text;
        break;
    case VALUES:
        o->values = text;
        break;
    case VALUES_FILTER:
        o->values_filter = text;
        break;
    case REPORT:
        o->report = text;
        break;
    case REPORT_EXPECTED:
        o->report_expected = text;
        break;
    case ARENA:
        o->arena = (size_t)number("arena", text, 1, true);
        break;
    case THREADS:
        o->threads = (unsigned)number("threads", text, 1, false);
        break;
    case FUEL:
        o->fuel = number("fuel", text, 1, false);
        break;
    case ALLOW_SAVE:
        o->allow_save = text;
        break;
    case LOAD_STATE:
        o->load_state = text;
        break;
    case SAVE_STATE:
        o->save_state = text;
        break;
    case VERSION:
        puts("tsmrun " TSM_VERSION_STRING);
        exit(EXIT_OK);
    case 'h':
    case HELP:
        fputs(usage, stdout);
        exit(EXIT_OK);
    default: /* getopt has said what is wrong */
        fputs("tsmrun: --help lists the options\n", stderr);
        exit(EXIT_BAD_INPUT);
    }
}

options options_read(int argc, char **argv) {
    options o = {.threads = 1};
    for (int which; (which = getopt_long(argc, argv, "h", table, NULL)) != -1;)
        read_option(&o, which, optarg);
    if (optind != argc - 1)
        die(EXIT_BAD_INPUT, optind == argc ? "no .tsm file is named; --help lists the options"
                                           : "one .tsm file can be named; --help lists the options");
    o.program = argv[optind];
    if (o.json && !o.info)
        die(EXIT_BAD_INPUT, "--json is for --info");
    if (o.info && (o.method || o.inputs || o.sequence || o.npy_count || o.outputs || o.check || o.bench ||
                   o.load_state || o.save_state))
        die(EXIT_BAD_INPUT, "--info runs nothing; leave out what is for a run");
    if (o.sequence && (o.inputs || o.npy_count))
        die(EXIT_BAD_INPUT, "--sequence brings its own arguments; leave out --inputs and --npy");
    if (o.check + (o.bench > 0) + (o.sequence != NULL) > 1)
        die(EXIT_BAD_INPUT, "--check, --bench and --sequence exclude each other");
    if (o.check && (o.outputs || o.after))
        die(EXIT_BAD_INPUT, "--check compares results and writes none; leave out --outputs and --after");
    if ((o.values_filter || o.values_elements) && !o.values)
        die(EXIT_BAD_INPUT, "--values-filter and --values-elements are for --values FILE.json");
    if (o.report_expected && !o.report)
        die(EXIT_BAD_INPUT, "--report-expected is for --report FILE.html");
    if (o.report && (o.info || o.check || o.bench))
        die(EXIT_BAD_INPUT, "--report goes with neither --check, --bench nor --info");
    if (o.values && (o.check || o.bench))
        die(EXIT_BAD_INPUT, "--values goes with neither --check nor --bench");
    return o;
}
