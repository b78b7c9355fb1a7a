/* Views of records. */
#include "exporter/export/payloads.h"

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "exporter/export/codes.h"

typedef struct {
    export_file *file;
    const char *folder;
    struct {
        char *key; /* record */
        pt_storage *value;
    } * storages; /* stb_ds hash map */
} payload_reader;

static pt_storage *storage_of(payload_reader *r, json path) {
    char *record = mem_printf("%s%s", r->folder, json_string(path));
    pt_storage *s = shget(r->storages, record);
    if (s)
        return s;
    const zip_entry *entry = zip_find(r->file->zip, record);
    if (!entry)
        json_fail(path, "the file has no record %s", record);
    s = MEM_NEW(pt_storage);
    s->key = record;
    s->device = "cpu";
    if (entry->size) {
        zip_bytes content = zip_read(r->file->zip, entry);
        s->data = content.bytes;
        s->size = content.size;
    }
    shput(r->storages, record, s);
    return s;
}

/* Numbers of a list of the schema's SymInts, which must be known. */
static int64_t *read_numbers(json list, int *count) {
    int64_t *numbers = NULL;
    JSON_EACH(v, json_array(list))
    arrput(numbers, json_integer(json_need(v, "as_int")));
    if (arrlen(numbers) > PT_MAX_DIMS)
        json_fail(list, "a tensor has more than %d dimensions", PT_MAX_DIMS);
    *count = (int)arrlen(numbers);
    return numbers;
}

static pt_tensor *read_tensor(payload_reader *r, json payload) {
    json meta = json_need(payload, "tensor_meta");
    pt_tensor *t = MEM_NEW(pt_tensor);
    int strides;
    const int64_t dtype = code_dtype(json_need(meta, "dtype"));
    if (dtype >= PT_DTYPE_COUNT || code_layout(json_need(meta, "layout")) != PT_STRIDED)
        json_fail(meta, "a tensor of this dtype or layout is not supported");
    t->dtype = (pt_dtype)dtype;
    t->sizes = read_numbers(json_need(meta, "sizes"), &t->ndim);
    t->strides = read_numbers(json_need(meta, "strides"), &strides);
    t->offset = json_integer(json_need(json_need(meta, "storage_offset"), "as_int"));
    t->requires_grad = json_bool(json_need(meta, "requires_grad"));
    t->is_parameter = json_bool(json_need(payload, "is_param"));
    t->storage = storage_of(r, json_need(payload, "path_name"));
    const char *fault = strides == t->ndim ? pt_tensor_fault(t) : "has not as many strides as sizes";
    if (fault)
        json_fail(payload, "a tensor %s", fault);
    return t;
}

static pkl_value *read_payload(payload_reader *r, json payload) {
    if (json_bool(json_need(payload, "use_pickle"))) {
        json path = json_need(payload, "path_name");
        pkl_value *saved = export_read_saved(r->file, mem_printf("%s%s", r->folder, json_string(path)));
        if (!saved)
            json_fail(path, "the file has no record of that name");
        return saved;
    }
    pkl_value *v = MEM_NEW(pkl_value);
    v->kind = PKL_TENSOR;
    v->tensor = read_tensor(r, payload);
    return v;
}

export_value_map *payloads_read(export_file *f, json config, const char *folder) {
    payload_reader r = {f, folder, NULL};
    export_value_map *map = NULL;
    JSON_EACH(name, json_object(config))
    shput(map, intern(json_string(name)), read_payload(&r, json_value(name)));
    return map;
}
