/* The module object of an exported program: parameters, buffers and constants as attributes of modules inside one
 * another, as their dotted names say. */
#ifndef TSMC_EXPORT_MODULE_TREE_H
#define TSMC_EXPORT_MODULE_TREE_H

#include "exporter/program/program_internal.h"

typedef struct module_tree module_tree;

typedef enum { ATTRIBUTE_PARAMETER, ATTRIBUTE_BUFFER, ATTRIBUTE_CONSTANT } attribute_role;

/* A tree whose root has a class of that qualified name. */
module_tree *module_tree_new(program *p, const char *class_name);
/* Adds a tensor, or an object of a class that the compiler defines, under a dotted name, unless there is one. Fails
 * when the name is that of a module. */
void module_tree_add(module_tree *m, const char *name, pkl_value *value, attribute_role role);
/* The tree as the module of its program. */
ir_constant *module_tree_root(module_tree *m);
/* A new graph begins: nothing has been read in it. */
void module_tree_begin_graph(module_tree *m);
/* Reads an attribute in a graph whose first input is the root; the nodes stand before `at`. */
ir_value *module_tree_read(module_tree *m, const char *name, ir_node *at);

#endif
