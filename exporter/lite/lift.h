/* Bytecode of the lite interpreter -> graphs.
 *
 * The stack machine is run on values of the graph: whatever an instruction pushes is the output of a node. PyTorch
 * emits code from structured control flow, so jumps have two shapes only, which become blocks again:
 *
 *     JF else; then...; JMP end; else: otherwise...; end:                               prim::If
 *     LOADC 0; max; condition; carried...; LOOP exit; body...; JMP back; exit:          prim::Loop
 *
 * Anything else is an error. Registers have no place in the graph: a load yields the value that was stored, and what a
 * block stores is not seen outside of it. */
#ifndef TSMC_LITE_LIFT_H
#define TSMC_LITE_LIFT_H

#include "exporter/lite/lite.h"
#include "exporter/program/program.h"

/* A function's graph, in which only the types of constants, containers and calls are known; a value's type is NULL
 * otherwise (see infer.h). GET_ATTR and SET_ATTR hold the slot's number in `begin`. Ranges lead to a listing of the
 * bytecode. Raises errors for code that no exporter writes. */
ir_graph *lift_function(program *p, const lite_function *f);

#endif
