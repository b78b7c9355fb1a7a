/* A transport for two workers at the ends of a serial line: tsm_transport over single bytes. A message travels as a
 * mark, its length (32 bits, little-endian) and its bytes; what is no message is passed over, damage is found by the
 * checksums. */
#ifndef TESTS_DEVICE_SERIAL_LINK_H
#define TESTS_DEVICE_SERIAL_LINK_H

#include "tsmobile.h"

typedef struct {
    void *line;
    bool (*put)(void *line, const uint8_t *bytes, size_t n);      /* false: the line is cut */
    bool (*get)(void *line, uint8_t *byte, uint64_t nanoseconds); /* waits at most so long */
    const char *peer;                                             /* the only other worker */
    uint8_t *room;                                                /* for the message that was received last */
    size_t room_bytes;
} serial_link;

tsm_transport serial_link_table(serial_link *link);

#endif
