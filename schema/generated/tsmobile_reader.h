/* Made by schema/fbs2c.py from schema/tsmobile.fbs. */
#ifndef TSMOBILE_READER_H
#define TSMOBILE_READER_H

#include "runtime/flatbuffer/flatbuffer.h"

#define TSMF_IDENTIFIER "TSM1"
enum {
    TSMF_TypeKind_Any = 0,
    TSMF_TypeKind_Tensor = 1,
    TSMF_TypeKind_Int = 2,
    TSMF_TypeKind_Float = 3,
    TSMF_TypeKind_Complex = 4,
    TSMF_TypeKind_Bool = 5,
    TSMF_TypeKind_Str = 6,
    TSMF_TypeKind_None = 7,
    TSMF_TypeKind_Number = 8,
    TSMF_TypeKind_Device = 9,
    TSMF_TypeKind_Generator = 10,
    TSMF_TypeKind_Storage = 11,
    TSMF_TypeKind_Capsule = 12,
    TSMF_TypeKind_List = 13,
    TSMF_TypeKind_Dict = 14,
    TSMF_TypeKind_Tuple = 15,
    TSMF_TypeKind_NamedTuple = 16,
    TSMF_TypeKind_Optional = 17,
    TSMF_TypeKind_Union = 18,
    TSMF_TypeKind_Future = 19,
    TSMF_TypeKind_Class = 20,
    TSMF_TypeKind_Interface = 21,
    TSMF_TypeKind_Enum = 22,
    TSMF_TypeKind_AnyList = 23,
    TSMF_TypeKind_AnyTuple = 24,
    TSMF_TypeKind_AnyEnum = 25,
    TSMF_TypeKind_AnyClass = 26,
    TSMF_TypeKind_Function = 27,
    TSMF_TypeKind_COUNT = 28
};
enum {
    TSMF_ConstantKind_None = 0,
    TSMF_ConstantKind_Bool = 1,
    TSMF_ConstantKind_Int = 2,
    TSMF_ConstantKind_Float = 3,
    TSMF_ConstantKind_Complex = 4,
    TSMF_ConstantKind_Str = 5,
    TSMF_ConstantKind_Device = 6,
    TSMF_ConstantKind_Tensor = 7,
    TSMF_ConstantKind_List = 8,
    TSMF_ConstantKind_Tuple = 9,
    TSMF_ConstantKind_Dict = 10,
    TSMF_ConstantKind_Object = 11,
    TSMF_ConstantKind_Enum = 12,
    TSMF_ConstantKind_Generator = 13,
    TSMF_ConstantKind_COUNT = 14
};

typedef struct {
    uint16_t op;
    uint16_t a;
    uint16_t b;
    uint16_t c;
} tsmf_Instruction;
_Static_assert(sizeof(tsmf_Instruction) == 8, "laid out as in the file");
typedef struct {
    uint32_t pc;
    uint32_t frame;
} tsmf_DebugEntry;
_Static_assert(sizeof(tsmf_DebugEntry) == 8, "laid out as in the file");
typedef struct {
    uint32_t begin;
    uint32_t end;
    uint32_t object;
    uint32_t exit_function;
} tsmf_WithRange;
_Static_assert(sizeof(tsmf_WithRange) == 16, "laid out as in the file");
typedef struct {
    uint32_t file;
    uint32_t start;
    uint32_t end;
} tsmf_SourceRange;
_Static_assert(sizeof(tsmf_SourceRange) == 12, "laid out as in the file");
typedef struct {
    uint32_t function_name;
    uint32_t caller;
    tsmf_SourceRange serialized;
    tsmf_SourceRange original;
} tsmf_Frame;
_Static_assert(sizeof(tsmf_Frame) == 32, "laid out as in the file");
typedef struct {
    _Alignas(8) uint64_t offset;
    _Alignas(8) uint64_t bytes;
    uint8_t mutable_;
} tsmf_Storage;
_Static_assert(sizeof(tsmf_Storage) == 24, "laid out as in the file");
typedef struct {
    uint32_t offset;
    uint32_t granules;
    uint32_t call;
} tsmf_PlanBlock;
_Static_assert(sizeof(tsmf_PlanBlock) == 12, "laid out as in the file");

typedef struct {
    const uint8_t *p;
} tsmf_ClassMethod;
typedef struct {
    const uint8_t *p;
} tsmf_Type;
typedef struct {
    const uint8_t *p;
} tsmf_TensorData;
typedef struct {
    const uint8_t *p;
} tsmf_Constant;
typedef struct {
    const uint8_t *p;
} tsmf_Function;
typedef struct {
    const uint8_t *p;
} tsmf_Argument;
typedef struct {
    const uint8_t *p;
} tsmf_TensorInfo;
typedef struct {
    const uint8_t *p;
} tsmf_Method;
typedef struct {
    const uint8_t *p;
} tsmf_Plan;
typedef struct {
    const uint8_t *p;
} tsmf_TargetPlan;
typedef struct {
    const uint8_t *p;
} tsmf_BundledCase;
typedef struct {
    const uint8_t *p;
} tsmf_SourceFile;
typedef struct {
    const uint8_t *p;
} tsmf_Entry;
typedef struct {
    const uint8_t *p;
} tsmf_Program;

static inline tsmf_Program tsmf_root(const void *file) { return (tsmf_Program){tsm_flat_root(file)}; }

/* Slots of the root table's vectors. */
enum {
    TSMF_SLOT_features = 8,
    TSMF_SLOT_operators = 10,
    TSMF_SLOT_types = 12,
    TSMF_SLOT_constants = 14,
    TSMF_SLOT_storages = 16,
    TSMF_SLOT_functions = 18,
    TSMF_SLOT_methods = 20,
    TSMF_SLOT_method_names = 22,
    TSMF_SLOT_bundle = 30,
    TSMF_SLOT_strings = 32,
    TSMF_SLOT_files = 34,
    TSMF_SLOT_frames = 36,
    TSMF_SLOT_plans = 42,
    TSMF_SLOT_metadata = 46,
    TSMF_SLOT_target_plans = 48,
    TSMF_SLOT_positions = 50,
    TSMF_SLOT_position_symbols = 52,
};

/* ClassMethod */
static inline uint32_t tsmf_ClassMethod_name(tsmf_ClassMethod t) { return tsm_flat_u32(t.p, 4, 0); }
static inline uint32_t tsmf_ClassMethod_function(tsmf_ClassMethod t) { return tsm_flat_u32(t.p, 6, 0); }

/* Type */
static inline uint8_t tsmf_Type_kind(tsmf_Type t) { return tsm_flat_u8(t.p, 4, 0); }
static inline uint32_t tsmf_Type_text_len(tsmf_Type t) { return tsm_flat_length(t.p, 6); }
static inline const char *tsmf_Type_text(tsmf_Type t) { return tsm_flat_text(t.p, 6); }
static inline uint32_t tsmf_Type_name_len(tsmf_Type t) { return tsm_flat_length(t.p, 8); }
static inline const char *tsmf_Type_name(tsmf_Type t) { return tsm_flat_text(t.p, 8); }
static inline uint32_t tsmf_Type_elements_len(tsmf_Type t) { return tsm_flat_length(t.p, 10); }
static inline const uint32_t *tsmf_Type_elements(tsmf_Type t) { return (const uint32_t *)tsm_flat_vector(t.p, 10); }
static inline uint32_t tsmf_Type_field_names_len(tsmf_Type t) { return tsm_flat_length(t.p, 12); }
static inline const char *tsmf_Type_field_names(tsmf_Type t, uint32_t i) {
    return (const char *)tsm_flat_element(t.p, 12, i) + 4;
}
static inline uint32_t tsmf_Type_members_len(tsmf_Type t) { return tsm_flat_length(t.p, 14); }
static inline const uint32_t *tsmf_Type_members(tsmf_Type t) { return (const uint32_t *)tsm_flat_vector(t.p, 14); }
static inline uint32_t tsmf_Type_methods_len(tsmf_Type t) { return tsm_flat_length(t.p, 16); }
static inline tsmf_ClassMethod tsmf_Type_methods(tsmf_Type t, uint32_t i) {
    return (tsmf_ClassMethod){tsm_flat_element(t.p, 16, i)};
}

/* TensorData */
static inline uint8_t tsmf_TensorData_dtype(tsmf_TensorData t) { return tsm_flat_u8(t.p, 4, 0); }
static inline uint32_t tsmf_TensorData_storage(tsmf_TensorData t) { return tsm_flat_u32(t.p, 6, 0); }
static inline uint64_t tsmf_TensorData_offset(tsmf_TensorData t) { return tsm_flat_u64(t.p, 8, 0); }
static inline uint32_t tsmf_TensorData_sizes_len(tsmf_TensorData t) { return tsm_flat_length(t.p, 10); }
static inline const int64_t *tsmf_TensorData_sizes(tsmf_TensorData t) {
    return (const int64_t *)tsm_flat_vector(t.p, 10);
}
static inline uint32_t tsmf_TensorData_strides_len(tsmf_TensorData t) { return tsm_flat_length(t.p, 12); }
static inline const int64_t *tsmf_TensorData_strides(tsmf_TensorData t) {
    return (const int64_t *)tsm_flat_vector(t.p, 12);
}
static inline int32_t tsmf_TensorData_quantizer_axis(tsmf_TensorData t) {
    return (int32_t)tsm_flat_u32(t.p, 14, 4294967294);
}
static inline uint32_t tsmf_TensorData_scales_len(tsmf_TensorData t) { return tsm_flat_length(t.p, 16); }
static inline const double *tsmf_TensorData_scales(tsmf_TensorData t) {
    return (const double *)tsm_flat_vector(t.p, 16);
}
static inline uint32_t tsmf_TensorData_zero_points_len(tsmf_TensorData t) { return tsm_flat_length(t.p, 18); }
static inline const int64_t *tsmf_TensorData_zero_points(tsmf_TensorData t) {
    return (const int64_t *)tsm_flat_vector(t.p, 18);
}
static inline bool tsmf_TensorData_requires_grad(tsmf_TensorData t) { return (bool)tsm_flat_u8(t.p, 20, 0); }

/* Constant */
static inline uint8_t tsmf_Constant_kind(tsmf_Constant t) { return tsm_flat_u8(t.p, 4, 0); }
static inline int64_t tsmf_Constant_integer(tsmf_Constant t) { return (int64_t)tsm_flat_u64(t.p, 6, 0); }
static inline double tsmf_Constant_number(tsmf_Constant t) { return tsm_flat_f64(t.p, 8); }
static inline double tsmf_Constant_imaginary(tsmf_Constant t) { return tsm_flat_f64(t.p, 10); }
static inline uint32_t tsmf_Constant_text_len(tsmf_Constant t) { return tsm_flat_length(t.p, 12); }
static inline const uint8_t *tsmf_Constant_text(tsmf_Constant t) { return (const uint8_t *)tsm_flat_vector(t.p, 12); }
static inline uint32_t tsmf_Constant_items_len(tsmf_Constant t) { return tsm_flat_length(t.p, 14); }
static inline const uint32_t *tsmf_Constant_items(tsmf_Constant t) {
    return (const uint32_t *)tsm_flat_vector(t.p, 14);
}
static inline uint32_t tsmf_Constant_type(tsmf_Constant t) { return tsm_flat_u32(t.p, 16, 4294967295); }
static inline tsmf_TensorData tsmf_Constant_tensor(tsmf_Constant t) {
    return (tsmf_TensorData){tsm_flat_table(t.p, 18)};
}

/* Function */
static inline uint32_t tsmf_Function_name_len(tsmf_Function t) { return tsm_flat_length(t.p, 4); }
static inline const char *tsmf_Function_name(tsmf_Function t) { return tsm_flat_text(t.p, 4); }
static inline uint32_t tsmf_Function_code_len(tsmf_Function t) { return tsm_flat_length(t.p, 6); }
static inline const tsmf_Instruction *tsmf_Function_code(tsmf_Function t) {
    return (const tsmf_Instruction *)tsm_flat_vector(t.p, 6);
}
static inline uint32_t tsmf_Function_operands_len(tsmf_Function t) { return tsm_flat_length(t.p, 8); }
static inline const uint32_t *tsmf_Function_operands(tsmf_Function t) {
    return (const uint32_t *)tsm_flat_vector(t.p, 8);
}
static inline uint32_t tsmf_Function_parameters_len(tsmf_Function t) { return tsm_flat_length(t.p, 10); }
static inline const uint16_t *tsmf_Function_parameters(tsmf_Function t) {
    return (const uint16_t *)tsm_flat_vector(t.p, 10);
}
static inline uint16_t tsmf_Function_value_registers(tsmf_Function t) { return tsm_flat_u16(t.p, 12, 0); }
static inline uint16_t tsmf_Function_int_registers(tsmf_Function t) { return tsm_flat_u16(t.p, 14, 0); }
static inline uint16_t tsmf_Function_float_registers(tsmf_Function t) { return tsm_flat_u16(t.p, 16, 0); }
static inline uint16_t tsmf_Function_bool_registers(tsmf_Function t) { return tsm_flat_u16(t.p, 18, 0); }
static inline uint32_t tsmf_Function_withs_len(tsmf_Function t) { return tsm_flat_length(t.p, 20); }
static inline const tsmf_WithRange *tsmf_Function_withs(tsmf_Function t) {
    return (const tsmf_WithRange *)tsm_flat_vector(t.p, 20);
}
static inline uint32_t tsmf_Function_debug_len(tsmf_Function t) { return tsm_flat_length(t.p, 22); }
static inline const tsmf_DebugEntry *tsmf_Function_debug(tsmf_Function t) {
    return (const tsmf_DebugEntry *)tsm_flat_vector(t.p, 22);
}

/* Argument */
static inline uint32_t tsmf_Argument_name_len(tsmf_Argument t) { return tsm_flat_length(t.p, 4); }
static inline const char *tsmf_Argument_name(tsmf_Argument t) { return tsm_flat_text(t.p, 4); }
static inline uint32_t tsmf_Argument_type(tsmf_Argument t) { return tsm_flat_u32(t.p, 6, 0); }
static inline uint32_t tsmf_Argument_default_value(tsmf_Argument t) { return tsm_flat_u32(t.p, 8, 4294967295); }
static inline bool tsmf_Argument_keyword_only(tsmf_Argument t) { return (bool)tsm_flat_u8(t.p, 10, 0); }

/* TensorInfo */
static inline uint8_t tsmf_TensorInfo_dtype(tsmf_TensorInfo t) { return tsm_flat_u8(t.p, 4, 255); }
static inline uint8_t tsmf_TensorInfo_rank(tsmf_TensorInfo t) { return tsm_flat_u8(t.p, 6, 255); }
static inline uint32_t tsmf_TensorInfo_sizes_len(tsmf_TensorInfo t) { return tsm_flat_length(t.p, 8); }
static inline const int64_t *tsmf_TensorInfo_sizes(tsmf_TensorInfo t) {
    return (const int64_t *)tsm_flat_vector(t.p, 8);
}

/* Method */
static inline uint32_t tsmf_Method_name_len(tsmf_Method t) { return tsm_flat_length(t.p, 4); }
static inline const char *tsmf_Method_name(tsmf_Method t) { return tsm_flat_text(t.p, 4); }
static inline uint32_t tsmf_Method_function(tsmf_Method t) { return tsm_flat_u32(t.p, 6, 0); }
static inline uint32_t tsmf_Method_self(tsmf_Method t) { return tsm_flat_u32(t.p, 8, 4294967295); }
static inline uint32_t tsmf_Method_arguments_len(tsmf_Method t) { return tsm_flat_length(t.p, 10); }
static inline tsmf_Argument tsmf_Method_arguments(tsmf_Method t, uint32_t i) {
    return (tsmf_Argument){tsm_flat_element(t.p, 10, i)};
}
static inline uint32_t tsmf_Method_result(tsmf_Method t) { return tsm_flat_u32(t.p, 12, 0); }
static inline uint32_t tsmf_Method_schema_len(tsmf_Method t) { return tsm_flat_length(t.p, 14); }
static inline const char *tsmf_Method_schema(tsmf_Method t) { return tsm_flat_text(t.p, 14); }
static inline uint32_t tsmf_Method_plan(tsmf_Method t) { return tsm_flat_u32(t.p, 16, 4294967295); }
static inline uint32_t tsmf_Method_doc_len(tsmf_Method t) { return tsm_flat_length(t.p, 18); }
static inline const char *tsmf_Method_doc(tsmf_Method t) { return tsm_flat_text(t.p, 18); }
static inline uint32_t tsmf_Method_inputs_len(tsmf_Method t) { return tsm_flat_length(t.p, 20); }
static inline tsmf_TensorInfo tsmf_Method_inputs(tsmf_Method t, uint32_t i) {
    return (tsmf_TensorInfo){tsm_flat_element(t.p, 20, i)};
}
static inline uint32_t tsmf_Method_outputs_len(tsmf_Method t) { return tsm_flat_length(t.p, 22); }
static inline tsmf_TensorInfo tsmf_Method_outputs(tsmf_Method t, uint32_t i) {
    return (tsmf_TensorInfo){tsm_flat_element(t.p, 22, i)};
}
static inline bool tsmf_Method_is_async(tsmf_Method t) { return (bool)tsm_flat_u8(t.p, 24, 0); }

/* Plan */
static inline uint32_t tsmf_Plan_guards_len(tsmf_Plan t) { return tsm_flat_length(t.p, 4); }
static inline const uint32_t *tsmf_Plan_guards(tsmf_Plan t) { return (const uint32_t *)tsm_flat_vector(t.p, 4); }
static inline uint32_t tsmf_Plan_blocks_len(tsmf_Plan t) { return tsm_flat_length(t.p, 6); }
static inline const tsmf_PlanBlock *tsmf_Plan_blocks(tsmf_Plan t) {
    return (const tsmf_PlanBlock *)tsm_flat_vector(t.p, 6);
}
static inline uint32_t tsmf_Plan_region(tsmf_Plan t) { return tsm_flat_u32(t.p, 8, 0); }
static inline uint32_t tsmf_Plan_most_live(tsmf_Plan t) { return tsm_flat_u32(t.p, 10, 0); }
static inline uint64_t tsmf_Plan_buffer_bytes(tsmf_Plan t) { return tsm_flat_u64(t.p, 12, 0); }

/* TargetPlan */
static inline uint32_t tsmf_TargetPlan_targets_len(tsmf_TargetPlan t) { return tsm_flat_length(t.p, 4); }
static inline const char *tsmf_TargetPlan_targets(tsmf_TargetPlan t, uint32_t i) {
    return (const char *)tsm_flat_element(t.p, 4, i) + 4;
}
static inline uint32_t tsmf_TargetPlan_plan(tsmf_TargetPlan t) { return tsm_flat_u32(t.p, 6, 0); }
static inline tsmf_Plan tsmf_TargetPlan_own(tsmf_TargetPlan t) { return (tsmf_Plan){tsm_flat_table(t.p, 8)}; }

/* BundledCase */
static inline uint32_t tsmf_BundledCase_method(tsmf_BundledCase t) { return tsm_flat_u32(t.p, 4, 0); }
static inline uint32_t tsmf_BundledCase_arguments(tsmf_BundledCase t) { return tsm_flat_u32(t.p, 6, 0); }
static inline uint32_t tsmf_BundledCase_expected(tsmf_BundledCase t) { return tsm_flat_u32(t.p, 8, 4294967295); }

/* SourceFile */
static inline uint32_t tsmf_SourceFile_name_len(tsmf_SourceFile t) { return tsm_flat_length(t.p, 4); }
static inline const char *tsmf_SourceFile_name(tsmf_SourceFile t) { return tsm_flat_text(t.p, 4); }
static inline uint32_t tsmf_SourceFile_text_len(tsmf_SourceFile t) { return tsm_flat_length(t.p, 6); }
static inline const char *tsmf_SourceFile_text(tsmf_SourceFile t) { return tsm_flat_text(t.p, 6); }
static inline uint32_t tsmf_SourceFile_first_line(tsmf_SourceFile t) { return tsm_flat_u32(t.p, 8, 0); }
static inline uint32_t tsmf_SourceFile_offset(tsmf_SourceFile t) { return tsm_flat_u32(t.p, 10, 0); }

/* Entry */
static inline uint32_t tsmf_Entry_key_len(tsmf_Entry t) { return tsm_flat_length(t.p, 4); }
static inline const char *tsmf_Entry_key(tsmf_Entry t) { return tsm_flat_text(t.p, 4); }
static inline uint32_t tsmf_Entry_value_len(tsmf_Entry t) { return tsm_flat_length(t.p, 6); }
static inline const char *tsmf_Entry_value(tsmf_Entry t) { return tsm_flat_text(t.p, 6); }

/* Program */
static inline uint32_t tsmf_Program_version(tsmf_Program t) { return tsm_flat_u32(t.p, 4, 0); }
static inline uint32_t tsmf_Program_producer_len(tsmf_Program t) { return tsm_flat_length(t.p, 6); }
static inline const char *tsmf_Program_producer(tsmf_Program t) { return tsm_flat_text(t.p, 6); }
static inline uint32_t tsmf_Program_features_len(tsmf_Program t) { return tsm_flat_length(t.p, 8); }
static inline const char *tsmf_Program_features(tsmf_Program t, uint32_t i) {
    return (const char *)tsm_flat_element(t.p, 8, i) + 4;
}
static inline uint32_t tsmf_Program_operators_len(tsmf_Program t) { return tsm_flat_length(t.p, 10); }
static inline const char *tsmf_Program_operators(tsmf_Program t, uint32_t i) {
    return (const char *)tsm_flat_element(t.p, 10, i) + 4;
}
static inline uint32_t tsmf_Program_types_len(tsmf_Program t) { return tsm_flat_length(t.p, 12); }
static inline tsmf_Type tsmf_Program_types(tsmf_Program t, uint32_t i) {
    return (tsmf_Type){tsm_flat_element(t.p, 12, i)};
}
static inline uint32_t tsmf_Program_constants_len(tsmf_Program t) { return tsm_flat_length(t.p, 14); }
static inline tsmf_Constant tsmf_Program_constants(tsmf_Program t, uint32_t i) {
    return (tsmf_Constant){tsm_flat_element(t.p, 14, i)};
}
static inline uint32_t tsmf_Program_storages_len(tsmf_Program t) { return tsm_flat_length(t.p, 16); }
static inline const tsmf_Storage *tsmf_Program_storages(tsmf_Program t) {
    return (const tsmf_Storage *)tsm_flat_vector(t.p, 16);
}
static inline uint32_t tsmf_Program_functions_len(tsmf_Program t) { return tsm_flat_length(t.p, 18); }
static inline tsmf_Function tsmf_Program_functions(tsmf_Program t, uint32_t i) {
    return (tsmf_Function){tsm_flat_element(t.p, 18, i)};
}
static inline uint32_t tsmf_Program_methods_len(tsmf_Program t) { return tsm_flat_length(t.p, 20); }
static inline tsmf_Method tsmf_Program_methods(tsmf_Program t, uint32_t i) {
    return (tsmf_Method){tsm_flat_element(t.p, 20, i)};
}
static inline uint32_t tsmf_Program_method_names_len(tsmf_Program t) { return tsm_flat_length(t.p, 22); }
static inline const char *tsmf_Program_method_names(tsmf_Program t, uint32_t i) {
    return (const char *)tsm_flat_element(t.p, 22, i) + 4;
}
static inline uint32_t tsmf_Program_stack_registers(tsmf_Program t) { return tsm_flat_u32(t.p, 24, 0); }
static inline uint32_t tsmf_Program_stack_frames(tsmf_Program t) { return tsm_flat_u32(t.p, 26, 0); }
static inline uint32_t tsmf_Program_warnings(tsmf_Program t) { return tsm_flat_u32(t.p, 28, 0); }
static inline uint32_t tsmf_Program_bundle_len(tsmf_Program t) { return tsm_flat_length(t.p, 30); }
static inline tsmf_BundledCase tsmf_Program_bundle(tsmf_Program t, uint32_t i) {
    return (tsmf_BundledCase){tsm_flat_element(t.p, 30, i)};
}
static inline uint32_t tsmf_Program_strings_len(tsmf_Program t) { return tsm_flat_length(t.p, 32); }
static inline const char *tsmf_Program_strings(tsmf_Program t, uint32_t i) {
    return (const char *)tsm_flat_element(t.p, 32, i) + 4;
}
static inline uint32_t tsmf_Program_files_len(tsmf_Program t) { return tsm_flat_length(t.p, 34); }
static inline tsmf_SourceFile tsmf_Program_files(tsmf_Program t, uint32_t i) {
    return (tsmf_SourceFile){tsm_flat_element(t.p, 34, i)};
}
static inline uint32_t tsmf_Program_frames_len(tsmf_Program t) { return tsm_flat_length(t.p, 36); }
static inline const tsmf_Frame *tsmf_Program_frames(tsmf_Program t) {
    return (const tsmf_Frame *)tsm_flat_vector(t.p, 36);
}
static inline uint64_t tsmf_Program_segment_offset(tsmf_Program t) { return tsm_flat_u64(t.p, 38, 0); }
static inline uint64_t tsmf_Program_segment_bytes(tsmf_Program t) { return tsm_flat_u64(t.p, 40, 0); }
static inline uint32_t tsmf_Program_plans_len(tsmf_Program t) { return tsm_flat_length(t.p, 42); }
static inline tsmf_Plan tsmf_Program_plans(tsmf_Program t, uint32_t i) {
    return (tsmf_Plan){tsm_flat_element(t.p, 42, i)};
}
static inline uint64_t tsmf_Program_sums_offset(tsmf_Program t) { return tsm_flat_u64(t.p, 44, 0); }
static inline uint32_t tsmf_Program_metadata_len(tsmf_Program t) { return tsm_flat_length(t.p, 46); }
static inline tsmf_Entry tsmf_Program_metadata(tsmf_Program t, uint32_t i) {
    return (tsmf_Entry){tsm_flat_element(t.p, 46, i)};
}
static inline uint32_t tsmf_Program_target_plans_len(tsmf_Program t) { return tsm_flat_length(t.p, 48); }
static inline tsmf_TargetPlan tsmf_Program_target_plans(tsmf_Program t, uint32_t i) {
    return (tsmf_TargetPlan){tsm_flat_element(t.p, 48, i)};
}
static inline uint32_t tsmf_Program_positions_len(tsmf_Program t) { return tsm_flat_length(t.p, 50); }
static inline const uint32_t *tsmf_Program_positions(tsmf_Program t) {
    return (const uint32_t *)tsm_flat_vector(t.p, 50);
}
static inline uint32_t tsmf_Program_position_symbols_len(tsmf_Program t) { return tsm_flat_length(t.p, 52); }
static inline const uint8_t *tsmf_Program_position_symbols(tsmf_Program t) {
    return (const uint8_t *)tsm_flat_vector(t.p, 52);
}

#ifdef TSMF_DESCRIBE
static const tsm_flat_field tsmf_fields[] = {
    /* ClassMethod */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 9), /* name */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 7), /* function */
    /* Type */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0), /* kind */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* text */
    TSM_FLAT_FIELD(TSM_FLAT_STRING, 2, 1, 0), /* name */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX | TSM_FLAT_VECTOR, 2, 1, 4), /* elements */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_VECTOR, 2, 1, 0), /* field_names */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX | TSM_FLAT_VECTOR, 2, 1, 5), /* members */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 0), /* methods */
    /* TensorData */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0), /* dtype */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 6), /* storage */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 3, 1, 0), /* offset */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 3, 1, 0), /* sizes */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 3, 1, 0), /* strides */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* quantizer_axis */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 3, 1, 0), /* scales */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 3, 1, 0), /* zero_points */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0), /* requires_grad */
    /* Constant */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0), /* kind */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 3, 1, 0), /* integer */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 3, 1, 0), /* number */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 3, 1, 0), /* imaginary */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 0, 1, 0), /* text */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX | TSM_FLAT_VECTOR, 2, 1, 5), /* items */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX | TSM_FLAT_OPTIONAL, 2, 1, 4), /* type */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE, 2, 1, 2), /* tensor */
    /* Function */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* name */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR | TSM_FLAT_REQUIRED, 1, 4, 0), /* code */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 2, 1, 0), /* operands */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 1, 1, 0), /* parameters */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 1, 1, 0), /* value_registers */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 1, 1, 0), /* int_registers */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 1, 1, 0), /* float_registers */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 1, 1, 0), /* bool_registers */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 2, 4, 0), /* withs */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 2, 2, 0), /* debug */
    /* Argument */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* name */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 4), /* type */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX | TSM_FLAT_OPTIONAL, 2, 1, 5), /* default_value */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0), /* keyword_only */
    /* TensorInfo */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0), /* dtype */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0), /* rank */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 3, 1, 0), /* sizes */
    /* Method */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* name */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 7), /* function */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX | TSM_FLAT_OPTIONAL, 2, 1, 5), /* self */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 5), /* arguments */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 4), /* result */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* schema */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX | TSM_FLAT_OPTIONAL, 2, 1, 19), /* plan */
    TSM_FLAT_FIELD(TSM_FLAT_STRING, 2, 1, 0), /* doc */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 6), /* inputs */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 6), /* outputs */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0), /* is_async */
    /* Plan */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 2, 1, 0), /* guards */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 2, 3, 0), /* blocks */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* region */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* most_live */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 3, 1, 0), /* buffer_bytes */
    /* TargetPlan */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_VECTOR | TSM_FLAT_REQUIRED, 2, 1, 0), /* targets */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 19), /* plan */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE, 2, 1, 8), /* own */
    /* BundledCase */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 8), /* method */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX, 2, 1, 5), /* arguments */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_INDEX | TSM_FLAT_OPTIONAL, 2, 1, 5), /* expected */
    /* SourceFile */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* name */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* text */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* first_line */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* offset */
    /* Entry */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* key */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_REQUIRED, 2, 1, 0), /* value */
    /* Program */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* version */
    TSM_FLAT_FIELD(TSM_FLAT_STRING, 2, 1, 0), /* producer */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_VECTOR, 2, 1, 0), /* features */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_VECTOR, 2, 1, 0), /* operators */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 1), /* types */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 3), /* constants */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 3, 3, 0), /* storages */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 4), /* functions */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 7), /* methods */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_VECTOR, 2, 1, 0), /* method_names */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* stack_registers */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* stack_frames */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 2, 1, 0), /* warnings */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 10), /* bundle */
    TSM_FLAT_FIELD(TSM_FLAT_STRING | TSM_FLAT_VECTOR, 2, 1, 0), /* strings */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 11), /* files */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 2, 8, 0), /* frames */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 3, 1, 0), /* segment_offset */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 3, 1, 0), /* segment_bytes */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 8), /* plans */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 3, 1, 0), /* sums_offset */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 12), /* metadata */
    TSM_FLAT_FIELD(TSM_FLAT_TABLE | TSM_FLAT_VECTOR, 2, 1, 9), /* target_plans */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 2, 1, 0), /* positions */
    TSM_FLAT_FIELD(TSM_FLAT_SCALAR | TSM_FLAT_VECTOR, 0, 1, 0), /* position_symbols */
};

/* Positions in tsmf_fields at which the tables' fields begin, and the end. */
static const uint8_t tsmf_tables[] = {0, 2, 9, 18, 26, 36, 40, 43, 54, 59, 62, 65, 69, 71, 96};
static const tsm_flat_schema tsmf_schema = {tsmf_fields, tsmf_tables, 13};
#endif

#endif
