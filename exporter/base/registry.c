/* Registries: a map for each, found by the address of the owner's constant. */
#include "exporter/base/registry.h"

#include "exporter/base/mem.h"

typedef struct {
    char *key;
    void *value;
} entry;

/* There are few registries, so a linear search does. */
static struct table {
    const registry *owner;
    entry *entries; /* stb_ds string map */
} * tables;

static struct table *table_of(const registry *r) {
    for (size_t i = 0; i < arrlenu(tables); i++)
        if (tables[i].owner == r)
            return &tables[i];
    struct table made = {r, NULL};
    arrput(tables, made);
    return &arrlast(tables);
}

ptrdiff_t registry_find(const registry *r, const char *key) {
    return shgeti(table_of(r)->entries, key);
}

size_t registry_count(const registry *r) {
    return shlenu(table_of(r)->entries);
}

const char *registry_key(const registry *r, size_t number) {
    return table_of(r)->entries[number].key;
}

void *registry_value(const registry *r, size_t number) {
    return table_of(r)->entries[number].value;
}

size_t registry_enter(const registry *r, const char *key, void *value) {
    struct table *t = table_of(r);
    shput(t->entries, (char *)key, value);
    return shlenu(t->entries) - 1;
}
