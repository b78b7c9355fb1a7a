/* platform.h's files to write where there is not much of a system (bare metal, WASI): a file beside the one that is
 * meant, renamed when all of it is written. */
#include "platform/common/output.h"

#include <errno.h>
#include <string.h>

#include "platform/platform.h"

enum { MOST_OPEN = 4, PATH_BYTES = 256 };

static const char ending[] = ".tmp";

struct platform_output {
    FILE *stream; /* standard output has no target */
    char target[PATH_BYTES], temporary[PATH_BYTES + sizeof ending];
};

static platform_output outputs[MOST_OPEN];

static bool is_separator(char c) {
#ifdef _WIN32
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

/* By the names alone: the host's symbolic links are not seen. */
static bool is_below(const char *folder, const char *path) {
    size_t n = strlen(folder);
    while (n > 0 && is_separator(folder[n - 1]))
        n--;
    return !strncmp(folder, path, n) && is_separator(path[n]) && !strstr(path, "..");
}

bool platform_is_same_file(const char *a, const char *b) {
    return !strcmp(a, b) && strcmp(a, "-") != 0;
}

platform_output *platform_output_open(const char *path, const char *below, char *message, size_t message_bytes) {
    platform_output *o = NULL;
    for (size_t i = 0; i < MOST_OPEN && !o; i++)
        o = outputs[i].stream ? NULL : &outputs[i];
    const bool allowed = !below || is_below(below, path);
    if (!o || !allowed || strlen(path) >= PATH_BYTES) {
        snprintf(message, message_bytes, "%s",
                 !allowed ? "it does not lie below the folder"
                 : !o     ? "too many files are open"
                          : "its name is too long");
        return NULL;
    }
    if (!below && !strcmp(path, "-")) {
        o->target[0] = 0;
        o->stream = stdout;
        return o;
    }
    strcpy(o->target, path);
    strcat(strcpy(o->temporary, path), ending);
    o->stream = fopen(o->temporary, "wb");
    if (!o->stream)
        snprintf(message, message_bytes, "%s", strerror(errno));
    return o->stream ? o : NULL;
}

FILE *platform_output_stream(const platform_output *o) {
    return o->stream;
}

bool platform_output_close(platform_output *o, char *message, size_t message_bytes) {
    const bool written = !ferror(o->stream);
    const bool ok = o->target[0] ? fclose(o->stream) == 0 && written && platform_rename(o->temporary, o->target)
                                 : fflush(o->stream) == 0 && written;
    o->stream = NULL;
    if (!ok) {
        snprintf(message, message_bytes, "%s", strerror(errno));
        if (o->target[0])
            remove(o->temporary);
    }
    return ok;
}

void platform_output_discard(platform_output *o) {
    if (o->target[0]) {
        fclose(o->stream);
        remove(o->temporary);
    }
    o->stream = NULL;
}
