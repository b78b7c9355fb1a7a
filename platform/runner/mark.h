/* Regions of a run, for a tool that counts executed instructions under an emulator: built with TSM_MARK, a region
 * starts with a system call that does nothing but carry its number. */
#ifndef RUNNER_MARK_H
#define RUNNER_MARK_H

typedef enum { REGION_NONE = 0, REGION_RUNS = 1, REGION_LOAD = 2, REGION_FIRST = 3 } region;

#ifdef TSM_MARK
#include <sys/syscall.h>
#include <unistd.h>
static inline void mark(region r) {
    syscall(SYS_getpriority, 0x5150, (int)r);
}
#else
static inline void mark(region r) {
    (void)r;
}
#endif

#endif
