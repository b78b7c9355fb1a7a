/* All operators that code of an archive calls and tsmc does not know. Compiling stops at the first one; who ports a
 * model wants to see them at once. */
#ifndef TSMC_SOURCE_UNKNOWN_OPERATORS_H
#define TSMC_SOURCE_UNKNOWN_OPERATORS_H

#include "exporter/archive/archive.h"

/* Lines "    mylib::resample: net.py:4, net.py:9"; NULL when there are none. */
const char *unknown_operators(pt_archive *archive);

#endif
