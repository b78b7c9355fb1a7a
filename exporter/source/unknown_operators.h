/* All operators that code of an archive, or functions of a .py source, call and tsmc does not know. Compiling stops at
 * the first one; who ports a model wants to see them at once. */
#ifndef TSMC_SOURCE_UNKNOWN_OPERATORS_H
#define TSMC_SOURCE_UNKNOWN_OPERATORS_H

#include "exporter/archive/archive.h"

/* Lines "    mylib::resample: net.py:4, net.py:9"; NULL when there are none. */
const char *unknown_operators(pt_archive *archive);

/* The same for the functions of a .py source that `entry` may reach: lines "    torch.resample: net.py:4, net.py:9", of
 * methods "    .resample: net.py:5". Types are not known here: a method that anything has is none of them. */
const char *unknown_names(const char *path, const char *text, size_t length, const char *entry);

#endif
