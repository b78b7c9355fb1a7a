/* If and RaiseException. */
#include "exporter/export/checks.h"

#include <string.h>

static ir_value *message_value(translation *t, const char *message, ir_value *const *values, uint32_t count) {
    ir_value **inputs = NULL;
    arrput(inputs, insert_constant(t, const_str(message, strlen(message))));
    for (uint32_t i = 0; i < count; i++)
        arrput(inputs, values[i]);
    return count ? insert_call(t, "aten::format", inputs, count + 1) : inputs[0];
}

void check_insert(translation *t, ir_value *condition, const char *message, ir_value *const *values, uint32_t count) {
    static const char class_name[] = "builtins.RuntimeError";
    ir_node *n = ir_node_new(t->at->graph, IR_IF, 0), *outer = t->at;
    ir_node_add_input(n, convert_number(t, condition, TYPE_BOOL));
    n->range = t->place.range;
    n->scope = t->place.scope;
    ir_insert_before(outer, n);
    ir_node_add_block(n);
    t->at = ir_node_add_block(n)->result;
    ir_node *raise = ir_node_new(t->at->graph, IR_RAISE_EXCEPTION, 0);
    raise->range = t->place.range;
    raise->scope = t->place.scope;
    ir_node_add_input(raise, message_value(t, message, values, count));
    ir_node_add_input(raise, insert_constant(t, const_str(class_name, strlen(class_name))));
    ir_insert_before(t->at, raise);
    t->at = outer;
}
