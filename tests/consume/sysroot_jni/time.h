/* The clock that libtsmobile_jni reads, for compilers without a C library; Android's and Linux's. */
#ifndef SYSROOT_JNI_TIME_H
#define SYSROOT_JNI_TIME_H

#define CLOCK_MONOTONIC 1

struct timespec {
    long tv_sec;
    long tv_nsec;
};

int clock_gettime(int clock, struct timespec *now);

#endif
