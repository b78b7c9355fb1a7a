/* Messages on a serial line. */
#include "tests/device/serial_link.h"

#include <string.h>

enum { MARK = 0xa5, BYTE_NS = 1000000000 /* bytes of a message follow each other within this time */ };

static bool send_message(void *context, const char *worker, const void *bytes, size_t n) {
    const serial_link *link = context;
    if (strcmp(worker, link->peer) || n > UINT32_MAX)
        return false;
    const uint8_t head[5] = {MARK, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
    return link->put(link->line, head, sizeof head) && link->put(link->line, bytes, n);
}

static bool get_bytes(const serial_link *link, uint8_t *to, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!link->get(link->line, &to[i], BYTE_NS))
            return false;
    return true;
}

/* A message that is longer than the room is passed over. */
static const void *receive_message(void *context, uint64_t nanoseconds, size_t *n) {
    const serial_link *link = context;
    uint8_t mark = 0, length[4];
    while (mark != MARK)
        if (!link->get(link->line, &mark, nanoseconds))
            return NULL;
    if (!get_bytes(link, length, sizeof length))
        return NULL;
    *n = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    if (*n <= link->room_bytes)
        return get_bytes(link, link->room, *n) ? link->room : NULL;
    for (size_t i = 0; i < *n; i++)
        if (!get_bytes(link, link->room, 1))
            break;
    return NULL;
}

tsm_transport serial_link_table(serial_link *link) {
    return (tsm_transport){.context = link, .send = send_message, .receive = receive_message};
}
