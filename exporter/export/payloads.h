/* Tensors of the container of PyTorch 2.8: records with the bytes of storages, and what lies in them as JSON.
 *
 * A payload, by the tensor's name: {"path_name": "weight_0", "is_param": true, "use_pickle": false, "tensor_meta":
 * {...}}; the tensor is the view of the record that its TensorMeta describes. With use_pickle the record is what
 * torch.save wrote. Payloads with one path share the storage. */
#ifndef TSMC_EXPORT_PAYLOADS_H
#define TSMC_EXPORT_PAYLOADS_H

#include "exporter/export/export_file.h"

/* The tensors of a payload config, whose records lie in `folder`. */
export_value_map *payloads_read(export_file *f, json config, const char *folder);

#endif
