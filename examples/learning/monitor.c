/* monitor: learns how a machine sounds when it is well, and says where a recording sounds otherwise.
 *
 *     monitor learn RECORDING.csv STATE      six times through the recording; goes on from STATE where there is one
 *     monitor watch RECORDING.csv STATE      ends with status 1 when the machine needs looking after
 *
 * A line of a recording is a window of 64 samples. What was learned is in STATE, which another machine may have made:
 * docs/state.md. The program has monitor.tsm in it (tsmobile_add_model). */
#include "monitor.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, PASSES = 6, LINE_BYTES = 4096, STATE_BYTES = 64 * 1024 };
static const double STRANGE = 2.5;

/* The model's memory: its weights, which change, the sums of Adam, and what a step computes. */
static _Alignas(64) unsigned char buffer[128 * 1024];
static unsigned char state[STATE_BYTES];
static char message[1024];

_Noreturn static void fail(const char *what, const char *why) {
    fprintf(stderr, "monitor: %s: %s\n", what, why);
    exit(2);
}

/* Reads the next window of a recording; false at its end. */
static bool read_window(FILE *recording, const char *name, float *window) {
    char line[LINE_BYTES], *at = line;
    if (!fgets(line, sizeof line, recording))
        return false;
    for (int i = 0; i < WINDOW; i++) {
        char *end;
        window[i] = strtof(at, &end);
        if (end == at)
            fail(name, "a line has fewer than 64 numbers");
        at = *end == ',' ? end + 1 : end;
    }
    if (*at && *at != '\n' && *at != '\r')
        fail(name, "a line has more than 64 numbers");
    return true;
}

/* Calls a method with a window; it gives a float. */
static double ask(monitor *m, const char *method, float *window) {
    const tsm_dim size = WINDOW;
    tsm_value argument, result;
    if (tsm_tensor_wrap(m->inst, &argument, TSM_FLOAT32, 1, &size, NULL, window) != TSM_OK ||
        /* All or nothing: a step that fails in its middle leaves the weights as they were. */
        tsm_call_or_restore(m->inst, tsm_method(&m->program, method), &argument, 1, &result) != TSM_OK)
        fail(method, tsm_error(m->inst));
    tsm_release(m->inst, argument);
    return result.as.f;
}

/* Brings the model to the state in a file; false where there is none. */
static bool load_state(monitor *m, const char *name) {
    FILE *f = fopen(name, "rb");
    if (!f)
        return false;
    const size_t bytes = fread(state, 1, sizeof state, f);
    fclose(f);
    if (tsm_instance_load(m->inst, state, bytes) != TSM_OK)
        fail(name, tsm_error(m->inst));
    return true;
}

static size_t save_state(monitor *m, const char *name) {
    size_t bytes;
    if (tsm_instance_save(m->inst, state, sizeof state, &bytes) != TSM_OK)
        fail("the state", tsm_error(m->inst));
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(state, 1, bytes, f) != bytes || fclose(f))
        fail(name, strerror(errno));
    return bytes;
}

static int learn(monitor *m, FILE *recording, const char *name, const char *state_name) {
    float window[WINDOW];
    double first = 0, last = 0;
    int windows = 0;
    printf("%s\n", load_state(m, state_name) ? "going on from what was learned before" : "beginning to learn");
    for (int pass = 0; pass < PASSES; pass++, rewind(recording))
        while (read_window(recording, name, window)) {
            last = ask(m, "learn", window);
            first = windows++ ? first : last;
        }
    if (!windows)
        fail(name, "there is nothing in it");
    printf("learned %d windows: error %.3f, in the end %.3f\n", windows, first, last);
    printf("state of %zu bytes in %s\n", save_state(m, state_name), state_name);
    return 0;
}

static int watch(monitor *m, FILE *recording, const char *name, const char *state_name) {
    float window[WINDOW];
    int windows = 0, strange = 0;
    double most = 0;
    load_state(m, state_name); /* without one, the model refuses */
    while (read_window(recording, name, window)) {
        const double s = ask(m, "strangeness", window);
        most = s > most ? s : most;
        strange += s > STRANGE;
        windows++;
    }
    if (!windows)
        fail(name, "there is nothing in it");
    printf("%d of %d windows are strange, the strangest %.1f times as much as usual\n", strange, windows, most);
    puts(strange * 4 > windows ? "the machine needs looking after" : "the machine is well");
    return strange * 4 > windows;
}

int main(int argc, char **argv) {
    if (argc != 4 || (strcmp(argv[1], "learn") != 0 && strcmp(argv[1], "watch") != 0)) {
        fputs("usage: monitor learn|watch RECORDING.csv STATE\n", stderr);
        return 2;
    }
    monitor m;
    const tsm_options options = {.size = sizeof options, .message = message, .message_bytes = sizeof message};
    if (monitor_open(&m, &options, buffer, sizeof buffer) != TSM_OK)
        fail("the model", message);
    FILE *recording = fopen(argv[2], "r");
    if (!recording)
        fail(argv[2], strerror(errno));
    return (argv[1][0] == 'l' ? learn : watch)(&m, recording, argv[2], argv[3]);
}
