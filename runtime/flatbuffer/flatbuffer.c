/* FlatBuffers in place: access and verification. */
#include "runtime/flatbuffer/flatbuffer.h"

#include <string.h>

static uint16_t load16(const uint8_t *p) {
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t load32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- Access ---- */

/* table: | distance back to its virtual table (signed) | fields ... |
 * virtual table: | its bytes | bytes of the table | distance of each field from the table, 0: absent | */
static const uint8_t *field(const uint8_t *p, unsigned slot) {
    if (!p)
        return NULL;
    const uint8_t *virtual_table = p - (int32_t)load32(p);
    uint16_t distance = slot < load16(virtual_table) ? load16(virtual_table + slot) : 0;
    return distance ? p + distance : NULL;
}

static const uint8_t *reference(const uint8_t *p, unsigned slot) {
    const uint8_t *f = field(p, slot);
    return f ? f + load32(f) : NULL;
}

const uint8_t *tsm_flat_root(const void *file) {
    return (const uint8_t *)file + load32((const uint8_t *)file);
}

uint8_t tsm_flat_u8(const uint8_t *p, unsigned slot, uint8_t absent) {
    const uint8_t *f = field(p, slot);
    return f ? *f : absent;
}

uint16_t tsm_flat_u16(const uint8_t *p, unsigned slot, uint16_t absent) {
    const uint8_t *f = field(p, slot);
    return f ? load16(f) : absent;
}

uint32_t tsm_flat_u32(const uint8_t *p, unsigned slot, uint32_t absent) {
    const uint8_t *f = field(p, slot);
    return f ? load32(f) : absent;
}

uint64_t tsm_flat_u64(const uint8_t *p, unsigned slot, uint64_t absent) {
    const uint8_t *f = field(p, slot);
    if (f)
        memcpy(&absent, f, sizeof absent);
    return absent;
}

double tsm_flat_f64(const uint8_t *p, unsigned slot) {
    const uint8_t *f = field(p, slot);
    double v = 0;
    if (f)
        memcpy(&v, f, sizeof v);
    return v;
}

const char *tsm_flat_text(const uint8_t *p, unsigned slot) {
    const uint8_t *s = reference(p, slot);
    return s ? (const char *)s + 4 : "";
}

const uint8_t *tsm_flat_table(const uint8_t *p, unsigned slot) {
    return reference(p, slot);
}

const void *tsm_flat_vector(const uint8_t *p, unsigned slot) {
    const uint8_t *v = reference(p, slot);
    return v ? v + 4 : NULL;
}

uint32_t tsm_flat_length(const uint8_t *p, unsigned slot) {
    const uint8_t *v = reference(p, slot);
    return v ? load32(v) : 0;
}

const uint8_t *tsm_flat_element(const uint8_t *p, unsigned slot, uint32_t i) {
    const uint8_t *e = reference(p, slot) + 4 + (size_t)i * 4;
    return e + load32(e);
}

/* ---- Verification ---- */

/* Positions are distances from the start of the file. */
typedef struct {
    const tsm_flat_schema *schema;
    const uint8_t *file;
    uint32_t bytes;
    /* Tables and strings that may still be visited. A file can refer to one object many times; this bounds the time. */
    uint32_t visits;
} verifier;

enum { MAX_BYTES = 0x7fffffff, MAX_DEPTH = 16 };

static bool has(const verifier *v, uint32_t at, uint64_t bytes) {
    return at <= v->bytes && bytes <= v->bytes - at;
}

/* Follows the reference at `at`, which was checked to be inside. */
static bool follow(const verifier *v, uint32_t at, uint32_t *to) {
    uint32_t distance = load32(v->file + at);
    *to = at + distance;
    return distance != 0 && distance < v->bytes - at && *to % 4 == 0 && has(v, *to, 4);
}

static bool visit(verifier *v) {
    return v->visits && v->visits--;
}

static bool verify_string(verifier *v, uint32_t at) {
    uint64_t length = load32(v->file + at);
    return visit(v) && has(v, at + 4, length + 1) && v->file[at + 4 + length] == 0;
}

static bool verify_table(verifier *v, uint32_t at, unsigned table, int depth);

/* What a reference leads to, or an element of a vector of references. */
static bool verify_target(verifier *v, uint32_t at, const tsm_flat_field *f, int depth) {
    uint32_t to;
    if (!follow(v, at, &to))
        return false;
    if ((f->what & TSM_FLAT_KIND) == TSM_FLAT_STRING)
        return verify_string(v, to);
    return verify_table(v, to, f->table, depth);
}

static bool verify_vector(verifier *v, uint32_t at, const tsm_flat_field *f, int depth) {
    uint32_t to;
    if (!visit(v) || !follow(v, at, &to))
        return false;
    uint32_t n = load32(v->file + to);
    to += 4;
    if (!has(v, to, (uint64_t)n * f->bytes) || (n && to % f->align != 0))
        return false;
    if ((f->what & TSM_FLAT_KIND) == TSM_FLAT_SCALAR)
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (!verify_target(v, to + 4 * i, f, depth))
            return false;
    return true;
}

/* `at` is aligned to 4 and has 4 bytes. */
static bool verify_table(verifier *v, uint32_t at, unsigned table, int depth) {
    int64_t virtual_at = (int64_t)at - (int32_t)load32(v->file + at);
    if (depth == 0 || !visit(v) || virtual_at < 0 || virtual_at % 2 != 0 || virtual_at > v->bytes - 4)
        return false;
    const uint8_t *virtual_table = v->file + virtual_at;
    uint16_t virtual_bytes = load16(virtual_table), table_bytes = load16(virtual_table + 2);
    if (virtual_bytes < 4 || virtual_bytes % 2 != 0 || !has(v, (uint32_t)virtual_at, virtual_bytes) ||
        !has(v, at, table_bytes))
        return false;
    unsigned slot = 4;
    const uint16_t *fields = &v->schema->tables[table];
    for (unsigned i = fields[0]; i < fields[1]; i++, slot += 2) {
        const tsm_flat_field *f = &v->schema->fields[i];
        bool is_inline = !(f->what & TSM_FLAT_VECTOR) && (f->what & TSM_FLAT_KIND) == TSM_FLAT_SCALAR;
        uint32_t bytes = is_inline ? f->bytes : 4, align = is_inline ? f->align : 4;
        uint16_t distance = slot < virtual_bytes ? load16(virtual_table + slot) : 0;
        if (distance == 0) {
            if (f->what & TSM_FLAT_REQUIRED)
                return false;
            continue;
        }
        if (distance < 4 || distance + bytes > table_bytes || (at + distance) % align != 0)
            return false;
        if (f->what & TSM_FLAT_VECTOR ? !verify_vector(v, at + distance, f, depth - 1)
                                      : !is_inline && !verify_target(v, at + distance, f, depth - 1))
            return false;
    }
    return true;
}

bool tsm_flat_verify(const tsm_flat_schema *schema, const void *file, size_t bytes) {
    verifier v = {schema, (const uint8_t *)file, bytes > MAX_BYTES ? MAX_BYTES : (uint32_t)bytes, 0};
    uint32_t root;
    v.visits = v.bytes;
    return v.bytes >= 8 && follow(&v, 0, &root) && verify_table(&v, root, schema->root, MAX_DEPTH);
}
