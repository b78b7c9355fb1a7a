/* Where instructions come from in sources (docs/format.md, Positions). */
#ifndef TSM_INTERPRETER_POSITIONS_H
#define TSM_INTERPRETER_POSITIONS_H

#include "schema/generated/tsmobile_reader.h"

/* The call that an instruction of a function belongs to: a row of `calls`, or of `frames` in files without them; or
 * UINT32_MAX. */
uint32_t tsm_position_call(tsmf_Function f, uint32_t instruction);

/* The frame of such a call, which becomes the one that led there, or UINT32_MAX. */
const tsmf_Frame *tsm_position_frame(tsmf_Program root, uint32_t *call);

#endif
