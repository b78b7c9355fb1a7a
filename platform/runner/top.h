/* The best of a result's scores, with their labels. */
#ifndef RUNNER_TOP_H
#define RUNNER_TOP_H

#include "platform/runner/session.h"

/* Prints the `o->top` largest elements of each row of the result's last dimension (of its first tensor, where it is a
 * tuple or list) with their positions and labels. A result without such a tensor ends the program with exit status 2.
 */
void top_print(session *s, const options *o, json_report *r, tsm_value result);

#endif
