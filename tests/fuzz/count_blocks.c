/* Counts the basic blocks that libtsmobile executes: tsmobile_counted calls __sanitizer_cov_trace_pc in each. The
 * linker
 * (--wrap) directs the memory functions here too; 64 bytes count as a block. Functions of libm are not counted, nor is
 * what it takes to free an object: who made it has paid for that. A number written as text counts as its length: with
 * an exponent of 300 it takes some 2,500 blocks, with one of 10 a tenth of that. */
#include <stddef.h>

#include "runtime/value/value.h"
#include "tests/fuzz/harness.h"

enum { BYTES_PER_BLOCK = 64 };

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    blocks++;
}

uint64_t harness_blocks(void) {
    return blocks;
}

void *__real_memcpy(void *to, const void *from, size_t n);
void *__real_memmove(void *to, const void *from, size_t n);
void *__real_memset(void *to, int byte, size_t n);
int __real_memcmp(const void *a, const void *b, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memset(void *to, int byte, size_t n);
int __wrap_memcmp(const void *a, const void *b, size_t n);

void *__wrap_memcpy(void *to, const void *from, size_t n) {
    blocks += n / BYTES_PER_BLOCK;
    return __real_memcpy(to, from, n);
}

void *__wrap_memmove(void *to, const void *from, size_t n) {
    blocks += n / BYTES_PER_BLOCK;
    return __real_memmove(to, from, n);
}

void *__wrap_memset(void *to, int byte, size_t n) {
    blocks += n / BYTES_PER_BLOCK;
    return __real_memset(to, byte, n);
}

int __wrap_memcmp(const void *a, const void *b, size_t n) {
    blocks += n / BYTES_PER_BLOCK;
    return __real_memcmp(a, b, n);
}

void __real_tsm_object_free(tsm_exec *x, tsm_object_header *o);
void __wrap_tsm_object_free(tsm_exec *x, tsm_object_header *o);

void __wrap_tsm_object_free(tsm_exec *x, tsm_object_header *o) {
    const uint64_t before = blocks;
    __real_tsm_object_free(x, o);
    blocks = before + 1;
}

size_t __real_tsm_format_double(char *to, double v);
size_t __wrap_tsm_format_double(char *to, double v);

size_t __wrap_tsm_format_double(char *to, double v) {
    const uint64_t before = blocks;
    const size_t length = __real_tsm_format_double(to, v);
    blocks = before + length;
    return length;
}
