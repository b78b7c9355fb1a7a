/* What a file says of itself: read where it lies, and linked only where a program asks. These tables are not needed to
 * run a file, so opening checks that they are readable and no more; what does not fit is answered as not known. */
#include "runtime/include/tsmobile.h"
#include "schema/generated/tsmobile_reader.h"

enum { NOT_KNOWN = 255 };

static tsmf_Program root_of(const tsm_program *p) {
    return (tsmf_Program){p->root};
}

static tsmf_Method method_of(const tsm_program *p, size_t method) {
    return tsmf_Program_methods(root_of(p), (uint32_t)method);
}

const char *tsm_producer(const tsm_program *p) {
    return tsmf_Program_producer(root_of(p));
}

size_t tsm_metadata_count(const tsm_program *p) {
    return tsmf_Program_metadata_len(root_of(p));
}

const char *tsm_metadata_get(const tsm_program *p, size_t i, const char **value) {
    tsmf_Entry e = tsmf_Program_metadata(root_of(p), (uint32_t)i);
    *value = tsmf_Entry_value(e);
    return tsmf_Entry_key(e);
}

const char *tsm_method_schema(const tsm_program *p, size_t method) {
    return tsmf_Method_schema(method_of(p, method));
}

size_t tsm_method_arguments(const tsm_program *p, size_t method) {
    return tsmf_Method_arguments_len(method_of(p, method));
}

const char *tsm_method_doc(const tsm_program *p, size_t method) {
    return tsmf_Method_doc(method_of(p, method));
}

static void add_tensor(tsm_value_info *info, tsmf_TensorInfo t) {
    const uint8_t dtype = tsmf_TensorInfo_dtype(t), rank = tsmf_TensorInfo_rank(t);
    info->dtype = dtype == NOT_KNOWN ? -1 : dtype;
    if (rank == NOT_KNOWN || tsmf_TensorInfo_sizes_len(t) != rank)
        return;
    info->rank = rank;
    info->sizes = tsmf_TensorInfo_sizes(t);
}

tsm_value_info tsm_method_input(const tsm_program *p, size_t method, size_t i) {
    tsmf_Method m = method_of(p, method);
    tsmf_Argument a = tsmf_Method_arguments(m, (uint32_t)i);
    tsm_value_info info = {tsmf_Argument_name(a), tsmf_Type_text(tsmf_Program_types(root_of(p), tsmf_Argument_type(a))),
                           -1, -1, NULL};
    if (i < tsmf_Method_inputs_len(m))
        add_tensor(&info, tsmf_Method_inputs(m, (uint32_t)i));
    return info;
}

static bool has_items(tsmf_Type result) {
    return tsmf_Type_kind(result) == TSMF_TypeKind_Tuple || tsmf_Type_kind(result) == TSMF_TypeKind_NamedTuple;
}

size_t tsm_method_outputs(const tsm_program *p, size_t method) {
    tsmf_Type result = tsmf_Program_types(root_of(p), tsmf_Method_result(method_of(p, method)));
    return has_items(result) ? tsmf_Type_elements_len(result) : 1;
}

tsm_value_info tsm_method_output(const tsm_program *p, size_t method, size_t i) {
    tsmf_Method m = method_of(p, method);
    tsmf_Type type = tsmf_Program_types(root_of(p), tsmf_Method_result(m));
    tsm_value_info info = {"", "", -1, -1, NULL};
    if (has_items(type)) {
        if (i < tsmf_Type_field_names_len(type))
            info.name = tsmf_Type_field_names(type, (uint32_t)i);
        type = tsmf_Program_types(root_of(p), tsmf_Type_elements(type)[i]);
    }
    info.type = tsmf_Type_text(type);
    if (i < tsmf_Method_outputs_len(m))
        add_tensor(&info, tsmf_Method_outputs(m, (uint32_t)i));
    return info;
}
