/* Assertions for tests that run on every target, bare metal included: a test is a program whose main calls CHECK_RUN
 * for each of its functions and returns check_finish(). */
#ifndef TESTS_DEVICE_CHECK_H
#define TESTS_DEVICE_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_count, check_failures;

#define CHECK(condition) check_one((condition) != 0, __FILE__, __LINE__, #condition)
#define CHECK_TEXT(got, want) check_text((got), (want), __FILE__, __LINE__)
#define CHECK_RUN(function)                                                                                            \
    do {                                                                                                               \
        printf("%s\n", #function);                                                                                     \
        function();                                                                                                    \
    } while (0)

static inline void check_one(int ok, const char *file, int line, const char *condition) {
    check_count++;
    if (!ok) {
        check_failures++;
        printf("%s:%d: failed: %s\n", file, line, condition);
    }
}

static inline void check_text(const char *got, const char *want, const char *file, int line) {
    check_one(strcmp(got, want) == 0, file, line, want);
    if (strcmp(got, want) != 0)
        printf("  the text is: %s\n", got);
}

static inline int check_finish(void) {
    printf("%d checks, %d failed\n", check_count, check_failures);
    return check_failures != 0;
}

#endif
