/* @dataclass: the methods that the decorator generates, as PyTorch writes them for TorchScript. */
#ifndef TSMC_PROGRAM_DATACLASS_H
#define TSMC_PROGRAM_DATACLASS_H

#include "exporter/syntax/ast.h"

/* __init__ and the comparisons that the decorator asks for, an stb_ds array. Raises an error for default factories. */
ast_def **dataclass_methods(const ast_class *syntax);

#endif
