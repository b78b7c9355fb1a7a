/* Runs that are repeated with more memory until they fit. */
#include "exporter/passes/analysis/growing_buffer.h"

tsm_status run_in_growing_buffer(size_t first, size_t most, tsm_status (*attempt)(size_t bytes, void *data),
                                 void *data) {
    tsm_status status = TSM_OUT_OF_MEMORY;
    for (size_t bytes = first; status == TSM_OUT_OF_MEMORY && bytes <= most; bytes *= 4)
        status = attempt(bytes, data);
    return status;
}
