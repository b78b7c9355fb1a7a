/* The layers of TransformerEncoder ask whether what they get is nested, and give what they make the lengths of that.
 * Where no function makes nested tensors of a mask, nothing is nested: the question, which leaves open whether there is
 * a mask and keeps the buffer from being known, goes. */
#ifndef TSMC_PASSES_OPTIMIZE_ANSWER_NESTED_H
#define TSMC_PASSES_OPTIMIZE_ANSWER_NESTED_H

#include "exporter/program/program.h"

void answer_nested(function *const *functions);

#endif
