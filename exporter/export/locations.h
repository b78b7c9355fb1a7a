/* Where the author wrote the nodes of an exported program: their stack traces and modules.
 *
 * A node's metadata holds texts: `stack_trace`, as Python prints one,
 *
 *       File "model.py", line 12, in forward
 *         x = self.encoder(x)
 *       File "model.py", line 5, in forward
 *         return torch.relu(x)
 *
 * and `nn_module_stack`, the modules whose code was running, outermost first: "key,path,class;key,path,class". */
#ifndef TSMC_EXPORT_LOCATIONS_H
#define TSMC_EXPORT_LOCATIONS_H

#include "exporter/base/json.h"
#include "exporter/ir/ir.h"

typedef struct locations locations;

/* A range in a function, and the calls that led there. */
typedef struct {
    source_range range;
    const ir_scope *scope; /* NULL: not known */
} ir_place;

locations *locations_new(void);

/* The place of a node by its metadata. */
ir_place location_of(locations *l, json metadata);

/* The class of the outermost module that a node's metadata names; NULL when there is none. */
const char *location_root_class(json metadata);

#endif
