/* torch.distributed.rpc: calls of functions of other workers. */
#ifndef TSMC_EMIT_EMIT_REMOTE_H
#define TSMC_EMIT_EMIT_REMOTE_H

#include "exporter/emit/emit.h"

/* rpc_sync(worker, function, arguments, keyword arguments, timeout); the last three may be left out. */
sugared emit_rpc_sync(emitter *e, const ast_node *n, const type *hint);
/* The same; gives a future. */
sugared emit_rpc_async(emitter *e, const ast_node *n, const type *hint);
/* remote(...): gives an RRef. */
sugared emit_rpc_remote(emitter *e, const ast_node *n, const type *hint);

#endif
