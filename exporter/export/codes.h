/* The numbers by which exported programs name element types, layouts and memory formats: not those of TorchScript. */
#ifndef TSMC_EXPORT_CODES_H
#define TSMC_EXPORT_CODES_H

#include "exporter/base/json.h"

/* Each takes a value of the schema's enumeration and returns TorchScript's number for it; fails when there is none. */
int64_t code_dtype(json v);
int64_t code_layout(json v);
int64_t code_memory_format(json v);

/* A device as TorchScript writes it: "cpu", "cuda:0". */
const char *code_device(json v);

#endif
