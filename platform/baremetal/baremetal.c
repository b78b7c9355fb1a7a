/* A microcontroller without an operating system: files, streams and arguments come through semihosting (picolibc), time
 * from a timer of the core (clock.c), and large blocks from the board's extra memory (see the board's .ld). */
#include "platform/baremetal/baremetal.h"
#include "platform/common/output.h"
#include "platform/platform.h"

#include <errno.h>
#include <semihost.h>
#include <stdio.h>
#include <string.h>

/* Symbols of the linker scripts; their addresses are the values. */
extern char __extra_start[], __extra_end[], __sector_start[], __sector_end[];
extern char __flash_bytes[], __static_ram_bytes[];
extern uint32_t __heap_end[], __stack[]; /* the stack lies between them */

/* The extra memory that is left; blocks are never given back. */
static char *extra_next = __extra_start;

static void *extra_take(size_t bytes) {
    bytes = (bytes + 63) & ~(size_t)63;
    if (bytes > (size_t)(__extra_end - extra_next))
        return NULL;
    void *block = extra_next;
    extra_next += bytes;
    return block;
}

void *platform_buffer(size_t wanted, size_t *got) {
    /* A quarter is left for files that are opened later. */
    *got = wanted ? wanted : (size_t)(__extra_end - extra_next) / 4 * 3;
    return extra_take(*got);
}

void *baremetal_sector(size_t *bytes) {
    *bytes = (size_t)(__sector_end - __sector_start);
    return __sector_start;
}

void platform_buffer_expect(void *buffer, size_t bytes) {
    (void)buffer;
    (void)bytes;
}

bool platform_file_open(platform_file *file, const char *path, char *message, size_t message_bytes) {
    FILE *in = fopen(path, "rb");
    if (!in) {
        snprintf(message, message_bytes, "%s", strerror(errno));
        return false;
    }
    fseek(in, 0, SEEK_END);
    file->bytes = (size_t)ftell(in);
    fseek(in, 0, SEEK_SET);
    void *data = extra_take(file->bytes);
    file->data = data;
    const bool ok = data && fread(data, 1, file->bytes, in) == file->bytes;
    if (!ok)
        snprintf(message, message_bytes, "%s",
                 data ? "it could not be read to its end" : "it is larger than the memory");
    fclose(in);
    return ok;
}

void platform_file_close(platform_file *file) {
    *file = (platform_file){"", 0};
}

bool platform_rename(const char *from, const char *to) {
    return sys_semihost_rename(from, to) == 0;
}

bool platform_has_colours(void) {
    return false;
}

size_t platform_peak_kb(void) {
    return 0;
}

uint64_t platform_features(void) {
    return 0;
}

void platform_arguments(int *argc, char **argv) {
    /* picolibc's start-up puts a name of its own before the emulator's arguments, whose first is the program's name. */
    if (*argc > 1) {
        for (int i = 0; i < *argc; i++)
            argv[i] = i + 1 < *argc ? argv[i + 1] : NULL;
        --*argc;
    }
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

size_t baremetal_flash_bytes(void) {
    return (uintptr_t)__flash_bytes;
}

size_t baremetal_static_ram_bytes(void) {
    return (uintptr_t)__static_ram_bytes;
}

static const uint32_t stack_pattern = 0xA5C3E178;
enum { PAINT_MARGIN = 64 }; /* words below this function's frame that are left alone */

void baremetal_stack_paint(void) {
    uint32_t *frame = __builtin_frame_address(0);
    for (volatile uint32_t *word = __heap_end; word < frame - PAINT_MARGIN; word++)
        *word = stack_pattern;
}

size_t baremetal_stack_bytes(void) {
    const uint32_t *word = __heap_end;
    while (word < __stack && *word == stack_pattern)
        word++;
    return (size_t)(__stack - word) * sizeof *word;
}
