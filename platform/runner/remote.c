/* Workers: a transport by nng, if tsmrun was built with it. */
#include "platform/runner/remote.h"

#include "platform/platform.h"
#include "platform/runner/die.h"

#if defined(TSM_NNG)
#include "platform/posix/nng/nng_transport.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { CONNECT_MS = 10000, SERVE_NS = 100000000, END_NS = 1000000000 };

static nng_transport *transport;
static volatile sig_atomic_t is_over;
static bool is_stuck; /* nng does not end */

static void end_serving(int number) {
    (void)number;
    is_over = 1;
}

/* Puts the names in order, so that all workers agree who is which; *self becomes the place of this one. */
static const char *const *order_names(const options *o, size_t *self) {
    const char **names = keep((o->peer_count + 1) * sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i <= o->peer_count; i++) {
        const char *name = i < o->peer_count ? o->peer_names[i] : o->rpc_name;
        size_t at = n++;
        for (; at && strcmp(names[at - 1], name) > 0; at--)
            names[at] = names[at - 1];
        names[at] = name;
    }
    for (size_t i = 0; i < n; i++)
        if (i && !strcmp(names[i - 1], names[i]))
            die(EXIT_BAD_INPUT, "two workers are called %s", names[i]);
        else if (!strcmp(names[i], o->rpc_name))
            *self = i;
    return names;
}

void remote_start(tsm_instance *inst, const options *o) {
    if (!o->rpc_name)
        return;
    char reason[256];
    const size_t message_bytes = tsm_instance_usage(inst).buffer_bytes / 4;
    const nng_transport_options settings = {.listen = o->rpc_listen,
                                            .names = o->peer_names,
                                            .addresses = o->peer_addresses,
                                            .count = o->peer_count,
                                            .certificate = o->rpc_certificate,
                                            .key = o->rpc_key,
                                            .authority = o->rpc_authority,
                                            .message_bytes = message_bytes};
    transport = nng_transport_open(&settings, reason, sizeof reason);
    if (!transport)
        die(EXIT_BAD_INPUT, "a worker cannot be made at %s", reason);
    nng_transport_tell(transport, inst);
    tsm_remote_options r = {.size = sizeof r,
                            .worker_count = o->peer_count + 1,
                            .allowed = o->rpc_allowed,
                            .allowed_count = o->rpc_allowed_count,
                            .message_bytes = message_bytes};
    r.workers = order_names(o, &r.self);
    const tsm_transport table = nng_transport_table(transport);
    const tsm_status status = tsm_remote_open(inst, &table, &r);
    if (status != TSM_OK)
        die(exit_status_of(status), "%s", tsm_error(inst));
    if (!o->rpc_serve && !nng_transport_wait(transport, CONNECT_MS))
        die(EXIT_BAD_INPUT, "not all workers of --rpc-peer can be reached");
}

void remote_serve(tsm_instance *inst, const options *o) {
    if (!o->rpc_serve)
        return;
    signal(SIGTERM, end_serving);
    signal(SIGINT, end_serving);
    fflush(stdout);
    fprintf(stderr, "tsmrun: %s serves\n", o->rpc_name);
    while (!is_over)
        tsm_remote_serve(inst, SERVE_NS);
}

void remote_end(tsm_instance *inst, const options *o) {
    if (!o->rpc_name)
        return;
    const uint64_t end = platform_nanoseconds(NULL) + END_NS;
    while (tsm_remote_count(inst) && platform_nanoseconds(NULL) < end)
        tsm_remote_serve(inst, END_NS / 100);
    tsm_remote_close(inst);
    is_stuck = !nng_transport_close(transport);
}

void remote_leave(int status) {
    if (!is_stuck)
        return;
    fflush(NULL);
    _exit(status);
}
#else
void remote_start(tsm_instance *inst, const options *o) {
    (void)inst;
    if (o->rpc_name)
        die(EXIT_BAD_INPUT, "this tsmrun calls no other workers: it was built without nng (-DTSM_NNG=ON)");
}

void remote_serve(tsm_instance *inst, const options *o) {
    (void)inst, (void)o;
}

void remote_end(tsm_instance *inst, const options *o) {
    (void)inst, (void)o;
}

void remote_leave(int status) {
    (void)status;
}
#endif
