/* TransformerEncoder takes another way for padded batches when gradients are off: the rows of padding are zeros then.
 * Programs that ask for no gradients are run for their results, as PyTorch's users run them under torch.no_grad(), so
 * in such programs with that way branches on torch.is_grad_enabled() are decided.
 *
 * Where no function sets the mode, other questions for it are answered: gradients are enabled. Modules ask before they
 * take a way of their own (attention, whose weights require gradients); a question that is open keeps both ways, and
 * the buffer from being known. */
#ifndef TSMC_PASSES_LOWER_ANSWER_GRAD_MODE_H
#define TSMC_PASSES_LOWER_ANSWER_GRAD_MODE_H

#include "exporter/program/program.h"

void answer_grad_mode(function *const *functions);

#endif
