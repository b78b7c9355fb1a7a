/* The functions of tsm_platform that are the same on every system: printing by stdio. */
#include "platform/platform.h"

#include <stdio.h>

static void print(void *context, const char *text, size_t n) {
    (void)context;
    fwrite(text, 1, n, stdout);
}

static void warn(void *context, const char *text, size_t n) {
    (void)context;
    fwrite(text, 1, n, stderr);
    if (n == 0 || text[n - 1] != '\n')
        fputc('\n', stderr);
}

tsm_platform platform_table(void) {
    tsm_platform table = {
        .print = print, .warn = warn, .nanoseconds = platform_nanoseconds, .features = platform_features()};
    if (platform_threads(0) > 1)
        table.parallel = platform_parallel;
    return table;
}
