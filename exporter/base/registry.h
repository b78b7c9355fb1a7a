/* What the whole process enters once under a name and never changes: types, kinds of nodes, rows of lists by operator.
 *
 * An owner has a constant of type `registry`, whose address tells it from others; the entries are kept here. They have
 * numbers, in the order in which they were entered. */
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

/* Enters a key that is not there yet, and which stays where it is; returns its number. */
size_t registry_enter(const registry *r, const char *key, void *value);

#endif
