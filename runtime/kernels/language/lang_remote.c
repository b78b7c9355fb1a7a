/* Functions of other workers, and what they hold: asked of the part that speaks to them. */
#include "runtime/kernels/language/lang.h"
#include "runtime/value/remote.h"

static tsm_status ask_workers(tsm_exec *x, tsm_remote_question q, const tsm_value *const *in, tsm_value *out) {
    if (!x->remote)
        return TSM_RAISE(x, "Current RPC agent is not set! Did you initialize the RPC framework (e.g. by calling "
                            "`rpc.init_rpc`)?");
    return x->remote->ask(x, q, in, out);
}

TSM_KERNEL(tsm_rpc_sync) {
    return ask_workers(x, TSM_ASKS_SYNC, in, out);
}

TSM_KERNEL(tsm_rpc_async) {
    return ask_workers(x, TSM_ASKS_ASYNC, in, out);
}

TSM_KERNEL(tsm_rpc_remote) {
    return ask_workers(x, TSM_ASKS_REMOTE, in, out);
}

/* Where nobody is asked all futures have their results. */
TSM_KERNEL(tsm_rpc_wait) {
    if (x->remote)
        return x->remote->ask(x, TSM_ASKS_WAIT, in, out);
    if (in[0]->tag != TSM_TAG_FUTURE)
        return tsm_fail(x, TSM_BAD_FILE, "a program waits for what is no future");
    const tsm_future *f = tsm_as_future(*in[0]);
    if (f->failed)
        return TSM_RAISE(x, "%.*s", (int)tsm_as_str(f->value)->length, tsm_as_str(f->value)->text);
    *out = tsm_hold(f->value);
    return TSM_OK;
}

TSM_KERNEL(tsm_rref_to_here) {
    return ask_workers(x, TSM_ASKS_TO_HERE, in, out);
}

TSM_KERNEL(tsm_rref_local_value) {
    return ask_workers(x, TSM_ASKS_LOCAL_VALUE, in, out);
}

TSM_KERNEL(tsm_rref_is_owner) {
    return ask_workers(x, TSM_ASKS_IS_OWNER, in, out);
}

TSM_KERNEL(tsm_rref_owner_name) {
    return ask_workers(x, TSM_ASKS_OWNER_NAME, in, out);
}

TSM_KERNEL(tsm_rref_confirmed_by_owner) {
    return ask_workers(x, TSM_ASKS_CONFIRMED, in, out);
}
