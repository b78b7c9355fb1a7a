/* tsmc --report: the exported program as a page to look at (docs/reports.md). */
#ifndef TSMC_EXPORT_REPORT_H
#define TSMC_EXPORT_REPORT_H

#include <stdio.h>

#include "exporter/execute/plan_memory.h"
#include "exporter/execute/verify_passes.h"

/* What was exported. */
typedef struct {
    const char *input;
    image *image; /* NULL: a pass is wrong, and nothing was exported */
    function *const *functions;
    const image_sizes *sizes;
    uint64_t read_bytes; /* of the module's tensors before all passes; 0: there are none */
    const uint8_t *file; /* what was written */
    size_t bytes;
    const example *examples;          /* stb_ds array: what it was specialized to */
    const plan_details *plans;        /* stb_ds array: of their calls */
    const char *machine;              /* of --target; NULL: any */
    const verification *verification; /* NULL: none */
    double tolerance;
} export_report;

void export_report_write(const export_report *e, FILE *out);

#endif
