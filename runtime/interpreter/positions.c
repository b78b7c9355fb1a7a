/* Reading of positions. */
#include "runtime/interpreter/positions.h"

uint32_t tsm_position_call(tsmf_Function f, uint32_t instruction) {
    const tsmf_DebugEntry *entry = tsmf_Function_debug(f);
    const tsmf_Step *step = tsmf_Function_steps(f);
    uint32_t found = UINT32_MAX, call = tsmf_Function_first_call(f);
    for (uint32_t n = tsmf_Function_debug_len(f); n && entry->pc <= instruction; n--)
        found = entry++->frame;
    for (uint32_t n = tsmf_Function_steps_len(f); n && step->instructions <= instruction; n--) {
        instruction -= step->instructions;
        found = call += (uint32_t)step++->calls;
    }
    return found;
}

const tsmf_Frame *tsm_position_frame(tsmf_Program root, uint32_t *call) {
    const tsmf_Frame *const frames = tsmf_Program_frames(root), *const frame = frames + *call;
    if (!tsmf_Program_calls_len(root)) {
        *call = frame->caller;
        return frame;
    }
    const tsmf_Call *const c = tsmf_Program_calls(root) + *call;
    *call = c->caller ? *call - c->caller : UINT32_MAX;
    return frames + c->frame;
}
