/* The arguments that the command line brings: --inputs, and files as people have them. */
#ifndef RUNNER_INPUTS_H
#define RUNNER_INPUTS_H

#include "platform/runner/session.h"

/* The arguments of the session's method, converted to their types. Those of --inputs come first; --npy, --image,
 * --audio,
 * --text and --string take the next place that is free; arrays of --npz take the places of arguments that have their
 * names, others the next ones. */
arguments inputs_read(session *s, const options *o);

#endif
