/* Walks a file by the description that the verifier uses, and changes what it finds. */
#include "tests/fuzz/mutate_tsm.h"

#include <string.h>

#define TSMF_DESCRIBE
#include "schema/generated/tsmobile_reader.h"

enum {
    FIELDS = sizeof tsmf_fields / sizeof *tsmf_fields,
    MAX_UNITS = 8,
    CLASSES = FIELDS * MAX_UNITS,
    MOST_CHANGES = 3,
    MOST_SITES = 1 << 16
};

/* A number in the file. Those of one class (a field, and in vectors of structs the place in the struct) mean the same
 * kind of thing. */
typedef struct {
    uint8_t *at;
    uint16_t class;
    uint8_t width; /* bytes */
} site;

/* What one walk finds. */
typedef struct {
    uint32_t counts[CLASSES];
    site sites[MOST_SITES];
    size_t n;
    uint32_t visits;
} walk;

static uint32_t load32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void meet(walk *w, uint32_t class, uint8_t *at, uint32_t width) {
    if (width > 8 || w->n == MOST_SITES)
        return;
    w->counts[class]++;
    w->sites[w->n++] = (site){at, (uint16_t) class, (uint8_t)width};
}

static void walk_table(walk *w, uint8_t *p, unsigned table);

static void walk_elements(walk *w, uint8_t *vector, unsigned number) {
    const tsm_flat_field f = tsmf_fields[number];
    const uint32_t n = load32(vector), units = tsm_flat_bytes(f) / tsm_flat_align(f);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *element = vector + 4 + (size_t)i * tsm_flat_bytes(f);
        if ((f & TSM_FLAT_KIND) == TSM_FLAT_TABLE)
            walk_table(w, element + load32(element), tsm_flat_target(f));
        else if ((f & TSM_FLAT_KIND) == TSM_FLAT_SCALAR)
            for (uint32_t k = 0; k < units; k++)
                meet(w, number * MAX_UNITS + k % MAX_UNITS, element + k * tsm_flat_align(f), tsm_flat_align(f));
    }
}

static void walk_table(walk *w, uint8_t *p, unsigned table) {
    if (w->visits++ > 100000)
        return;
    int32_t back;
    memcpy(&back, p, sizeof back);
    const uint8_t *virtual_table = p - back;
    const unsigned bytes = virtual_table[0] | virtual_table[1] << 8;
    for (unsigned number = tsmf_tables[table], slot = 4; number < tsmf_tables[table + 1] && slot < bytes;
         number++, slot += 2) {
        const unsigned distance = virtual_table[slot] | virtual_table[slot + 1] << 8;
        const tsm_flat_field f = tsmf_fields[number];
        uint8_t *at = p + distance;
        if (!distance)
            continue;
        if (f & TSM_FLAT_VECTOR)
            walk_elements(w, at + load32(at), number);
        else if ((f & TSM_FLAT_KIND) == TSM_FLAT_TABLE)
            walk_table(w, at + load32(at), tsm_flat_target(f));
        else if ((f & TSM_FLAT_KIND) == TSM_FLAT_SCALAR)
            meet(w, number * MAX_UNITS, at, tsm_flat_bytes(f));
        else {
            uint8_t *string = at + load32(at);
            for (uint32_t i = 0; i < load32(string); i++)
                meet(w, number * MAX_UNITS, string + 4 + i, 1);
        }
    }
}

/* Site number `left` of a class, of which there are more. */
static const site *find(const walk *w, uint32_t class, size_t left) {
    const site *s = w->sites;
    while (s->class != class || left--)
        s++;
    return s;
}

/* A class that occurs in the file. Half of the choices are fields of functions, which would be rare if all tables were
 * equal. */
static uint32_t choose_class(harness_random *r, const walk *w) {
    enum { FUNCTION = 4 };
    const uint32_t first = tsmf_tables[FUNCTION] * MAX_UNITS, end = tsmf_tables[FUNCTION + 1] * MAX_UNITS;
    for (;;) {
        const uint32_t class =
            harness_below(r, 2) ? (uint32_t)harness_below(r, CLASSES) : first + (uint32_t)harness_below(r, end - first);
        if (w->counts[class])
            return class;
    }
}

static uint64_t change(harness_random *r, uint64_t v, uint64_t other) {
    switch (harness_below(r, 16)) {
    case 0:
        return harness_next(r);
    case 1:
        return (uint64_t)harness_extreme_int((unsigned)harness_next(r));
    case 2:
    case 3:
        return v ^ UINT64_C(1) << harness_below(r, 8);
    case 4:
    case 5:
        return harness_below(r, 16);
    case 6:
    case 7:
    case 8:
        return v + harness_below(r, 7) - 3;
    default:
        return other;
    }
}

static void change_site(harness_random *r, const walk *w) {
    const uint32_t class = choose_class(r, w), n = w->counts[class];
    const site *to = find(w, class, harness_below(r, n)), *from = find(w, class, harness_below(r, n));
    uint64_t v = 0, other = 0;
    memcpy(&v, to->at, to->width);
    memcpy(&other, from->at, from->width);
    v = change(r, v, other);
    memcpy(to->at, &v, to->width);
}

void mutate_tsm(harness_random *r, uint8_t *file, size_t bytes) {
    static walk w;
    if (bytes < 16 || !tsm_flat_verify(&tsmf_schema, file, bytes)) {
        if (bytes)
            file[harness_below(r, bytes)] = (uint8_t)harness_next(r);
        return;
    }
    memset(w.counts, 0, sizeof w.counts);
    w.n = 0;
    w.visits = 0;
    walk_table(&w, file + load32(file), tsmf_schema.root);
    /* Numbers are changed, not offsets: the sites stay where they are. */
    for (size_t n = 1 + (harness_below(r, 4) == 0) * harness_below(r, MOST_CHANGES); n > 0; n--)
        change_site(r, &w);
}
