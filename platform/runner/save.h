/* torch.save() of the program: files below the folder of --allow-save. */
#ifndef RUNNER_SAVE_H
#define RUNNER_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct save save;

/* `folder`: where the program may write; NULL: nowhere. */
save *save_new(const char *folder);
/* What tsm_platform.write asks for. A refusal says on stderr why. */
bool save_write(save *s, const char *path, uint64_t offset, const void *data, size_t n);

#endif
