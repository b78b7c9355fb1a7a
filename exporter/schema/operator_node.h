/* Nodes that call an operator, as passes make them: the overload is known, and so is every input. Calls as programs
 * write them are resolved by schema.h. */
#ifndef TSMC_SCHEMA_OPERATOR_NODE_H
#define TSMC_SCHEMA_OPERATOR_NODE_H

#include "exporter/schema/schema.h"

/* A call of s with these inputs, not inserted. It stands in the source, and in the modules, where `like` does. Results
 * have the schema's types; those that it gives by a type variable are tensors until the caller says otherwise. */
ir_node *operator_node(const ir_node *like, const op_schema *s, ir_value *const *inputs, uint32_t count);

/* The same for an operator by full name ("aten::add.Tensor"), inserted before `at` and like it. */
ir_node *operator_insert_node(ir_node *at, const char *full_name, ir_value *const *inputs, uint32_t count);

/* The first result of operator_insert_node() with the inputs that are written out. */
#define operator_insert(at, full_name, ...)                                                                            \
    ir_out(operator_insert_node(at, full_name, (ir_value *[]){__VA_ARGS__},                                            \
                                sizeof((ir_value *[]){__VA_ARGS__}) / sizeof(ir_value *)),                             \
           0)

/* Puts such a node in the place of n: its first result stands for n's first, which must be the only one in use. n is
 * destroyed. */
ir_node *operator_replace(ir_node *n, const char *full_name, ir_value *const *inputs, uint32_t count);

#endif
