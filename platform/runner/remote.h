/* Other workers: tsmrun's --rpc options (docs/remote.md). */
#ifndef RUNNER_REMOTE_H
#define RUNNER_REMOTE_H

#include "platform/runner/options.h"
#include "tsmobile.h"
#include <stdio.h>

/* Makes the instance a worker, and waits for the others to be there; nothing without --rpc-name. A failure ends the
 * program. */
void remote_start(tsm_instance *inst, const options *o);
/* With --rpc-serve: serves others until the program is told to end (SIGTERM, SIGINT). */
void remote_serve(tsm_instance *inst, const options *o);
/* Lets others have what they hold of this worker for a moment more, and ends. */
void remote_end(tsm_instance *inst, const options *o);
/* The last thing that a program does after remote_end: ends it where the transport does not. */
void remote_leave(int status);

#endif
