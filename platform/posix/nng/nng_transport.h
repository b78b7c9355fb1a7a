/* Messages between workers by nng: tcp, ipc, and TLS with certificates on both sides (docs/remote.md). Built with
 * -DTSM_NNG=ON. */
#ifndef PLATFORM_POSIX_NNG_NNG_TRANSPORT_H
#define PLATFORM_POSIX_NNG_NNG_TRANSPORT_H

#include "tsmobile.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct nng_transport nng_transport;

typedef struct {
    const char *listen; /* where others reach this worker: "tcp://0.0.0.0:7000", "ipc:///run/w0", "tls+tcp://..." */
    const char *const *names; /* of the other workers */
    const char *const *addresses;
    size_t count;
    const char *certificate, *key, *authority; /* PEM files, of TLS; NULL: none */
    size_t message_bytes;                      /* the longest message that is taken */
} nng_transport_options;

/* Begins to listen and to connect to the others, who may start later. NULL, with the reason in `message`, when an
 * address or a certificate is of no use. */
nng_transport *nng_transport_open(const nng_transport_options *o, char *message, size_t message_bytes);
/* Waits until all others are connected, at most so long; false: they are not. */
bool nng_transport_wait(nng_transport *t, unsigned milliseconds);
/* What tsm_remote_open takes. */
tsm_transport nng_transport_table(nng_transport *t);
/* The instance that is told of workers that are lost. */
void nng_transport_tell(nng_transport *t, tsm_instance *inst);
/* False: nng has not closed its sockets within 3 seconds. Then the transport's memory is left, and the process should
 * end without what nng does at its exit. */
bool nng_transport_close(nng_transport *t);

#endif
