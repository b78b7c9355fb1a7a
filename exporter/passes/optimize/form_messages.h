/* Texts that are only raised are made where messages of exceptions stand, by tsm::form_message, and not in the buffer:
 * a raise needs no memory then. */
#ifndef TSMC_PASSES_OPTIMIZE_FORM_MESSAGES_H
#define TSMC_PASSES_OPTIMIZE_FORM_MESSAGES_H

#include "exporter/ir/ir.h"

void form_messages(ir_graph *g);

#endif
