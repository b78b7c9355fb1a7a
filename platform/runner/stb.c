/* The code of stb_image, and what it does not check. */
#define STB_IMAGE_IMPLEMENTATION
#include "platform/runner/stb.h"

enum { MOST_CODES = 256, LENGTHS = 16, MARK = 0xFF, START = 0xD8, TABLES = 0xC4, SCAN = 0xDA };

static size_t number_at(const uint8_t *at) {
    return (size_t)at[0] << 8 | at[1];
}

/* A segment of tables, from its length on: for each a number, how many codes there are of each length, the codes. The
 * last table may go beyond the segment, and the segment beyond the file: stb_image reads it before it finds out. */
static bool segment_fits(const uint8_t *at, size_t n) {
    const size_t end = n < 2 ? 0 : number_at(at);
    for (size_t i = 2; i < end && i < n;) {
        size_t codes = 0;
        for (size_t k = 1; k <= LENGTHS && i + k < n; k++)
            codes += at[i + k];
        if (codes > MOST_CODES)
            return false;
        i += 1 + LENGTHS + codes;
    }
    return true;
}

/* Behind the first scan there is compressed data, in which no two bytes are like the mark of a segment of tables. */
static bool rest_fits(const uint8_t *bytes, size_t n, size_t at) {
    for (; at + 1 < n; at++)
        if (bytes[at] == MARK && bytes[at + 1] == TABLES && !segment_fits(bytes + at + 2, n - at - 2))
            return false;
    return true;
}

/* In front of it segments follow one another; what stands between them is passed over. */
bool stb_tables_fit(const uint8_t *bytes, size_t n) {
    if (n < 2 || bytes[0] != MARK || bytes[1] != START)
        return true;
    for (size_t at = 2; at + 1 < n;) {
        if (bytes[at] != MARK || bytes[at + 1] == MARK) {
            at++;
            continue;
        }
        const uint8_t mark = bytes[at + 1];
        at += 2;
        if (mark == SCAN)
            return rest_fits(bytes, n, at);
        if (mark == TABLES && !segment_fits(bytes + at, n - at))
            return false;
        at += n - at < 2 || number_at(bytes + at) > n - at ? n - at : number_at(bytes + at);
    }
    return true;
}
