/* Lists and dicts: displays, comprehensions, list(...) and dict(...). `hint` is the type wanted, or NULL. */
#ifndef TSMC_EMIT_EMIT_DISPLAY_H
#define TSMC_EMIT_EMIT_DISPLAY_H

#include "exporter/emit/emit.h"

/* [a, b], {a: b} */
ir_value *emit_list(emitter *e, const ast_node *n, const type *hint);
ir_value *emit_dict(emitter *e, const ast_node *n, const type *hint);
/* [a for b in c], {a: b for c in d} */
ir_value *emit_comprehension(emitter *e, const ast_node *n, const type *hint);
/* list(), list(iterable) */
sugared emit_list_of(emitter *e, const ast_node *n, const type *hint);
/* dict(), dict(pairs), dict(other), each with keyword arguments as further entries */
sugared emit_dict_of(emitter *e, const ast_node *n, const type *hint);

#endif
