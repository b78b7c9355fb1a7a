/* Runs programs with every limit on instructions up to what they need, and calls through interfaces deeper and deeper.
 * Each call must end with the status that belongs to the limit, give all memory back, and leave the instance usable.
 *
 *   test_bounds fuel FILE.tsm...         each holds one function (int) -> int
 *   test_bounds depth N FILE.tsm         one function that makes as many calls, one inside the other, as its
 *                                        argument says, and returns it; N of them must be possible */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_file.h"
#include "schema/generated/tsmobile_reader.h"
#include "tsmobile.h"

enum { ARGUMENT = 6, LARGE = 1 << 20, MESSAGE = 1024, MOST_RUNS = 1000 };

static const char *program_name;
static int failures;

static void complain(uint64_t limit, const char *what, const char *detail) {
    fprintf(stderr, "%s, limit %" PRIu64 ": %s: %s\n", program_name, limit, what, detail);
    failures++;
}

/* The caller frees program->file. */
static bool open_program(tsm_program *program, const char *path) {
    size_t bytes;
    char message[MESSAGE] = "";
    void *file = read_file(path, &bytes);
    program_name = path;
    if (file && tsm_program_open(program, file, bytes, message, sizeof message) == TSM_OK)
        return true;
    complain(0, "cannot be opened", message);
    free(file);
    return false;
}

static tsm_instance *start(const tsm_program *program, void *buffer, uint64_t fuel) {
    tsm_options options = {.fuel = fuel};
    tsm_instance *inst;
    if (tsm_instance_init(&inst, program, &options, buffer, LARGE) == TSM_OK)
        return inst;
    complain(fuel, "the instance cannot be made", "");
    exit(1);
}

static tsm_status call(tsm_instance *inst, int64_t n, int64_t *result) {
    tsm_value argument = tsm_int(n), out;
    size_t before = tsm_instance_usage(inst).used_bytes;
    tsm_status status = tsm_call(inst, 0, &argument, 1, &out);
    *result = status == TSM_OK ? out.as.i : 0;
    tsm_release(inst, out);
    if (tsm_instance_usage(inst).used_bytes != before)
        complain((uint64_t)n, "memory is not given back", tsm_error(inst));
    return status;
}

/* ---- Fuel ---- */

static uint64_t longest_function(const tsm_program *program) {
    tsmf_Program root = {program->root};
    uint64_t longest = 0;
    for (uint32_t i = 0; i < tsmf_Program_functions_len(root); i++) {
        uint32_t length = tsmf_Function_code_len(tsmf_Program_functions(root, i));
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* One limit below what the program needs, of instructions or of units of work. */
static void try_fuel(const tsm_program *program, void *buffer, uint64_t fuel, tsm_usage needed) {
    tsm_instance *inst = start(program, buffer, fuel);
    int64_t result;
    for (int again = 0; again < 2; again++) {
        if (call(inst, ARGUMENT, &result) != TSM_OUT_OF_FUEL ||
            !strstr(tsm_error(inst), "limit on executed instructions"))
            complain(fuel, "is not stopped", tsm_error(inst));
        tsm_usage u = tsm_instance_usage(inst);
        bool by_work = u.work > fuel;
        if ((u.instructions <= fuel && !by_work) || u.instructions >= fuel + longest_function(program) ||
            u.instructions > needed.instructions || u.work > needed.work)
            complain(fuel, "is stopped at another place", tsm_error(inst));
    }
}

static void test_fuel(const char *path, void *buffer) {
    tsm_program program;
    int64_t wanted, result;
    if (!open_program(&program, path))
        return;
    tsm_instance *inst = start(&program, buffer, 0);
    if (call(inst, ARGUMENT, &wanted) != TSM_OK || tsm_instance_usage(inst).work)
        complain(0, "fails or counts work without a limit", tsm_error(inst));
    inst = start(&program, buffer, INT64_MAX - 1);
    if (call(inst, ARGUMENT, &result) != TSM_OK || result != wanted)
        complain(0, "fails with a limit that is never reached", tsm_error(inst));
    const tsm_usage u = tsm_instance_usage(inst);
    const uint64_t needed = u.instructions > u.work ? u.instructions : u.work;
    for (uint64_t fuel = 1; fuel < needed; fuel += 1 + needed / MOST_RUNS)
        try_fuel(&program, buffer, fuel, u);
    try_fuel(&program, buffer, needed - 1, u);
    const uint64_t enough[] = {needed, needed + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof enough / sizeof *enough; i++) {
        inst = start(&program, buffer, enough[i]);
        if (call(inst, ARGUMENT, &result) != TSM_OK || result != wanted)
            complain(enough[i], "is stopped although it is enough", tsm_error(inst));
        if (tsm_instance_usage(inst).instructions != u.instructions)
            complain(enough[i], "counts otherwise", "");
    }
    free((void *)(uintptr_t)program.file);
    printf("%s: needs %" PRIu64 " instructions\n", path, needed);
}

/* ---- Depth ---- */

static void test_depth(const char *path, int64_t depth, void *buffer) {
    tsm_program program;
    int64_t result, deepest = 0;
    if (!open_program(&program, path))
        return;
    tsm_instance *inst = start(&program, buffer, 0);
    for (int64_t n = 1; n < 8 * depth; n++) {
        tsm_status status = call(inst, n, &result);
        if (status == TSM_OK && result == n)
            deepest = n;
        else if (status != TSM_TOO_DEEP || n <= depth || !strstr(tsm_error(inst), "nested too deeply"))
            complain((uint64_t)n, "ends otherwise", tsm_error(inst));
        if (status != TSM_OK && deepest != n - 1 && (call(inst, deepest, &result) != TSM_OK || result != deepest))
            complain((uint64_t)n, "the instance is not usable afterwards", tsm_error(inst));
    }
    if (deepest < depth || deepest > 3 * depth)
        complain((uint64_t)deepest, "is another depth than stated", "");
    free((void *)(uintptr_t)program.file);
    printf("%s: %" PRId64 " calls, one inside the other\n", path, deepest);
}

int main(int argc, char **argv) {
    void *buffer = aligned_alloc(64, LARGE);
    bool fuel = argc > 2 && !strcmp(argv[1], "fuel"), depth = argc == 4 && !strcmp(argv[1], "depth");
    if (!buffer || (!fuel && !depth)) {
        fputs("usage: test_bounds fuel FILE.tsm... | test_bounds depth N FILE.tsm\n", stderr);
        return 2;
    }
    for (int i = 2; fuel && i < argc; i++)
        test_fuel(argv[i], buffer);
    if (depth)
        test_depth(argv[3], strtoll(argv[2], NULL, 10), buffer);
    free(buffer);
    return failures != 0;
}
