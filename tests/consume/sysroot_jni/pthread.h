/* What platform/posix/threads.c uses of POSIX's threads, as large as Android's libc has them, for compilers without a C
 * library. All zeros is how a lock and a condition begin. */
#ifndef SYSROOT_JNI_PTHREAD_H
#define SYSROOT_JNI_PTHREAD_H
#include <stdint.h>

#if defined(__LP64__)
typedef struct {
    int32_t opaque[10];
} pthread_mutex_t;
typedef struct {
    int32_t opaque[12];
} pthread_cond_t;
#else
typedef struct {
    int32_t opaque[1];
} pthread_mutex_t;
typedef struct {
    int32_t opaque[1];
} pthread_cond_t;
#endif
typedef long pthread_t;
typedef struct pthread_attr_t pthread_attr_t;

#define PTHREAD_MUTEX_INITIALIZER                                                                                      \
    {                                                                                                                  \
        { 0 }                                                                                                          \
    }
#define PTHREAD_COND_INITIALIZER                                                                                       \
    {                                                                                                                  \
        { 0 }                                                                                                          \
    }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int pthread_detach(pthread_t thread);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_broadcast(pthread_cond_t *condition);

#endif
