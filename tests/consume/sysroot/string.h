/* What libtsmobile uses of string.h, for targets whose C library is not on this machine: declarations only. */
#ifndef SYSROOT_STRING_H
#define SYSROOT_STRING_H

#include <stddef.h>

void *memcpy(void *restrict, const void *restrict, size_t), *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t), *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);

#endif
