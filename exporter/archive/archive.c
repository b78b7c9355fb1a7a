/* Archives: what kind of file it is, its records, tensors' storages, code files. */
#include "exporter/archive/archive.h"

#include <ctype.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

/* ---- what kind of file it is ---- */

typedef struct {
    size_t offset;
    const char *magic;
    size_t length;
    const char *message;
} format_sign;

#define FROM_PYTORCH "save the PyTorch model that it was made of: torch.jit.script(model).save(\"model.pt\")"
#define READ_FILES                                                                                                     \
    "programs are what torch.jit.save (.pt), _save_for_lite_interpreter (.ptl) and torch.export.save (.pt2) write, "   \
    "and "                                                                                                             \
    "FILE.py:NAME"
#define SIGN(offset, magic, message)                                                                                   \
    { offset, magic, sizeof magic - 1, message }
static const format_sign other_formats[] = {
    SIGN(4, "PTMF", "is a flatbuffer program of the lite interpreter, not an archive"),
    SIGN(4, "TSM1", "is a .tsm file already: tsmrun runs it, tsmc --info says what is in it"),
    SIGN(4, "TFL3", "is a model of TensorFlow Lite; " FROM_PYTORCH),
    SIGN(4, "ET12", "is a program of ExecuTorch; " FROM_PYTORCH),
    SIGN(0, "\x89HDF\r\n\x1a\n", "is a file of HDF5, as Keras writes them; " FROM_PYTORCH),
    SIGN(0, "GGUF", "is a file of GGUF, which has weights and no program; " FROM_PYTORCH),
    SIGN(8, "{\"",
         "is a file of safetensors; torch.save(safetensors.torch.load_file(...), \"weights.pth\") makes one of it for "
         "--weights"),
    SIGN(0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9",
         "was written by torch.save in its old format (before PyTorch 1.6, or _use_new_zipfile_serialization=False), "
         "which "
         "is not supported; load it and save it again"),
    SIGN(257, "ustar", "was written by torch.save in its oldest format, a tar archive, which is not supported"),
};

/* Records by which zip archives of other kinds are known. */
static const struct {
    const char *record, *message;
} other_archives[] = {
    {"model.json",
     "was written by PyTorch 1.3 or older, which is not supported; load it in PyTorch 1.4 or later and save it "
     "again"},
    {"serialized_exported_program.json", "is a program of torch.export, not TorchScript"},
    {"archive_format", "is a program of torch.export, not TorchScript"},
    {".data/extern_modules", "is a package of torch.package, not TorchScript"},
};

/* ONNX has no sign of its own: its first fields are its version and who wrote it. */
static bool is_onnx(zip_bytes file) {
    const uint8_t *b = file.bytes;
    return file.size > 3 && b[0] == 0x08 && b[1] >= 3 && b[1] < 32 && (b[2] == 0x12 || b[2] == 0x1a || b[2] == 0x3a);
}

static void check_format(const char *name, zip_bytes file) {
    static const char zip_sign[] = "PK";
    for (size_t i = 0; i < sizeof other_formats / sizeof *other_formats; i++) {
        const format_sign *s = &other_formats[i];
        if (file.size >= s->offset + s->length && !memcmp(file.bytes + s->offset, s->magic, s->length))
            diag_fail("%s: %s", name, s->message);
    }
    if (is_onnx(file))
        diag_fail("%s: is a model of ONNX; " FROM_PYTORCH, name);
    if (file.size < strlen(zip_sign) || memcmp(file.bytes, zip_sign, strlen(zip_sign)))
        diag_fail("%s: is not a PyTorch archive (no zip file); " READ_FILES, name);
}

static void check_records(const pt_archive *a) {
    for (size_t i = 0; i < sizeof other_archives / sizeof *other_archives; i++)
        if (zip_find(a->zip, other_archives[i].record))
            diag_fail("%s: %s", a->name, other_archives[i].message);
    if (!zip_has_top_folder(a->zip))
        diag_fail("%s: is a zip archive, but not one of PyTorch's: entry '%s' lies in no folder", a->name,
                  zip_at(a->zip, 0)->name);
    if (!zip_find(a->zip, "data.pkl"))
        diag_fail("%s: has no data.pkl; it was written neither by torch.jit.save nor by torch.save", a->name);
}

static bool is_text(zip_bytes bytes, const char *text) {
    return bytes.size >= strlen(text) && !memcmp(bytes.bytes, text, strlen(text));
}

/* Archives without the record are those of PyTorch before 2.1, which wrote none on big-endian machines that others
 * read. */
static bool read_byte_order(const pt_archive *a) {
    const zip_entry *entry = zip_find(a->zip, "byteorder");
    if (!entry)
        return false;
    zip_bytes order = zip_read(a->zip, entry);
    if (!is_text(order, "little") && !is_text(order, "big"))
        diag_fail("%s: its byte order is '%.*s', neither 'little' nor 'big'", a->name,
                  (int)(order.size < 32 ? order.size : 32), (const char *)order.bytes);
    return is_text(order, "big");
}

/* The format version: a decimal number and a newline, in either of two places. */
static int read_version(const pt_archive *a) {
    const zip_entry *entry = zip_find(a->zip, ".data/version");
    if (!entry)
        entry = zip_find(a->zip, "version");
    if (!entry)
        diag_fail("%s: has no version record", a->name);
    zip_bytes text = zip_read(a->zip, entry);
    int version = 0;
    size_t i = 0;
    for (; i < text.size && isdigit(text.bytes[i]) && version <= PT_MAX_VERSION; i++)
        version = version * 10 + (text.bytes[i] - '0');
    if (version > PT_MAX_VERSION)
        diag_fail("%s: its format version is newer than %d, the last one known", a->name, PT_MAX_VERSION);
    if (!i || version < 1)
        diag_fail("%s: its version record is damaged", a->name);
    return zip_find(a->zip, "byteorder") ? PT_TORCH_2_VERSION : version;
}

/* ---- values ---- */

/* The bytes of each number turned round. */
static const uint8_t *turned_round(zip_bytes content, size_t number) {
    uint8_t *to = mem_alloc_aligned(content.size, 64);
    for (size_t i = 0; i < content.size; i++) {
        size_t first = i - i % number;
        bool is_whole = content.size - first >= number;
        to[i] = content.bytes[is_whole ? first + number - 1 - i % number : i];
    }
    return to;
}

static pt_storage *make_storage(pt_archive *a, const char *record, const char *device, uint64_t size, size_t number) {
    const zip_entry *entry = zip_find(a->zip, record);
    if (!entry && size)
        return NULL;
    pt_storage *s = MEM_NEW(pt_storage);
    s->key = record;
    s->device = device;
    if (entry && entry->size) {
        zip_bytes content = zip_read(a->zip, entry);
        s->data = a->is_big_endian && number > 1 ? turned_round(content, number) : content.bytes;
        s->size = content.size;
    }
    return s;
}

typedef struct {
    pt_archive *archive;
    const char *folder; /* where the storages of one pickle lie: "data" */
} storage_finder;

static pt_storage *find_storage(void *context, const char *key, const char *device, uint64_t size, size_t number) {
    const storage_finder *f = context;
    pt_archive *a = f->archive;
    const char *record = intern(mem_printf("%s/%s", f->folder, key));
    ptrdiff_t i = shgeti(a->storages, record);
    if (i >= 0)
        return a->storages[i].value;
    pt_storage *s = make_storage(a, record, device, size, number);
    if (s)
        shput(a->storages, record, s);
    return s;
}

/* Bytes of all such storages of an archive. */
static const uint64_t MOST_ZEROS = (uint64_t)1 << 28;

/* A storage whose elements the archive leaves out. `context` counts the bytes of all. */
static pt_storage *find_zeros(void *context, const char *key, const char *device, uint64_t size, size_t number) {
    uint64_t *total = context;
    (void)number;
    if (size > MOST_ZEROS - *total)
        return NULL;
    pt_storage *s = MEM_NEW(pt_storage);
    s->key = key;
    s->device = device;
    s->size = (size_t)size;
    *total += s->size;
    void *zeros = mem_alloc_aligned(s->size ? s->size : 1, 64);
    memset(zeros, 0, s->size);
    s->data = zeros;
    return s;
}

static pkl_value *load_pickle(const pt_archive *a, const zip_entry *entry, pkl_find_storage find, void *context) {
    zip_bytes bytes = zip_read(a->zip, entry);
    return pkl_load(&(pkl_input){
        .name = mem_printf("%s: %s", a->name, entry->name),
        .bytes = bytes.bytes,
        .size = bytes.size,
        .find_storage = find,
        .context = context,
    });
}

/* Reads a pickle whose storages lie in `folder`. */
static pkl_value *read_pickle(pt_archive *a, const zip_entry *entry, const char *folder) {
    storage_finder finder = {a, folder};
    return load_pickle(a, entry, find_storage, &finder);
}

static pkl_value *read_constants(pt_archive *a) {
    const zip_entry *entry = zip_find(a->zip, "constants.pkl");
    if (!entry) {
        pkl_value *empty = MEM_NEW(pkl_value);
        empty->kind = PKL_TUPLE;
        return empty;
    }
    pkl_value *constants = read_pickle(a, entry, "constants");
    if (constants->kind != PKL_TUPLE)
        diag_fail("%s: constants.pkl holds a %s, not a tuple", a->name, pkl_kind_name(constants->kind));
    return constants;
}

pkl_value *pt_archive_traced_inputs(pt_archive *a) {
    const zip_entry *entry = zip_find(a->zip, "traced_inputs.pkl");
    uint64_t total = 0;
    return entry ? load_pickle(a, entry, find_zeros, &total) : NULL;
}

pkl_value *pt_archive_bytecode(pt_archive *a) {
    const zip_entry *entry = zip_find(a->zip, "bytecode.pkl");
    if (!entry)
        return NULL;
    /* Older writers gave the bytecode a folder of its own; later ones share that of the constants. */
    static const char own_folder[] = "bytecode/";
    bool own = false;
    for (size_t i = 0; i < zip_count(a->zip); i++)
        own |= !strncmp(zip_at(a->zip, i)->name, own_folder, strlen(own_folder));
    return read_pickle(a, entry, own ? "bytecode" : "constants");
}

/* ---- code ---- */

/* "code/__torch__/a/b.py" -> "__torch__.a.b"; NULL when the record is no code file. */
static const char *qualifier_of(const char *record) {
    static const char prefix[] = "code/", suffix[] = ".py";
    size_t before = strlen(prefix), after = strlen(suffix), length = strlen(record);
    if (length <= before + after || strncmp(record, prefix, before) || strcmp(record + length - after, suffix))
        return NULL;
    char *qualifier = mem_strndup(record + before, length - before - after);
    for (char *c = qualifier; *c; c++)
        if (*c == '/')
            *c = '.';
    return intern(qualifier);
}

static void list_code(pt_archive *a) {
    for (size_t i = 0; i < zip_count(a->zip); i++) {
        const char *record = zip_at(a->zip, i)->name;
        const char *qualifier = qualifier_of(record);
        if (!qualifier)
            continue;
        pt_code_file file = {.qualifier = qualifier, .path = record};
        shput(a->file_of, qualifier, arrlenu(a->files));
        arrput(a->files, file);
    }
}

pt_code_file *pt_archive_code(pt_archive *a, const char *qualifier) {
    ptrdiff_t i = shgeti(a->file_of, qualifier);
    if (i < 0)
        return NULL;
    pt_code_file *file = &a->files[a->file_of[i].value];
    if (!file->text) {
        zip_bytes text = zip_read(a->zip, zip_find(a->zip, file->path));
        if (memchr(text.bytes, 0, text.size))
            diag_fail("%s: %s holds a zero byte", a->name, file->path);
        file->text = mem_strndup((const char *)text.bytes, text.size);
        file->length = text.size;
    }
    return file;
}

const debug_range *pt_archive_source(pt_archive *a, pt_code_file *file, size_t offset) {
    if (!file->debug) {
        const char *record = mem_printf("%s.debug_pkl", file->path);
        const zip_entry *entry = zip_find(a->zip, record);
        if (!entry)
            return NULL;
        zip_bytes bytes = zip_read(a->zip, entry);
        file->debug = debug_info_load(mem_printf("%s: %s", a->name, record), bytes.bytes, bytes.size);
    }
    return debug_info_find(file->debug, offset);
}

/* ---- the whole ---- */

pt_archive *pt_archive_open_memory(const char *name, zip_bytes file) {
    check_format(name, file);
    pt_archive *a = MEM_NEW(pt_archive);
    a->name = mem_strdup(name);
    a->zip = zip_open_memory(name, file);
    check_records(a);
    a->is_big_endian = read_byte_order(a);
    a->version = read_version(a);
    list_code(a);
    a->is_program = zip_find(a->zip, "constants.pkl") || arrlen(a->files);
    a->has_bytecode = zip_find(a->zip, "bytecode.pkl");
    a->root = read_pickle(a, zip_find(a->zip, "data.pkl"), "data");
    a->constants = read_constants(a);
    return a;
}

pt_archive *pt_archive_open(const char *path) {
    return pt_archive_open_memory(path, zip_load_file(path));
}
