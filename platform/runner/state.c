/* --load-state and --save-state: an instance's state in a file. */
#include "platform/runner/state.h"

#include "platform/runner/die.h"
#include <stdio.h>

void state_load(session *s, const char *path) {
    platform_file file;
    char message[512];
    if (!platform_file_open(&file, path, message, sizeof message))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, message);
    const tsm_status status = tsm_instance_load(s->inst, file.data, file.bytes);
    if (status != TSM_OK)
        die(exit_status_of(status), "%s: %s", path, tsm_error(s->inst));
    platform_file_close(&file); /* --save-state may replace it */
}

void state_save(session *s, const char *path) {
    char message[512];
    size_t bytes;
    tsm_status status = tsm_instance_save(s->inst, NULL, 0, &bytes);
    void *state = keep(bytes);
    if (status == TSM_OK)
        status = tsm_instance_save(s->inst, state, bytes, &bytes);
    if (status != TSM_OK)
        die(exit_status_of(status), "cannot save the state: %s", tsm_error(s->inst));
    platform_output *out = platform_output_open(path, NULL, message, sizeof message);
    if (!out)
        die(EXIT_BAD_INPUT, "cannot write %s: %s", path, message);
    fwrite(state, 1, bytes, platform_output_stream(out));
    if (!platform_output_close(out, message, sizeof message))
        die(EXIT_BAD_INPUT, "cannot write %s: %s", path, message);
}
