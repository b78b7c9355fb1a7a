/* The command line of tsmrun. */
#ifndef RUNNER_OPTIONS_H
#define RUNNER_OPTIONS_H

#include "platform/runner/image.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_INPUTS = 32, MOST_PEERS = 64, MOST_ALLOWED = 256 };

typedef enum { INPUT_NPY, INPUT_NPZ, INPUT_IMAGE, INPUT_AUDIO, INPUT_TEXT, INPUT_STRING } input_kind;

/* An argument from a file, or a text. */
typedef struct {
    input_kind kind;
    const char *text;
} input;

typedef struct {
    const char *program; /* the .tsm */
    const char *method;  /* NULL: the default one */
    const char *inputs, *sequence, *outputs, *after;
    input given[MOST_INPUTS]; /* in the order of the command line */
    size_t given_count;
    image_options image;
    const char *audio_rate, *expect, *labels;
    double tolerance;
    unsigned long top; /* 0: no list of the best */
    bool check, profile, info, json;
    const char *trace; /* NULL: none */
    const char *allow_save;
    const char *load_state, *save_state; /* NULL: none */
    const char *values, *values_filter;
    const char *report, *report_expected; /* NULL: none */
    bool values_elements;
    /* Other workers; rpc_name NULL: none. */
    const char *rpc_name, *rpc_listen, *rpc_certificate, *rpc_key, *rpc_authority;
    const char *peer_names[MOST_PEERS], *peer_addresses[MOST_PEERS], *rpc_allowed[MOST_ALLOWED];
    size_t peer_count, rpc_allowed_count;
    bool rpc_serve;
    unsigned long bench; /* timed runs; 0: none */
    size_t arena;        /* bytes; 0: as much as there is */
    unsigned threads;
    uint64_t fuel;
} options;

/* Whether a worker makes no call of its own. */
static inline bool options_only_serve(const options *o) {
    return o->rpc_serve && !o->method && !o->inputs && !o->sequence && !o->given_count && !o->check;
}

/* Reads the arguments. --help and --version print and end the program; wrong usage ends it with exit status 2. */
options options_read(int argc, char **argv);

#endif
