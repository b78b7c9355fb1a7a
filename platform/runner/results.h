/* Results to files, and against files: .json, .npy, .npz, by the end of the file's name. */
#ifndef RUNNER_RESULTS_H
#define RUNNER_RESULTS_H

#include "platform/runner/session.h"
#include <stdio.h>

/* Whether the file is NumPy's. */
bool results_is_npy(const char *path);
bool results_is_npz(const char *path);

/* Writes a result in the form that the path says. A .npz has the parts of a tuple, list or dict, by their names. */
void results_write(FILE *out, const char *path, session *s, tsm_value result);

/* --expect: compares the result with the file and says what differs; the exit status. */
int results_compare(session *s, const options *o, json_report *r, tsm_value result);

#endif
