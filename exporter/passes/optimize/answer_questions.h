/* Questions about constant tensors (their sizes, element type, whether they require a gradient) become constants: they
 * decide branches, and keep no weight in the file. */
#ifndef TSMC_PASSES_OPTIMIZE_ANSWER_QUESTIONS_H
#define TSMC_PASSES_OPTIMIZE_ANSWER_QUESTIONS_H

#include "exporter/passes/analysis/mutation.h"

void answer_questions(ir_graph *g, mutation *m);

#endif
