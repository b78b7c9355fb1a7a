/* The standard streams over semihosting: picolibc's own make one stream of stdout and stderr and trap for each
 * character. These are opened as the host's two streams and written line by line. (Semihosting for AArch32 and AArch64,
 * Arm, 2022:
 * ":tt" opened to write is the host's stdout, opened to append its stderr.) */
#include <semihost.h>
#include <stdint.h>
#include <stdio.h>

enum { STREAM_BYTES = 128, NOT_OPEN = -1 };

typedef struct {
    struct __file file; /* first: stdio hands its address back */
    int handle, mode;
    size_t length;
    char text[STREAM_BYTES];
} stream;

static int stream_flush(FILE *f) {
    stream *s = (stream *)f;
    if (s->handle == NOT_OPEN)
        s->handle = sys_semihost_open(":tt", s->mode);
    uintptr_t left = s->length; /* a write gives back how many bytes are left */
    if (left && s->handle != NOT_OPEN)
        left = sys_semihost_write(s->handle, s->text, s->length);
    s->length = 0;
    return left ? EOF : 0;
}

static int stream_put(char c, FILE *f) {
    stream *s = (stream *)f;
    s->text[s->length++] = c;
    if ((c == '\n' || s->length == sizeof s->text) && stream_flush(f) == EOF)
        return EOF;
    return (unsigned char)c;
}

#define OUTPUT_STREAM(open_mode)                                                                                       \
    {                                                                                                                  \
        .file = FDEV_SETUP_STREAM(stream_put, NULL, stream_flush, _FDEV_SETUP_WRITE), .handle = NOT_OPEN,              \
        .mode = (open_mode),                                                                                           \
    }
static stream output = OUTPUT_STREAM(SH_OPEN_W), errors = OUTPUT_STREAM(SH_OPEN_A);
static struct __file input = FDEV_SETUP_STREAM(NULL, sys_semihost_getc, NULL, _FDEV_SETUP_READ);

FILE *const stdin = &input;
FILE *const stdout = &output.file;
FILE *const stderr = &errors.file;

/* Writes what follows the last newline when the program ends. */
__attribute__((destructor)) static void flush_all(void) {
    stream_flush(stdout);
    stream_flush(stderr);
}
