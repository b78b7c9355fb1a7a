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
    const uint64_t bits = tsm_flat_u64(p, slot, 0);
    double v;
    memcpy(&v, &bits, sizeof v);
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
    uint32_t room; /* bytes that the tables and vectors still to be visited may have */
    uint32_t root;
} flat_verifier;

enum { MAX_BYTES = 0x7fffffff };

static bool has(const flat_verifier *v, uint32_t at, uint64_t bytes) {
    return at <= v->bytes && bytes <= v->bytes - at;
}

/* Follows the reference at `at`, which was checked to be inside. */
static bool follow(const flat_verifier *v, uint32_t at, uint32_t *to) {
    uint32_t distance = load32(v->file + at);
    *to = at + distance;
    return distance != 0 && distance < v->bytes - at && *to % 4 == 0 && has(v, *to, 4);
}

/* A table or vector: inside, and paid for. */
static bool visit(flat_verifier *v, uint32_t at, uint64_t bytes) {
    if (!has(v, at, bytes) || bytes > v->room)
        return false;
    v->room -= (uint32_t)bytes;
    return true;
}

static bool verify_string(const flat_verifier *v, uint32_t at) {
    uint64_t length = load32(v->file + at);
    return has(v, at + 4, length + 1) && v->file[at + 4 + length] == 0;
}

/* The length of a vector of the root table, whose virtual table has been verified. The vector itself may still have to
 * be. */
static uint32_t root_length(const flat_verifier *v, unsigned number) {
    const uint8_t *f = field(v->file + v->root, 4 + 2 * number);
    uint32_t at = f ? (uint32_t)(f - v->file) : UINT32_MAX;
    return has(v, at, 4) && follow(v, at, &at) ? load32(v->file + at) : 0;
}

static bool verify_indices(const flat_verifier *v, tsm_flat_field f, const uint8_t *at, uint32_t n) {
    uint32_t limit = root_length(v, tsm_flat_target(f));
    for (; n; n--, at += 4)
        if (load32(at) >= limit && !(f & TSM_FLAT_OPTIONAL && load32(at) == UINT32_MAX))
            return false;
    return true;
}

static bool verify_table(flat_verifier *v, uint32_t at, unsigned table);

/* What a reference leads to, or an element of a vector of references. */
static bool verify_target(flat_verifier *v, uint32_t at, tsm_flat_field f) {
    uint32_t to;
    if (!follow(v, at, &to))
        return false;
    if ((f & TSM_FLAT_KIND) == TSM_FLAT_STRING)
        return verify_string(v, to);
    return verify_table(v, to, tsm_flat_target(f));
}

static bool verify_vector(flat_verifier *v, uint32_t at, tsm_flat_field f) {
    uint32_t to;
    if (!follow(v, at, &to))
        return false;
    uint32_t n = load32(v->file + to);
    if (!visit(v, to, 4 + (uint64_t)n * tsm_flat_bytes(f)) || (n && (to + 4) % tsm_flat_align(f) != 0))
        return false;
    to += 4;
    if (f & TSM_FLAT_INDEX)
        return verify_indices(v, f, v->file + to, n);
    if ((f & TSM_FLAT_KIND) == TSM_FLAT_SCALAR)
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (!verify_target(v, to + 4 * i, f))
            return false;
    return true;
}

static bool verify_field(flat_verifier *v, uint32_t at, tsm_flat_field f) {
    if (f & TSM_FLAT_VECTOR)
        return verify_vector(v, at, f);
    if ((f & TSM_FLAT_KIND) != TSM_FLAT_SCALAR)
        return verify_target(v, at, f);
    return !(f & TSM_FLAT_INDEX) || verify_indices(v, f, v->file + at, 1);
}

/* A field that is not there. Indices are then 0, which is one too, if not UINT32_MAX. */
static bool may_be_absent(const flat_verifier *v, tsm_flat_field f) {
    bool is_zero = (f & (TSM_FLAT_INDEX | TSM_FLAT_OPTIONAL | TSM_FLAT_VECTOR)) == TSM_FLAT_INDEX;
    return !(f & TSM_FLAT_REQUIRED) && (!is_zero || root_length(v, tsm_flat_target(f)));
}

/* `at` is aligned to 4 and has 4 bytes. */
static bool verify_table(flat_verifier *v, uint32_t at, unsigned table) {
    int64_t virtual_at = (int64_t)at - (int32_t)load32(v->file + at);
    if (virtual_at < 0 || virtual_at % 2 != 0 || virtual_at > v->bytes - 4)
        return false;
    const uint8_t *virtual_table = v->file + virtual_at;
    uint16_t virtual_bytes = load16(virtual_table), table_bytes = load16(virtual_table + 2);
    if (virtual_bytes < 4 || virtual_bytes % 2 != 0 || !has(v, (uint32_t)virtual_at, virtual_bytes) ||
        table_bytes < 4 || !visit(v, at, table_bytes))
        return false;
    unsigned slot = 4;
    const uint8_t *fields = &v->schema->tables[table];
    for (unsigned i = fields[0]; i < fields[1]; i++, slot += 2) {
        tsm_flat_field f = v->schema->fields[i];
        bool is_inline = !(f & TSM_FLAT_VECTOR) && (f & TSM_FLAT_KIND) == TSM_FLAT_SCALAR;
        uint32_t bytes = is_inline ? tsm_flat_bytes(f) : 4, align = is_inline ? tsm_flat_align(f) : 4;
        uint16_t distance = slot < virtual_bytes ? load16(virtual_table + slot) : 0;
        if (distance == 0) {
            if (!may_be_absent(v, f))
                return false;
            continue;
        }
        if (distance < 4 || distance + bytes > table_bytes || (at + distance) % align != 0 ||
            !verify_field(v, at + distance, f))
            return false;
    }
    return true;
}

bool tsm_flat_verify(const tsm_flat_schema *schema, const void *file, size_t bytes) {
    flat_verifier v = {schema, (const uint8_t *)file, bytes > MAX_BYTES ? MAX_BYTES : (uint32_t)bytes, 0, 0};
    v.room = v.bytes;
    return follow(&v, 0, &v.root) && verify_table(&v, v.root, schema->root);
}
