/* Members of classes, and whether classes have what interfaces demand. */
#include "exporter/ir/class.h"

#include <string.h>

/* ---- Members ---- */

function *class_find_method(const class_def *c, const char *name) {
    for (size_t i = 0; c && i < arrlenu(c->methods); i++)
        if (!strcmp(c->methods[i]->base_name, name))
            return c->methods[i];
    return c && c->lazy_methods ? c->lazy_methods->find((class_def *)c, name) : NULL;
}

int class_find_attribute(const class_def *c, const char *name) {
    for (size_t i = 0; c && i < arrlenu(c->attributes); i++)
        if (!strcmp(c->attributes[i].name, name))
            return (int)i;
    return -1;
}

const class_constant *class_find_constant(const class_def *c, const char *name) {
    for (size_t i = 0; c && i < arrlenu(c->constants); i++)
        if (!strcmp(c->constants[i].name, name))
            return &c->constants[i];
    return NULL;
}

/* ---- Interfaces ---- */

static void explain(strbuf *why, const char *text) {
    if (why)
        strbuf_add(why, text);
}

/* Arguments may be more general and must have the same names; the result may be more special. `self` is not compared.
 */
static bool schema_fits(const op_schema *actual, const op_schema *wanted) {
    if (actual->argument_count != wanted->argument_count || actual->return_count != wanted->return_count)
        return false;
    for (uint32_t i = 1; i < wanted->argument_count; i++) {
        const schema_argument *a = &actual->arguments[i], *b = &wanted->arguments[i];
        if (strcmp(a->name, b->name) || !type_is_subtype(b->type, a->type, NULL) || a->keyword_only != b->keyword_only)
            return false;
    }
    for (uint32_t i = 0; i < wanted->return_count; i++)
        if (!type_is_subtype(actual->returns[i].type, wanted->returns[i].type, NULL))
            return false;
    return true;
}

bool class_implements(class_def *c, class_def *interface, strbuf *why) {
    if (!c || !interface)
        return false;
    if (interface->is_module && !c->is_module) {
        explain(why,
                mem_printf("Class '%s' is not a subtype of the module interface '%s' , only ScriptModule class can be "
                           "subtype of module interface.\n",
                           c->name, interface->name));
        return false;
    }
    for (size_t i = 0; i < arrlenu(interface->methods); i++) {
        const op_schema *wanted = interface->methods[i]->schema;
        const function *f = class_find_method(c, interface->methods[i]->base_name);
        if (!f) {
            explain(why, mem_printf("Class '%s' does not have method '%s' but '%s' does.\n", c->name,
                                    interface->methods[i]->base_name, interface->name));
            return false;
        }
        if (!schema_fits(f->schema, wanted)) {
            explain(why, mem_printf(
                             "Method on class '%s' (1) is not compatible with interface '%s' (2)\n  (1) %s\n  (2) %s\n",
                             c->name, interface->name, schema_text(f->schema), schema_text(wanted)));
            return false;
        }
    }
    return true;
}
