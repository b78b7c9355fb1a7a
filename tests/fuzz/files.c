/* Copies of files, arguments by their declared types, and reading values through the interface. */
#include "tests/fuzz/files.h"

#include <string.h>

#include "runtime/interpreter/opcodes.h"
#include "schema/generated/tsmobile_reader.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(WITH_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 64, MAX_NESTING = 4 };

const uint8_t *files_copy(const uint8_t *data, size_t bytes) {
    static uint8_t *room;
    if (!room)
        room = harness_guarded(FILES_MAX_BYTES);
    if (bytes > FILES_MAX_BYTES)
        return NULL;
    const size_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    uint8_t *to = room + FILES_MAX_BYTES - whole;
    ASAN_UNPOISON_MEMORY_REGION(room, FILES_MAX_BYTES);
    memcpy(to, data, bytes);
    ASAN_POISON_MEMORY_REGION(to + bytes, whole - bytes);
    return to;
}

uint8_t *files_buffer(size_t used) {
    static uint8_t *room;
    if (!room)
        room = harness_guarded(FILES_BUFFER_BYTES);
    return room + FILES_BUFFER_BYTES - (used + ALIGN - 1) / ALIGN * ALIGN;
}

char *files_message(void) {
    static uint8_t *room;
    if (!room)
        room = harness_guarded(FILES_MESSAGE_BYTES);
    return (char *)room;
}

harness_random files_random(const uint8_t *data, size_t bytes) {
    harness_random r = {bytes};
    for (; bytes >= 8; bytes -= 8, data += 8) {
        uint64_t v;
        memcpy(&v, data, sizeof v);
        r.state = harness_mix(r.state, v);
    }
    for (size_t i = 0; i < bytes; i++)
        r.state = harness_mix(r.state, data[i]);
    return r;
}

/* ---- Arguments ---- */

static int64_t any_int(harness_random *r) {
    return harness_below(r, 4) ? (int64_t)harness_below(r, 8) - 2 : harness_extreme_int((unsigned)harness_next(r));
}

static double any_float(harness_random *r) {
    return harness_below(r, 4) ? (double)harness_below(r, 16) / 4 - 1
                               : harness_extreme_float((unsigned)harness_next(r));
}

static tsm_status make_tensor(tsm_instance *inst, harness_random *r, tsm_value *out) {
    static const tsm_dim digits[] = {1, 1, 8, 8};
    static const uint8_t dtypes[] = {TSM_FLOAT32, TSM_FLOAT32, TSM_FLOAT32, TSM_INT64,
                                     TSM_BOOL,    TSM_FLOAT64, TSM_UINT8};
    tsm_dim sizes[TSM_MAX_DIMS];
    const int dims = harness_below(r, 2) ? 4 : (int)harness_below(r, 4);
    for (int d = 0; d < dims; d++)
        sizes[d] = dims == 4 ? digits[d] : (tsm_dim)harness_below(r, 5);
    const tsm_dtype dtype = (tsm_dtype)dtypes[harness_below(r, sizeof dtypes)];
    const tsm_status status = tsm_tensor_new(inst, out, dtype, dims, sizes);
    tsm_tensor_view view;
    if (status != TSM_OK || !tsm_tensor_get(*out, &view))
        return status;
    size_t elements = 1;
    for (int d = 0; d < dims; d++)
        elements *= (size_t)sizes[d];
    memset(view.data, 0, elements * tsm_dtype_size(dtype));
    for (size_t i = 0; i < elements; i++)
        if (dtype == TSM_FLOAT32)
            ((float *)view.data)[i] = (float)any_float(r);
        else
            ((uint8_t *)view.data)[i * tsm_dtype_size(dtype)] = (uint8_t)harness_below(r, 2);
    return status;
}

static tsm_value make(tsm_instance *inst, tsmf_Program root, uint32_t type, harness_random *r, int depth);

static tsm_value make_sequence(tsm_instance *inst, tsmf_Program root, tsmf_Type t, harness_random *r, int depth) {
    tsm_value items[4], out = tsm_none();
    const bool is_list = tsmf_Type_kind(t) == TSMF_TypeKind_List;
    const uint32_t elements = tsmf_Type_elements_len(t);
    const size_t n = is_list ? harness_below(r, 5) : elements < 4 ? elements : 4;
    for (size_t i = 0; i < n; i++)
        items[i] = make(inst, root, tsmf_Type_elements(t)[is_list ? 0 : i], r, depth + 1);
    if ((is_list ? tsm_list_new : tsm_tuple_new)(inst, &out, items, n) != TSM_OK)
        out = tsm_none();
    for (size_t i = 0; i < n; i++)
        tsm_release(inst, items[i]);
    return out;
}

static tsm_value make_dict(tsm_instance *inst, tsmf_Program root, tsmf_Type t, harness_random *r, int depth) {
    tsm_value out;
    if (tsm_dict_new(inst, &out) != TSM_OK)
        return tsm_none();
    for (size_t n = harness_below(r, 4); n > 0; n--) {
        const tsm_value key = make(inst, root, tsmf_Type_elements(t)[0], r, depth + 1);
        const tsm_value item = make(inst, root, tsmf_Type_elements(t)[1], r, depth + 1);
        tsm_dict_set(inst, out, key, item); /* what does not fit is only not there */
        tsm_release(inst, key);
        tsm_release(inst, item);
    }
    return out;
}

static tsm_value make_text(tsm_instance *inst, harness_random *r) {
    static const char *const texts[] = {"", "a", "abc", "b c", "\xc3\xa9", "12", "-1.5", "a,b,c"};
    const char *text = texts[harness_below(r, sizeof texts / sizeof *texts)];
    tsm_value out;
    return tsm_str_new(inst, &out, text, strlen(text)) == TSM_OK ? out : tsm_none();
}

static tsm_value make_enum(tsm_instance *inst, tsmf_Type t, harness_random *r) {
    tsm_value out;
    const uint32_t members = tsmf_Type_field_names_len(t);
    if (!members || tsm_enum_find(inst, &out, tsmf_Type_name(t),
                                  tsmf_Type_field_names(t, (uint32_t)harness_below(r, members))) != TSM_OK)
        return tsm_none();
    return out;
}

static tsm_value make(tsm_instance *inst, tsmf_Program root, uint32_t type, harness_random *r, int depth) {
    tsm_value v = tsm_none();
    const tsmf_Type t = tsmf_Program_types(root, type);
    uint32_t kind = tsmf_Type_kind(t);
    if (!harness_below(r, 32))
        kind = (uint32_t)harness_below(r, TSMF_TypeKind_List); /* of another type */
    if (depth > MAX_NESTING)
        return v;
    switch (kind) {
    case TSMF_TypeKind_Tensor:
        return make_tensor(inst, r, &v) == TSM_OK ? v : tsm_none();
    case TSMF_TypeKind_Int:
    case TSMF_TypeKind_Any:
        return tsm_int(any_int(r));
    case TSMF_TypeKind_Float:
    case TSMF_TypeKind_Number:
        return tsm_float(any_float(r));
    case TSMF_TypeKind_Bool:
        return tsm_bool(harness_below(r, 2));
    case TSMF_TypeKind_Complex:
        return tsm_complex_new(inst, &v, any_float(r), any_float(r)) == TSM_OK ? v : tsm_none();
    case TSMF_TypeKind_Str:
        return make_text(inst, r);
    case TSMF_TypeKind_Device:
        return tsm_device_parse(inst, &v, "cpu") == TSM_OK ? v : tsm_none();
    case TSMF_TypeKind_List:
    case TSMF_TypeKind_Tuple:
    case TSMF_TypeKind_NamedTuple:
        return make_sequence(inst, root, t, r, depth);
    case TSMF_TypeKind_Dict:
        return make_dict(inst, root, t, r, depth);
    case TSMF_TypeKind_Enum:
        return make_enum(inst, t, r);
    case TSMF_TypeKind_Optional:
    case TSMF_TypeKind_Union: { /* which may have no members */
        const uint32_t n = tsmf_Type_elements_len(t);
        return n && harness_below(r, 4) ? make(inst, root, tsmf_Type_elements(t)[harness_below(r, n)], r, depth + 1)
                                        : v;
    }
    default:
        return v;
    }
}

tsm_value files_argument(tsm_instance *inst, const tsm_program *program, size_t method, size_t i, harness_random *r) {
    const tsmf_Program root = {program->root};
    const tsmf_Method m = tsmf_Program_methods(root, (uint32_t)method);
    return make(inst, root, tsmf_Argument_type(tsmf_Method_arguments(m, (uint32_t)i)), r, 0);
}

/* ---- Reading ---- */

static volatile uint64_t seen;

static void touch(const void *data, size_t n) {
    const uint8_t *p = data;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i];
    seen = sum;
}

static void read_tensor(const tsm_tensor_view *view) {
    size_t last = 0;
    for (int d = 0; d < view->dims; d++) {
        if (view->sizes[d] == 0)
            return;
        last += (size_t)(view->sizes[d] - 1) * (size_t)view->strides[d];
    }
    if (last < FILES_BUFFER_BYTES)
        touch((const uint8_t *)view->data + last * tsm_dtype_size(view->dtype), tsm_dtype_size(view->dtype));
    if (view->quantizer_axis != -2) {
        touch(view->scales, (size_t)view->quantizer_channels * sizeof *view->scales);
        const void *zero_points = view->zero_points ? (const void *)view->zero_points : view->float_zero_points;
        touch(zero_points, (size_t)view->quantizer_channels * sizeof *view->zero_points);
    }
}

void files_read(tsm_instance *inst, tsm_value v, int depth) {
    tsm_tensor_view view;
    double re, im;
    size_t n;
    char device[24];
    tsm_value key, item;
    const char *text = tsm_str_get(v, &n);
    if (text)
        touch(text, n);
    if (tsm_tensor_get(v, &view))
        read_tensor(&view);
    tsm_complex_get(v, &re, &im);
    tsm_device_text(v, device, sizeof device);
    if (depth > MAX_NESTING)
        return;
    for (size_t i = 0; i < tsm_sequence_size(v) && i < 8; i++)
        files_read(inst, tsm_sequence_get(v, i), depth + 1);
    for (size_t i = 0; i < tsm_dict_size(v) && i < 8; i++) {
        tsm_dict_get(v, i, &key, &item);
        files_read(inst, key, depth + 1);
        files_read(inst, item, depth + 1);
    }
    text = tsm_class_name(inst, v);
    if (text)
        touch(text, strlen(text));
    for (size_t i = 0; i < tsm_object_size(v); i++)
        if (tsm_object_attribute(inst, v, i, &item))
            files_read(inst, item, depth + 1);
    if (v.tag == TSM_TAG_ENUM && tsm_enum_get(inst, v, &item))
        files_read(inst, item, depth + 1);
}
