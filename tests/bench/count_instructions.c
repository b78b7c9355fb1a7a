/* A plugin for QEMU's user mode (API version 1): counts the guest instructions executed in the region that tsmrun,
 * built with -DTSM_MARK=ON, marks as timed runs (platform/runner/mark.h), and writes the number to a file.
 *
 *   gcc -O2 -shared -fPIC -o count_instructions.so count_instructions.c
 *   qemu-aarch64 -plugin ./count_instructions.so,out=FILE PROGRAM ...
 *
 * Written from QEMU's documentation of the interface, which is declared here: QEMU need not be installed with headers.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t plugin_id;
struct translation_block;
enum { INLINE_ADD = 0 };

int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*callback)(plugin_id, struct translation_block *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct translation_block *block, int op, void *counter, uint64_t amount);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id id,
                                          void (*callback)(plugin_id, unsigned, int64_t, uint64_t, uint64_t, uint64_t,
                                                           uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
void qemu_plugin_register_atexit_cb(plugin_id id, void (*callback)(plugin_id, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct translation_block *block);

/* The mark: getpriority(MARK_WHICH, region); region 1 is the timed runs. */
enum { AARCH64_GETPRIORITY = 141, ARM_GETPRIORITY = 96, MARK_WHICH = 0x5150, REGION_RUNS = 1 };

static uint64_t executed, counted, start;
static int in_runs;
static char path[512];

static void translated(plugin_id id, struct translation_block *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, INLINE_ADD, &executed, qemu_plugin_tb_n_insns(block));
}

static void called(plugin_id id, unsigned cpu, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                   uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
    (void)id, (void)cpu, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if ((number != AARCH64_GETPRIORITY && number != ARM_GETPRIORITY) || a != MARK_WHICH)
        return;
    if (in_runs)
        counted += executed - start;
    in_runs = b == REGION_RUNS;
    start = executed;
}

static void ended(plugin_id id, void *data) {
    (void)id, (void)data;
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "%llu\n", (unsigned long long)counted);
        fclose(f);
    }
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    (void)info;
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "out=", 4) == 0)
            snprintf(path, sizeof path, "%s", argv[i] + 4);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
