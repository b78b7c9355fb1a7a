/* A user's program that opens a model inside of another file, where it lies: what an app does with an asset.
 *
 *     asset FILE OFFSET BYTES */
#define _POSIX_C_SOURCE 200112L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <tsmobile.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char message[256];
    tsm_program program;
    if (argc != 4)
        return 2;
    const size_t offset = strtoul(argv[2], NULL, 10), bytes = strtoul(argv[3], NULL, 10);
    const size_t before = offset % (size_t)sysconf(_SC_PAGESIZE);
    const int file = open(argv[1], O_RDONLY);
    const char *at = mmap(NULL, before + bytes, PROT_READ, MAP_PRIVATE, file, (off_t)(offset - before));
    if (file < 0 || at == MAP_FAILED)
        return 2;
    if (tsm_program_open(&program, at + before, bytes, message, sizeof message) != TSM_OK) {
        puts(message);
        return 3;
    }
    return 0;
}
