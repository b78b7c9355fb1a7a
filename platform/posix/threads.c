/* A fixed set of helper threads for platform_parallel.
 *
 * The caller posts a job (task, argument, number of indices) and takes part in it; every thread takes the next free
 * index until none is left. Helpers sleep on a condition variable between jobs: a job is short (one operator), so
 * `generation` tells a woken helper that there is a new one, and `active` tells the caller when the last helper has let
 * go of it. */
#include "platform/platform.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_THREADS = 64 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, finished;
    unsigned threads; /* the caller included */
    unsigned generation, active;
    void (*task)(void *argument, size_t index);
    void *argument;
    size_t tasks;
    atomic_size_t next;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .posted = PTHREAD_COND_INITIALIZER,
          .finished = PTHREAD_COND_INITIALIZER,
          .threads = 1};

static void work(void) {
    for (size_t i; (i = atomic_fetch_add(&pool.next, 1)) < pool.tasks;)
        pool.task(pool.argument, i);
}

/* `start`: the generation at which the thread was made; it takes part in all later ones. */
static void *helper(void *start) {
    unsigned seen = (unsigned)(uintptr_t)start;
    for (;;) {
        pthread_mutex_lock(&pool.lock);
        while (pool.generation == seen)
            pthread_cond_wait(&pool.posted, &pool.lock);
        seen = pool.generation;
        pthread_mutex_unlock(&pool.lock);
        work();
        pthread_mutex_lock(&pool.lock);
        if (--pool.active == 0)
            pthread_cond_signal(&pool.finished);
        pthread_mutex_unlock(&pool.lock);
    }
    return NULL;
}

unsigned platform_threads(unsigned threads) {
    while (pool.threads < threads && pool.threads < MAX_THREADS) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, helper, (void *)(uintptr_t)pool.generation) != 0)
            break;
        pthread_detach(thread);
        pool.threads++;
    }
    return pool.threads;
}

void platform_parallel(void *context, void (*task)(void *argument, size_t index), void *argument, size_t tasks) {
    (void)context;
    pthread_mutex_lock(&pool.lock);
    pool.task = task;
    pool.argument = argument;
    pool.tasks = tasks;
    atomic_store(&pool.next, 0);
    pool.active = pool.threads - 1;
    pool.generation++;
    pthread_cond_broadcast(&pool.posted);
    pthread_mutex_unlock(&pool.lock);
    work();
    pthread_mutex_lock(&pool.lock);
    while (pool.active > 0)
        pthread_cond_wait(&pool.finished, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}
