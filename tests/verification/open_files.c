/* Says of each file of a stream whether tsm_program_open accepts it.
 *
 *     open_files < STREAM      the stream: for each file its number of bytes (32 bits, little-endian) and its bytes
 *
 * Writes a line for each: "accepted", or "refused: " and the message. Each file lies in a block of its own size, so
 * that the sanitizers see reads outside of it. */
#include <stdio.h>
#include <stdlib.h>

#include "tsmobile.h"

static void open_one(const void *file, size_t bytes) {
    char message[256];
    tsm_program program;
    if (tsm_program_open(&program, file, bytes, message, sizeof message) == TSM_OK)
        puts("accepted");
    else
        printf("refused: %s\n", message);
}

int main(void) {
    uint32_t bytes;
    while (fread(&bytes, sizeof bytes, 1, stdin) == 1) {
        void *file;
        if (posix_memalign(&file, 64, bytes ? bytes : 1) != 0 || fread(file, 1, bytes, stdin) != bytes) {
            fputs("open_files: the stream is cut off, or there is no memory\n", stderr);
            return 2;
        }
        open_one(file, bytes);
        free(file);
    }
    return 0;
}
