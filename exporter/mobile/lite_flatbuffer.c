#include "exporter/base/diag.h"
#include "exporter/mobile/lite.h"
bool lite_is_flatbuffer(zip_bytes file) {
    (void)file;
    return false;
}
lite_module *lite_read_flatbuffer(const char *name, zip_bytes file) {
    (void)file;
    diag_fail("%s", name);
}
