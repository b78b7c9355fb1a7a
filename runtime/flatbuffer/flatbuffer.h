/* Reading FlatBuffers in place: what the accessors of schema/generated/tsmobile_reader.h are made of, and the verifier,
 * which walks descriptions instead of being generated code itself, because that is several times smaller.
 *
 * Format: https://flatbuffers.dev/internals. All numbers are little-endian and naturally aligned, as are the machines
 * that libtsmobile supports. */
#ifndef TSM_FLATBUFFER_FLATBUFFER_H
#define TSM_FLATBUFFER_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "libtsmobile reads .tsm files in place, which needs a little-endian machine"
#endif

/* A field as the verifier sees it: what it is, one of SCALAR, STRING, TABLE, with flags; its alignment; of how many
 * units as large as that the value, or a vector's element, consists; and the number of the table that it refers to, or
 * of an index that of a vector among the root's fields. */
typedef uint16_t tsm_flat_field;
#define TSM_FLAT_FIELD(what, align_shift, units, target)                                                               \
    ((what) | (align_shift) << 6 | ((units)-1) << 8 | (target) << 11)

enum {
    TSM_FLAT_SCALAR,
    TSM_FLAT_STRING,
    TSM_FLAT_TABLE,
    TSM_FLAT_KIND = 3,
    TSM_FLAT_VECTOR = 4,
    TSM_FLAT_REQUIRED = 8,
    TSM_FLAT_INDEX = 16,   /* a uint, or a vector of them, less than the length of a vector in the root table */
    TSM_FLAT_OPTIONAL = 32 /* an index that may be UINT32_MAX, and is when it is absent */
};

/* What a file of one kind consists of. */
typedef struct {
    const tsm_flat_field *fields; /* of all tables */
    const uint8_t *tables;        /* where each table's fields begin, and the end */
    uint8_t root;                 /* number of the root table */
} tsm_flat_schema;

static inline uint32_t tsm_flat_align(tsm_flat_field f) {
    return UINT32_C(1) << (f >> 6 & 3);
}
static inline uint32_t tsm_flat_bytes(tsm_flat_field f) {
    return ((f >> 8 & 7) + UINT32_C(1)) << (f >> 6 & 3);
}
static inline unsigned tsm_flat_target(tsm_flat_field f) {
    return f >> 11;
}

/* Checks everything that the accessors rely on: the file begins with a FlatBuffer of this schema's root table (its
 * identifier is the caller's to compare), whose indices are inside of the vectors that they point into. `file` is
 * aligned to 8 bytes and has at least 8. All tables and vectors together, each counted as often as it is referred to,
 * have at most as many bytes as the file: so whoever walks through them once needs time in proportion to the file.
 * Depth is that of the schema, in which no table contains itself. */
bool tsm_flat_verify(const tsm_flat_schema *schema, const void *file, size_t bytes);

const uint8_t *tsm_flat_root(const void *file);
/* Fields of a table p (may be NULL: all fields absent) by their slot in the virtual table. */
uint8_t tsm_flat_u8(const uint8_t *p, unsigned slot, uint8_t absent);
uint16_t tsm_flat_u16(const uint8_t *p, unsigned slot, uint16_t absent);
uint32_t tsm_flat_u32(const uint8_t *p, unsigned slot, uint32_t absent);
uint64_t tsm_flat_u64(const uint8_t *p, unsigned slot, uint64_t absent);
double tsm_flat_f64(const uint8_t *p, unsigned slot);
const char *tsm_flat_text(const uint8_t *p, unsigned slot);     /* "" when absent */
const uint8_t *tsm_flat_table(const uint8_t *p, unsigned slot); /* NULL when absent */
const void *tsm_flat_vector(const uint8_t *p, unsigned slot);   /* the first element; NULL when absent */
uint32_t tsm_flat_length(const uint8_t *p, unsigned slot);      /* of a vector or string; 0 when absent */
/* Element i of a vector of strings or tables. */
const uint8_t *tsm_flat_element(const uint8_t *p, unsigned slot, uint32_t i);

#endif
