/* stb_image (PNG, JPEG, and the inflate of its PNG reader), without files and threads. stb.c has its code. */
#ifndef RUNNER_STB_H
#define RUNNER_STB_H

#include "platform/runner/die.h"
#include <stdbool.h>
#include <stdint.h>

#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_THREAD_LOCALS
#define STBI_NO_SIMD /* the same pixels on every machine */
#define STBI_MAX_DIMENSIONS 32768
#define STBI_ASSERT(condition) ((condition) ? (void)0 : die(EXIT_FAULT, "stb_image: %s", #condition))

#include "third_party/stb_image.h"

/* Whether a JPEG's Huffman tables have at most the 256 codes that stb_image has room for; it does not check. Of other
 * files: true. */
bool stb_tables_fit(const uint8_t *bytes, size_t n);

#endif
