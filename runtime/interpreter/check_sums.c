/* Checksums of a .tsm file: one of what stands before them, one of each piece of the segment. Their place is told
 * twice, by the program part and by a mark at their end, so that damage that hides one of them is found by the other.
 */
#include "runtime/interpreter/check_sums.h"

#include <string.h>

#include "runtime/value/exec.h"
#include "schema/generated/tsmobile_reader.h"

enum { PIECE_BYTES = 1 << 16, BLOCK_BYTES = 16 };

static const uint32_t SUMS_MARK = 0x534d5553; /* "SUMS" */

/* At the end of the checksums, where the segment begins. */
typedef struct {
    uint32_t count; /* of the checksums before it */
    uint32_t piece_bytes;
    uint32_t sum; /* of the checksums and the two numbers above */
    uint32_t mark;
} sums_end;

static uint32_t rotate(uint32_t x, int bits) {
    return x << bits | x >> (32 - bits);
}

static uint32_t add_word(uint32_t lane, const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return rotate(lane + word * UINT32_C(0x2545f491), 13) * UINT32_C(0x9e3779b9);
}

typedef struct {
    uint32_t a, b, c, d;
} lanes;

static lanes add_block(lanes l, const uint8_t *block) {
    return (lanes){add_word(l.a, block), add_word(l.b, block + 4), add_word(l.c, block + 8), add_word(l.d, block + 12)};
}

static uint32_t add_lane(uint32_t sum, uint32_t lane) {
    return rotate(sum ^ lane, 17) * UINT32_C(0x9e3779b9);
}

/* Four lanes of 32 bits, of every fourth word each. Every step is a bijection of the lane and of the word, so a change
 * within one word always changes the result. */
uint32_t tsm_sum_of(const uint8_t *data, size_t bytes) {
    lanes l = {1, 2, 3, 4};
    const size_t whole = bytes / BLOCK_BYTES * BLOCK_BYTES;
    for (const uint8_t *at = data; at != data + whole; at += BLOCK_BYTES)
        l = add_block(l, at);
    uint8_t rest[BLOCK_BYTES] = {0};
    memcpy(rest, data + whole, bytes - whole);
    l = add_block(l, rest);
    const uint32_t sum = add_lane(add_lane(add_lane(add_lane((uint32_t)bytes, l.a), l.b), l.c), l.d);
    return sum ^ sum >> 15;
}

uint32_t tsm_sum_of_program(const tsm_program *program) {
    const size_t segment = (size_t)(program->segment - program->file);
    if (!tsmf_Program_sums_offset((tsmf_Program){program->root}) || segment < sizeof(sums_end))
        return tsm_sum_of(program->file, segment);
    sums_end end;
    memcpy(&end, program->file + segment - sizeof end, sizeof end);
    return end.sum;
}

static uint64_t pieces_of(uint64_t segment_bytes) {
    return segment_bytes / PIECE_BYTES + (segment_bytes % PIECE_BYTES > 0);
}

uint64_t tsm_sums_bytes(uint64_t segment_bytes) {
    return 4 * (1 + pieces_of(segment_bytes)) + sizeof(sums_end);
}

/* The checksum of piece i, the first of which is what stands before the checksums. */
static uint32_t sum_of_piece(const uint8_t *file, uint64_t sums, uint64_t segment, uint64_t segment_bytes, uint64_t i) {
    if (i == 0)
        return tsm_sum_of(file, (size_t)sums);
    const uint64_t at = (i - 1) * PIECE_BYTES, left = segment_bytes - at;
    return tsm_sum_of(file + segment + at, (size_t)(left < PIECE_BYTES ? left : PIECE_BYTES));
}

/* What sums_end.sum must be. */
static uint32_t sum_of_sums(const uint8_t *file, uint64_t sums, uint64_t segment) {
    return tsm_sum_of(file + sums, (size_t)(segment - sums) - 2 * sizeof(uint32_t));
}

void tsm_sums_write(uint8_t *file, uint64_t sums, uint64_t segment, uint64_t segment_bytes) {
    const uint64_t count = 1 + pieces_of(segment_bytes);
    sums_end end = {(uint32_t)count, PIECE_BYTES, 0, SUMS_MARK};
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t sum = sum_of_piece(file, sums, segment, segment_bytes, i);
        memcpy(file + sums + 4 * i, &sum, sizeof sum);
    }
    memcpy(file + segment - sizeof end, &end, sizeof end);
    end.sum = sum_of_sums(file, sums, segment);
    memcpy(file + segment - sizeof end, &end, sizeof end);
}

tsm_status tsm_program_check_sums(const tsm_program *program, char *message, size_t message_bytes) {
    const uint64_t sums = tsmf_Program_sums_offset((tsmf_Program){program->root});
    const uint64_t segment = (uint64_t)(program->segment - program->file), segment_bytes = program->segment_bytes;
    tsm_exec x;
    sums_end end;
    memset(&x, 0, sizeof x);
    x.message = message;
    x.message_bytes = message ? message_bytes : 0;
    if (segment < sizeof end || segment + segment_bytes != program->file_bytes)
        return tsm_fail(&x, TSM_BAD_FILE, "the file is damaged: it has another length than it says");
    memcpy(&end, program->file + segment - sizeof end, sizeof end);
    if (!sums && end.mark != SUMS_MARK)
        return tsm_fail(&x, TSM_UNSUPPORTED, "the file has no checksums: an older tsmc made it");
    const uint64_t count = 1 + pieces_of(segment_bytes);
    if (sums > segment || segment - sums != tsm_sums_bytes(segment_bytes) || end.mark != SUMS_MARK ||
        end.count != count || end.piece_bytes != PIECE_BYTES || end.sum != sum_of_sums(program->file, sums, segment))
        return tsm_fail(&x, TSM_BAD_FILE, "the file is damaged: its checksums are");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t sum;
        memcpy(&sum, program->file + sums + 4 * i, sizeof sum);
        if (sum == sum_of_piece(program->file, sums, segment, segment_bytes, i))
            continue;
        if (i == 0)
            return tsm_fail(&x, TSM_BAD_FILE, "the file is damaged in its program, bytes 0 to %zu", (size_t)sums - 1);
        const uint64_t first = segment + (i - 1) * PIECE_BYTES, left = program->file_bytes - first;
        return tsm_fail(&x, TSM_BAD_FILE, "the file is damaged in its weights, bytes %zu to %zu", (size_t)first,
                        (size_t)(first + (left < PIECE_BYTES ? left : PIECE_BYTES) - 1));
    }
    return TSM_OK;
}
