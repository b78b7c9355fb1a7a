/* What an instance has used, and what its operators have. Linked only where a program asks for it. */
#include "runtime/interpreter/instance.h"

tsm_usage tsm_instance_usage(const tsm_instance *inst) {
    const tsm_heap *h = &inst->exec.heap;
    size_t around = inst->buffer_bytes - (size_t)(h->end - h->start);
    tsm_usage u = {inst->buffer_bytes,     inst->fixed_bytes,  around + h->used,
                   around + h->high_water, inst->instructions, inst->exec.is_limited ? inst->exec.work : 0};
    return u;
}

bool tsm_profile_get(const tsm_instance *inst, size_t row, tsm_profile_row *out) {
    if (!inst->profile || row >= tsmf_Program_operators_len(inst->root))
        return false;
    const tsm_profile_counts *p = &inst->profile[row];
    *out = (tsm_profile_row){tsmf_Program_operators(inst->root, (uint32_t)row), p->calls, p->nanoseconds, p->bytes};
    return true;
}
