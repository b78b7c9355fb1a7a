/* Checks in the code that is made: exceptions that PyTorch raises when arguments are not as the program was exported
 * for. */
#ifndef TSMC_EXPORT_CHECKS_H
#define TSMC_EXPORT_CHECKS_H

#include "exporter/export/translate.h"

/* Inserts `if not condition: raise RuntimeError(message)`. The message's "{}" stand for the values (`count` of them),
 * which are put in when it is raised. */
void check_insert(translation *t, ir_value *condition, const char *message, ir_value *const *values, uint32_t count);

#endif
