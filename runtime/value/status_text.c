/* What statuses mean, for people. Linked only where a program asks for it. */
#include "runtime/include/tsmobile.h"
#include "runtime/value/value.h"

const char *tsm_status_text(tsm_status status) {
#define X(name, text) text "\0"
    static const char texts[] = TSM_STATUS_LIST(X);
#undef X
#define X(name, text) +1
    return (unsigned)status < TSM_STATUS_LIST(X) ? tsm_name_at(texts, status) : "unknown status";
#undef X
}
