/* The command line of tsmrun. */
#ifndef RUNNER_OPTIONS_H
#define RUNNER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_NPY = 32 };

typedef struct {
    const char *program; /* the .tsm */
    const char *method;  /* NULL: the default one */
    const char *inputs, *sequence, *outputs, *after;
    const char *npy[MAX_NPY];
    size_t npy_count;
    bool check, profile, info, json;
    const char *trace; /* NULL: none */
    const char *allow_save;
    const char *load_state, *save_state; /* NULL: none */
    const char *values, *values_filter;
    const char *report, *report_expected; /* NULL: none */
    bool values_elements;
    unsigned long bench; /* timed runs; 0: none */
    size_t arena;        /* bytes; 0: as much as there is */
    unsigned threads;
    uint64_t fuel;
} options;

/* Reads the arguments. --help and --version print and end the program; wrong usage ends it with exit status 2. */
options options_read(int argc, char **argv);

#endif
