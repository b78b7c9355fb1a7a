/* The checksum of messages between workers (docs/remote.md). */
#ifndef TSM_INTERPRETER_REMOTE_SUM_H
#define TSM_INTERPRETER_REMOTE_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t tsm_remote_add_word(uint64_t lane, const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    lane ^= word;
    return (lane << 29 | lane >> 35) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Eight lanes of 64 bits, so that the sums of large messages take less time than copying them does; a change within 8
 * bytes always changes the lane that they are in. */
static inline uint32_t tsm_remote_sum(const uint8_t *data, size_t bytes) {
    enum { BLOCK = 64 };
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    uint8_t rest[BLOCK] = {0};
    const size_t whole = bytes / BLOCK * BLOCK;
    for (size_t at = 0; at <= whole; at += BLOCK) {
        const uint8_t *block = data + at;
        if (at == whole)
            block = memcpy(rest, block, bytes - whole);
        a = tsm_remote_add_word(a, block);
        b = tsm_remote_add_word(b, block + 8);
        c = tsm_remote_add_word(c, block + 16);
        d = tsm_remote_add_word(d, block + 24);
        e = tsm_remote_add_word(e, block + 32);
        f = tsm_remote_add_word(f, block + 40);
        g = tsm_remote_add_word(g, block + 48);
        h = tsm_remote_add_word(h, block + 56);
    }
    const uint64_t lanes[] = {a, b, c, d, e, f, g, h};
    uint64_t sum = bytes;
    for (int i = 0; i < 8; i++)
        sum = tsm_remote_add_word(sum, (const uint8_t *)&lanes[i]);
    return (uint32_t)(sum >> 32);
}

#endif
