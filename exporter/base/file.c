/* Files read into memory, in pieces: a pipe has no size. */
#include "exporter/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

char *file_read(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f)
        diag_fail("%s: cannot be opened: %s", path, strerror(errno));
    strbuf b = {0};
    char piece[65536];
    for (size_t got; (got = fread(piece, 1, sizeof piece, f)) > 0;)
        strbuf_add_n(&b, piece, got);
    const int reason = ferror(f) ? errno : 0;
    fclose(f);
    if (reason)
        diag_fail("%s: cannot be read: %s", path, strerror(reason));
    limit_add_input(b.length);
    *n = b.length;
    return b.text ? b.text : mem_strdup("");
}

const char *file_base_name(const char *path) {
#ifdef _WIN32
    static const char separators[] = "/\\:"; /* a letter with a colon is a drive */
#else
    static const char separators[] = "/";
#endif
    const char *name = path;
    for (const char *at = path; *(at += strcspn(at, separators)); name = ++at)
        ;
    return name;
}
