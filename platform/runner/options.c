/* The command line of tsmrun: its help, its options, and what it refuses. */
#include "platform/runner/options.h"

#include "platform/platform.h"
#include "platform/runner/compare.h"
#include "platform/runner/die.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tsmrun FILE.tsm [options]\n"
    "\n"
    "Runs a method of a program made by tsmc and prints the result. A file to read may be a pipe, or - for standard "
    "input.\n"
    "\n"
    "  --method NAME         the method; default: forward, or the only one\n"
    "  --inputs FILE.json    the arguments: a JSON array of values\n"
    "  --npy FILE.npy        a tensor argument, after those of --inputs (this and the next five are repeatable)\n"
    "  --npz FILE.npz        tensor arguments: by their names, or one after the other\n"
    "  --image FILE          a tensor argument: a PNG or JPEG picture\n"
    "  --audio FILE.wav      a tensor argument: sound, channels by samples\n"
    "  --text FILE           a str argument: all of a file\n"
    "  --string TEXT         a str argument\n"
    "  --image-size HxW | N  resize pictures (N: the shorter side); without it the size that the program declares\n"
    "  --image-crop HxW | N  then take the middle\n"
    "  --image-mean X,Y,Z, --image-std X,Y,Z, --image-layout NCHW\n"
    "                        of pictures; what is not given here the metadata says (image.mean=... of tsmc --meta)\n"
    "  --audio-rate HZ       convert sound to so many samples a second (audio.rate)\n"
    "  --sequence FILE.json  an array of argument arrays: one call for each, the program's state kept\n"
    "  --outputs FILE        write the result there: as JSON (with --sequence: the array of results), or by the name's "
    "end .npy, .npz; - is standard output\n"
    "  --expect FILE         compare the result with this .json, .npy or .npz; exit status 1 if it differs\n"
    "  --tolerance X         how far numbers may differ for --expect and --check, relative and absolute (default "
    "1e-4)\n"
    "  --top K               show the K best of the result's last dimension instead of the result\n"
    "  --labels FILE         their names, one a line; without it the metadata says them (labels)\n"
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
    "  --info                print what the file says of itself, and run nothing\n"
    "  --json                print one JSON object: result, profile, usage, times, test cases, or what --info says\n"
    "  --arena BYTES         the buffer's size; suffixes K, M, G\n"
    "  --threads N           threads that operators may use (default 1)\n"
    "  --allow-save DIR      torch.save() of the program may write files below this folder; else it fails\n"
    "  --load-state FILE     begin with the attributes that --save-state wrote, of the same program\n"
    "  --save-state FILE     write what the program has changed of its attributes when all calls are done\n"
    "  --rpc-name NAME       be a worker of this name, which calls others and is called (docs/remote.md)\n"
    "  --rpc-listen URL      where others reach it: tcp://0.0.0.0:7000, ipc:///tmp/w0, tls+tcp://...\n"
    "  --rpc-peer NAME=URL   another worker (repeatable)\n"
    "  --rpc-allow FUNCTION[=METHOD]\n"
    "                        a function that others may call, by qualified name (repeatable)\n"
    "  --rpc-serve           when the calls are done, if there are any, serve others until SIGTERM or SIGINT\n"
    "  --rpc-cert FILE, --rpc-key FILE, --rpc-ca FILE\n"
    "                        PEM files of TLS: this worker's certificate and key, who signs all of them\n"
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
    NPZ,
    IMAGE,
    AUDIO,
    TEXT,
    STRING,
    IMAGE_SIZE,
    IMAGE_CROP,
    IMAGE_MEAN,
    IMAGE_STD,
    IMAGE_LAYOUT,
    AUDIO_RATE,
    EXPECT,
    TOLERANCE,
    TOP,
    LABELS,
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
    RPC_NAME,
    RPC_LISTEN,
    RPC_PEER,
    RPC_ALLOW,
    RPC_SERVE,
    RPC_CERT,
    RPC_KEY,
    RPC_CA,
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
                                      {"npz", required_argument, NULL, NPZ},
                                      {"image", required_argument, NULL, IMAGE},
                                      {"audio", required_argument, NULL, AUDIO},
                                      {"text", required_argument, NULL, TEXT},
                                      {"string", required_argument, NULL, STRING},
                                      {"image-size", required_argument, NULL, IMAGE_SIZE},
                                      {"image-crop", required_argument, NULL, IMAGE_CROP},
                                      {"image-mean", required_argument, NULL, IMAGE_MEAN},
                                      {"image-std", required_argument, NULL, IMAGE_STD},
                                      {"image-layout", required_argument, NULL, IMAGE_LAYOUT},
                                      {"audio-rate", required_argument, NULL, AUDIO_RATE},
                                      {"expect", required_argument, NULL, EXPECT},
                                      {"tolerance", required_argument, NULL, TOLERANCE},
                                      {"top", required_argument, NULL, TOP},
                                      {"labels", required_argument, NULL, LABELS},
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
                                      {"rpc-name", required_argument, NULL, RPC_NAME},
                                      {"rpc-listen", required_argument, NULL, RPC_LISTEN},
                                      {"rpc-peer", required_argument, NULL, RPC_PEER},
                                      {"rpc-allow", required_argument, NULL, RPC_ALLOW},
                                      {"rpc-serve", no_argument, NULL, RPC_SERVE},
                                      {"rpc-cert", required_argument, NULL, RPC_CERT},
                                      {"rpc-key", required_argument, NULL, RPC_KEY},
                                      {"rpc-ca", required_argument, NULL, RPC_CA},
                                      {"info", no_argument, NULL, INFO},
                                      {"json", no_argument, NULL, JSON},
                                      {"version", no_argument, NULL, VERSION},
                                      {"help", no_argument, NULL, HELP},
                                      {NULL, 0, NULL, 0}};

/* Where the text of an option goes that is kept as it is. */
static const char **text_of(options *o, int which) {
    switch (which) {
    case METHOD:
        return &o->method;
    case INPUTS:
        return &o->inputs;
    case OUTPUTS:
        return &o->outputs;
    case SEQUENCE:
        return &o->sequence;
    case AFTER:
        return &o->after;
    case TRACE:
        return &o->trace;
    case VALUES:
        return &o->values;
    case VALUES_FILTER:
        return &o->values_filter;
    case REPORT:
        return &o->report;
    case REPORT_EXPECTED:
        return &o->report_expected;
    case ALLOW_SAVE:
        return &o->allow_save;
    case LOAD_STATE:
        return &o->load_state;
    case SAVE_STATE:
        return &o->save_state;
    case RPC_NAME:
        return &o->rpc_name;
    case RPC_LISTEN:
        return &o->rpc_listen;
    case RPC_CERT:
        return &o->rpc_certificate;
    case RPC_KEY:
        return &o->rpc_key;
    case RPC_CA:
        return &o->rpc_authority;
    case IMAGE_SIZE:
        return &o->image.size;
    case IMAGE_CROP:
        return &o->image.crop;
    case IMAGE_MEAN:
        return &o->image.mean;
    case IMAGE_STD:
        return &o->image.std;
    case IMAGE_LAYOUT:
        return &o->image.layout;
    case AUDIO_RATE:
        return &o->audio_rate;
    case EXPECT:
        return &o->expect;
    case LABELS:
        return &o->labels;
    default:
        return NULL;
    }
}

static bool *flag_of(options *o, int which) {
    switch (which) {
    case CHECK:
        return &o->check;
    case INFO:
        return &o->info;
    case JSON:
        return &o->json;
    case RPC_SERVE:
        return &o->rpc_serve;
    case PROFILE:
        return &o->profile;
    case VALUES_ELEMENTS:
        return &o->values_elements;
    default:
        return NULL;
    }
}

/* Adds an argument, if the option is one. */
static bool add_input(options *o, int which, const char *text) {
    static const struct {
        int option;
        input_kind kind;
    } kinds[] = {{NPY, INPUT_NPY},     {NPZ, INPUT_NPZ},   {IMAGE, INPUT_IMAGE},
                 {AUDIO, INPUT_AUDIO}, {TEXT, INPUT_TEXT}, {STRING, INPUT_STRING}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].option == which) {
            if (o->given_count == MOST_INPUTS)
                die(EXIT_BAD_INPUT, "there are more than %d arguments; --inputs takes any number", MOST_INPUTS);
            o->given[o->given_count++] = (input){kinds[i].kind, text};
            return true;
        }
    return false;
}

/* NAME=URL. */
static void add_peer(options *o, const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        die(EXIT_BAD_INPUT, "--rpc-peer needs NAME=URL, not '%s'", text);
    if (o->peer_count == MOST_PEERS)
        die(EXIT_BAD_INPUT, "there are more than %d workers", MOST_PEERS);
    char *name = keep((size_t)(equals - text) + 1);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    o->peer_names[o->peer_count] = name;
    o->peer_addresses[o->peer_count++] = equals + 1;
}

static double tolerance(const char *text) {
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !(x >= 0 && x <= 1))
        die(EXIT_BAD_INPUT, "--tolerance needs a number from 0 to 1, not '%s'", text);
    return x;
}

static void read_option(options *o, int which, const char *text) {
    const char **kept = text_of(o, which);
    bool *flag = flag_of(o, which);
    if (kept) {
        *kept = text;
        return;
    }
    if (flag) {
        *flag = true;
        return;
    }
    if (add_input(o, which, text))
        return;
    switch (which) {
    case RPC_PEER:
        add_peer(o, text);
        break;
    case RPC_ALLOW:
        if (o->rpc_allowed_count == MOST_ALLOWED)
            die(EXIT_BAD_INPUT, "there are more than %d functions of --rpc-allow", MOST_ALLOWED);
        o->rpc_allowed[o->rpc_allowed_count++] = text;
        break;
    case BENCH:
        o->bench = (unsigned long)number("bench", text, 1, false);
        break;
    case TOP:
        o->top = (unsigned long)number("top", text, 1, false);
        break;
    case TOLERANCE:
        o->tolerance = tolerance(text);
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
    case VERSION:
        puts("tsmrun " TSM_VERSION_STRING);
        exit(EXIT_OK);
    case 'h':
    case HELP:
        fputs(usage, stdout);
        exit(EXIT_OK);
    default:
        exit(EXIT_BAD_INPUT); /* getopt has said what is wrong */
    }
}

/* Options that need others, or exclude them. */
static void check_together(const options *o) {
    if (o->info && (o->method || o->inputs || o->sequence || o->given_count || o->outputs || o->check || o->bench ||
                    o->load_state || o->save_state || o->expect || o->top))
        die(EXIT_BAD_INPUT, "--info runs nothing; leave out what is for a run");
    if (!o->rpc_name && (o->rpc_listen || o->peer_count || o->rpc_allowed_count || o->rpc_serve))
        die(EXIT_BAD_INPUT,
            "--rpc-listen, --rpc-peer, --rpc-allow and --rpc-serve are for a worker; give it a --rpc-name");
    if (o->rpc_serve && !o->rpc_listen)
        die(EXIT_BAD_INPUT, "--rpc-serve needs --rpc-listen URL");
    if (o->rpc_serve && o->bench)
        die(EXIT_BAD_INPUT, "--rpc-serve and --bench exclude each other");
    if (o->sequence && (o->inputs || o->given_count))
        die(EXIT_BAD_INPUT, "--sequence brings its own arguments; leave out --inputs and those of files and texts");
    if (o->check + (o->bench > 0) + (o->sequence != NULL) > 1)
        die(EXIT_BAD_INPUT, "--check, --bench and --sequence exclude each other");
    if ((o->check || o->sequence) && (o->expect || o->top))
        die(EXIT_BAD_INPUT, "--expect and --top are for one call; leave out --check and --sequence");
    if (o->check && (o->outputs || o->after))
        die(EXIT_BAD_INPUT, "--check compares results and writes none; leave out --outputs and --after");
    if (o->tolerance >= 0 && !o->expect && !o->check)
        die(EXIT_BAD_INPUT, "--tolerance is for --expect FILE and --check");
    if (o->labels && !o->top)
        die(EXIT_BAD_INPUT, "--labels is for --top K");
    if ((o->values_filter || o->values_elements) && !o->values)
        die(EXIT_BAD_INPUT, "--values-filter and --values-elements are for --values FILE.json");
    if (o->report_expected && !o->report)
        die(EXIT_BAD_INPUT, "--report-expected is for --report FILE.html");
    if (o->report && (o->info || o->check || o->bench))
        die(EXIT_BAD_INPUT, "--report goes with neither --check, --bench nor --info");
    if (o->values && (o->check || o->bench))
        die(EXIT_BAD_INPUT, "--values goes with neither --check nor --bench");
}

/* Refuses to write over a file that is read; but a state may take the place of the one before. Refuses to write into
 * the one object of --json. */
static void check_outputs(const options *o) {
    const char *const written[] = {o->outputs, o->after, o->trace, o->values, o->report, o->save_state};
    const char *const read[] = {o->program, o->inputs, o->sequence, o->expect, o->labels, o->report_expected};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        if (o->json && written[i] && !strcmp(written[i], "-"))
            die(EXIT_BAD_INPUT, "--json prints one object: no file can be -, standard output, beside it");
        for (size_t k = 0; written[i] && k < sizeof read / sizeof *read + o->given_count; k++) {
            const size_t n = sizeof read / sizeof *read;
            const char *file = k < n ? read[k] : o->given[k - n].kind == INPUT_STRING ? NULL : o->given[k - n].text;
            if (file && platform_is_same_file(written[i], file))
                die(EXIT_BAD_INPUT, "%s is read, and would be written over; give another name", file);
        }
    }
}

options options_read(int argc, char **argv) {
    options o = {.threads = 1, .tolerance = -1};
    for (int which; (which = getopt_long(argc, argv, "h", table, NULL)) != -1;)
        read_option(&o, which, optarg);
    if (optind != argc - 1)
        die(EXIT_BAD_INPUT, optind == argc ? "no .tsm file is named; --help lists the options"
                                           : "one .tsm file can be named; --help lists the options");
    o.program = argv[optind];
    check_together(&o);
    check_outputs(&o);
    if (o.tolerance < 0)
        o.tolerance = COMPARE_TOLERANCE;
    return o;
}
