/** @file
 * What a program around libtsmobile needs from the system under it. Each folder that TSM_PLATFORM can name
 * (platform/posix, platform/baremetal, platform/wasi) supplies all of it; programs are the same source on all. */
#ifndef PLATFORM_PLATFORM_H
#define PLATFORM_PLATFORM_H

#include "tsmobile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A whole file in memory, aligned to 64 bytes and not to be written. It stays until it is closed. */
typedef struct {
    const void *data; /**< its first byte */
    size_t bytes;     /**< its length */
} platform_file;

/** Opens a file; "-" is standard input, where there is one. On failure returns false and writes the reason ("No such
 * file or directory"), terminated, into `message`. */
bool platform_file_open(platform_file *file, const char *path, char *message, size_t message_bytes);

/** Gives a file's memory back, and makes it empty: nothing may use its bytes any more. Needed where programs open many,
 * and on Windows before the file can be replaced. Without a system the memory stays taken. */
void platform_file_close(platform_file *file);

/** Whether both paths name one regular file, through links too where the system tells; else by their texts. */
bool platform_is_same_file(const char *a, const char *b);

/** Returns memory for an instance, aligned to 64 bytes, and its size in *got: `wanted` bytes, or, when `wanted` is 0,
 * as much as the system gives without claiming it (untouched pages cost nothing on POSIX). NULL when there is not that
 * much. It stays until the program ends. */
void *platform_buffer(size_t wanted, size_t *got);

/** Says that the first `bytes` of such memory will be used, so that the system may bring them in at once and in large
 * pieces. */
void platform_buffer_expect(void *buffer, size_t bytes);

/** A file that is being written. It appears under its name when it is closed and all of it has been written; until
 * then, and when that fails or the program ends before, what stood under the name stays. (What is no regular file, such
 * as a terminal or /dev/null, is written directly, and so is `-`, standard output.) */
typedef struct platform_output platform_output;

/** Begins a file; with `below`, a folder, only one in it or in its folders, also one that is called `-`, wherever
 * `path` and symbolic links lead. On failure returns NULL and writes the reason, terminated, into `message`. */
platform_output *platform_output_open(const char *path, const char *below, char *message, size_t message_bytes);
/** Where to write. */
FILE *platform_output_stream(const platform_output *o);
/** Ends the file. False, with the reason in `message`: it could not be written. */
bool platform_output_close(platform_output *o, char *message, size_t message_bytes);
/** Ends the file without its appearing. */
void platform_output_discard(platform_output *o);

/** A clock that only moves forward; `context` is not used. */
uint64_t platform_nanoseconds(void *context);

/** The most memory that the process ever had resident, in KB; 0 where that has no meaning. */
size_t platform_peak_kb(void);

/** Whether standard error is a terminal that shows colours, and the user has nothing against them (NO_COLOR). */
bool platform_has_colours(void);

/** Takes out of the arguments what the system (an emulator) put there besides the user's: afterwards argv[0] is the
 * program and argv[1] the user's first argument. */
void platform_arguments(int *argc, char **argv);

/** Starts the threads that help the calling one, `threads` in all; returns how many there are now (1 where there are
 * none). */
unsigned platform_threads(unsigned threads);
/** tsm_platform's `parallel` on those threads. */
void platform_parallel(void *context, void (*task)(void *argument, size_t index), void *argument, size_t tasks);

/** What the processor has: tsm_platform's `features`. */
uint64_t platform_features(void);

/** The table for libtsmobile: print to stdout, warnings to stderr, the clock, and the threads started so far. */
tsm_platform platform_table(void);

#ifdef __cplusplus
}
#endif
#endif
