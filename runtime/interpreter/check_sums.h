/* The checksums of a .tsm file (docs/format.md): made by tsmc, compared by tsm_program_check_sums. */
#ifndef TSM_INTERPRETER_CHECK_SUMS_H
#define TSM_INTERPRETER_CHECK_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/include/tsmobile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes the checksums take of a file with such a segment. */
uint64_t tsm_sums_bytes(uint64_t segment_bytes);

/* Writes the checksums of a file that is otherwise complete; they lie in front of the segment. */
void tsm_sums_write(uint8_t *file, uint64_t sums, uint64_t segment, uint64_t segment_bytes);

/* The checksum of a piece: docs/format.md. */
uint32_t tsm_sum_of(const uint8_t *data, size_t bytes);

/* A number that tells files from each other: the checksum of the checksums, or of the program where there are none. */
uint32_t tsm_sum_of_program(const tsm_program *program);

#ifdef __cplusplus
}
#endif

#endif
