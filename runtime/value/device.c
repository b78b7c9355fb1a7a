/* Devices' names. Everything runs on the CPU; other devices exist as values that programs compare and print. */
#include "runtime/value/device.h"

#include "runtime/value/exec.h"

const char tsm_device_names[] = TSM_DEVICE_NAMES;

size_t tsm_device_text(tsm_value v, char *text, size_t n) {
    unsigned type = v.as.device & 0xffff, index = v.as.device >> 16;
    const char *name = type < TSM_DEVICE_TYPES ? tsm_name_at(tsm_device_names, type) : "unknown";
    return index ? tsm_format(text, n, "%s:%u", name, index - 1) : tsm_format(text, n, "%s", name);
}
