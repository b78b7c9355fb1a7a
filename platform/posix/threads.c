/* A fixed set of helper threads for platform_parallel.
 *
 * The caller posts a job (task, argument, number of indices) and takes part in it; every thread takes the next index
 * until none is left. What is left is one word, `ticket`: the job's number and how many of its indices nobody has
 * taken. An index is taken by counting the word down, which fails for a thread that comes late, to a job that is over:
 * the caller waits for the indices, not for the threads. A job is short (one operator, some ten microseconds), so
 * helpers look for the next one for a while before they sleep. There is one job at a time: who comes with another does
 * it alone. */
#include "platform/platform.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MAX_THREADS = 64, LOOKS = 2000 /* for a job, or for the end of one: some ten microseconds */ };

static struct {
    pthread_mutex_t lock; /* of sleeping and waking */
    pthread_cond_t posted;
    unsigned threads; /* the caller included */
    atomic_uint sleeping;
    atomic_flag busy;            /* a caller's job is not over */
    atomic_uint_fast64_t ticket; /* job << 32 | indices left */
    atomic_size_t done;          /* indices of the job that have run */
    /* Of the job; they change only when all its indices have run. */
    void (*task)(void *argument, size_t index);
    void *argument;
    size_t tasks;
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER, .busy = ATOMIC_FLAG_INIT, .threads = 1};

static uint64_t job_of(uint64_t ticket) {
    return ticket >> 32;
}

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__ARM_ARCH_7A__)
    __asm__ volatile("yield");
#endif
}

/* Runs indices of this job until none is left to take. */
static void work(uint64_t job) {
    uint64_t ticket = atomic_load(&pool.ticket);
    while (job_of(ticket) == job && (uint32_t)ticket > 0) {
        if (!atomic_compare_exchange_weak(&pool.ticket, &ticket, ticket - 1))
            continue;
        pool.task(pool.argument, pool.tasks - (uint32_t)ticket);
        atomic_fetch_add(&pool.done, 1);
        ticket = atomic_load(&pool.ticket);
    }
}

/* The number of the first job after `seen`. */
static uint64_t next_job(uint64_t seen) {
    for (int i = 0; i < LOOKS; i++) {
        uint64_t job = job_of(atomic_load(&pool.ticket));
        if (job != seen)
            return job;
        pause_briefly();
    }
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(&pool.sleeping, 1);
    while (job_of(atomic_load(&pool.ticket)) == seen)
        pthread_cond_wait(&pool.posted, &pool.lock);
    atomic_fetch_sub(&pool.sleeping, 1);
    pthread_mutex_unlock(&pool.lock);
    return job_of(atomic_load(&pool.ticket));
}

/* `start`: the job at which the thread was made; it takes part in all later ones. */
static void *helper(void *start) {
    for (uint64_t job = (uintptr_t)start;;) {
        job = next_job(job);
        work(job);
    }
    return NULL;
}

unsigned platform_threads(unsigned threads) {
    while (pool.threads < threads && pool.threads < MAX_THREADS) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, helper, (void *)(uintptr_t)job_of(atomic_load(&pool.ticket))) != 0)
            break;
        pthread_detach(thread);
        pool.threads++;
    }
    return pool.threads;
}

void platform_parallel(void *context, void (*task)(void *argument, size_t index), void *argument, size_t tasks) {
    (void)context;
    if (atomic_flag_test_and_set(&pool.busy)) { /* by another thread, with an instance of its own */
        for (size_t i = 0; i < tasks; i++)
            task(argument, i);
        return;
    }
    uint64_t job = (uint32_t)(job_of(atomic_load(&pool.ticket)) + 1);
    pool.task = task;
    pool.argument = argument;
    pool.tasks = tasks;
    atomic_store(&pool.done, 0);
    atomic_store(&pool.ticket, job << 32 | (uint32_t)tasks);
    if (atomic_load(&pool.sleeping) > 0) {
        pthread_mutex_lock(&pool.lock);
        pthread_cond_broadcast(&pool.posted);
        pthread_mutex_unlock(&pool.lock);
    }
    work(job);
    for (int i = 0; atomic_load(&pool.done) < tasks; i++)
        if (i < LOOKS)
            pause_briefly();
        else
            sched_yield(); /* a helper holds the rest but has no processor */
    atomic_flag_clear(&pool.busy);
}
