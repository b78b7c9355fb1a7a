/* Devices from their names. Linked only where operators or the caller ask for it. */
#include "runtime/value/device.h"
#include "runtime/value/exec.h"

tsm_status tsm_device_read(tsm_exec *x, const char *text, size_t n, tsm_value *out) {
    const tsm_device_name d = tsm_device_scan(tsm_device_names, text, n);
    const size_t m = d.type_length;
    switch (d.fault) {
    case TSM_DEVICE_EMPTY:
        return TSM_RAISE(x, TSM_DEVICE_SAYS_EMPTY);
    case TSM_DEVICE_MALFORMED:
        return TSM_RAISE(x, TSM_DEVICE_SAYS_MALFORMED, (int)n, text);
    case TSM_DEVICE_UNKNOWN:
        return TSM_RAISE(x, TSM_DEVICE_SAYS_UNKNOWN, (int)m, text);
    case TSM_DEVICE_FAR:
        return TSM_RAISE(x, TSM_DEVICE_SAYS_FAR, (int)(n - m - 1), text + m + 1, (int)n, text);
    default:
        *out = (tsm_value){TSM_TAG_DEVICE, 0, {.i = 0}};
        out->as.device = d.device;
        return TSM_OK;
    }
}
