/* Checked reads of FlatBuffers: every offset is tested before it is followed. */
#include "exporter/lite/flatbuffer.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

_Noreturn static void fail(const flat_file *f, size_t at) {
    diag_fail("%s: the flatbuffer is damaged near byte %zu", f->name, at);
}

static const uint8_t *bytes_at(const flat_file *f, size_t at, size_t n) {
    if (at > f->size || n > f->size - at)
        fail(f, at);
    return f->bytes + at;
}

int64_t flat_int_at(const flat_file *f, size_t at, size_t bytes) {
    const uint8_t *p = bytes_at(f, at, bytes);
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    unsigned unused = (unsigned)(64 - 8 * bytes);
    return (int64_t)(v << unused) >> unused;
}

static uint32_t word(const flat_file *f, size_t at) {
    return (uint32_t)flat_int_at(f, at, 4);
}

double flat_double_at(const flat_file *f, size_t at) {
    double v;
    int64_t bits = flat_int_at(f, at, sizeof v);
    memcpy(&v, &bits, sizeof v);
    return v;
}

flat_table flat_root(const flat_file *f) {
    return (flat_table){f, word(f, 0)};
}

/* Where a field is; 0: it is absent. */
static size_t field(flat_table t, unsigned slot) {
    if (!t.at)
        return 0;
    int64_t virtual_table = (int64_t)t.at - flat_int_at(t.file, t.at, 4);
    if (virtual_table < 0)
        fail(t.file, t.at);
    uint32_t entry = 4 + 2 * slot, bytes = (uint16_t)flat_int_at(t.file, (size_t)virtual_table, 2);
    if (entry + 2 > bytes)
        return 0;
    uint32_t distance = (uint16_t)flat_int_at(t.file, (size_t)virtual_table + entry, 2);
    return distance ? t.at + distance : 0;
}

int64_t flat_int(flat_table t, unsigned slot, size_t bytes, int64_t absent) {
    size_t at = field(t, slot);
    return at ? flat_int_at(t.file, at, bytes) : absent;
}

uint32_t flat_index(flat_table t, unsigned slot) {
    return (uint32_t)flat_int(t, slot, 4, 0);
}

double flat_double(flat_table t, unsigned slot) {
    size_t at = field(t, slot);
    return at ? flat_double_at(t.file, at) : 0;
}

/* Where the reference at an address leads. */
static size_t referred(const flat_file *f, size_t at) {
    return at + word(f, at);
}

flat_table flat_child(flat_table t, unsigned slot) {
    size_t at = field(t, slot);
    return (flat_table){t.file, at ? referred(t.file, at) : 0};
}

static const char *text_of(const flat_file *f, size_t at, size_t *length) {
    size_t n = word(f, at);
    if (length)
        *length = n;
    return mem_strndup((const char *)bytes_at(f, at + 4, n), n);
}

const char *flat_text(flat_table t, unsigned slot, size_t *length) {
    size_t at = field(t, slot);
    if (at)
        return text_of(t.file, referred(t.file, at), length);
    if (length)
        *length = 0;
    return "";
}

flat_vector flat_elements(flat_table t, unsigned slot, uint32_t element_bytes) {
    flat_vector v = {t.file, 0, 0, element_bytes};
    size_t at = field(t, slot);
    if (!at)
        return v;
    at = referred(t.file, at);
    v.count = word(t.file, at);
    v.at = at + 4;
    bytes_at(t.file, v.at, (size_t)v.count * element_bytes);
    return v;
}

flat_table flat_table_at(flat_vector v, uint32_t i) {
    return (flat_table){v.file, referred(v.file, flat_at(v, i))};
}

const char *flat_text_at(flat_vector v, uint32_t i) {
    return text_of(v.file, referred(v.file, flat_at(v, i)), NULL);
}
