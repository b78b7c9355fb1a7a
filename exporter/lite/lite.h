/* Programs of PyTorch's lite interpreter (.ptl): what a reader takes out of a file, before anything is made of it.
 *
 * Two formats hold the same things: a zip archive with bytecode.pkl (lite_pickle.c; torch/csrc/jit/serialization/
 * export_bytecode.cpp of PyTorch) and a flatbuffer (lite_flatbuffer.c; mobile_bytecode.fbs). A function is code for a
 * stack machine with registers; its operators, constants and types stand in tables of its own. */
#ifndef TSMC_LITE_LITE_H
#define TSMC_LITE_LITE_H

#include "exporter/archive/archive.h"

/* Oldest and newest bytecode that is read. */
enum { LITE_MIN_VERSION = 4, LITE_MAX_VERSION = 9 };

#define LITE_OPCODE(NAME, operands) LITE_##NAME,
typedef enum {
#include "exporter/lite/lite_opcodes.def"
    LITE_OPCODE_COUNT
} lite_opcode;
#undef LITE_OPCODE

/* "OPN", and what X and N are: see lite_opcodes.def. */
const char *lite_opcode_name(lite_opcode op);
const char *lite_opcode_operands(lite_opcode op);

typedef struct {
    lite_opcode op;
    int32_t x;
    uint32_t n;
} lite_instruction;

typedef struct {
    const char *full_name; /* "aten::add.Tensor" */
    int32_t given;         /* arguments on the stack; the others have their defaults. Negative: all are there */
} lite_operator;

typedef struct {
    const char *name, *type;  /* "k", "Optional[int]" */
    pkl_value *default_value; /* NULL: none */
} lite_argument;

/* Arrays are stb_ds arrays. */
typedef struct {
    const char *name; /* "__torch__.M.forward" */
    lite_instruction *code;
    lite_operator *operators;
    pkl_value **constants;
    const char **types;
    lite_argument *arguments, *returns;
} lite_function;

typedef struct {
    const char *file;     /* for messages */
    int operator_version; /* of the operators' meaning */
    lite_function *functions;
    pkl_value *root; /* the module object */
} lite_module;

/* The bytecode of an archive that holds some (pt_archive.has_bytecode). */
lite_module *lite_read_archive(pt_archive *a);

/* Whether a file is a flatbuffer of the lite interpreter, and its program. The file must outlive the module. */
bool lite_is_flatbuffer(zip_bytes file);
lite_module *lite_read_flatbuffer(const char *name, zip_bytes file);

/* ---- For the readers ---- */

/* The opcode of that name or number; raises an error for those that no mobile program has. */
lite_opcode lite_opcode_named(const lite_module *m, const char *name);
lite_opcode lite_opcode_numbered(const lite_module *m, unsigned number);
const char *lite_operator_name(const char *name, const char *overload);
/* Raises an error for versions that are not read. */
void lite_check_version(const lite_module *m, int64_t version);

#endif
