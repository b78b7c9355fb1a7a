/* The tables of the image under construction: each thing that code refers to gets its index here, once. */
#ifndef TSMC_CODEGEN_IMAGE_BUILDER_H
#define TSMC_CODEGEN_IMAGE_BUILDER_H

#include "exporter/codegen/image.h"
#include "exporter/program/program.h"

typedef struct image_builder image_builder;

enum { CODEGEN_INTERFACE_DEPTH = 16, CODEGEN_MOST_INTERFACE_DEPTH = 4096 };

typedef struct {
    bool strip_debug;
    uint32_t target; /* the version of libtsmobile that the file is for; 0: the newest */
    /* How many calls through interfaces may stand one inside the other; 0: CODEGEN_INTERFACE_DEPTH. The register stack
     * has room for so many, each with the longest chain of direct calls of the program. */
    uint32_t interface_depth;
    ir_constant *arguments, *expected; /* a test case to store; NULL: none */
    /* Not NULL: every node that calls an operator gets a row in the operator table for itself, and is put into
     * *observed (an stb_ds array) at the row's number, so that a run of the image can be followed node by node. */
    const ir_node ***observed;
} codegen_options;

image_builder *builder_new(program *p, codegen_options o);
/* Whether the target has the opcode. */
bool codegen_target_has(uint32_t target, opcode op);
bool builder_has_opcode(const image_builder *u, opcode op);
uint32_t builder_target(const image_builder *u);
image *builder_image(image_builder *u);

/* Indices, added on first use. */
uint32_t builder_constant(image_builder *u, const ir_constant *c);
uint32_t builder_operand_constant(image_builder *u, const ir_constant *c); /* as an operator's argument */
uint32_t builder_type(image_builder *u, const type *t);
uint32_t builder_operator(image_builder *u, const ir_node *n); /* of the operator that n calls */
uint32_t builder_plan(image_builder *u, image_plan plan);
uint32_t builder_method_name(image_builder *u, const char *name);
uint32_t builder_warning_site(image_builder *u);

/* The function's index; it is lowered later (builder_next_function), so calls may come before definitions. */
uint32_t builder_function(image_builder *u, function *f);
/* Takes the next function that has an index and no code; NULL when all are done. */
function *builder_next_function(image_builder *u, uint32_t *index);

/* The frame of a node's place; IMAGE_NO_INDEX when debug information is left out. */
uint32_t builder_frame(image_builder *u, const char *function_name, const ir_scope *scope, source_range range);

/* Fills the method tables of classes for interface calls; may add functions, so call it whenever all known ones are
 * lowered, until builder_next_function has no more. */
void builder_finish_classes(image_builder *u);

/* Cuts the source files down to the lines that frames need; called once at the end. */
void builder_finish_debug(image_builder *u);

#endif
