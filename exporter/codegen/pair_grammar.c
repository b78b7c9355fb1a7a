/* The pair that occurs most becomes a rule, again and again (Larsson and Moffat, "Off-line dictionary-based
 * compression"), as long as that makes the result smaller. */
#include "exporter/codegen/pair_grammar.h"

#include <stdbool.h>
#include <string.h>

#include "exporter/base/mem.h"

/* Symbols below are bytes. A pair costs two symbols and saves one wherever it occurs. */
enum { FIRST_RULE = 256, LEAST_COUNT = 3, MOST_RULES = UINT16_MAX + 1 - FIRST_RULE };
#define NOWHERE UINT32_MAX

typedef struct {
    uint32_t left, right;
} pair;

typedef struct {
    pair pair;
    uint32_t count;   /* at least as often as it can be replaced */
    uint32_t *places; /* stb_ds array: where it was seen, in order; it may be there no more */
} seen_pair;

typedef struct {
    uint32_t *symbols; /* NOWHERE where a pair's second one was */
    uint32_t *next, *previous;
    uint32_t length, live; /* symbols before, and now */
    unsigned levels;
    pair *rules;       /* stb_ds array */
    uint8_t *level_of; /* stb_ds array: of every symbol */
    struct {
        pair key;
        uint32_t value;
    } * known;
    seen_pair *pairs;   /* stb_ds array */
    uint32_t **waiting; /* of each count: stb_ds array of pairs that had it */
} coder;

static bool may_join(const coder *c, uint32_t left, uint32_t right) {
    return left && right && c->level_of[left] < c->levels && c->level_of[right] < c->levels;
}

/* The neighbours at `place` and behind it, if they can be a pair; or NULL. */
static seen_pair *pair_at(coder *c, uint32_t place) {
    const uint32_t behind = place == NOWHERE ? NOWHERE : c->next[place];
    if (behind == NOWHERE || !may_join(c, c->symbols[place], c->symbols[behind]))
        return NULL;
    const pair key = {c->symbols[place], c->symbols[behind]};
    const ptrdiff_t at = hmgeti(c->known, key);
    if (at >= 0)
        return &c->pairs[c->known[at].value];
    const seen_pair p = {key, 0, NULL};
    hmput(c->known, key, (uint32_t)arrlenu(c->pairs));
    arrput(c->pairs, p);
    return &arrlast(c->pairs);
}

static void see_pair(coder *c, uint32_t place, uint32_t **changed) {
    seen_pair *const p = pair_at(c, place);
    if (!p)
        return;
    p->count++;
    arrput(p->places, place);
    const uint32_t index = (uint32_t)(p - c->pairs);
    arrput(*changed, index);
}

static void lose_pair(coder *c, uint32_t place) {
    seen_pair *const p = pair_at(c, place);
    if (p && p->count)
        p->count--;
}

static void wait_for_turn(coder *c, uint32_t index) {
    const uint32_t count = c->pairs[index].count;
    if (count >= LEAST_COUNT)
        arrput(c->waiting[count], index);
}

static bool is_there(const coder *c, pair p, uint32_t place) {
    return c->symbols[place] == p.left && c->next[place] != NOWHERE && c->symbols[c->next[place]] == p.right;
}

/* How often it can be replaced: places of a pair of equal symbols may overlap. */
static uint32_t places_of(const coder *c, const seen_pair *p) {
    uint32_t n = 0, taken = NOWHERE;
    for (size_t i = 0; i < arrlenu(p->places); i++)
        if (p->places[i] != taken && is_there(c, p->pair, p->places[i])) {
            taken = c->next[p->places[i]];
            n++;
        }
    return n;
}

static void replace(coder *c, uint32_t place, uint32_t rule, uint32_t **changed) {
    const uint32_t second = c->next[place], behind = c->next[second];
    lose_pair(c, c->previous[place]);
    lose_pair(c, second);
    c->symbols[place] = rule;
    c->symbols[second] = NOWHERE;
    c->next[place] = behind;
    if (behind != NOWHERE)
        c->previous[behind] = place;
    c->live--;
    see_pair(c, c->previous[place], changed);
    see_pair(c, place, changed);
}

static void add_rule(coder *c, uint32_t index) {
    const pair p = c->pairs[index].pair;
    uint32_t *const places = c->pairs[index].places, *changed = NULL;
    const uint32_t rule = FIRST_RULE + (uint32_t)arrlenu(c->rules);
    const uint8_t left = c->level_of[p.left], right = c->level_of[p.right];
    arrput(c->rules, p);
    arrput(c->level_of, (uint8_t)((left > right ? left : right) + 1));
    c->pairs[index].places = NULL;
    for (size_t i = 0; i < arrlenu(places); i++)
        if (is_there(c, p, places[i]))
            replace(c, places[i], rule, &changed);
    c->pairs[index].count = 0;
    for (size_t i = 0; i < arrlenu(changed); i++)
        wait_for_turn(c, changed[i]);
    arrfree(changed);
}

static uint8_t width_of(uint32_t rules) {
    uint8_t width = 8;
    while (FIRST_RULE + rules > 1u << width)
        width++;
    return width;
}

/* Makes rules of what occurs most, and finds out how many of them make the fewest bits. A count never grows by
 * replacing a pair that occurs more. */
static uint32_t find_rules(coder *c) {
    uint64_t least = (uint64_t)c->live * width_of(0);
    uint32_t best = 0;
    for (uint32_t count = c->length; count >= LEAST_COUNT; count--)
        for (size_t i = 0; i < arrlenu(c->waiting[count]) && arrlenu(c->rules) < MOST_RULES; i++) {
            const uint32_t index = c->waiting[count][i];
            seen_pair *const p = &c->pairs[index];
            if (p->count != count || (p->count = places_of(c, p)) != count) {
                wait_for_turn(c, index);
                continue;
            }
            add_rule(c, index);
            const uint32_t rules = (uint32_t)arrlenu(c->rules);
            const uint64_t bits = (c->live + 2 * (uint64_t)rules) * width_of(rules);
            if (bits < least) {
                least = bits;
                best = rules;
            }
        }
    return best;
}

static coder *coder_new(const uint8_t *records, size_t bytes, unsigned levels) {
    coder *c = MEM_NEW(coder);
    c->symbols = MEM_ARRAY(uint32_t, bytes + 1);
    c->next = MEM_ARRAY(uint32_t, bytes + 1);
    c->previous = MEM_ARRAY(uint32_t, bytes + 1);
    c->waiting = MEM_ARRAY(uint32_t *, bytes + 1);
    c->length = c->live = (uint32_t)bytes;
    c->levels = levels;
    for (uint32_t i = 0; i < FIRST_RULE; i++)
        arrput(c->level_of, 0);
    for (uint32_t i = 0; i < c->length; i++) {
        c->symbols[i] = records[i];
        c->next[i] = i + 1 < c->length ? i + 1 : NOWHERE;
        c->previous[i] = i ? i - 1 : NOWHERE;
    }
    uint32_t *changed = NULL;
    for (uint32_t i = 0; i < c->length; i++)
        see_pair(c, i, &changed);
    arrfree(changed);
    for (uint32_t i = 0; i < arrlenu(c->pairs); i++)
        wait_for_turn(c, i);
    return c;
}

/* ---- Symbols of some bits ---- */

typedef struct {
    pair_grammar made;
    uint32_t bits, held; /* bits that make no byte yet; how many */
    uint32_t count;      /* of symbols */
} symbol_writer;

static void put_symbol(symbol_writer *w, uint32_t symbol) {
    w->bits |= symbol << w->held;
    for (w->held += w->made.width; w->held >= 8; w->held -= 8, w->bits >>= 8)
        arrput(w->made.symbols, (uint8_t)w->bits);
    w->count++;
}

/* A symbol without the rules from `end` on. */
static void put_expanded(symbol_writer *w, const coder *c, uint32_t symbol, uint32_t end) {
    stack_check();
    if (symbol < end) {
        put_symbol(w, symbol);
        return;
    }
    put_expanded(w, c, c->rules[symbol - FIRST_RULE].left, end);
    put_expanded(w, c, c->rules[symbol - FIRST_RULE].right, end);
}

pair_grammar pair_grammar_of(const uint8_t *records, size_t bytes, unsigned levels) {
    coder *const c = coder_new(records, bytes, levels);
    const uint32_t rules = find_rules(c);
    symbol_writer w = {.made = {.width = width_of(rules), .rules = rules}};
    for (uint32_t i = 0; i < rules; i++) {
        put_symbol(&w, c->rules[i].left);
        put_symbol(&w, c->rules[i].right);
    }
    bool is_start = true;
    for (uint32_t i = c->length ? 0 : NOWHERE; i != NOWHERE; i = c->next[i]) {
        if (is_start)
            arrput(w.made.starts, w.count);
        put_expanded(&w, c, c->symbols[i], FIRST_RULE + rules);
        is_start = !c->symbols[i];
    }
    while (w.count % 8)
        put_symbol(&w, 0);
    for (size_t i = 0; i < arrlenu(c->pairs); i++)
        arrfree(c->pairs[i].places);
    arrfree(c->pairs);
    hmfree(c->known);
    return w.made;
}
