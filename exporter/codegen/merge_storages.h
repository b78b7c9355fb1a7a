/* One copy in the file of what several tensors hold. */
#ifndef TSMC_CODEGEN_MERGE_STORAGES_H
#define TSMC_CODEGEN_MERGE_STORAGES_H

#include "exporter/codegen/image.h"

/* Lets tensors whose storages hold the same bytes, which nothing changes, use one of them; drops the others. Methods
 * that call each other and are both exported each bring what passes made of the same weights. */
void merge_storages(image *m);

#endif
