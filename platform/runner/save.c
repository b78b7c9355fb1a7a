/* torch.save() of the program: the piece at 0 begins a file, the one without bytes ends it. */
#include "platform/runner/save.h"

#include "platform/platform.h"
#include "platform/runner/die.h"
#include <stdio.h>

struct save {
    const char *folder;
    platform_output *output; /* NULL: none is being written */
};

save *save_new(const char *folder) {
    save *s = keep(sizeof *s);
    *s = (save){.folder = folder};
    return s;
}

static bool refuse(const save *s, const char *path, const char *reason) {
    if (s->folder)
        fprintf(stderr, "tsmrun: torch.save() cannot write %s, for --allow-save %s: %s\n", path, s->folder, reason);
    else
        fprintf(stderr, "tsmrun: torch.save() may not write %s: %s\n", path, reason);
    return false;
}

static bool begin(save *s, const char *path) {
    char reason[256];
    if (!s->folder)
        return refuse(s, path, "--allow-save DIR lets a program write files below DIR");
    if (s->output)
        platform_output_discard(s->output);
    s->output = platform_output_open(path, s->folder, reason, sizeof reason);
    return s->output || refuse(s, path, reason);
}

static bool finish(save *s, const char *path) {
    char reason[256];
    platform_output *output = s->output;
    s->output = NULL;
    return platform_output_close(output, reason, sizeof reason) || refuse(s, path, reason);
}

bool save_write(save *s, const char *path, uint64_t offset, const void *data, size_t n) {
    if (offset == 0 && !begin(s, path))
        return false;
    if (n == 0)
        return finish(s, path);
    return fwrite(data, 1, n, platform_output_stream(s->output)) == n || finish(s, path); /* which says why not */
}
