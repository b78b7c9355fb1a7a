/* For tests of states: the numbers of make_states.py, values of every kind, and whether values of two instances are
 * alike. */
#ifndef TESTS_INTERFACE_STATE_VALUES_H
#define TESTS_INTERFACE_STATE_VALUES_H

#include <stdbool.h>

#include "tsmobile.h"

/* The constants of make_states.py, and its storages behind them. */
enum {
    NONE,
    FIVE,
    WORD,
    FROZEN,
    CHANGING,
    VIEW,
    PER_TENSOR,
    PER_CHANNEL,
    INTS,
    ANYS,
    TABLE,
    WORDS,
    TWICE,
    PAIR,
    NAMED,
    HOME,
    ODD,
    BARE,
    MEMBER,
    COMPLEX,
    CPU,
    GENERATOR,
    LEARNS,
    HOME_TOO,
    CUBE,
    MASK,
    STORAGES,
    NEW = STORAGES + 4 /* the first number of what the program makes */
};
enum { S_FROZEN = STORAGES, S_CHANGING, S_QUANTIZED, S_UNUSED };
/* Its types. */
enum { T_ANY, T_INT, T_STR, T_INTS, T_TABLE, T_NAMED, T_HOME, T_BARE, T_ENUM, T_PAIR, TYPES };

typedef struct {
    const char *name;
    tsm_value (*make)(tsm_instance *inst);
} kind_of_value;
enum { KINDS = 29 };
extern const kind_of_value kinds[KINDS];

/* These fail the test when they do not succeed. */
int method_of(tsm_instance *inst, const char *name);
tsm_value call(tsm_instance *inst, const char *name, tsm_value argument);
/* Calls a method for what it does. */
void let(tsm_instance *inst, const char *name, tsm_value argument);
/* As `call`, with an argument that the caller gives away. */
tsm_value give(tsm_instance *inst, const char *name, tsm_value argument);
/* A list of two values that the caller gives away. */
tsm_value list_of(tsm_instance *inst, tsm_value a, tsm_value b);
/* Tensors of floats, of two dimensions and of none. */
tsm_value plain(tsm_instance *inst);
tsm_value scalar(tsm_instance *inst);
/* The constant of a number. */
tsm_value constant_of(tsm_instance *inst, size_t number);
/* Keys of every kind that has a hash. */
tsm_value dict_of(tsm_instance *inst);
/* Some of kinds[]. */
tsm_value make_shared(tsm_instance *inst);
tsm_value make_failed_future(tsm_instance *inst);
tsm_value make_dtypes(tsm_instance *inst);
tsm_value make_largest(tsm_instance *inst);

/* Whether a of p is as b of q, all the way down. */
bool alike(tsm_instance *p, tsm_value a, tsm_instance *q, tsm_value b);

#endif
