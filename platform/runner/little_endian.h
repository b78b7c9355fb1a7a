/* Numbers of files whose first byte is the least. */
#ifndef TSM_PLATFORM_RUNNER_LITTLE_ENDIAN_H
#define TSM_PLATFORM_RUNNER_LITTLE_ENDIAN_H

#include <stdint.h>

/* A number of at most four bytes. */
static inline uint32_t little_endian(const uint8_t *at, int bytes) {
    uint32_t n = 0;
    for (int i = 0; i < bytes; i++)
        n |= (uint32_t)at[i] << 8 * i;
    return n;
}

#endif
