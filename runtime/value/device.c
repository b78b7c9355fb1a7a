/* Devices' names. Everything runs on the CPU; other devices exist as values that programs compare and print. */
#include "runtime/value/device.h"

#include "runtime/value/exec.h"

const char tsm_device_names[] = "cpu\0cuda\0mkldnn\0opengl\0opencl\0ideep\0hip\0fpga\0ort\0xla\0"
                                "vulkan\0metal\0xpu\0mps\0meta\0hpu\0ve\0lazy\0ipu\0privateuseone";

size_t tsm_device_text(tsm_value v, char *text, size_t n) {
    unsigned type = v.as.device & 0xffff, index = v.as.device >> 16;
    const char *name = type < TSM_DEVICE_TYPES ? tsm_name_at(tsm_device_names, type) : "unknown";
    return index ? tsm_format(text, n, "%s:%u", name, index - 1) : tsm_format(text, n, "%s", name);
}
