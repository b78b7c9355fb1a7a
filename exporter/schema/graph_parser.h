/* The text of graphs read back. It stands beside the operator list because it chooses the overload of each operator. */
#ifndef TSMC_SCHEMA_GRAPH_PARSER_H
#define TSMC_SCHEMA_GRAPH_PARSER_H

#include "exporter/ir/ir.h"

/* Parses what ir_print writes, or PyTorch's own print of a graph (graph_parser.c says what it cannot read).
 * `find_class` looks types of classes up (may be NULL). Raises errors with line and column. */
ir_graph *ir_parse(const char *text, const type *(*find_class)(void *data, const char *name), void *data);

#endif
