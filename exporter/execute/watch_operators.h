/* A run of an image node by node: what every operator gives. */
#ifndef TSMC_EXECUTE_WATCH_OPERATORS_H
#define TSMC_EXECUTE_WATCH_OPERATORS_H

#include "exporter/ir/ir.h"
#include "runtime/interpreter/instance.h"

/* Told of every call of an operator that went well, with its node and its outputs (borrowed). */
typedef void (*operator_watcher)(void *data, tsm_instance *inst, const ir_node *n, const tsm_value *out);

/* Calls `watcher` for every operator that the instance runs. `nodes` is what codegen_options.observed was filled with.
 */
void watch_operators(tsm_instance *inst, const ir_node *const *nodes, operator_watcher watcher, void *data);

#endif
