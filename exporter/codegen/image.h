/* A .tsm program in memory: the tables of schema/tsmobile.fbs as plain arrays, filled by lowering, read by the writer
 * and by the dump. All arrays are stb_ds arrays. */
#ifndef TSMC_CODEGEN_IMAGE_H
#define TSMC_CODEGEN_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "exporter/base/mem.h"

#define IMAGE_NO_INDEX UINT32_MAX

#ifdef __cplusplus
extern "C" {
#endif

/* Opcodes, numbered by their line in runtime/interpreter/opcodes.def. */
typedef enum {
#define OP(NAME, since, operands, formula, loops) OPCODE_##NAME,
#include "runtime/interpreter/opcodes.def"
#undef OP
    OPCODE_COUNT
} opcode;

/* Versions of libtsmobile are numbers, encoded by the macro SINCE of runtime/interpreter/opcodes.h. */
typedef struct {
    const char *name;
    uint32_t since; /* the first version that has it */
    const char *operands, *formula;
} opcode_info;
extern const opcode_info opcode_table[OPCODE_COUNT];

typedef struct {
    uint16_t op, a, b, c;
} image_instruction;

/* Words of operand lists. */
#define IMAGE_OPERAND_CONSTANT 0x80000000u
#define IMAGE_OPERAND_LAST_USE 0x40000000u
#define IMAGE_OPERAND_INDEX 0x3fffffffu

typedef struct {
    uint32_t pc, frame;
} image_debug_entry;

typedef struct {
    uint32_t begin, end, object, exit_function;
} image_with_range;

typedef struct {
    const char *name;
    image_instruction *code;
    uint32_t *operands;
    uint16_t *parameters;
    uint16_t value_registers, int_registers, float_registers, bool_registers;
    image_with_range *withs;
    image_debug_entry *debug;
} image_function;

typedef struct {
    uint32_t name, function;
} image_class_method;

typedef struct {
    uint8_t kind; /* TypeKind of the file format */
    const char *text, *name;
    uint32_t *elements;
    const char **field_names;
    uint32_t *members;
    image_class_method *methods;
} image_type;

typedef struct {
    const uint8_t *data;
    uint64_t bytes;
    uint64_t offset;  /* in the segment; set by image_lay_out */
    uint32_t in_file; /* the number of the file's storage that it is, or is a part of; set by image_lay_out */
    bool is_mutable;
    bool is_seen; /* something shows which storage its tensors have: not only their elements are read */
    const struct pt_storage **sources; /* stb_ds array: the storages of the program that it stands for */
} image_storage;

typedef struct {
    uint64_t offset, bytes; /* in the segment */
    bool is_mutable;
} image_file_storage;

typedef struct {
    uint8_t dtype;
    uint32_t storage;
    uint64_t offset; /* elements */
    int64_t *sizes, *strides;
    int32_t quantizer_axis; /* as in schema/tsmobile.fbs */
    double *scales;
    int64_t *zero_points;
    bool requires_grad;
    const char *name; /* for reports; NULL: not known */
} image_tensor;

typedef struct {
    uint8_t kind; /* ConstantKind of the file format */
    int64_t integer;
    double number, imaginary;
    const char *text;
    size_t text_length;
    uint32_t *items;
    uint32_t type;
    image_tensor *tensor; /* NULL when not one */
} image_constant;

typedef struct {
    const char *name;
    uint32_t type;
    uint32_t default_value;
    bool keyword_only;
} image_argument;

enum { IMAGE_NOT_KNOWN = 255 };

typedef struct {
    uint8_t dtype; /* IMAGE_NOT_KNOWN: not known, or no tensor */
    uint8_t rank;  /* IMAGE_NOT_KNOWN: not known */
    int64_t *sizes;
} image_tensor_info;

typedef struct {
    const char *name;
    uint32_t function;
    uint32_t self;
    image_argument *arguments;
    uint32_t result;
    const char *schema;
    uint32_t plan;   /* the first of its guards; IMAGE_NO_INDEX: it has none */
    const char *doc; /* NULL: none */
    bool is_async;
    image_tensor_info *inputs, *outputs;
} image_method;

typedef struct {
    const char *key, *value;
} image_entry;

/* In granules of IMAGE_GRANULE bytes; offset IMAGE_NO_INDEX: not planned. */
typedef struct {
    uint32_t offset, granules, call;
} image_plan_block;

typedef struct {
    uint32_t *guards;
    image_plan_block *blocks;
    uint32_t region, most_live;
    uint64_t buffer_bytes;
} image_plan;

/* Instead of plan number `plan` on these targets. */
typedef struct {
    const char **targets; /* stb_ds array */
    uint32_t plan;
    const image_plan *own; /* NULL: the same */
} image_target_plan;

enum { IMAGE_GRANULE = 64 };

typedef struct {
    uint32_t file, start, end;
} image_source_range;

typedef struct {
    uint32_t function_name, caller;
    image_source_range serialized, original;
} image_frame;

typedef struct {
    const char *name, *text;
    uint32_t first_line, offset;
} image_file;

typedef struct {
    uint32_t method, arguments, expected;
} image_bundled_case;

typedef struct {
    const char **features;
    const char **operators;
    image_type *types;
    image_constant *constants;
    image_storage *storages;
    image_file_storage *file_storages; /* set by image_lay_out */
    image_function *functions;
    image_method *methods;
    const char **method_names;
    uint32_t stack_registers, stack_frames;
    uint32_t warnings;
    image_bundled_case *bundle;
    const char **strings;
    image_file *files;
    image_frame *frames;
    uint32_t *positions; /* with their symbols instead of strings, files, frames and debug entries, or NULL */
    uint8_t *position_symbols;
    uint64_t segment_bytes; /* set by image_lay_out */
    image_plan *plans;
    image_target_plan *target_plans;
    image_entry *metadata;
} image;

/* The oldest version that takes what an operator of this name is given. */
uint32_t image_operator_version(const char *name);
/* The oldest version that knows all instructions, and takes what operators are given. */
uint32_t image_version(const image *m);
/* A version as text, "0.2.0". */
const char *image_version_text(uint32_t version);
/* Adds image_version to the features that the file requires, when it is not the first version. */
void image_state_version(image *m);

/* Gives every storage its place in the segment. Small ones of which only elements are read become one storage of the
 * file, without gaps; storages of the file are aligned to 64 bytes. */
void image_lay_out(image *m);
/* Where a tensor lies in the file: the storage's number, and the first element in it. */
uint32_t image_file_storage_of(const image *m, const image_tensor *t, uint64_t *offset);

/* The plans of the guards of a method's code, in the order in which they are asked: an stb_ds array. */
uint32_t *image_plans_of(const image *m, const image_method *method);

/* Prints one instruction a line with its meaning, the tables before it: tsmc --dump bytecode. */
void image_print(const image *m, strbuf *out);

/* The parts of a file, for reports. */
#define IMAGE_PARTS(X)                                                                                                 \
    X(TENSORS, "elements of tensors, each storage filled up to 64 bytes")                                              \
    X(CODE, "instructions and their operands")                                                                         \
    X(CONSTANTS, "numbers, texts and containers, sizes of tensors")                                                    \
    X(TYPES, "types")                                                                                                  \
    X(METHODS, "methods and their arguments")                                                                          \
    X(OPERATORS, "names of operators")                                                                                 \
    X(METADATA, "metadata")                                                                                            \
    X(PLANS, "plans of memory")                                                                                        \
    X(BUNDLE, "bundled test cases")                                                                                    \
    X(DEBUG, "positions in sources, and lines of them (without them: --strip)")                                        \
    X(SUMS, "checksums")                                                                                               \
    X(REST, "the rest: the table of tables, storages, gaps")

typedef enum {
#define IMAGE_PART(NAME, text) IMAGE_PART_##NAME,
    IMAGE_PARTS(IMAGE_PART)
#undef IMAGE_PART
        IMAGE_PART_COUNT
} image_part;

typedef struct {
    uint64_t bytes[IMAGE_PART_COUNT];
} image_sizes;

/* The whole .tsm file, from mem_alloc; NULL when the program part is larger than FlatBuffers allow (2 GiB). */
uint8_t *image_write(const image *m, size_t *bytes);
/* The same; `sizes` gets the bytes of its parts, which add up to `bytes`. */
uint8_t *image_write_measured(const image *m, size_t *bytes, image_sizes *sizes);

#ifdef __cplusplus
}
#endif

#endif
