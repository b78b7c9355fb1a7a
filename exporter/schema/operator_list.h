/* The operator list as built into the exporter (made by gen_operator_list.py). */
#ifndef TSMC_SCHEMA_OPERATOR_LIST_H
#define TSMC_SCHEMA_OPERATOR_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exporter/ir/traits.h"

typedef struct {
    const char *schema;
    bool is_implemented; /* libtsmobile has a kernel */
    uint16_t traits;     /* which of operator_traits */
} operator_row;

extern const op_traits operator_traits[];
extern const operator_row operator_list[];
extern const size_t operator_list_count;

#endif
