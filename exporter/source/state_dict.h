/* State dicts: what torch.save(model.state_dict()) writes, into a module's parameters and buffers. */
#ifndef TSMC_SOURCE_STATE_DICT_H
#define TSMC_SOURCE_STATE_DICT_H

#include "exporter/python/py_eval.h"

/* Loads a state dict into the module's parameters and buffers, strictly. */
void state_dict_load(py_value *module, const char *path);
/* Raises an error when some parameter or buffer has no values. */
void state_dict_require(const py_value *module, const char *path);

#endif
