/* Equal storages found by a hash of their bytes. */
#include "exporter/codegen/merge_storages.h"

#include <string.h>

/* What equal storages have in common. */
typedef struct {
    uint64_t hash, bytes;
} content;

/* Fowler, Noll and Vo's hash, eight bytes at a step. */
static uint64_t hash_of(const uint8_t *p, uint64_t n) {
    uint64_t h = 0xcbf29ce484222325u, word;
    for (; n >= sizeof word; n -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 29;
    }
    for (; n; n--)
        h = (h ^ *p++) * 0x100000001b3u;
    return h;
}

static bool are_equal(const image_storage *a, const image_storage *b) {
    return a->bytes == b->bytes && (!a->bytes || !memcmp(a->data, b->data, a->bytes));
}

void merge_storages(image *m) {
    size_t n = arrlenu(m->storages);
    uint32_t *numbers = MEM_ARRAY(uint32_t, n + 1); /* new ones, by old ones */
    image_storage *kept = NULL;
    struct {
        content key;
        uint32_t value;
    } *known = NULL;
    for (size_t i = 0; i < n; i++) {
        const image_storage *s = &m->storages[i];
        content c = {hash_of(s->data, s->bytes), s->bytes};
        ptrdiff_t at = s->is_mutable ? -1 : hmgeti(known, c);
        if (at >= 0 && are_equal(&kept[known[at].value], s)) {
            numbers[i] = known[at].value;
            for (size_t k = 0; k < arrlenu(s->sources); k++)
                arrput(kept[numbers[i]].sources, s->sources[k]);
            kept[numbers[i]].is_seen |= s->is_seen;
            continue;
        }
        numbers[i] = (uint32_t)arrlenu(kept);
        if (!s->is_mutable)
            hmput(known, c, numbers[i]);
        arrput(kept, *s);
    }
    m->storages = kept;
    for (size_t i = 0; i < arrlenu(m->constants); i++)
        if (m->constants[i].tensor)
            m->constants[i].tensor->storage = numbers[m->constants[i].tensor->storage];
}
