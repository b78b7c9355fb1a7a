/* One copy in the file of what several tensors hold. */
#ifndef TSMC_CODEGEN_MERGE_STORAGES_H
#define TSMC_CODEGEN_MERGE_STORAGES_H

#include "exporter/codegen/image.h"

/* Lets tensors whose storages hold the same bytes, which nothing changes, use one of them; drops the others. Equal
 * storages arise where one exported method calls another: passes compute constants from the same weights in the graph
 * of each. */
void merge_storages(image *m);

#endif
