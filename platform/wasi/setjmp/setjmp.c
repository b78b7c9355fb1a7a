/* What clang 14 calls for setjmp and longjmp in WebAssembly (llvm/lib/Target/WebAssembly, Lower EM EH SjLj). Each
 * function that calls setjmp has a table of the calls that have run in it, which ends in an entry without a number.
 * longjmp throws; the function whose table has the buffer's number goes on behind that call, all others pass it on. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint32_t number; /* of the call, counted over the whole program; 0: the end of the table */
    uint32_t label;  /* where its function goes on */
} jump_target;

static uint32_t last_number, second_result;

/* What a longjmp carries; clang reads it. */
static struct {
    unsigned *buffer;
    int value;
} thrown;

enum { TAG_OF_LONGJMP = 1 };

uint32_t getTempRet0(void);
jump_target *saveSetjmp(unsigned *buffer, uint32_t label, jump_target *table, uint32_t size);
uint32_t testSetjmp(uint32_t number, const jump_target *table, uint32_t size);
_Noreturn void __wasm_longjmp(unsigned *buffer, int value);

/* The second result of saveSetjmp. */
uint32_t getTempRet0(void) {
    return second_result;
}

/* Adds a call to the table of `size` entries; returns the table and its size, which may be others. */
jump_target *saveSetjmp(unsigned *buffer, uint32_t label, jump_target *table, uint32_t size) {
    uint32_t at = 0;
    while (table[at].number)
        at++;
    if (at + 1 == size) {
        size *= 2;
        table = realloc(table, size * sizeof *table);
        if (!table)
            __builtin_trap();
    }
    buffer[0] = ++last_number;
    table[at] = (jump_target){last_number, label};
    table[at + 1].number = 0;
    second_result = size;
    return table;
}

/* The label of a call; 0: it is not in the table. */
uint32_t testSetjmp(uint32_t number, const jump_target *table, uint32_t size) {
    for (uint32_t i = 0; i < size && table[i].number; i++)
        if (table[i].number == number)
            return table[i].label;
    return 0;
}

void __wasm_longjmp(unsigned *buffer, int value) {
    thrown.buffer = buffer;
    thrown.value = value ? value : 1;
    __builtin_wasm_throw(TAG_OF_LONGJMP, &thrown);
}
