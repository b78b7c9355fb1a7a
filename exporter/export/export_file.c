/* The containers of exported programs.
 *
 * PyTorch 2.1 to 2.7 write a zip archive without a folder (torch/export/__init__.py):
 *     serialized_exported_program.json    the program
 *     serialized_state_dict.pt            parameters and buffers: a dict by name, written by torch.save
 *     serialized_constants.pt             the same for constants
 *     serialized_example_inputs.pt        a tuple of arguments and a dict of keyword arguments
 *     version                             that of the schema: "8.2"
 *     extra_files/...                     the author's own, left alone
 *
 * PyTorch 2.8 and later write an archive with a folder, as for TorchScript (torch/export/pt2_archive):
 *     archive_format                              "pt2"
 *     models/NAME.json                            the program; NAME is "model"
 *     data/weights/NAME_weights_config.json       the state dict: payloads by name (payloads.h)
 *     data/weights/weight_N                       the bytes of a storage
 *     data/constants/NAME_constants_config.json   the same for constants
 *     data/constants/tensor_N
 *     data/sample_inputs/NAME.pt                  as serialized_example_inputs.pt
 * The first versions had data/weights/NAME.pt and data/constants/NAME.pt, written by torch.save. */
#include "exporter/export/export_file.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "exporter/export/payloads.h"

static const char program_record[] = "serialized_exported_program.json", format_record[] = "archive_format";

bool export_is_file(const char *name, zip_bytes bytes) {
    if (bytes.size < 2 || memcmp(bytes.bytes, "PK", 2))
        return false;
    const zip_archive *z = zip_open_memory(name, bytes);
    return zip_find(z, program_record) || zip_find(z, format_record);
}

pkl_value *export_read_saved(export_file *f, const char *record) {
    const zip_entry *entry = zip_find(f->zip, record);
    if (!entry)
        return NULL;
    return pt_archive_open_memory(mem_printf("%s: %s", f->name, record), zip_read(f->zip, entry))->root;
}

/* A dict by name; none when the record is missing or empty. */
static export_value_map *read_named(export_file *f, const char *record) {
    export_value_map *map = NULL;
    const pkl_value *root = export_read_saved(f, record);
    if (root && root->kind != PKL_DICT)
        diag_fail("%s: %s holds a %s, not a dict", f->name, record, pkl_kind_name(root->kind));
    for (size_t i = 0; root && i < root->dict.count; i++) {
        const pkl_entry *e = &root->dict.entries[i];
        if (e->key->kind != PKL_STR)
            diag_fail("%s: %s holds a key that is a %s", f->name, record, pkl_kind_name(e->key->kind));
        shput(map, e->key->str.text, e->value);
    }
    return map;
}

/* A program of a newer schema may mean what is not known here. */
static void check_schema(const export_file *f) {
    json version = json_need(f->program, "schema_version");
    int64_t major = json_is_object(version) ? json_integer(json_need(version, "major")) : json_integer(version);
    if (major < EXPORT_MIN_SCHEMA || major > EXPORT_MAX_SCHEMA)
        diag_fail("%s: its schema has version %lld; versions %d to %d are supported", f->name, (long long)major,
                  EXPORT_MIN_SCHEMA, EXPORT_MAX_SCHEMA);
}

static int operator_version(const export_file *f) {
    json aten = json_find(json_need(f->program, "opset_version"), "aten");
    int64_t version = json_is_null(aten) ? PT_MAX_VERSION : json_integer(aten);
    if (version < 1 || version > PT_MAX_VERSION)
        diag_fail("%s: its operators have version %lld; versions 1 to %d are supported", f->name, (long long)version,
                  PT_MAX_VERSION);
    return (int)version;
}

/* ---- The container of PyTorch 2.8 ---- */

/* NAME of the one record models/NAME.json. */
static const char *model_name(const export_file *f) {
    static const char folder[] = "models/", end[] = ".json";
    const char *found = NULL;
    for (size_t i = 0; i < zip_count(f->zip); i++) {
        const char *record = zip_at(f->zip, i)->name;
        size_t n = strlen(record), around = strlen(folder) + strlen(end);
        if (n <= around || strncmp(record, folder, strlen(folder)) || strcmp(record + n - strlen(end), end))
            continue;
        if (found)
            diag_fail("%s: holds several programs; only one is supported", f->name);
        found = mem_strndup(record + strlen(folder), n - around);
    }
    if (!found)
        diag_fail("%s: holds no program of torch.export (models/*.json)", f->name);
    return found;
}

/* The tensors of a folder: by payloads, or in the first versions as torch.save writes them. */
static export_value_map *read_folder(export_file *f, const char *folder, const char *what) {
    const char *saved = mem_printf("data/%s/%s.pt", folder, f->model);
    if (zip_find(f->zip, saved))
        return read_named(f, saved);
    const char *config = mem_printf("data/%s/%s_%s_config.json", folder, f->model, what);
    const zip_entry *entry = zip_find(f->zip, config);
    if (!entry)
        return NULL;
    zip_bytes text = zip_read(f->zip, entry);
    json v = json_parse(mem_printf("%s: %s", f->name, config), (const char *)text.bytes, text.size);
    return payloads_read(f, json_need(v, "config"), mem_printf("data/%s/", folder));
}

static json read_program(const export_file *f, const char *record) {
    const zip_entry *entry = zip_find(f->zip, record);
    zip_bytes text = zip_read(f->zip, entry);
    return json_parse(mem_printf("%s: %s", f->name, record), (const char *)text.bytes, text.size);
}

export_file *export_file_open(const char *name, zip_bytes bytes) {
    export_file *f = MEM_NEW(export_file);
    f->name = mem_strdup(name);
    f->method = "forward";
    f->prefix = "";
    f->zip = zip_open_memory(name, bytes);
    bool is_flat = zip_find(f->zip, program_record);
    f->model = is_flat ? NULL : model_name(f);
    f->program = read_program(f, is_flat ? program_record : mem_printf("models/%s.json", f->model));
    check_schema(f);
    f->operator_version = operator_version(f);
    f->weights = is_flat ? read_named(f, "serialized_state_dict.pt") : read_folder(f, "weights", "weights");
    f->constants = is_flat ? read_named(f, "serialized_constants.pt") : read_folder(f, "constants", "constants");
    return f;
}

pkl_value *export_file_examples(export_file *f) {
    return export_read_saved(f, f->model ? mem_printf("data/sample_inputs/%s.pt", f->model)
                                         : "serialized_example_inputs.pt");
}
