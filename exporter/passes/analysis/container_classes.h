/* Classes of lists, dicts and tuples that hold tensors: containers that may be the same one, or lie in one another, are
 * in one class. Autodiff asks which of them it can follow item by item as they stand. */
#ifndef TSMC_PASSES_ANALYSIS_CONTAINER_CLASSES_H
#define TSMC_PASSES_ANALYSIS_CONTAINER_CLASSES_H

#include "exporter/passes/analysis/gradient_flow.h"

typedef struct container_classes container_classes;

/* Whether values of the type are tensors or may have such in them, not in objects. */
bool type_has_tensors(const type *t);

container_classes *container_classes_new(ir_graph *g);

/* Whether operators on containers of any item type take or give v as an item here: its tensors go in or out as they
 * are. */
bool container_item_input(const ir_node *n, uint32_t input);
bool container_item_output(const ir_node *n, uint32_t output);

/* Every container of the graph, an stb_ds array. */
ir_value **container_class_all(const container_classes *c);
/* The value that stands for the class of v; the same for all of a class. */
const ir_value *container_class(container_classes *c, const ir_value *v);
/* The values of a class, an stb_ds array. */
ir_value **container_class_members(container_classes *c, const ir_value *class);
/* Whether every way into and out of the class is known, and each item can be changed for another type. */
bool container_class_is_closed(container_classes *c, const ir_value *class);
/* Whether gradients pass item by item, as far as `request` derives its `outputs` from them: displays that stay as they
 * are, and lists that only grow before they are read. */
bool container_class_is_plain(container_classes *c, const ir_value *representative, const ir_node *request,
                              ir_value *const *outputs, const gradient_flow *f);

#endif
