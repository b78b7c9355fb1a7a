/* Runs at export whose need of memory is not known before. */
#ifndef TSMC_PASSES_ANALYSIS_GROWING_BUFFER_H
#define TSMC_PASSES_ANALYSIS_GROWING_BUFFER_H

#include "runtime/include/tsmobile.h"

/* Runs `attempt` with `first` bytes and, while it answers TSM_OUT_OF_MEMORY, with four times as many, up to `most`.
 * Returns its last answer. */
tsm_status run_in_growing_buffer(size_t first, size_t most, tsm_status (*attempt)(size_t bytes, void *data),
                                 void *data);

#endif
