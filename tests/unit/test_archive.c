/* exporter/archive: archives made by PyTorch (tests/data/archive, see make.py there), archives put together here,
 * damaged ones. */
#define _GNU_SOURCE /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "exporter/archive/archive.h"
#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "pickle_print.h"

#define DATA "tests/data/archive/"

/* ---- helpers ---- */

/* Bytes of a literal, zero bytes included. */
#define BYTES(literal) ((zip_bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

#define LITERAL(literal)                                                                                               \
    { (const uint8_t *)(literal), sizeof(literal) - 1 } /* the same in tables */

/* What the body's failure says; fails the test when there is none. */
static const char *failure_of(void (*body)(const void *), const void *argument) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        body(argument);
        diag_end(&h);
        fail_msg("an error was expected");
    }
    assert_false(h.internal);
    return h.message;
}

static void assert_contains(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

static void open_path(const void *path) {
    pt_archive_open(path);
}

static void assert_open_fails(const char *path, const char *message) {
    assert_contains(failure_of(open_path, path), message);
}

static int64_t line_of_range(const debug_range *range) {
    int64_t line = range->source->first_line;
    for (size_t i = 0; i < range->start; i++)
        line += range->source->text[i] == '\n';
    return line;
}

static char *printed(pkl_value *v) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    pkl_print(out, v);
    fclose(out);
    char *copy = mem_strdup(text);
    free(text);
    return copy;
}

/* The attribute of an object, which must be there. */
static pkl_value *attribute(const pkl_value *object, const char *name) {
    assert_int_equal(object->kind, PKL_OBJECT);
    pkl_value *v = pkl_dict_get(object->object.state, name);
    if (!v)
        fail_msg("there is no attribute %s", name);
    return v;
}

/* A zip archive that is put together here: all entries stored, aligned to 16. */
typedef struct {
    uint8_t *bytes; /* stb_ds array */
    uint8_t *directory;
    int count;
} builder;

static void put_bytes(uint8_t **to, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        arrput(*to, ((const uint8_t *)bytes)[i]);
}

static void put_number(uint8_t **to, uint32_t x, int n) {
    for (int i = 0; i < n; i++)
        arrput(*to, (uint8_t)(x >> 8 * i));
}

/* The part that a local header and a directory record share. */
static void put_facts(uint8_t **to, const char *name, zip_bytes content, int flags, int method, uint32_t size,
                      int padding) {
    put_number(to, 20, 2);
    put_number(to, (uint32_t)flags, 2);
    put_number(to, (uint32_t)method, 2);
    put_number(to, 0, 4);
    put_number(to, (uint32_t)crc32(0, content.bytes, (uInt)content.size), 4);
    put_number(to, (uint32_t)content.size, 4);
    put_number(to, size, 4);
    put_number(to, (uint32_t)strlen(name), 2);
    put_number(to, (uint32_t)padding, 2);
}

static void add_raw(builder *b, const char *name, zip_bytes content, int flags, int method, uint32_t size) {
    uint32_t offset = (uint32_t)arrlen(b->bytes);
    int padding = (int)(-(offset + 30 + strlen(name) + 4) & 15) + 4;
    put_bytes(&b->bytes, "PK\3\4", 4);
    put_facts(&b->bytes, name, content, flags, method, size, padding);
    put_bytes(&b->bytes, name, strlen(name));
    put_bytes(&b->bytes, "FB", 2);
    put_number(&b->bytes, (uint32_t)padding - 4, 2);
    for (int i = 4; i < padding; i++)
        arrput(b->bytes, 'Z');
    put_bytes(&b->bytes, content.bytes, content.size);
    put_bytes(&b->directory, "PK\1\2", 4);
    put_number(&b->directory, 20, 2);
    put_facts(&b->directory, name, content, flags, method, size, 0);
    put_number(&b->directory, 0, 2);
    put_number(&b->directory, 0, 4);
    put_number(&b->directory, 0, 4);
    put_number(&b->directory, offset, 4);
    put_bytes(&b->directory, name, strlen(name));
    b->count++;
}

static void add(builder *b, const char *name, zip_bytes content) {
    add_raw(b, name, content, 0, 0, (uint32_t)content.size);
}

static zip_bytes finish(builder *b) {
    uint32_t offset = (uint32_t)arrlen(b->bytes), size = (uint32_t)arrlen(b->directory);
    put_bytes(&b->bytes, b->directory, size);
    put_bytes(&b->bytes, "PK\5\6\0\0\0\0", 8);
    put_number(&b->bytes, (uint32_t)b->count, 2);
    put_number(&b->bytes, (uint32_t)b->count, 2);
    put_number(&b->bytes, size, 4);
    put_number(&b->bytes, offset, 4);
    put_number(&b->bytes, 0, 2);
    uint8_t *aligned = mem_alloc_aligned(arrlenu(b->bytes), 16);
    memcpy(aligned, b->bytes, arrlenu(b->bytes));
    return (zip_bytes){aligned, arrlenu(b->bytes)};
}

#define NONE_PICKLE BYTES("\x80\2N.")

static void open_bytes(const void *file) {
    pt_archive_open_memory("test.pt", *(const zip_bytes *)file);
}

static void assert_bytes_fail(zip_bytes file, const char *message) {
    assert_contains(failure_of(open_bytes, &file), message);
}

static pkl_value *load(zip_bytes pickle) {
    return pkl_load(&(pkl_input){.name = "test", .bytes = pickle.bytes, .size = pickle.size});
}

static void load_bytes(const void *pickle) {
    load(*(const zip_bytes *)pickle);
}

static void assert_pickle_fails(zip_bytes pickle, const char *message) {
    assert_contains(failure_of(load_bytes, &pickle), message);
}

/* ---- what PyTorch writes ---- */

static void reads_program(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "program.pt");
    assert_int_equal(a->version, 3);
    assert_true(a->is_program);
    assert_false(a->has_bytecode);
    assert_string_equal(a->root->object.class_name, "__torch__.models.Program");
    static const struct {
        const char *name, *text;
    } expected[] = {
        {"training", "True\n"},
        {"chalf", "tensor complex32 sizes [2] strides [1] offset 0 of data/1  #0\n"},
        {"view", "tensor float32 sizes [4, 2] strides [1, 4] offset 4 of data/0  #0\n"},
        {"ints", "list : List[int]  #0\n  1\n  300\n  70000\n  -1\n  1099511627776\n  -9223372036854775808\n"},
        {"floats", "list : List[float]  #0\n  float 0.5\n  float -0\n"},
        {"bools", "list : List[bool]  #0\n  True\n  False\n"},
        {"words", "list : List[str]  #0\n  \"a\"\n  \"b\xc3\xa9\"\n"},
        {"table", "dict : Dict[str, int]  #0\n  \"x\": 1\n  \"y\": 2\n"},
        {"nested", "dict : Dict[int, List[float]]  #0\n  7: list : List[float]  #1\n    float 1.5\n"},
        {"empty", "list : List[int]  #0\n"},
        {"maybe", "None\n"},
        {"color", "enum __torch__.models.Color  #0\n  2\n"},
        {"both", "tuple  #0\n  1\n  \"two\"\n"},
        {"z", "complex 1 2\n"},
        {"where", "device \"cpu\"\n"},
        {"keeper", "object __torch__.models.Keeper  #0\n  tuple  #1\n    3\n    True\n"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(printed(attribute(a->root, expected[i].name)), expected[i].text);
    assert_int_equal(a->constants->seq.count, 1);
    assert_string_equal(a->constants->seq.items[0]->str.text, "na\xc3\xafve");
    zip_bytes note = zip_read(a->zip, zip_find(a->zip, "extra/note.txt"));
    assert_int_equal(note.size, 5);
    assert_memory_equal(note.bytes, "hello", 5);
}

static void reads_special_tensors(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "program.pt");
    const pt_tensor *base = attribute(a->root, "base")->tensor, *view = attribute(a->root, "view")->tensor;
    assert_ptr_equal(base->storage, view->storage);
    const float *elements = pt_tensor_data(view);
    assert_float_equal(elements[1], 8, 0);
    assert_ptr_equal(pt_tensor_data(base), base->storage->data);
    const pt_tensor *q = attribute(a->root, "per_tensor")->tensor;
    assert_int_equal(q->dtype, PT_QUINT8);
    assert_float_equal(q->scale, 0.5, 0);
    assert_int_equal(q->zero_point, 2);
    assert_memory_equal(pt_tensor_data(q), "\2\4\0", 3);
    const pt_tensor *qc = attribute(a->root, "per_channel")->tensor;
    assert_int_equal(qc->qscheme, PT_PER_CHANNEL_AFFINE);
    assert_int_equal(qc->axis, 1);
    assert_float_equal(((const double *)pt_tensor_data(qc->scales))[1], (double)0.2f, 1e-6);
    assert_int_equal(((const int64_t *)pt_tensor_data(qc->zero_points))[1], 1);
    const pt_tensor *coo = attribute(a->root, "coo")->tensor;
    assert_int_equal(coo->layout, PT_SPARSE_COO);
    assert_memory_equal(pt_tensor_data(coo->indices), ((int64_t[]){0, 1, 1, 0}), 32);
    assert_memory_equal(pt_tensor_data(coo->values), ((float[]){2, 3}), 8);
    const pt_tensor *csr = attribute(a->root, "csr")->tensor;
    assert_int_equal(csr->layout, PT_SPARSE_CSR);
    assert_memory_equal(pt_tensor_data(csr->row_starts), ((int64_t[]){0, 1, 2}), 24);
    assert_memory_equal(pt_tensor_data(csr->columns), ((int64_t[]){1, 0}), 16);
    const pkl_value *tensors = attribute(a->root, "tensors");
    assert_string_equal(tensors->type, "List[Tensor]");
    assert_int_equal(pt_tensor_numel(tensors->seq.items[1]->tensor), 0);
    const pkl_value *linear = attribute(a->root, "linear");
    assert_true(attribute(linear, "weight")->tensor->requires_grad);
}

static void describe_dims(strbuf *b, const int64_t *dims, int count) {
    strbuf_add(b, " [");
    for (int i = 0; i < count; i++)
        strbuf_printf(b, i ? ", %lld" : "%lld", (long long)dims[i]);
    strbuf_add(b, "]");
}

/* The line that make.py writes for a tensor. */
static const char *describe(const pt_tensor *t) {
    strbuf b = {0};
    strbuf_add(&b, pt_dtype_name(t->dtype));
    describe_dims(&b, t->sizes, t->ndim);
    if (t->layout == PT_STRIDED) {
        describe_dims(&b, t->strides, t->ndim);
        strbuf_printf(&b, " %lld %s", (long long)t->offset, pt_tensor_bytes(t) ? "" : "-");
        const uint8_t *bytes = pt_tensor_data(t);
        for (size_t i = 0; i < pt_tensor_bytes(t); i++)
            strbuf_printf(&b, "%02x", bytes[i]);
    } else
        strbuf_add(&b, t->layout == PT_SPARSE_COO ? " sparse_coo" : " sparse_csr");
    if (t->qscheme == PT_PER_TENSOR_AFFINE)
        strbuf_printf(&b, " q %g %lld", t->scale, (long long)t->zero_point);
    else if (t->qscheme)
        strbuf_printf(&b, " qc %d", t->axis);
    strbuf_add(&b, t->requires_grad ? " grad" : "");
    strbuf_add(&b, t->is_parameter ? " parameter" : "");
    return strbuf_text(&b);
}

static void reads_tensors(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "tensors.pt");
    assert_false(a->is_program);
    zip_bytes text = zip_load_file(DATA "tensors.txt");
    char *lines = mem_strndup((const char *)text.bytes, text.size), *rest = lines;
    for (size_t i = 0; i < a->root->seq.count; i++)
        assert_string_equal(describe(a->root->seq.items[i]->tensor), strtok_r(i ? NULL : lines, "\n", &rest));
    assert_null(strtok_r(NULL, "\n", &rest));
}

static void reads_values(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "values.pt");
    assert_string_equal(
        printed(a->root),
        "tuple  #0\n"
        "  tensor float32 sizes [2] strides [1] offset 0 of data/0  #1\n"
        "  3\n  float 2.5\n  complex 1 2\n  \"s\"\n  None\n  True\n  dtype float16\n  device \"cuda:0\"\n"
        "  tuple  #2\n    1\n    2\n"
        "  layout 0\n"
        "  list  #3\n    1\n    1099511627776\n"
        "  dict  #4\n    \"a\": -1\n"
        "  dict  #5\n    \"b\": False\n"
        "  -300\n  -9223372036854775808\n  9223372036854775807\n"
        "  storage data/1 of 16 bytes\n");
    assert_int_equal(a->constants->kind, PKL_TUPLE);
    assert_int_equal(a->constants->seq.count, 0);
}

static void reads_state_dict(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "state.pth");
    assert_int_equal(a->root->kind, PKL_DICT);
    assert_int_equal(a->root->dict.count, 7);
    assert_int_equal(pkl_dict_get(a->root, "0.weight")->tensor->sizes[1], 2);
    assert_int_equal(pkl_dict_get(a->root, "1.num_batches_tracked")->tensor->dtype, PT_INT64);
    assert_null(pkl_dict_get(a->root, "2.weight"));
}

static void reads_lite_program(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "lite.ptl");
    assert_true(a->has_bytecode);
    pkl_value *bytecode = pt_archive_bytecode(a);
    assert_int_equal(bytecode->seq.items[0]->integer, 8);
    assert_contains(printed(bytecode), "\"aten::add\"");
    assert_string_equal(a->constants->seq.items[0]->tensor->storage->key, "constants/0.storage");
    assert_non_null(strstr(printed(bytecode), "constants/0.storage"));
    assert_null(pt_archive_bytecode(pt_archive_open(DATA "small.pt")));
}

static void reads_other_writers(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "small.pt"), *b = pt_archive_open(DATA "repacked.pt");
    assert_string_equal(printed(a->root), printed(b->root));
    assert_string_equal(pt_archive_code(a, "__torch__.models")->text, pt_archive_code(b, "__torch__.models")->text);
}

/* ---- code and its sources ---- */

static void finds_code(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "program.pt");
    assert_int_equal(arrlen(a->files), 2);
    const pt_code_file *file = pt_archive_code(a, "__torch__.torch.nn.modules.linear");
    assert_string_equal(file->path, "code/__torch__/torch/nn/modules/linear.py");
    assert_int_equal(file->length, strlen(file->text));
    assert_memory_equal(file->text, "class Linear(Module):", 21);
    assert_null(pt_archive_code(a, "__torch__.nothing"));
}

/* The number of the line of models.py that begins, after blanks, with the text. */
static int line_of(const char *text) {
    FILE *f = fopen(DATA "models.py", "r");
    char line[256];
    int number = 0, found = 0;
    while (!found && fgets(line, sizeof line, f)) {
        number++;
        if (!strncmp(line + strspn(line, " "), text, strlen(text)))
            found = number;
    }
    fclose(f);
    return found;
}

static void finds_sources(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "program.pt");
    pt_code_file *file = pt_archive_code(a, "__torch__.models");
    size_t at = (size_t)(strstr(file->text, "ops.prim.RaiseException") - file->text);
    const debug_range *range = pt_archive_source(a, file, at);
    assert_non_null(range);
    assert_string_equal(range->source->file_name, "models.py");
    assert_memory_equal(range->source->text + range->start, "raise ValueError(", 17);
    assert_int_equal(line_of_range(range), line_of("raise ValueError("));
    assert_null(pt_archive_source(a, file, 0));
}

/* GLOBALs are not needed in debug information, so that it can be written by hand: ((3, (SOURCE, 2, 5), 0),) */
#define DEBUG_ROW(source) "\x80\2K\3" source "K\2K\5\x87K\0\x87\x85."

static const debug_info *load_debug(zip_bytes pickle) {
    return debug_info_load("test", pickle.bytes, pickle.size);
}

static void load_debug_bytes(const void *pickle) {
    load_debug(*(const zip_bytes *)pickle);
}

static void reads_older_debug_form(void **state) {
    (void)state;
    const debug_info *info = load_debug(BYTES(DEBUG_ROW("X\4\0\0\0a\nbcX\4\0\0\0f.pyK\7\x87")));
    assert_null(debug_info_find(info, 2));
    const debug_range *range = debug_info_find(info, 3);
    assert_ptr_equal(debug_info_find(info, 1000), range);
    assert_string_equal(range->source->file_name, "f.py");
    assert_string_equal(range->source->text, "a\nbc");
    assert_int_equal(range->start, 2);
    assert_int_equal(range->end, 4); /* cut to the text's length */
    assert_int_equal(line_of_range(range), 8);
    range = debug_info_find(load_debug(BYTES(DEBUG_ROW("X\1\0\0\0aNN\x87"))), 3);
    assert_null(range->source->file_name);
    assert_int_equal(line_of_range(range), 1);
}

static void refuses_damaged_debug_information(void **state) {
    (void)state;
    zip_bytes wrong[] = {
        NONE_PICKLE,
        BYTES(DEBUG_ROW("K\1K\2K\3\x87")),
        BYTES(DEBUG_ROW("N")),
        BYTES("\x80\2X\x18\0\0\0FORMAT_WITH_STRING_TABLEX\1\0\0\0a)\x87."),
        BYTES("\x80\2X\x18\0\0\0FORMAT_WITH_STRING_TABLE)K\3](K\1eK\0K\0\x87K\2K\5\x87K\0\x87\x85\x87."),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_contains(failure_of(load_debug_bytes, &wrong[i]), "debug information");
}

/* ---- archives put together here ---- */

static void reads_versions(void **state) {
    (void)state;
    static const struct {
        const char *record, *text, *message;
        int version;
    } cases[] = {
        {"a/version", "1\n", NULL, 1},
        {"a/version", "2", NULL, 2},
        {"a/.data/version", "10\n", NULL, 10},
        {"a/version", "11\n", "newer than 10", 0},
        {"a/version", "99999999999999999999\n", "newer than 10", 0},
        {"a/version", "x", "version record is damaged", 0},
        {"a/version", "", "version record is damaged", 0},
        {"a/other", "3", "no version record", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        builder b = {0};
        add(&b, "a/data.pkl", NONE_PICKLE);
        add(&b, cases[i].record, (zip_bytes){(const uint8_t *)cases[i].text, strlen(cases[i].text)});
        zip_bytes file = finish(&b);
        if (cases[i].message)
            assert_bytes_fail(file, cases[i].message);
        else
            assert_int_equal(pt_archive_open_memory("test", file)->version, cases[i].version);
    }
}

static zip_bytes archive_with(const char *name, zip_bytes content) {
    builder b = {0};
    add(&b, "a/data.pkl", NONE_PICKLE);
    add(&b, "a/version", BYTES("3\n"));
    add(&b, name, content);
    return finish(&b);
}

static void checks_byte_order(void **state) {
    (void)state;
    assert_non_null(pt_archive_open_memory("test", archive_with("a/byteorder", BYTES("little"))));
    assert_false(pt_archive_open_memory("test", archive_with("a/byteorder", BYTES("little")))->is_big_endian);
    assert_true(pt_archive_open_memory("test", archive_with("a/byteorder", BYTES("big")))->is_big_endian);
    assert_bytes_fail(archive_with("a/byteorder", BYTES("middle")), "byte order is 'middle'");
}

static void ignores_unknown_records(void **state) {
    (void)state;
    assert_non_null(pt_archive_open_memory("test", archive_with("a/.data/serialization_id", BYTES("1234"))));
    assert_non_null(pt_archive_open_memory("test", archive_with("a/folder/", BYTES(""))));
    assert_non_null(pt_archive_open_memory("test", archive_with("b/outside", BYTES(""))));
}

static void refuses_other_formats(void **state) {
    (void)state;
    assert_open_fails(DATA "nothing.pt", "nothing.pt: cannot be opened");
    assert_open_fails("tests", "not a regular file");
    assert_open_fails(DATA "make.py", "not a PyTorch archive");
    assert_open_fails(DATA "flatbuffer.ptl", "flatbuffer");
    assert_open_fails(DATA "legacy.pt", "old format");
    assert_open_fails(DATA "module.pt", "'torch.nn.modules.linear.Linear'");
    char tar[512] = {0};
    memcpy(tar + 257, "ustar", 5);
    assert_bytes_fail((zip_bytes){(const uint8_t *)tar, sizeof tar}, "tar archive");
    assert_bytes_fail(BYTES(""), "not a PyTorch archive");
    assert_bytes_fail(BYTES("PK\3\4rest"), "not a zip archive");
    assert_bytes_fail(archive_with("a/model.json", BYTES("{}")), "PyTorch 1.3");
    assert_bytes_fail(archive_with("a/.data/extern_modules", BYTES("")), "torch.package");
    assert_bytes_fail(archive_with("a/constants.pkl", NONE_PICKLE), "constants.pkl holds a None");
    builder empty = {0}, unlisted = {0}, flat = {0}, bare = {0};
    assert_bytes_fail(finish(&empty), "not a zip archive");
    add(&unlisted, "a/data.pkl", NONE_PICKLE);
    unlisted.directory = NULL;
    unlisted.count = 0;
    assert_bytes_fail(finish(&unlisted), "damaged after 0 entries");
    add(&flat, "data.pkl", NONE_PICKLE);
    assert_bytes_fail(finish(&flat), "lies in no folder");
    add(&bare, "a/version", BYTES("3\n"));
    assert_bytes_fail(finish(&bare), "no data.pkl");
}

static void refuses_strange_zips(void **state) {
    (void)state;
    enum { ENCRYPTED = 1, BZIP2 = 12, DEFLATED = 8 };
    static const struct {
        const char *message;
        int flags, method;
        uint32_t size;
    } cases[] = {
        {"'a/data.pkl' is encrypted", ENCRYPTED, 0, 4},
        {"'a/data.pkl' is compressed by method 12", 0, BZIP2, 4},
        {"'data.pkl': its sizes contradict", 0, 0, 5},
        {"'data.pkl' claims 1073741824 bytes from 4", 0, DEFLATED, 1 << 30},
        {"'data.pkl': its compressed data are damaged", 0, DEFLATED, 100},
        {"the record of entry 'a/data.pkl' is damaged", 0, DEFLATED, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        builder b = {0};
        add_raw(&b, "a/data.pkl", NONE_PICKLE, cases[i].flags, cases[i].method, cases[i].size);
        add(&b, "a/version", BYTES("3\n"));
        assert_bytes_fail(finish(&b), cases[i].message);
    }
    assert_bytes_fail(archive_with("a/version", BYTES("3\n")), "'version' occurs twice");
    zip_bytes file = archive_with("a/x", BYTES(""));
    uint8_t *pickle = memmem(file.bytes, file.size, "\x80\2N.", 4);
    pickle[2] = 0x88;
    assert_bytes_fail(file, "checksum");
}

/* The limit on expansion holds too where many directory records share one deflated stream. */
static void bounds_expansion(void **state) {
    (void)state;
    enum { ENTRIES = 40 };
    size_t size = 16 << 20, bound = compressBound(size);
    uint8_t *zeros = mem_alloc(size), *packed = mem_alloc(bound);
    z_stream stream = {.next_in = zeros, .avail_in = (uInt)size, .next_out = packed, .avail_out = (uInt)bound};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    builder b = {0};
    for (int i = 0; i < ENTRIES; i++)
        add_raw(&b, mem_printf("a/%d", i), (zip_bytes){packed, stream.total_out}, 0, 8, (uint32_t)size);
    zip_archive *z = zip_open_memory("test", finish(&b));
    /* The checksums are those of the packed bytes, so each entry fails after it was inflated; its size still counts. */
    bool bounded = false;
    for (int i = 0; i < ENTRIES && !bounded; i++) {
        diag_handler inner;
        if (!DIAG_TRY(&inner)) {
            zip_read(z, zip_at(z, (size_t)i));
            diag_end(&inner);
        } else
            bounded = strstr(inner.message, "would expand") != NULL;
    }
    assert_true(bounded);
}

/* ---- sizes ---- */

static void multiplies_large_sizes(void **state) {
    (void)state;
    int64_t strides[4];
    assert_int_equal(pt_sizes_numel(0, NULL), 1);
    assert_int_equal(pt_sizes_numel(3, (int64_t[]){2, 3, 4}), 24);
    assert_int_equal(pt_sizes_numel(3, (int64_t[]){INT64_MAX, 3, 0}), 0);
    assert_int_equal(pt_sizes_numel(2, (int64_t[]){INT64_MAX, 3}), INT64_MAX);
    pt_contiguous_strides(4, (int64_t[]){2, 0, 3, 4}, strides);
    assert_memory_equal(strides, ((int64_t[]){12, 12, 4, 1}), sizeof strides);
    pt_contiguous_strides(4, (int64_t[]){0, INT64_MAX, INT64_MAX, 2}, strides);
    assert_memory_equal(strides, ((int64_t[]){INT64_MAX, INT64_MAX, 2, 1}), sizeof strides);
}

/* ---- pickles ---- */

static void reads_scalars(void **state) {
    (void)state;
    static const struct {
        zip_bytes pickle;
        const char *text;
    } cases[] = {
        {LITERAL("K\xff."), "255\n"},
        {LITERAL("M\xff\xff."), "65535\n"},
        {LITERAL("J\xfe\xff\xff\xff."), "-2\n"},
        {LITERAL("\x8a\0."), "0\n"},
        {LITERAL("\x8a\1\xff."), "-1\n"},
        {LITERAL("\x8a\2\xff\0."), "255\n"},
        {LITERAL("\x8a\10\0\0\0\0\0\0\0\x80."), "-9223372036854775808\n"},
        {LITERAL("G\x3f\xf8\0\0\0\0\0\0."), "float 1.5\n"},
        {LITERAL("X\4\0\0\0a\0\"\n."), "\"a\\000\\\"\\n\"\n"},
        {LITERAL("(K\1K\2l."), "list  #0\n  1\n  2\n"},
        {LITERAL("]K\1aK\2a."), "list  #0\n  1\n  2\n"},
        {LITERAL("(K\1K\2d."), "dict  #0\n  1: 2\n"},
        {LITERAL("}K\1K\2s."), "dict  #0\n  1: 2\n"},
        {LITERAL("})Ns."), "dict  #0\n  tuple  #1\n  : None\n"},
        {LITERAL("K\1K\2K\3\x87."), "tuple  #0\n  1\n  2\n  3\n"},
        {LITERAL("c__torch__.a\nE\nX\1\0\0\0xR."), "enum __torch__.a.E  #0\n  \"x\"\n"},
        {LITERAL("c__torch__\nC\n)\x81."), "object __torch__.C  #0\n"},
        {LITERAL("c__main__\nIntList\n](K\1eb."), "list : List[int]  #0\n  1\n"},
        {LITERAL("c__main__\nIntList\n)\x81](K\1eb."), "list : List[int]  #0\n  1\n"},
        {LITERAL("ctorch\nfloat\n."), "dtype float32\n"},
        {LITERAL("ctorch\nper_tensor_affine\n."), "global torch.per_tensor_affine\n"},
        {LITERAL("ctorch\ndevice\nX\3\0\0\0mpsK\0\x86R."), "device \"mps:0\"\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(printed(load(cases[i].pickle)), cases[i].text);
}

static void keeps_sharing(void **state) {
    (void)state;
    pkl_value *v = load(BYTES("\x80\2]q\0(K\1eh\0j\0\0\0\0\x87."));
    assert_int_equal(v->seq.count, 3);
    assert_ptr_equal(v->seq.items[0], v->seq.items[1]);
    assert_ptr_equal(v->seq.items[0], v->seq.items[2]);
    assert_string_equal(printed(v), "tuple  #0\n  list  #1\n    1\n  list #1 again\n  list #1 again\n");
}

static void last_key_counts(void **state) {
    (void)state;
    pkl_value *v = load(BYTES("}(X\1\0\0\0aK\1X\1\0\0\0aK\2u."));
    assert_int_equal(pkl_dict_get(v, "a")->integer, 2);
    assert_null(pkl_dict_get(v, "b"));
    assert_null(pkl_dict_get(load(NONE_PICKLE), "a"));
}

static void refuses_bad_pickles(void **state) {
    (void)state;
    static const struct {
        zip_bytes pickle;
        const char *message;
    } cases[] = {
        {LITERAL(""), "ends in the middle"},
        {LITERAL("N"), "ends in the middle"},
        {LITERAL("."), "0 values"},
        {LITERAL("NN."), "2 values"},
        {LITERAL("(N."), "1 values"},
        {LITERAL("\x80\4N."), "protocol 4"},
        {LITERAL("N0."), "at byte 1: unknown opcode 0x30 ('0')"},
        {LITERAL("\xff."), "unknown opcode 0xff"},
        {LITERAL("h\0."), "memo 0 was never put"},
        {LITERAL("Nr\xff\xff\xff\x7f."), "memo index 2147483647 is too large"},
        {LITERAL("q\0."), "the stack is empty"},
        {LITERAL("N(q\0."), "the stack is empty"},
        {LITERAL("t."), "no mark"},
        {LITERAL("NN\x87."), "fewer than 3"},
        {LITERAL("N(N\x86."), "fewer than 2"},
        {LITERAL("NNa."), "appended to a None"},
        {LITERAL("N(Nu."), "stored in a None"},
        {LITERAL("}(Nu."), "has no value"},
        {LITERAL("X\xff\xff\xff\xffhi."), "ends in the middle"},
        {LITERAL("\x8a\x09\1\1\1\1\1\1\1\1\1."), "integer of 9 bytes"},
        {LITERAL("cos\nsystem\n."), "'os.system'"},
        {LITERAL("c__torch__x\nC\n."), "'__torch__x.C'"},
        {LITERAL("cos"), "middle of a name"},
        {LITERAL("NNR."), "a None is called"},
        {LITERAL("NNb."), "a None gets a state"},
        {LITERAL("c__torch__\nC\n)\x81NbNb."), "second state"},
        {LITERAL("c__torch__\nC\nN\x85\x81."), "an object is made"},
        {LITERAL("ctorch\nFloatStorage\n)\x81."), "not a class of TorchScript"},
        {LITERAL("ctorch\nFloatStorage\n)R."), "cannot be called"},
        {LITERAL("NQ."), "does not name a storage"},
        {LITERAL("(X\7\0\0\0storageNNNNtQ."), "where none is expected"},
        {LITERAL("ctorch._utils\n_rebuild_tensor_v2\n)R."), "number 0 is missing"},
        {LITERAL("ctorch._utils\n_rebuild_tensor_v2\nNR."), "not a tuple"},
        {LITERAL("ctorch._utils\n_rebuild_tensor_v2\n(NtR."), "argument 0 is a None, not a storage"},
        {LITERAL("ccollections\nOrderedDict\n(NtR."), "with arguments"},
        {LITERAL("c__main__\nTensorID\nK\0b."), "PyTorch 1.3"},
        {LITERAL("]q\0(h\0e."), "value of kind 'list' contains itself"},
        {LITERAL("c__torch__\nC\n)\x81q\0h\0b."), "value of kind 'object' contains itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_pickle_fails(cases[i].pickle, cases[i].message);
}

/* A list in a list in a list ... */
static zip_bytes nested_lists(size_t levels) {
    uint8_t *pickle = NULL;
    for (size_t i = 0; i < levels; i++)
        arrput(pickle, ']');
    for (size_t i = 1; i < levels; i++)
        arrput(pickle, 'a');
    arrput(pickle, '.');
    return (zip_bytes){pickle, arrlenu(pickle)};
}

static void bounds_depth(void **state) {
    (void)state;
    pkl_value *v = load(nested_lists(LIMIT_VALUE_DEPTH));
    assert_int_equal(v->height, LIMIT_VALUE_DEPTH);
    assert_non_null(printed(v));
    assert_pickle_fails(nested_lists(LIMIT_VALUE_DEPTH + 1), "value depth");
    assert_pickle_fails(nested_lists(200000), "value depth");
}

/* ---- pickles with wrong facts about tensors ---- */

static pt_storage *sixteen_floats(void *context, const char *key, const char *device, uint64_t size, size_t number) {
    (void)context;
    (void)size;
    (void)number;
    static const float elements[16] = {0, 1, 2, 3};
    if (strcmp(key, "0"))
        return NULL;
    pt_storage *s = MEM_NEW(pt_storage);
    *s = (pt_storage){"data/0", device, (const uint8_t *)elements, sizeof elements};
    return s;
}

#define STORAGE(class, key, numel) "(X\7\0\0\0storagectorch\n" class "\nX\1\0\0\0" key "X\3\0\0\0cpu" numel "tQ"
#define REBUILD(function) "ctorch._utils\n" function "\n"
#define TENSOR(offset, sizes, strides)                                                                                 \
    REBUILD("_rebuild_tensor_v2") "(" STORAGE("FloatStorage", "0", "K\20") offset "(" sizes "t(" strides "t\x89)tR"
#define LONGS(sizes)                                                                                                   \
    REBUILD("_rebuild_tensor_v2") "(" STORAGE("LongStorage", "0", "K\10") "K\0(" sizes "t(" sizes "t\x89)tR"

static pkl_value *load_with_storage(zip_bytes pickle) {
    return pkl_load(
        &(pkl_input){.name = "test", .bytes = pickle.bytes, .size = pickle.size, .find_storage = sixteen_floats});
}

static void load_storage_bytes(const void *pickle) {
    load_with_storage(*(const zip_bytes *)pickle);
}

/* Views whose numbers are conjugated or negated when read; the storage that others share stays. */
static void resolves_lazy_views(void **state) {
    (void)state;
    static const float numbers[] = {1, -2, 0, 3};
    pt_storage storage = {.key = "data/0", .device = "cpu", .data = (const uint8_t *)numbers, .size = sizeof numbers};
    const int64_t sizes[] = {4}, strides[] = {1};
    pt_tensor real = {.dtype = PT_FLOAT32, .ndim = 1, .sizes = sizes, .strides = strides, .storage = &storage};
    assert_true(pt_tensor_resolve(&real, false, false));
    assert_ptr_equal(real.storage, &storage);
    assert_true(pt_tensor_resolve(&real, false, true));
    assert_memory_equal(real.storage->data, ((float[]){-1, 2, -0.0f, -3}), sizeof numbers);
    pt_tensor complex = {.dtype = PT_COMPLEX64, .ndim = 1, .sizes = sizes, .strides = strides, .storage = &storage};
    assert_true(pt_tensor_resolve(&complex, true, false));
    assert_memory_equal(complex.storage->data, ((float[]){1, 2, 0, -3}), sizeof numbers);
    complex.storage = &storage;
    assert_true(pt_tensor_resolve(&complex, true, true));
    assert_memory_equal(complex.storage->data, ((float[]){-1, -2, -0.0f, 3}), sizeof numbers);
    pt_tensor whole = {.dtype = PT_INT32, .ndim = 1, .sizes = sizes, .strides = strides, .storage = &storage};
    assert_false(pt_tensor_resolve(&whole, false, true));
    assert_float_equal(numbers[1], -2, 0);
}

static void checks_tensors(void **state) {
    (void)state;
    pkl_value *v = load_with_storage(BYTES(TENSOR("K\0", "K\4K\4", "K\1K\4") "."));
    assert_int_equal(pt_tensor_numel(v->tensor), 16);
    assert_non_null(load_with_storage(BYTES(TENSOR("K\x20", "K\0K\4", "K\1K\4") ".")));
    static const struct {
        zip_bytes pickle;
        const char *message;
    } cases[] = {
#define CASE(pickle, message) {LITERAL(pickle "."), message}
        CASE(TENSOR("K\1", "K\4K\4", "K\4K\1"), "number 16, lies outside of the storage 'data/0' of 64 bytes"),
        CASE(TENSOR("J\xff\xff\xff\xff", "K\1", "K\1"), "offset -1 is negative"),
        CASE(TENSOR("K\0", "J\xff\xff\xff\xff", "K\1"), "negative size -1"),
        CASE(TENSOR("K\0", "K\1", "J\xff\xff\xff\xff"), "negative stride -1"),
        CASE(TENSOR("K\0", "K\1K\1", "K\1"), "2 sizes and 1 strides"),
        CASE(TENSOR("K\0", "J\0\0\0\x40J\0\0\0\x40J\0\0\0\x40", "K\0K\0K\0"), "too many elements"),
        CASE(TENSOR("K\0", "J\0\0\0\x40", "K\0"), "repeats 64 bytes to 4294967296"),
        CASE(TENSOR("K\0", "K\3", "\x8a\10\xff\xff\xff\xff\xff\xff\xff\x7f"), "strides overflow"),
        CASE(TENSOR("K\0", "N", "K\1"), "holds a None, not an int"),
        CASE(STORAGE("FloatStorage", "0", "K\21"), "has 64 bytes, not the 17 elements"),
        CASE(STORAGE("FloatStorage", "1", "K\20"), "storage '1' is missing"),
        CASE(STORAGE("FloatStorage", "0", "J\xff\xff\xff\xff"), "claims -1 elements"),
        CASE(STORAGE("float32", "0", "K\1"), "part 1 of a persistent id is a dtype"),
        CASE(STORAGE("device", "0", "K\1"), "'torch.device' is not a storage class"),
        CASE(REBUILD("_rebuild_tensor_v2") "(" STORAGE("QInt8Storage", "0", "K\1") "K\0(K\1t(K\1t\x89)tR",
             "has no scale"),
        CASE(REBUILD("_rebuild_tensor_v2") "(" STORAGE("FloatStorage", "0",
                                                       "K\1") "K\0(K\1t(K\1t\x89)}(X\4\0\0\0conj\x88utR",
             "cannot be conjugated"),
        CASE(REBUILD("_rebuild_qtensor") "(" STORAGE("FloatStorage", "0",
                                                     "K\1") "K\0(K\1t(K\1t(ctorch\nper_tensor_affine\n"
                                                            "G\x3f\xf0\0\0\0\0\0\0K\0t\x89)tR",
             "has a scale but is of type float32"),
        CASE(REBUILD("_rebuild_sparse_tensor") "(K\5)tR", "layout 5 is not supported"),
        CASE(REBUILD("_rebuild_sparse_tensor") "(K\1(K\2t\x89" LONGS("K\1K\1") TENSOR("K\0", "K\2", "K\1") ")tR",
             "not as many values as indices"),
        CASE(REBUILD("_rebuild_sparse_tensor") "(K\1(K\1t\x89" LONGS("K\1K\2") TENSOR("K\0", "K\2", "K\1") ")tR",
             "index 4575657221408423936 is outside of dimension 0"),
        CASE(REBUILD("_rebuild_sparse_tensor") "(K\2(K\2K\2t\x89" LONGS("K\2") LONGS("K\2")
                 TENSOR("K\0", "K\2", "K\1") ")tR",
             "do not fit its sizes"),
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_contains(failure_of(load_storage_bytes, &cases[i].pickle), cases[i].message);
}

static void needs_no_record_for_empty_storages(void **state) {
    (void)state;
    builder b = {0};
    add(&b, "a/data.pkl",
        BYTES(REBUILD("_rebuild_tensor_v2") "(" STORAGE("FloatStorage", "0", "K\0") "K\0(K\0t(K\1t\x89)tR."));
    add(&b, "a/version", BYTES("3\n"));
    pt_archive *a = pt_archive_open_memory("test", finish(&b));
    assert_int_equal(pt_tensor_bytes(a->root->tensor), 0);
    assert_non_null(pt_tensor_data(a->root->tensor));
}

/* ---- damage ---- */

enum { ROUNDS = 2000 };

static uint32_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Damages a copy of the bytes: flips, a cut, or a splice of one part over another. Returns the new size. */
static size_t damage(uint8_t *bytes, size_t size, uint64_t *seed) {
    if (!size)
        return 0;
    switch (next_random(seed) % 4) {
    case 0:
        return next_random(seed) % size;
    case 1: {
        size_t n = 1 + next_random(seed) % size / 4;
        memmove(bytes + next_random(seed) % (size - n + 1), bytes + next_random(seed) % (size - n + 1), n);
        return size;
    }
    default:
        for (uint32_t i = next_random(seed) % 4 + 1; i > 0; i--)
            bytes[next_random(seed) % size] = (uint8_t)next_random(seed);
        return size;
    }
}

/* Looks at everything that an archive offers. */
static void walk(pt_archive *a, FILE *out) {
    pkl_print(out, a->root);
    pkl_print(out, a->constants);
    for (ptrdiff_t i = 0; i < arrlen(a->files); i++) {
        pt_code_file *file = pt_archive_code(a, a->files[i].qualifier);
        for (size_t at = 0; at < file->length; at += 7) {
            const debug_range *range = pt_archive_source(a, file, at);
            if (range)
                fprintf(out, "%lld\n", (long long)line_of_range(range));
        }
    }
    pkl_value *bytecode = pt_archive_bytecode(a);
    if (bytecode)
        pkl_print(out, bytecode);
    pkl_value *w =
        a->root->kind == PKL_OBJECT && a->root->object.state ? pkl_dict_get(a->root->object.state, "w") : NULL;
    if (w && w->kind == PKL_TENSOR && w->tensor->layout == PT_STRIDED && pt_tensor_bytes(w->tensor) < 4096)
        fwrite(pt_tensor_data(w->tensor), 1, pt_tensor_bytes(w->tensor), out);
}

static void open_and_walk(zip_bytes file, FILE *out) {
    walk(pt_archive_open_memory("damaged", file), out);
}

static void load_and_print(zip_bytes pickle, FILE *out) {
    pkl_print(out, load_with_storage(pickle));
}

/* Whether a reader accepts the bytes. It may refuse them, but not by an internal error. */
static bool accepts(void (*reader)(zip_bytes, FILE *), zip_bytes bytes, FILE *out) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        reader(bytes, out);
        diag_end(&h);
        return true;
    }
    assert_false(h.internal);
    return false;
}

/* Reads what lies in a block of its own, so that the sanitizer sees every byte read beyond it. */
static bool survives(void (*reader)(zip_bytes, FILE *), const uint8_t *bytes, size_t size, FILE *out) {
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    bool accepted = accepts(reader, (zip_bytes){copy, size}, out);
    free(copy);
    return accepted;
}

static void survives_damaged_files(void **state) {
    (void)state;
    FILE *out = fopen("/dev/null", "w");
    static const char *const names[] = {DATA "small.pt", DATA "lite.ptl"};
    zip_bytes files[2] = {zip_load_file(names[0]), zip_load_file(names[1])};
    uint8_t *bytes = mem_alloc(files[0].size + files[1].size);
    uint64_t seed = 1;
    int failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        zip_bytes file = files[i % 2];
        memcpy(bytes, file.bytes, file.size);
        failed += !survives(open_and_walk, bytes, damage(bytes, file.size, &seed), out);
    }
    fclose(out);
    assert_true(failed > ROUNDS / 2);
}

/* The checksums stop most damage above; here they are right, and the damage is in one entry. */
static void survives_damaged_entries(void **state) {
    (void)state;
    FILE *out = fopen("/dev/null", "w");
    zip_archive *z = zip_open_memory("small.pt", zip_load_file(DATA "small.pt"));
    uint8_t *bytes = mem_alloc(1 << 16);
    uint64_t seed = 2;
    int failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        builder b = {0};
        size_t target = next_random(&seed) % zip_count(z);
        for (size_t e = 0; e < zip_count(z); e++) {
            zip_bytes content = zip_read(z, zip_at(z, e));
            if (e == target) {
                memcpy(bytes, content.bytes, content.size);
                content = (zip_bytes){bytes, damage(bytes, content.size, &seed)};
            }
            add(&b, mem_printf("a/%s", zip_at(z, e)->name), content);
        }
        zip_bytes file = finish(&b);
        failed += !survives(open_and_walk, file.bytes, file.size, out);
    }
    fclose(out);
    assert_true(failed > ROUNDS / 4);
}

static void survives_damaged_pickles(void **state) {
    (void)state;
    pt_archive *a = pt_archive_open(DATA "program.pt");
    zip_bytes pickle = zip_read(a->zip, zip_find(a->zip, "data.pkl"));
    FILE *out = fopen("/dev/null", "w");
    uint8_t *bytes = mem_alloc(pickle.size);
    uint64_t seed = 3;
    int failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        memcpy(bytes, pickle.bytes, pickle.size);
        failed += !survives(load_and_print, bytes, damage(bytes, pickle.size, &seed), out);
    }
    fclose(out);
    assert_true(failed > ROUNDS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_program),
        cmocka_unit_test(reads_special_tensors),
        cmocka_unit_test(reads_tensors),
        cmocka_unit_test(reads_values),
        cmocka_unit_test(reads_state_dict),
        cmocka_unit_test(reads_lite_program),
        cmocka_unit_test(reads_other_writers),
        cmocka_unit_test(finds_code),
        cmocka_unit_test(finds_sources),
        cmocka_unit_test(reads_older_debug_form),
        cmocka_unit_test(refuses_damaged_debug_information),
        cmocka_unit_test(reads_versions),
        cmocka_unit_test(checks_byte_order),
        cmocka_unit_test(ignores_unknown_records),
        cmocka_unit_test(refuses_other_formats),
        cmocka_unit_test(refuses_strange_zips),
        cmocka_unit_test(bounds_expansion),
        cmocka_unit_test(multiplies_large_sizes),
        cmocka_unit_test(reads_scalars),
        cmocka_unit_test(keeps_sharing),
        cmocka_unit_test(last_key_counts),
        cmocka_unit_test(refuses_bad_pickles),
        cmocka_unit_test(bounds_depth),
        cmocka_unit_test(checks_tensors),
        cmocka_unit_test(resolves_lazy_views),
        cmocka_unit_test(needs_no_record_for_empty_storages),
        cmocka_unit_test(survives_damaged_files),
        cmocka_unit_test(survives_damaged_entries),
        cmocka_unit_test(survives_damaged_pickles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
