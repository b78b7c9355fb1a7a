/* The limits of tsmc: their texts, and what is counted against them. */
#include "exporter/base/limits.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#ifndef __wasi__
#include <pthread.h>
#endif

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

enum { INPUT_FACTOR = 8, ERROR_BYTES = 1 << 20, STACK_RESERVE = 2 << 20 };

#define MIB ((uint64_t)1 << 20)

static const struct {
    const char *name, *beyond, *text;
    uint64_t value;
} limits[] = {
#define LIMIT(NAME, value, beyond, text) {#NAME, #beyond, text, value},
#include "exporter/base/limits.def"
#undef LIMIT
};

static uint64_t spent[LIMIT_COUNT];
static uint64_t memory_mib = LIMIT_MEMORY, input_bytes;
uintptr_t limit_stack_end;

static const char *name_of(limit l) {
    char *name = mem_strdup(limits[l].name);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : (char)tolower((unsigned char)*c);
    return name;
}

const char *limit_text(limit l) {
    uint64_t value = l == OVER_MEMORY ? memory_mib : limits[l].value;
    return mem_printf("more than %" PRIu64 " %s (tsmc's limit '%s')", value, limits[l].text, name_of(l));
}

static const char *text_with_place(limit l) {
    const char *place = diag_place();
    return place ? mem_printf("%s:\n%s", limit_text(l), place) : limit_text(l);
}

void limit_fail(limit l) {
    diag_fail("%s", text_with_place(l));
}

bool limit_spend(limit l, uint64_t amount) {
    if (amount > limits[l].value - spent[l])
        return false;
    spent[l] += amount;
    return true;
}

void limit_print_all(void) {
    puts("| limit | value | of what | beyond |\n|---|---|---|---|");
    for (limit l = 0; l < LIMIT_COUNT; l++)
        printf("| %s | %" PRIu64 " | %s | %s |\n", name_of(l), limits[l].value, limits[l].text,
               strcmp(limits[l].beyond, "LEFT") ? "refused" : "left as it is");
}

/* ---- Memory ---- */

void limit_set_memory(uint64_t mib) {
    memory_mib = mib;
}

void limit_add_input(uint64_t bytes) {
    input_bytes += bytes;
}

/* Raising the error takes memory too: `for_error` raises the limit by that much, once. */
void limit_take_memory(size_t bytes) {
    static uint64_t taken, for_error;
    taken += bytes;
    uint64_t most = memory_mib * MIB + INPUT_FACTOR * input_bytes + for_error;
    if (taken <= most)
        return;
    if (for_error)
        mem_missing(bytes);
    for_error = taken - most + ERROR_BYTES * (uint64_t)64;
    limit_fail(OVER_MEMORY);
}

/* ---- Stack ---- */

typedef struct {
    int (*run)(void *data);
    void *data;
    int status;
} stack_task;

static void *run_task(void *data) {
    stack_task *task = data;
    limit_stack_end = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)LIMIT_STACK * MIB;
    task->status = task->run(task->data);
    return NULL;
}

#ifdef __wasi__
/* The linker gives the program a stack that is large enough. */
int limit_run_on_stack(int (*run)(void *data), void *data) {
    stack_task task = {run, data, 0};
    run_task(&task);
    return task.status;
}
#else
/* A thread, because a program can choose the stack size of its threads only. */
int limit_run_on_stack(int (*run)(void *data), void *data) {
    stack_task task = {run, data, 0};
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, (size_t)(LIMIT_STACK * MIB + STACK_RESERVE)) != 0 ||
        pthread_create(&thread, &attributes, run_task, &task) != 0 || pthread_join(thread, NULL) != 0)
        mem_missing((size_t)(LIMIT_STACK * MIB));
    return task.status;
}
#endif

/* The check is off while the text is written, on the reserve below the end. */
void limit_stack_fail(void) {
    const uintptr_t end = limit_stack_end;
    limit_stack_end = 0;
    const char *text = text_with_place(OVER_STACK);
    limit_stack_end = end;
    diag_fail("%s", text);
}
