/* The POSIX platform: threads run every index once, whatever the number of tasks; files and buffers are as promised. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/platform.h"

enum { TASKS = 1000 };

static atomic_int runs[TASKS];

static void count(void *argument, size_t index) {
    atomic_fetch_add((atomic_int *)argument + index, 1);
}

static void run_jobs(void) {
    for (int job = 0; job < 200; job++) {
        const size_t tasks = (size_t)job * 7 % TASKS;
        memset(runs, 0, sizeof runs);
        platform_parallel(NULL, count, runs, tasks);
        for (size_t i = 0; i < TASKS; i++)
            assert_int_equal(atomic_load(&runs[i]), i < tasks);
    }
}

static void test_every_task_runs_once(void **state) {
    (void)state;
    assert_int_equal(platform_threads(1), 1);
    assert_null(platform_table().parallel);
    run_jobs();
    for (unsigned threads = 2; threads <= 5; threads++) {
        assert_int_equal(platform_threads(threads), threads);
        run_jobs();
    }
    assert_int_equal(platform_threads(2), 5);
    assert_non_null(platform_table().parallel);
}

static void *run_own_jobs(void *own) {
    for (int job = 0; job < 200; job++)
        platform_parallel(NULL, count, own, TASKS);
    return NULL;
}

/* Instances on several threads share the helpers. */
static void test_callers_on_two_threads(void **state) {
    (void)state;
    static atomic_int other[TASKS];
    pthread_t thread;
    platform_threads(2);
    memset(runs, 0, sizeof runs);
    assert_int_equal(pthread_create(&thread, NULL, run_own_jobs, other), 0);
    run_own_jobs(runs);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (size_t i = 0; i < TASKS; i++)
        assert_true(atomic_load(&runs[i]) == 200 && atomic_load(&other[i]) == 200);
}

/* Whether the process has the file in memory. */
static bool is_mapped(const char *path) {
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, path) != NULL;
    fclose(maps);
    return found;
}

/* Standard input is a pipe with `bytes` bytes. */
static void read_pipe(platform_file *file, size_t bytes) {
    int ends[2];
    char message[64];
    const int kept = dup(STDIN_FILENO);
    assert_true(kept >= 0 && pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) >= 0);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(write(ends[1], "x", 1), 1);
    close(ends[1]);
    assert_true(platform_file_open(file, "-", message, sizeof message));
    close(ends[0]);
    assert_true(dup2(kept, STDIN_FILENO) >= 0);
    close(kept);
}

static void test_closing_files(void **state) {
    (void)state;
    platform_file file;
    for (size_t bytes = 0; bytes < 12000; bytes = 2 * bytes + 4096 - bytes % 4096) {
        read_pipe(&file, bytes);
        assert_int_equal(file.bytes, bytes);
        assert_true(!bytes || !memcmp((const char *)file.data + bytes - 1, "x", 1));
        for (int times = 0; times < 2; times++) {
            platform_file_close(&file);
            assert_int_equal(file.bytes, 0);
        }
    }
}

static void test_files(void **state) {
    (void)state;
    char path[] = "/tmp/test_platform.XXXXXX", message[64];
    const int descriptor = mkstemp(path);
    platform_file file;
    assert_true(descriptor >= 0 && platform_file_open(&file, path, message, sizeof message));
    assert_int_equal(file.bytes, 0);
    assert_int_equal(write(descriptor, "text", 4), 4);
    close(descriptor);
    assert_true(platform_file_open(&file, path, message, sizeof message));
    assert_int_equal(file.bytes, 4);
    assert_memory_equal(file.data, "text", 4);
    assert_int_equal((uintptr_t)file.data % 64, 0);
    assert_true(is_mapped(path));
    platform_file_close(&file);
    assert_true(file.bytes == 0 && !is_mapped(path));
    unlink(path);
    assert_false(platform_file_open(&file, path, message, sizeof message));
    assert_string_equal(message, "No such file or directory");
    assert_false(platform_file_open(&file, "/tmp", message, sizeof message));
    assert_string_equal(message, "it is a folder");
}

static void test_buffers_and_clock(void **state) {
    (void)state;
    size_t bytes;
    unsigned char *buffer = platform_buffer(12345, &bytes);
    assert_non_null(buffer);
    assert_int_equal(bytes, 12345);
    assert_int_equal((uintptr_t)buffer % 64, 0);
    memset(buffer, 0xA5, bytes);
    assert_non_null(platform_buffer(0, &bytes));
    assert_true(bytes >= 1 << 20);
    const uint64_t start = platform_nanoseconds(NULL);
    assert_true(platform_nanoseconds(NULL) >= start);
    assert_true(platform_peak_kb() > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_task_runs_once),
        cmocka_unit_test(test_callers_on_two_threads),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_closing_files),
        cmocka_unit_test(test_buffers_and_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
