/* What platform/posix/threads.c uses of the scheduler, for compilers without a C library. */
#ifndef SYSROOT_JNI_SCHED_H
#define SYSROOT_JNI_SCHED_H

int sched_yield(void);

#endif
