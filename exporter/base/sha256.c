/* SHA-256: the message in blocks of 64 bytes, the last one filled up with its length in bits. */
#include "exporter/base/sha256.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

enum { BLOCK = 64, ROUNDS = 64 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* The same of the square roots of the first eight. */
static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotate(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

/* One round. Its caller names the eight words anew in each, instead of moving them. */
static inline void do_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f, uint32_t g,
                            uint32_t *h, uint32_t word) {
    const uint32_t x = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + word;
    *d += x;
    *h = x + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void add_block_by_words(uint32_t state[8], const uint8_t *p) {
    uint32_t w[ROUNDS];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] =
            w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < ROUNDS; i += 8) {
        do_round(a, b, c, &d, e, f, g, &h, k[i] + w[i]);
        do_round(h, a, b, &c, d, e, f, &g, k[i + 1] + w[i + 1]);
        do_round(g, h, a, &b, c, d, e, &f, k[i + 2] + w[i + 2]);
        do_round(f, g, h, &a, b, c, d, &e, k[i + 3] + w[i + 3]);
        do_round(e, f, g, &h, a, b, c, &d, k[i + 4] + w[i + 4]);
        do_round(d, e, f, &g, h, a, b, &c, k[i + 5] + w[i + 5]);
        do_round(c, d, e, &f, g, h, a, &b, k[i + 6] + w[i + 6]);
        do_round(b, c, d, &e, f, g, h, &a, k[i + 7] + w[i + 7]);
    }
    const uint32_t words[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        state[i] += words[i];
}

#if defined(__x86_64__)
/* Files of weights are large: the instructions for SHA-256, where the machine has them, take a fifth of the time. */
static bool has_instructions(void) {
    unsigned a, b = 0, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) && __builtin_cpu_supports("sse4.1");
}

/* The instructions take the state as the words a, b, e, f and c, d, g, h, the last one lowest. */
__attribute__((target("sha,sse4.1"))) static void add_block_by_instructions(uint32_t state[8], const uint8_t *p) {
    const __m128i bytes = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    const __m128i abcd = _mm_loadu_si128((const __m128i *)(const void *)state);
    const __m128i efgh = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
    const __m128i badc = _mm_shuffle_epi32(abcd, 0xb1), hgfe = _mm_shuffle_epi32(efgh, 0x1b);
    const __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    __m128i first_half = abef, second_half = cdgh, w[4];
    for (int i = 0; i < ROUNDS / 4; i++) {
        __m128i *now = &w[i & 3];
        if (i < 4) {
            *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), bytes);
        } else {
            const __m128i last = w[(i + 3) & 3], before = w[(i + 2) & 3];
            const __m128i sum =
                _mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(i + 1) & 3]), _mm_alignr_epi8(last, before, 4));
            *now = _mm_sha256msg2_epu32(sum, last);
        }
        const __m128i words = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)(const void *)(k + 4 * i)));
        second_half = _mm_sha256rnds2_epu32(second_half, first_half, words);
        first_half = _mm_sha256rnds2_epu32(first_half, second_half, _mm_shuffle_epi32(words, 0x0e));
    }
    first_half = _mm_shuffle_epi32(_mm_add_epi32(first_half, abef), 0x1b);   /* a, b, e, f: a lowest */
    second_half = _mm_shuffle_epi32(_mm_add_epi32(second_half, cdgh), 0xb1); /* d, c, h, g ... */
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(first_half, second_half, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(second_half, first_half, 8));
}
#endif

typedef void block_adder(uint32_t state[8], const uint8_t *p);

/* The machine is asked once a file: where it is virtual, asking takes as long as thousands of blocks. */
static block_adder *choose_adder(void) {
#if defined(__x86_64__)
    if (has_instructions())
        return add_block_by_instructions;
#endif
    return add_block_by_words;
}

/* The last block, or the last two: what is left of the message, a bit, zeros, and the length. */
static void add_end(block_adder *add_block, uint32_t h[8], const uint8_t *rest, size_t n, uint64_t length) {
    uint8_t last[2 * BLOCK] = {0};
    const size_t end = n + 9 > BLOCK ? 2 * BLOCK : BLOCK;
    memcpy(last, rest, n);
    last[n] = 0x80;
    for (int i = 0; i < 8; i++)
        last[end - 1 - (size_t)i] = (uint8_t)(length * 8 >> 8 * i);
    for (size_t i = 0; i < end; i += BLOCK)
        add_block(h, last + i);
}

char *sha256_of_file(const char *path) {
    struct stat status;
    const bool found = stat(path, &status) == 0;
    if (found && !S_ISREG(status.st_mode))
        return NULL;
    FILE *in = found ? fopen(path, "rb") : NULL;
    if (!in)
        diag_fail("%s: cannot be opened: %s", path, strerror(errno));
    block_adder *add_block = choose_adder();
    uint32_t h[8];
    uint8_t piece[64 * BLOCK];
    uint64_t length = 0;
    size_t n;
    memcpy(h, first, sizeof h);
    while ((n = fread(piece, 1, sizeof piece, in)) == sizeof piece) {
        for (size_t i = 0; i < n; i += BLOCK)
            add_block(h, piece + i);
        length += n;
    }
    const bool failed = ferror(in) != 0;
    fclose(in);
    const size_t whole = n / BLOCK * BLOCK;
    for (size_t i = 0; i < whole; i += BLOCK)
        add_block(h, piece + i);
    add_end(add_block, h, piece + whole, n - whole, length + n);
    if (failed)
        diag_fail("%s: cannot be read", path);
    return mem_printf("%08x%08x%08x%08x%08x%08x%08x%08x", h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]);
}
