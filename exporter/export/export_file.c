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
 *     models/NAME.json                            a program; of a single one NAME is "model"
 *     data/weights/NAME_weights_config.json       the state dict: payloads by name (payloads.h)
 *     data/weights/weight_N                       the bytes of a storage
 *     data/constants/NAME_constants_config.json   the same for constants
 *     data/constants/tensor_N
 *     data/sample_inputs/NAME.pt                  as serialized_example_inputs.pt
 * The first versions had data/weights/NAME.pt and data/constants/NAME.pt, written by torch.save. */
#include "exporter/export/export_file.h"

#include <ctype.h>
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

/* The NAMEs of the records models/NAME.json, an stb_ds array. */
static const char **model_names(const char *name, const zip_archive *z) {
    static const char folder[] = "models/", end[] = ".json";
    const char **found = NULL;
    for (size_t i = 0; i < zip_count(z); i++) {
        const char *record = zip_at(z, i)->name;
        size_t n = strlen(record), around = strlen(folder) + strlen(end);
        if (n > around && !strncmp(record, folder, strlen(folder)) && !strcmp(record + n - strlen(end), end))
            arrput(found, mem_strndup(record + strlen(folder), n - around));
    }
    if (!found)
        diag_fail("%s: holds no program of torch.export (models/*.json)", name);
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

/* `model`: NULL for the older container. */
static export_file *open_program(const char *name, zip_archive *z, const char *model) {
    export_file *f = MEM_NEW(export_file);
    f->name = mem_strdup(name);
    f->method = "forward";
    f->prefix = "";
    f->zip = z;
    f->model = model;
    f->program = read_program(f, model ? mem_printf("models/%s.json", model) : program_record);
    check_schema(f);
    f->operator_version = operator_version(f);
    f->weights = model ? read_folder(f, "weights", "weights") : read_named(f, "serialized_state_dict.pt");
    f->constants = model ? read_folder(f, "constants", "constants") : read_named(f, "serialized_constants.pt");
    return f;
}

static const char *method_name(const export_file *f) {
    bool is_name = !isdigit((unsigned char)f->model[0]);
    for (const char *c = f->model; *c; c++)
        is_name &= isalnum((unsigned char)*c) || *c == '_';
    if (!is_name)
        diag_fail("%s: holds several programs, and no method can have the name of '%s'", f->name, f->model);
    return intern(f->model);
}

export_file **export_file_open(const char *name, zip_bytes bytes) {
    zip_archive *z = zip_open_memory(name, bytes);
    export_file **programs = NULL;
    if (zip_find(z, program_record)) {
        arrput(programs, open_program(name, z, NULL));
        return programs;
    }
    const char **models = model_names(name, z);
    for (size_t i = 0; i < arrlenu(models); i++) {
        arrput(programs, open_program(name, z, models[i]));
        if (arrlenu(models) > 1)
            programs[i]->method = method_name(programs[i]);
    }
    return programs;
}

export_file *export_file_choose(export_file *const *programs, const char *method) {
    strbuf names = {0};
    if (arrlenu(programs) == 1) {
        programs[0]->method = method;
        return programs[0];
    }
    for (size_t i = 0; i < arrlenu(programs); i++) {
        if (!strcmp(programs[i]->method, method))
            return programs[i];
        strbuf_printf(&names, "%s%s", i ? ", " : "", programs[i]->method);
    }
    diag_fail("%s: holds no program '%s'; it holds %s", programs[0]->name, method, strbuf_text(&names));
}

pkl_value *export_file_examples(export_file *f) {
    return export_read_saved(f, f->model ? mem_printf("data/sample_inputs/%s.pt", f->model)
                                         : "serialized_example_inputs.pt");
}
