/* FlatBuffers of any schema, read in place. Every access is checked against the file's bounds, so that damaged files
 * end in diag_fail. The layout: flatbuffers.dev/internals. Fields are named by their slots, counted from 0 in the order
 * of the schema. */
#ifndef TSMC_LITE_FLATBUFFER_H
#define TSMC_LITE_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name; /* for messages */
    const uint8_t *bytes;
    size_t size;
} flat_file;

/* A table, or a struct; `at` 0: absent, and so are all its fields. */
typedef struct {
    const flat_file *file;
    size_t at;
} flat_table;

typedef struct {
    const flat_file *file;
    size_t at; /* of the first element */
    uint32_t count, element_bytes;
} flat_vector;

flat_table flat_root(const flat_file *f);

/* Scalars; `absent` is the schema's default. */
int64_t flat_int(flat_table t, unsigned slot, size_t bytes, int64_t absent); /* signed, of 1, 2, 4 or 8 bytes */
uint32_t flat_index(flat_table t, unsigned slot);                            /* uint, 0 when absent */
double flat_double(flat_table t, unsigned slot);
/* The same at an offset in a struct or from an address. */
int64_t flat_int_at(const flat_file *f, size_t at, size_t bytes);
double flat_double_at(const flat_file *f, size_t at);

/* A table or struct that a field refers to; absent when the field is. */
flat_table flat_child(flat_table t, unsigned slot);

/* A copy of a string, zero-terminated; "" when absent. `length` may be NULL. */
const char *flat_text(flat_table t, unsigned slot, size_t *length);

/* A vector of elements of so many bytes (4 for tables and strings); empty when absent. */
flat_vector flat_elements(flat_table t, unsigned slot, uint32_t element_bytes);
flat_table flat_table_at(flat_vector v, uint32_t i);
const char *flat_text_at(flat_vector v, uint32_t i);
/* The address of an element. */
static inline size_t flat_at(flat_vector v, uint32_t i) {
    return v.at + (size_t)i * v.element_bytes;
}

#endif
