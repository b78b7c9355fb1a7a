/* Parser of TorchScript sources: text to tree.
 *
 * There are two grammars. Archives hold what PyTorch's printer wrote and its own lexer and parser read, whose operators
 * bind otherwise than Python's (`and` and `or` equally, `~` and `not` above comparisons only). Authors write Python. */
#ifndef TSMC_SYNTAX_PARSER_H
#define TSMC_SYNTAX_PARSER_H

#include "exporter/syntax/ast.h"
#include "exporter/syntax/lexer.h"
#include "exporter/syntax/source.h"

/* How deep expressions and blocks may nest; deeper ones are refused. */

/* Parses a whole file into a FILE node. A syntax error stops the compile (source_fail). Ranges of a function in a .py
 * file lie in a source_file of its own, a window on the function. */
ast_node *parse_file(const source_file *file, dialect d);

/* Parses a file that holds one expression: a type string of a pickle, the text of an annotation in quotes. */
ast_node *parse_expression(const source_file *file, dialect d);

#endif
