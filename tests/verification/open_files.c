/* Says of each file of a stream whether tsm_program_open accepts it, and what that takes.
 *
 *     open_files < STREAM      the stream: for each file its number of bytes (32 bits, little-endian) and its bytes
 *     open_files operators     the names of the operators that libtsmobile has, one a line
 *
 * Writes a line for each file: "accepted" or "refused", the work, and the message. Work is counted, not timed: the
 * verifier is compiled into this program so that it calls __sanitizer_cov_trace_pc in every basic block. Each file lies
 * in a block of its own size, so that the sanitizers see reads outside of it. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/operators/operator_table.h"
#include "tsmobile.h"

static uint64_t work;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    work++;
}

static void open_one(const void *file, size_t bytes) {
    char message[256] = "";
    tsm_program program;
    work = 0;
    const bool accepted = tsm_program_open(&program, file, bytes, message, sizeof message) == TSM_OK;
    printf("%s %llu %s\n", accepted ? "accepted" : "refused", (unsigned long long)work, message);
}

static int print_operators(void) {
    for (size_t i = 0; i < tsm_operator_count; i++)
        puts(tsm_operator_table[i].name);
    return 0;
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1)
        return print_operators();
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
