/* What the harnesses that run .tsm files share: a copy of the file whose end is guarded, and arguments made for a
 * method. */
#ifndef TESTS_FUZZ_FILES_H
#define TESTS_FUZZ_FILES_H

#include "tests/fuzz/harness.h"
#include "tsmobile.h"

enum { FILES_MAX_BYTES = 1 << 17, FILES_BUFFER_BYTES = 1 << 18, FILES_MESSAGE_BYTES = 400 };

/* A copy aligned to 64 bytes, behind which (up to the alignment without AddressSanitizer) nothing may be read. There is
 * one at a time. */
const uint8_t *files_copy(const uint8_t *data, size_t bytes);
/* The one buffer for an instance, aligned to 64 bytes, its end guarded. `used` of its bytes are told to be there. */
uint8_t *files_buffer(size_t used);
/* Where messages go; its end is guarded. */
char *files_message(void);

/* A value for argument i of a method, mostly of the declared type; None when there is no memory. The caller releases
 * it. */
tsm_value files_argument(tsm_instance *inst, const tsm_program *program, size_t method, size_t i, harness_random *r);

/* Reads all that can be read of a value through the interface. */
void files_read(tsm_instance *inst, tsm_value v, int depth);

/* A generator whose numbers depend on all bytes of an input. */
harness_random files_random(const uint8_t *data, size_t bytes);

#endif
