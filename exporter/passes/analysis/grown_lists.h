/* Lists that a program makes, fills by appending, in straight code and in loops of known length, and reads afterwards:
 * what they hold is known where they are read, though they, or others with the same items, are written to. */
#ifndef TSMC_PASSES_ANALYSIS_GROWN_LISTS_H
#define TSMC_PASSES_ANALYSIS_GROWN_LISTS_H

#include "exporter/ir/ir.h"

/* Whether n appends an item (input 1) to a list (input 0), and nothing takes its result. */
bool node_appends(const ir_node *n);

/* Whether n appends to a list, sets an item or turns the items round, and nothing takes its result. Input 0 is the
 * list. */
bool node_changes_list(const ir_node *n);

/* Adds the lists that something in b changes so to an stb_ds array. */
void lists_changed_in(const ir_block *b, const ir_value ***lists);

/* Whether v is a new list that only such nodes write to, in its block or in loops and branches there, and that has no
 * other name: who goes through the code in its order knows what it holds. */
bool list_can_be_followed(const ir_value *v);

/* Whether v is a display that is the same wherever something looks at it. Only aten::append writes to it, or nothing:
 * once for each time that control comes by, in the display's own block or in the body of a loop that stands there and
 * has a known number of turns. Whatever else takes v stands behind the last of these, writes nothing and gives v no
 * other name. */
bool list_is_settled(const ir_value *v);

/* The turns of a loop whose length and conditions are constants; -1: not known. */
int64_t loop_turns(const ir_node *loop);

#endif
