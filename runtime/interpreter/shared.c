/* Whether a value is held by anything else: what bindings ask before they give memory back that a tensor wraps. Linked
 * only where a program asks. */
#include "runtime/value/value.h"

bool tsm_is_shared(tsm_value v) {
    if (!tsm_is_object(v))
        return false;
    if (v.tag == TSM_TAG_TENSOR && tsm_as_tensor(v)->storage->references > 1)
        return true;
    return v.as.o->references > 1;
}
