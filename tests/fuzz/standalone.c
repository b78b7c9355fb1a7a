/* Runs a fuzzing harness without LibFuzzer: no coverage, but any compiler and the full speed of the machine.
 *
 *     HARNESS [-runs=N] [-seed=S] [-keep=FOLDER] [FILE or FOLDER...]
 *
 * Runs every input given, then N inputs that the harness's mutator makes of them, or of nothing. An input that ends the
 * process is kept as FOLDER/crash-PID. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/harness.h"

enum { MAX_BYTES = 1 << 17, MAX_PATH = 4096, MOST_CHANGES = 2 };

typedef struct {
    uint8_t *data;
    size_t bytes;
} input;

static input *inputs;
static size_t input_count, input_room;
static uint8_t current[MAX_BYTES];
static size_t current_bytes;
static char crash_path[MAX_PATH];

/* ---- Inputs that end the process ---- */

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void keep_current(void) {
    FILE *f = fopen(crash_path, "wb");
    if (f && fwrite(current, 1, current_bytes, f) == current_bytes && !fclose(f))
        fprintf(stderr, "kept as %s\n", crash_path);
    harness_print_counts();
}

static void on_signal(int number) {
    signal(number, SIG_DFL);
    keep_current();
    raise(number);
}

static void catch_crashes(const char *folder) {
    static uint8_t stack[1 << 16];
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    snprintf(crash_path, sizeof crash_path, "%s/crash-%ld", folder, (long)getpid());
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(keep_current);
        return;
    }
    const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    sigaltstack(&alternative, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

/* ---- Inputs given ---- */

static void *grow(void *p, size_t bytes) {
    void *larger = realloc(p, bytes);
    if (!larger) {
        perror("realloc");
        exit(2);
    }
    return larger;
}

static void add_file(const char *path) {
    FILE *f = fopen(path, "rb");
    input in = {malloc(MAX_BYTES), 0};
    if (!f || !in.data) {
        perror(path);
        exit(2);
    }
    in.bytes = fread(in.data, 1, MAX_BYTES, f);
    fclose(f);
    in.data = grow(in.data, in.bytes ? in.bytes : 1);
    if (input_count == input_room)
        inputs = grow(inputs, (input_room = input_room ? 2 * input_room : 64) * sizeof *inputs);
    inputs[input_count++] = in;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_path(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) {
        add_file(path);
        return;
    }
    char **names = NULL;
    size_t count = 0;
    for (struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.') {
            names = grow(names, (count + 1) * sizeof *names);
            names[count++] = strdup(e->d_name);
        }
    closedir(folder);
    if (count)
        qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        char file[MAX_PATH];
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        add_file(file);
        free(names[i]);
    }
    free(names);
}

/* ---- Running ---- */

static void run(const uint8_t *data, size_t bytes) {
    if (data != current)
        memcpy(current, data, bytes);
    current_bytes = bytes;
    LLVMFuzzerTestOneInput(current, bytes);
}

static void run_mutant(harness_random *r) {
    size_t bytes = 0;
    if (input_count && harness_below(r, 16)) {
        const input *from = &inputs[harness_below(r, input_count)];
        memcpy(current, from->data, bytes = from->bytes);
    }
    for (size_t n = 1 + harness_below(r, MOST_CHANGES); n > 0; n--)
        bytes = LLVMFuzzerCustomMutator(current, bytes, MAX_BYTES, (unsigned)harness_next(r));
    run(current, bytes);
}

int main(int argc, char **argv) {
    uint64_t runs = 0, seed = 1;
    const char *folder = ".";
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "-runs=", 6))
            runs = strtoull(argv[i] + 6, NULL, 10);
        else if (!strncmp(argv[i], "-seed=", 6))
            seed = strtoull(argv[i] + 6, NULL, 10);
        else if (!strncmp(argv[i], "-keep=", 6))
            folder = argv[i] + 6;
        else
            add_path(argv[i]);
    }
    catch_crashes(folder);
    for (size_t i = 0; i < input_count; i++)
        run(inputs[i].data, inputs[i].bytes);
    harness_random r = {seed};
    for (uint64_t i = 0; i < runs; i++)
        run_mutant(&r);
    return 0;
}
