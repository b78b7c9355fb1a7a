/* Registries: process-wide tables whose entries are added under a name and never changed (types, kinds of nodes, rows
 * of lists by operator).
 *
 * The owner of a registry has a constant of type `registry`, whose address identifies it; the entries are kept here
 * and numbered in the order in which they were entered. */
#ifndef TSMC_BASE_REGISTRY_H
#define TSMC_BASE_REGISTRY_H

#include <stddef.h>

typedef struct {
    const char *subject;
} registry;

/* The number of the entry, or -1. */
ptrdiff_t registry_find(const registry *r, const char *key);

size_t registry_count(const registry *r);
const char *registry_key(const registry *r, size_t number);
void *registry_value(const registry *r, size_t number);

/* Enters a key that is not there yet and returns its number. The key is not copied and must stay. */
size_t registry_enter(const registry *r, const char *key, void *value);

#endif
