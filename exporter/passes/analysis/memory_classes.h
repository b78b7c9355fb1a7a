/* Which tensors may share memory: values that views, containers, branches and loops connect are in one class.
 *
 * Steensgaard's analysis within a graph: no direction, one pass. Different attributes count as different tensors
 * (unite_attributes has made one value of those that are known to be one), except what the graph stores. Operators
 * that only read a list do not connect its items. */
#ifndef TSMC_PASSES_ANALYSIS_MEMORY_CLASSES_H
#define TSMC_PASSES_ANALYSIS_MEMORY_CLASSES_H

#include "exporter/ir/ir.h"

typedef struct memory_classes memory_classes;

typedef enum { ALL_NAMES, RECORDED_NAMES } memory_names;

/* RECORDED_NAMES: without operators that no gradient passes (detach), though their results share memory. Values that
 * are made later are not in it: they count as classes of their own. */
memory_classes *memory_classes_new(const ir_graph *g, memory_names names);
/* All values of the class of v but v itself, as an stb_ds array; the caller may keep it. */
const ir_value **memory_classes_others(memory_classes *m, const ir_value *v);
bool memory_classes_share(memory_classes *m, const ir_value *a, const ir_value *b);
/* Whether the memory of v may be there from one turn of the loop to the next. */
bool memory_classes_outlives(memory_classes *m, const ir_value *v, const ir_node *loop);

#endif
