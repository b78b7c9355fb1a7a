/* What methods take and give: shapes from the file's guards, results from a run. */
#include "exporter/embed/methods.h"

#include <string.h>

#include "exporter/base/mem.h"
#include "schema/generated/tsmobile_reader.h"

/* Larger buffers are not tried. */
static const size_t MOST_BUFFER = (size_t)1 << 30;

const char *embed_c_type(tsm_dtype dtype) {
    switch (dtype) {
    case TSM_UINT8:
        return "uint8_t";
    case TSM_INT8:
        return "int8_t";
    case TSM_INT16:
        return "int16_t";
    case TSM_INT32:
        return "int32_t";
    case TSM_INT64:
        return "int64_t";
    case TSM_FLOAT32:
        return "float";
    case TSM_FLOAT64:
        return "double";
    case TSM_BOOL:
        return "bool";
    default:
        return NULL;
    }
}

static size_t elements_of(const embed_tensor *t) {
    size_t n = 1;
    for (int i = 0; i < t->dims; i++)
        n *= (size_t)t->sizes[i];
    return n;
}

/* The inputs that the method's guard states (schema/tsmobile.fbs, Plan); false when one is no tensor with a C type. */
static bool read_inputs(embed_method *m, tsmf_Method method, tsmf_Plan plan) {
    const uint32_t *guard = tsmf_Plan_guards(plan), *end = guard + tsmf_Plan_guards_len(plan);
    for (uint32_t i = 0; i < tsmf_Method_arguments_len(method); i++) {
        if (guard == end || (*guard & 0xff) != TSM_TAG_TENSOR)
            return false;
        embed_tensor t = {.name = tsmf_Argument_name(tsmf_Method_arguments(method, i)),
                          .dtype = (tsm_dtype)(*guard >> 8 & 0xff),
                          .dims = (int)(*guard >> 16 & 0xff)};
        guard++;
        if (t.dims > TSM_MAX_DIMS || t.dims > end - guard || !embed_c_type(t.dtype))
            return false;
        for (int k = 0; k < t.dims; k++)
            t.sizes[k] = (tsm_dim)*guard++;
        t.elements = elements_of(&t);
        arrput(m->inputs, t);
    }
    return guard == end;
}

static bool add_result(embed_method *m, tsm_value v, const char *name) {
    tsm_tensor_view view;
    if (!tsm_tensor_get(v, &view) || !embed_c_type(view.dtype))
        return false;
    embed_tensor t = {.name = name, .dtype = view.dtype, .dims = view.dims};
    memcpy(t.sizes, view.sizes, (size_t)view.dims * sizeof *t.sizes);
    t.elements = elements_of(&t);
    arrput(m->results, t);
    return true;
}

static bool read_results(embed_method *m, tsm_value result) {
    m->gives_tuple = result.tag == TSM_TAG_TUPLE;
    if (!m->gives_tuple)
        return add_result(m, result, "result");
    bool fits = true;
    for (size_t i = 0; i < tsm_sequence_size(result) && fits; i++)
        fits = add_result(m, tsm_sequence_get(result, i), mem_printf("result_%zu", i));
    return fits && arrlenu(m->results) > 0;
}

/* Calls the method with zeros in an instance. */
static tsm_status run_with_zeros(embed_method *m, tsm_instance *inst) {
    tsm_value *arguments = mem_alloc((arrlenu(m->inputs) + 1) * sizeof *arguments), result;
    tsm_status status = TSM_OK;
    for (size_t i = 0; i < arrlenu(m->inputs) && status == TSM_OK; i++) {
        const embed_tensor *t = &m->inputs[i];
        void *zeros = mem_alloc_aligned(t->elements * tsm_dtype_size(t->dtype) + 1, 64);
        status = tsm_tensor_wrap(inst, &arguments[i], t->dtype, t->dims, t->sizes, NULL, zeros);
    }
    if (status == TSM_OK)
        status = tsm_call(inst, m->position, arguments, arrlenu(m->inputs), &result);
    if (status == TSM_OK)
        m->is_typed = read_results(m, result);
    return status;
}

static void find_results(embed_method *m, const tsm_program *program) {
    tsm_status status = TSM_OUT_OF_MEMORY;
    for (size_t bytes = m->buffer_bytes; status == TSM_OUT_OF_MEMORY && bytes <= MOST_BUFFER; bytes *= 2) {
        tsm_instance *inst;
        status = tsm_instance_init(&inst, program, NULL, mem_alloc_aligned(bytes, 64), bytes);
        if (status == TSM_OK)
            status = run_with_zeros(m, inst);
    }
}

/* Names in C for the tensors of one list; the names in front of a function's are those of one scope. */
static void name_tensors(embed_tensor *tensors, const char *kind, const char *macro, embed_scope *function,
                         embed_scope *scope) {
    for (size_t i = 0; i < arrlenu(tensors); i++) {
        embed_tensor *t = &tensors[i];
        const char *name = embed_c_name(t->name);
        t->parameter = embed_name(function, mem_printf("%s_%s", kind, name));
        t->macro = embed_name(scope, mem_printf("%s_%s_ELEMENTS", macro, embed_upper(name)));
    }
}

static void name_method(embed_method *m, const char *name, const char *prefix, embed_scope *scope) {
    embed_scope function = NULL;
    m->function = embed_name(scope, mem_printf("%s_%s", prefix, name));
    m->macro = embed_name(scope, embed_upper(mem_printf("%s_%s", prefix, name)));
    name_tensors(m->inputs, "in", m->macro, &function, scope);
    name_tensors(m->results, "out", m->macro, &function, scope);
}

embed_method *embed_methods(const tsm_program *program, const char *prefix, embed_scope *scope) {
    const tsmf_Program root = {program->root};
    embed_method *methods = NULL;
    for (uint32_t i = 0; i < tsmf_Program_methods_len(root); i++) {
        const tsmf_Method method = tsmf_Program_methods(root, i);
        embed_method m = {
            .schema = tsmf_Method_schema(method), .position = (int)i, .buffer_bytes = tsm_method_bytes(program, i)};
        if (m.buffer_bytes && read_inputs(&m, method, tsmf_Program_plans(root, tsmf_Method_plan(method))))
            find_results(&m, program);
        name_method(&m, embed_c_name(tsmf_Method_name(method)), prefix, scope);
        arrput(methods, m);
    }
    return methods;
}
