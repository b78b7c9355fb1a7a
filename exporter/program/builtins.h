/* The compiler's own TorchScript functions (exporter/library/): operators between numbers, the code of Python packages
 * such as torch.nn.functional, decompositions and derivatives of operators. They are compiled when a program first
 * needs them. */
#ifndef TSMC_PROGRAM_BUILTINS_H
#define TSMC_PROGRAM_BUILTINS_H

#include "exporter/program/program_internal.h"

/* The functions that are tried after the overloads of operator `name`, an stb_ds array; NULL: none. */
function **builtin_functions_of(program *p, const char *name);
/* Whether there are such functions. */
bool builtin_is_operator(const char *name);

/* Adds the library code of a Python package ("torch.nn.functional"), so that what it defines is found under
 * "__torch__.torch.nn.functional."; false when there is none. */
bool builtin_library_load(program *p, const char *package);

/* The library function that computes an operator by others: "aten::mse_loss" is aten_mse_loss of torch.decompositions,
 * "quantized::conv2d.new" is quantized_conv2d_new of torch.ops.quantized; "aten::zeros.out" follows from aten::zeros.
 * NULL: there is none. */
function *builtin_decomposition(program *p, const char *full_name);

/* Whether f is code that operators or their derivatives are made of, and not of the program, of PyTorch's Python
 * packages, or what calls an operator in the program's place as an older version has it. */
bool builtin_is_part_of_operator(const function *f);

/* The gradient of an operator's argument ("aten::mul.Tensor", "self" is aten_mul_Tensor__self of torch.derivatives), or
 * a helper of those (argument NULL), or what the operator is made of (argument "by_operators"). NULL: there is none. */
function *builtin_derivative(program *p, const char *full_name, const char *argument);

/* Whether an operator that is made of others has a derivative of its own (torch.derivatives.composed), by which
 * gradients pass. */
bool builtin_keeps_derivative(const char *full_name);

#endif
