/* Runs steps.py with the instructions of steps() alone, and prints what each call gives; third() needs one more. */
#include <stdio.h>

#include "steps.h"
#include "third.h"

static _Alignas(64) unsigned char buffer[STEPS_INSTANCE_BYTES + THIRD_INSTANCE_BYTES + 4096];

static void print_call(tsm_instance *inst, int n, int limit) {
    tsm_value arguments[] = {{.tag = TSM_TAG_INT}, {.tag = limit ? TSM_TAG_INT : TSM_TAG_NONE}}, result;
    arguments[0].as.i = n;
    arguments[1].as.i = limit;
    tsm_status status = tsm_call(inst, 0, arguments, 2, &result);
    printf("%d %d\n", (int)status, status == TSM_OK ? (int)result.as.i : 0);
}

int main(void) {
    steps s;
    if (steps_open(&s, NULL, buffer, sizeof buffer) != TSM_OK)
        return 3;
    for (int n = -3; n < 12; n++)
        for (int limit = 0; limit < 30; limit += 6)
            print_call(s.inst, n, limit);
    third t;
    if (third_open(&t, NULL, buffer, sizeof buffer) != TSM_OK)
        return 4;
    tsm_value nine = {.tag = TSM_TAG_INT}, result;
    nine.as.i = 9;
    printf("%d %s\n", (int)tsm_call(t.inst, 0, &nine, 1, &result), tsm_error(t.inst));
    return 0;
}
