/* Letters of strings: see letter.h. */
#include "runtime/value/letter.h"

#include "runtime/value/exec.h"

tsm_status tsm_str_no_letter(tsm_exec *x, const tsm_str *s, int64_t at) {
    return TSM_RAISE(x, "basic_string::at: __n (which is %lu) >= this->size() (which is %zu)",
                     (uint64_t)(at < 0 ? (int64_t)((uint64_t)at + s->length) : at), (size_t)s->length);
}
