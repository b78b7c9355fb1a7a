/* platform.h on WASI (WebAssembly outside of browsers): files are read into memory, the clock is the monotonic one. */
#include "platform/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ALIGNMENT = 64 };

static void *take(size_t bytes) {
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

bool platform_file_open(platform_file *file, const char *path, char *message, size_t message_bytes) {
    FILE *in = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t room = 1 << 16, used = 0, n = 1;
    uint8_t *data = in ? take(room) : NULL;
    while (data && n > 0) {
        n = fread(data + used, 1, room - used, in);
        used += n;
        if (used < room)
            continue;
        uint8_t *more = take(2 * room);
        if (more)
            memcpy(more, data, used);
        free(data);
        data = more;
        room *= 2;
    }
    const bool ok = data && !ferror(in);
    if (!ok)
        snprintf(message, message_bytes, "%s", strerror(errno));
    if (in && in != stdin)
        fclose(in);
    *file = (platform_file){data, used};
    return ok;
}

void platform_file_close(platform_file *file) {
    free((void *)(uintptr_t)file->data);
    *file = (platform_file){NULL, 0};
}

void *platform_buffer(size_t wanted, size_t *got) {
    *got = wanted ? wanted : (size_t)1 << 26;
    return take(*got);
}

void platform_buffer_expect(void *buffer, size_t bytes) {
    (void)buffer;
    (void)bytes;
}

uint64_t platform_nanoseconds(void *context) {
    (void)context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool platform_has_colours(void) {
    return false;
}

size_t platform_peak_kb(void) {
    return __builtin_wasm_memory_size(0) * 64; /* pages of 64 KB, which are never given back */
}

void platform_arguments(int *argc, char **argv) {
    (void)argc;
    (void)argv;
}

unsigned platform_threads(unsigned threads) {
    (void)threads;
    return 1;
}

void platform_parallel(void *context, void (*task)(void *argument, size_t index), void *argument, size_t tasks) {
    (void)context;
    for (size_t i = 0; i < tasks; i++)
        task(argument, i);
}

uint64_t platform_features(void) {
    return 0;
}
