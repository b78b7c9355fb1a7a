/* A worker on a microcontroller that asks the one at the other end of a serial line.
 *
 *     sensor SENSOR.tsm        prints what the gateway's functions make of the samples 0, 1, ... 7, and an exception of
 * theirs */
#include "platform/platform.h"
#include "tests/device/serial_link.h"
#include <stdio.h>
#include <stdlib.h>

/* The UART of Arm's boards that QEMU has: mps2-an385 and those like it. */
typedef struct {
    volatile uint32_t data, state, control, interrupts, divider;
} uart;
#define UART ((uart *)0x40004000)
enum { TX_FULL = 1, RX_FULL = 2, TX_ON = 1, RX_ON = 2, DIVIDER = 16 };

enum { ROOM = 4096, BUFFER = 96 * 1024, SAMPLES = 8 };

static uint8_t room[ROOM];
static _Alignas(64) uint8_t buffer[BUFFER];
static char message[1024];

static bool put(void *line, const uint8_t *bytes, size_t n) {
    (void)line;
    for (size_t i = 0; i < n; i++) {
        while (UART->state & TX_FULL)
            ;
        UART->data = bytes[i];
    }
    return true;
}

static bool get(void *line, uint8_t *byte, uint64_t nanoseconds) {
    (void)line;
    const uint64_t start = platform_nanoseconds(NULL);
    while (!(UART->state & RX_FULL))
        if (platform_nanoseconds(NULL) - start >= nanoseconds)
            return false;
    *byte = (uint8_t)UART->data;
    return true;
}

_Noreturn static void fail(const char *what) {
    printf("sensor: %s\n", what);
    exit(2);
}

static void call(tsm_instance *inst, int method) {
    float samples[SAMPLES];
    const tsm_dim size = SAMPLES;
    tsm_value x, y;
    tsm_tensor_view t;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (float)i;
    if (tsm_tensor_wrap(inst, &x, TSM_FLOAT32, 1, &size, NULL, samples) != TSM_OK)
        fail(message);
    if (tsm_call(inst, method, &x, 1, &y) != TSM_OK)
        printf("%s\n", message);
    else if (tsm_tensor_get(y, &t)) {
        for (tsm_dim i = 0; i < t.sizes[0]; i++)
            printf("%d ", (int)(((const float *)t.data)[i] * 100));
        printf("\n");
    }
    tsm_release(inst, x);
    tsm_release(inst, y);
}

int main(int argc, char **argv) {
    static const char *const workers[] = {"gateway", "sensor"};
    platform_arguments(&argc, argv);
    platform_file file;
    tsm_program program;
    tsm_instance *inst;
    if (argc != 2 || !platform_file_open(&file, argv[1], message, sizeof message))
        fail("it needs SENSOR.tsm");
    const tsm_options o = {.platform = platform_table(), .message = message, .message_bytes = sizeof message};
    if (tsm_program_open(&program, file.data, file.bytes, message, sizeof message) != TSM_OK ||
        tsm_instance_init(&inst, &program, &o, buffer, sizeof buffer) != TSM_OK)
        fail(message);
    UART->divider = DIVIDER;
    UART->control = TX_ON | RX_ON;
    serial_link link = {NULL, put, get, "gateway", room, sizeof room};
    const tsm_transport table = serial_link_table(&link);
    const tsm_remote_options r = {
        .size = sizeof r, .workers = workers, .worker_count = 2, .self = 1, .timeout = UINT64_C(10000000000)};
    if (tsm_remote_open(inst, &table, &r) != TSM_OK)
        fail(message);
    call(inst, tsm_method(&program, "forward"));
    call(inst, tsm_method(&program, "ask_too_much"));
    printf("left: %u\n", (unsigned)tsm_remote_count(inst));
    tsm_remote_close(inst);
    return 0;
}
