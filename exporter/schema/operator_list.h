/* The operator list as built into the exporter (made by gen_operator_list.py). */
#ifndef TSMC_SCHEMA_OPERATOR_LIST_H
#define TSMC_SCHEMA_OPERATOR_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *schema;
    bool is_implemented; /* libtsmobile has a kernel */
} operator_row;

extern const operator_row operator_list[];
extern const size_t operator_list_count;

#endif
