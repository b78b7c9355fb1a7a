/* --load-state and --save-state: an instance's state in a file. */
#ifndef RUNNER_STATE_H
#define RUNNER_STATE_H

#include "platform/runner/session.h"

/* Both end the program when they fail. */
void state_load(session *s, const char *path);
void state_save(session *s, const char *path);

#endif
