/* Which tensors may share memory: for each value the places that it may be, where a place is what one node makes, and
 * what may be in them.
 *
 * Andersen's analysis within a graph: values get the places of what they are made of, until nothing changes; order
 * does not count. Different attributes count as different tensors (unite_attributes has made one value of those that
 * are known to be one), except what the graph stores. */
#ifndef TSMC_PASSES_ANALYSIS_MEMORY_CLASSES_H
#define TSMC_PASSES_ANALYSIS_MEMORY_CLASSES_H

#include "exporter/ir/ir.h"

typedef struct memory_classes memory_classes;

typedef enum { ALL_NAMES, RECORDED_NAMES } memory_names;

/* RECORDED_NAMES: without operators that no gradient passes (detach), though their results share memory. Values that
 * are made later are not in it: they share memory with none. */
memory_classes *memory_classes_new(const ir_graph *g, memory_names names);
/* All values that may share memory with v or contain it, but v itself, as an stb_ds array; the caller may keep it. What
 * is only in v, or in something together with v, is none of them. */
const ir_value **memory_classes_holders(memory_classes *m, const ir_value *v);
bool memory_classes_share(memory_classes *m, const ir_value *a, const ir_value *b);
/* Whether the memory of v may be there from one turn of the loop to the next. */
bool memory_classes_outlives(memory_classes *m, const ir_value *v, const ir_node *loop);

#endif
