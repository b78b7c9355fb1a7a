/* The signature of an exported program: which inputs of its graph are tensors of the module, which are arguments of
 * forward, and what its outputs are for. */
#ifndef TSMC_EXPORT_SIGNATURE_H
#define TSMC_EXPORT_SIGNATURE_H

#include "exporter/export/export_file.h"
#include "exporter/export/module_tree.h"
#include "exporter/export/translate.h"

/* Adds the tensors that the inputs name to the tree. */
void signature_add_tensors(export_file *f, module_tree *m);

/* Adds forward's arguments to the graph and to the schema, and defines the graph's inputs. */
void signature_inputs(export_file *f, module_tree *m, translation *t, op_schema *schema);

/* Stores what the program changes, and returns what forward returns; completes the schema. */
void signature_outputs(export_file *f, module_tree *m, translation *t, op_schema *schema);

#endif
