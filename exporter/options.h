/* The command line of tsmc. */
#ifndef TSMC_OPTIONS_H
#define TSMC_OPTIONS_H

#include "exporter/codegen/image_builder.h"
#include "exporter/passes/pipeline.h"

typedef struct {
    const char *input, *output, *dump, *bundle, *expect, *weights, *stop_after, *report; /* NULL: not given */
    const char **inputs;   /* stb_ds array: one, several programs of torch.export (FILE.pt2:METHOD), or .tsm files */
    const char **methods;  /* stb_ds array */
    const char **examples; /* stb_ds array: FILE, or METHOD=FILE */
    const char **shapes, **bounds; /* stb_ds arrays: ARGUMENT:SIZES, NAME=LEAST..MOST */
    const char **calibrations;     /* of --quantize, stb_ds array: FILE, or METHOD=FILE */
    const char **checkpoints;      /* stb_ds array */
    const char **unquantized;      /* of --quantize-skip, stb_ds array */
    const char **metadata;         /* stb_ds array: KEY=VALUE */
    const char *machine;           /* of --target; NULL: any */
    const char *emit_c;            /* the folder of --emit-c, for which the inputs are .tsm files; or NULL */
    int level;
    weight_elements elements; /* what weights are stored as */
    bool strip, eval, verify, check, sizes, info, json, limits;
    bool plans_each;              /* --target each */
    bool bundles_own;             /* --bundle without a file */
    bool no_example;              /* nor that of the program's file */
    bool has_range, has_extremes; /* of --quantize-range */
    double least_ratio;           /* of --quantize-limit, in decibels */
    double tolerance;             /* of verify */
    uint32_t interface_depth;     /* 0: not given */
    uint32_t target;              /* version of libtsmobile; 0: not given */
} settings;

/* Reads the arguments. --help and --version print and end the program; wrong usage ends it with exit status 2. */
settings options_read(int argc, char **argv);

/* Wrong usage: says what is wrong (the message and its detail) and how it is done right. */
_Noreturn void options_refuse(const char *message, const char *detail);

#endif
