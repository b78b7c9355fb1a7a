/* What libtsmobile_jni uses of memory mappings, with Linux's numbers, for compilers without a C library. */
#ifndef SYSROOT_JNI_SYS_MMAN_H
#define SYSROOT_JNI_SYS_MMAN_H
#include <stddef.h>

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 0x02
#define MAP_ANONYMOUS 0x20
#define MAP_NORESERVE 0x4000
#define MAP_FAILED ((void *)-1)

void *mmap(void *address, size_t bytes, int protection, int flags, int file, long offset);
int munmap(void *address, size_t bytes);

#endif
