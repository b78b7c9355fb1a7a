/* What a running program asks of the part that speaks to other workers (runtime/interpreter/remote.h). Kernels reach it
 * by tsm_exec.remote, so that it is linked only into programs that open it. */
#ifndef TSM_VALUE_REMOTE_H
#define TSM_VALUE_REMOTE_H

#include "runtime/value/exec.h"

typedef enum {
    TSM_ASKS_SYNC,
    TSM_ASKS_ASYNC,
    TSM_ASKS_REMOTE,
    TSM_ASKS_WAIT,
    TSM_ASKS_TO_HERE,
    TSM_ASKS_LOCAL_VALUE,
    TSM_ASKS_IS_OWNER,
    TSM_ASKS_OWNER_NAME,
    TSM_ASKS_CONFIRMED,
} tsm_remote_question;

struct tsm_remote_hook {
    tsm_status (*ask)(tsm_exec *x, tsm_remote_question q, const tsm_value *const *in, tsm_value *out);
};

#endif
