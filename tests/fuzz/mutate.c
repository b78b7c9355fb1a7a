/* Damages files: bytes changed, cut, copied, numbers replaced by extreme ones. */
#include "tests/fuzz/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(mutate_random *r) {
    /* SplitMix64 (Steele, Lea and Flood 2014). */
    uint64_t x = r->state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

mutate_random mutate_start(uint64_t seed, uint64_t number) {
    mutate_random r = {seed * 1000003 + number};
    next(&r);
    return r;
}

size_t mutate_below(mutate_random *r, size_t limit) {
    return (size_t)(next(r) % limit);
}

mutate_file mutate_make(size_t bytes) {
    mutate_file f = {NULL, bytes};
    void *data;
    if (posix_memalign(&data, 64, bytes ? bytes : 1) != 0) {
        fputs("there is no memory for a copy\n", stderr);
        exit(3);
    }
    f.data = data;
    return f;
}

mutate_file mutate_read(const char *path) {
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    mutate_file f = mutate_make((size_t)ftell(in));
    rewind(in);
    if (fread(f.data, 1, f.bytes, in) != f.bytes) {
        perror(path);
        exit(2);
    }
    fclose(in);
    return f;
}

/* Values that parsers tend to trust: zero, all ones, sign bits, one more or less. */
static uint8_t damage(mutate_random *r, uint8_t byte) {
    static const uint8_t special[] = {0, 0xFF, 0x7F, 0x80, 1};
    switch (mutate_below(r, 4)) {
    case 0:
        return (uint8_t)(byte ^ 1u << mutate_below(r, 8));
    case 1:
        return special[mutate_below(r, sizeof special)];
    case 2:
        return (uint8_t)(byte + (mutate_below(r, 2) ? 1 : 255));
    default:
        return (uint8_t)next(r);
    }
}

/* A position in n bytes (n > 0): anywhere, but mostly near one of the ends, where headers and directories stand. */
static size_t place(mutate_random *r, size_t n) {
    const size_t reach = n >> mutate_below(r, 5);
    const size_t at = mutate_below(r, reach ? reach : 1);
    return mutate_below(r, 4) == 0 ? n - 1 - at : at;
}

/* `file` with bytes [at, at + removed) replaced by `inserted` bytes. */
static mutate_file replace(mutate_file file, size_t at, size_t removed, const uint8_t *piece, size_t inserted) {
    mutate_file out = mutate_make(file.bytes - removed + inserted);
    memcpy(out.data, file.data, at);
    memcpy(out.data + at, piece, inserted);
    memcpy(out.data + at + inserted, file.data + at + removed, file.bytes - at - removed);
    return out;
}

mutate_file mutate_copy(mutate_random *r, mutate_file file, mutate_file other) {
    if (file.bytes == 0 || other.bytes == 0)
        return replace(file, 0, 0, file.data, 0);
    const size_t at = place(r, file.bytes), from = place(r, other.bytes);
    size_t length = 1 + mutate_below(r, 64);
    if (length > other.bytes - from)
        length = other.bytes - from;
    const size_t removable = length < file.bytes - at ? length : file.bytes - at;
    switch (mutate_below(r, 8)) {
    case 0:
        return replace(file, at, file.bytes - at, file.data, 0);
    case 1:
        return replace(file, at, 0, other.data + from, length);
    case 2:
        return replace(file, at, removable, file.data, 0);
    case 3:
        return replace(file, at, removable, other.data + from, removable);
    default: {
        mutate_file out = replace(file, 0, 0, file.data, 0);
        for (size_t n = 1 + mutate_below(r, 8); n > 0; n--) {
            uint8_t *byte = &out.data[place(r, out.bytes)];
            *byte = damage(r, *byte);
        }
        return out;
    }
    }
}

/* ---- Pickles ---- */

static size_t line_bytes(const uint8_t *at, size_t left) {
    const uint8_t *end = memchr(at, '\n', left);
    return end ? (size_t)(end - at) + 1 : left;
}

/* What follows an opcode (pickletools.py of Python): its operand of `fixed` bytes, and as many more as the first
 * `counted` of them say. */
static size_t instruction_bytes(const uint8_t *at, size_t left) {
    size_t fixed = 0, counted = 0, bytes = 1;
    switch (*at) {
    case 'c': /* GLOBAL: two lines */
        bytes += line_bytes(at + bytes, left - bytes);
        return bytes < left ? bytes + line_bytes(at + bytes, left - bytes) : left;
    case 'X':
    case 'T':
        fixed = counted = 4;
        break;
    case 'U':
    case 0x8A:
    case 0x8C:
        fixed = counted = 1;
        break;
    case 'J':
    case 'j':
    case 'r':
        fixed = 4;
        break;
    case 'G':
        fixed = 8;
        break;
    case 'M':
        fixed = 2;
        break;
    case 'K':
    case 'h':
    case 'q':
    case 0x80:
        fixed = 1;
        break;
    default:
        break;
    }
    bytes += fixed;
    for (size_t i = 0; i < counted && i + 1 < left; i++)
        bytes += (size_t)at[i + 1] << 8 * i;
    return bytes < left ? bytes : left;
}

/* A random instruction: where it begins and how long it is. */
static size_t choose_instruction(mutate_random *r, mutate_file file, size_t *bytes) {
    size_t chosen = 0, count = 0;
    *bytes = 0;
    for (size_t at = 0, n; at < file.bytes; at += n) {
        n = instruction_bytes(file.data + at, file.bytes - at);
        if (mutate_below(r, ++count) == 0) {
            chosen = at;
            *bytes = n;
        }
    }
    return chosen;
}

mutate_file mutate_pickle(mutate_random *r, mutate_file file) {
    static const uint8_t plain[] = "()]}.0123aelopstuNQRb\x81\x85\x86\x87\x88\x89";
    size_t bytes, other_bytes;
    const size_t at = choose_instruction(r, file, &bytes), other = choose_instruction(r, file, &other_bytes);
    mutate_file out;
    switch (bytes ? mutate_below(r, 6) : 0) {
    case 0:
        return replace(file, at, bytes, file.data, 0);
    case 1:
        return replace(file, at, 0, file.data + at, bytes);
    case 2:
        return replace(file, at, bytes, file.data + other, other_bytes);
    case 3:
        return replace(file, at, 0, file.data + other, other_bytes);
    case 4:
        out = replace(file, 0, 0, file.data, 0);
        out.data[at] = bytes == 1 ? plain[mutate_below(r, sizeof plain - 1)] : damage(r, out.data[at]);
        return out;
    default:
        out = replace(file, 0, 0, file.data, 0);
        out.data[at + bytes - 1 - mutate_below(r, bytes < 8 ? bytes : 8)] = damage(r, out.data[at + bytes - 1]);
        return out;
    }
}
