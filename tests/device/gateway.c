/* A worker on the host that serves the one at the other end of a serial line, which is a socket of QEMU's.
 *
 *     gateway SENSOR.tsm SOCKET        says "ready" when it listens, and ends when the line is cut */
#include "platform/platform.h"
#include "tests/device/serial_link.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROOM = 1 << 16, BUFFER = 1 << 20, SERVE_NS = 50000000 };

typedef struct {
    int descriptor;
    bool is_cut;
} line;

static uint8_t room[ROOM];
static char message[1024];

static bool put(void *context, const uint8_t *bytes, size_t n) {
    const line *l = context;
    while (n) {
        const ssize_t sent = send(l->descriptor, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool get(void *context, uint8_t *byte, uint64_t nanoseconds) {
    line *l = context;
    struct pollfd p = {.fd = l->descriptor, .events = POLLIN};
    if (l->is_cut || poll(&p, 1, (int)((nanoseconds + 999999) / 1000000)) <= 0)
        return false;
    l->is_cut = read(l->descriptor, byte, 1) != 1;
    return !l->is_cut;
}

_Noreturn static void fail(const char *what) {
    fprintf(stderr, "gateway: %s\n", what);
    exit(2);
}

static int wait_for_line(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (strlen(path) >= sizeof address.sun_path)
        fail("the socket's name is too long");
    strcpy(address.sun_path, path);
    if (listening < 0 || bind(listening, (struct sockaddr *)&address, sizeof address) || listen(listening, 1))
        fail("it cannot listen");
    puts("ready");
    fflush(stdout);
    const int descriptor = accept(listening, NULL, NULL);
    if (descriptor < 0)
        fail("nobody connects");
    close(listening);
    return descriptor;
}

int main(int argc, char **argv) {
    static const char *const workers[] = {"gateway", "sensor"};
    static const char *const allowed[] = {"__torch__.sensor_program.smooth"};
    platform_file file;
    tsm_program program;
    tsm_instance *inst;
    size_t bytes;
    void *buffer = platform_buffer(BUFFER, &bytes);
    if (argc != 3 || !platform_file_open(&file, argv[1], message, sizeof message))
        fail("it needs SENSOR.tsm and a socket's name");
    const tsm_options o = {.platform = platform_table(), .message = message, .message_bytes = sizeof message};
    if (tsm_program_open(&program, file.data, file.bytes, message, sizeof message) != TSM_OK ||
        tsm_instance_init(&inst, &program, &o, buffer, bytes) != TSM_OK)
        fail(message);
    line l = {wait_for_line(argv[2]), false};
    serial_link link = {&l, put, get, "sensor", room, sizeof room};
    const tsm_transport table = serial_link_table(&link);
    const tsm_remote_options r = {
        .size = sizeof r, .workers = workers, .worker_count = 2, .allowed = allowed, .allowed_count = 1};
    if (tsm_remote_open(inst, &table, &r) != TSM_OK)
        fail(message);
    while (!l.is_cut)
        tsm_remote_serve(inst, SERVE_NS);
    tsm_remote_lost(inst, "sensor");
    printf("left: %u\n", (unsigned)tsm_remote_count(inst));
    tsm_remote_close(inst);
    return 0;
}
