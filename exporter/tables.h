/* The tables that tsmc prints, as members of the object of --json (docs/limits.md). */
#ifndef TSMC_TABLES_H
#define TSMC_TABLES_H

#include "exporter/execute/calibrate.h"
#include "exporter/execute/plan_memory.h"
#include "exporter/execute/verify_passes.h"
#include "exporter/sizes.h"
#include "platform/json_report.h"

/* --sizes: "parts", "tensors", "operators", "read". */
void tables_sizes(json_report *o, const image *m, const image_sizes *sizes, function *const *functions, uint64_t read);
/* --dump plan: "plans". */
void tables_plans(json_report *o, const plan_details *plans);
/* --verify: "passes", "agrees", "wrong". */
void tables_verification(json_report *o, const verification *v);
/* --quantize: "layers", "results". */
void tables_quantization(json_report *o, const calibration *c, const quantization *q);
/* --limits: "limits". */
void tables_limits(json_report *o);

#endif
