/* The container of an exported program.
 *
 * PyTorch 2.1 to 2.7 write a zip archive without a folder (torch/export/__init__.py):
 *     serialized_exported_program.json    the program
 *     serialized_state_dict.pt            parameters and buffers: a dict by name, written by torch.save
 *     serialized_constants.pt             the same for constants
 *     serialized_example_inputs.pt        a tuple of arguments and a dict of keyword arguments
 *     version                             that of the schema: "8.2"
 *     extra_files/...                     the author's own, left alone */
#include "exporter/export/export_file.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

static const char program_record[] = "serialized_exported_program.json";

bool export_is_file(const char *name, zip_bytes bytes) {
    if (bytes.size < 2 || memcmp(bytes.bytes, "PK", 2))
        return false;
    return zip_find(zip_open_memory(name, bytes), program_record);
}

/* What torch.save wrote into a record; NULL when there is no such record. */
static pkl_value *read_saved(export_file *f, const char *record) {
    const zip_entry *entry = zip_find(f->zip, record);
    if (!entry)
        return NULL;
    return pt_archive_open_memory(mem_printf("%s: %s", f->name, record), zip_read(f->zip, entry))->root;
}

/* A dict by name; none when the record is missing or empty. */
static export_value_map *read_named(export_file *f, const char *record) {
    export_value_map *map = NULL;
    const pkl_value *root = read_saved(f, record);
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

export_file *export_file_open(const char *name, zip_bytes bytes) {
    export_file *f = MEM_NEW(export_file);
    f->name = mem_strdup(name);
    f->zip = zip_open_memory(name, bytes);
    zip_bytes text = zip_read(f->zip, zip_find(f->zip, program_record));
    f->program = json_parse(mem_printf("%s: %s", name, program_record), (const char *)text.bytes, text.size);
    check_schema(f);
    f->operator_version = operator_version(f);
    f->weights = read_named(f, "serialized_state_dict.pt");
    f->constants = read_named(f, "serialized_constants.pt");
    return f;
}

pkl_value *export_file_examples(export_file *f) {
    return read_saved(f, "serialized_example_inputs.pt");
}
