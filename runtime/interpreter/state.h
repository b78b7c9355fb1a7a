/* The state of an instance in memory of the caller: what tsm_instance_save writes and tsm_instance_load reads.
 * docs/state.md says it in words.
 *
 * A head, then records of multiples of 8 bytes. A record tells what an object or storage of a certain number holds:
 * numbers below the program's constants are those, the next ones its storages, and further ones, in order, are given to
 * objects and storages that the program has made. Constants and storages of the file that are as the file has them need
 * no record. */
#ifndef TSM_INTERPRETER_STATE_H
#define TSM_INTERPRETER_STATE_H

#include <stdint.h>

#include "runtime/interpreter/met.h"

static const uint32_t STATE_MARK = 0x534d5354; /* "TSMS" */

enum {
    STATE_VERSION = 1,
    STATE_ALIGN = 8,
    STATE_HEAD_SUMMED = 36, /* bytes of the head that its own checksum is of */
    /* Kinds of records besides the tags of objects. */
    STATE_STORAGE = TSM_MET_STORAGE,
    STATE_RANDOM,
    /* In state_record.type of a tensor, above its dtype. */
    STATE_FLAGS_SHIFT = 8,
    STATE_HAS_QUANTIZER = 1 << 16,
};

typedef struct {
    uint32_t mark, version;
    uint64_t bytes;      /* all of them */
    uint64_t file_bytes; /* of the program */
    uint32_t program;    /* tsm_sum_of_program */
    uint32_t records;
    uint32_t sum;      /* of the records */
    uint32_t head_sum; /* of the head before it */
} state_head;

/* What follows a record: complex: two floats. str: `count` bytes. list, tuple, object: `count` values. dict: as many
 * pairs of them. future: one value. enum: nothing. tensor: the number of its storage, its offset in elements, sizes and
 * strides, and of a quantizer the axis, the number of channels, scales and zero points, all 8 bytes each. storage: its
 * bytes. random numbers: a tsm_random. */
typedef struct {
    uint32_t kind;
    uint32_t number;
    uint64_t count; /* bytes of a str or storage; items; dimensions; an enum's member */
    uint32_t type;  /* header.type of a list or dict, type of a tuple, object or enum, whether a future failed */
    uint32_t reserved;
} state_record;

/* A value of a container: `bits` of an object is its number. */
typedef struct {
    uint32_t tag, reserved;
    uint64_t bits;
} state_value;

_Static_assert(sizeof(state_head) == 40 && sizeof(state_record) == 24 && sizeof(state_value) == 16, "the same for all");

/* Bytes that n of them take. */
static inline uint64_t state_padded(uint64_t n) {
    return (n + STATE_ALIGN - 1) / STATE_ALIGN * STATE_ALIGN;
}

#endif
