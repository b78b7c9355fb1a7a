/* How platform/common/output.c gives files their names on WASI. */
#include "platform/common/output.h"

#include <stdio.h>

bool platform_rename(const char *from, const char *to) {
    return rename(from, to) == 0;
}
