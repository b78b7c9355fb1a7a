#include "exporter/passes/sort_objects.h"

#include <string.h>

#include "exporter/frontend/program_internal.h"

/* $T: the class, $M: the module that this text becomes. Runs of doubling length are merged into `other` and copied
 * back; of equal objects the left one goes first. */
static const char sort_text[] = "def sort(l: List[$T], reverse: bool) -> NoneType:\n"
                                "  n = len(l)\n"
                                "  other = l[0:n]\n"
                                "  run = 1\n"
                                "  while run < n:\n"
                                "    at = 0\n"
                                "    while at < n:\n"
                                "      middle = min(at + run, n)\n"
                                "      end = min(middle + run, n)\n"
                                "      left = at\n"
                                "      right = middle\n"
                                "      while at < end:\n"
                                "        take_right = left == middle\n"
                                "        if left < middle and right < end:\n"
                                "          if reverse:\n"
                                "            take_right = l[left] < l[right]\n"
                                "          else:\n"
                                "            take_right = l[right] < l[left]\n"
                                "        if take_right:\n"
                                "          other[at] = l[right]\n"
                                "          right = right + 1\n"
                                "        else:\n"
                                "          other[at] = l[left]\n"
                                "          left = left + 1\n"
                                "        at = at + 1\n"
                                "    for i in range(n):\n"
                                "      l[i] = other[i]\n"
                                "    run = run * 2\n"
                                "  return None\n"
                                "\n"
                                "def sorted(l: List[$T]) -> List[$T]:\n"
                                "  copy = l[0:len(l)]\n"
                                "  _0 = $M.sort(copy, False)\n"
                                "  return copy\n";

/* The same for lists of what has no order, which only empty lists are spared from. */
static const char refusal_text[] =
    "def sort(l: List[$T], reverse: bool) -> NoneType:\n"
    "  if torch.gt(torch.len(l), 0):\n"
    "    ops.prim.RaiseException(\"Only list of Tensors, ints, floats, bools, strs, a User Defined Class that defines "
    "the __lt__ compare method or Tuples of aforementioned types can be sorted, got list of $T\")\n"
    "  return None\n"
    "\n"
    "def sorted(l: List[$T]) -> List[$T]:\n"
    "  _0 = $M.sort(l, False)\n"
    "  return l\n";

/* A module's name for the functions that sort items of type t. */
static const char *qualifier_of(const type *t) {
    char *name = mem_printf("__torch__.sorting_of.%s", t->name ? t->name : type_annotation(t));
    for (char *c = name + sizeof "__torch__." - 1; *c; c++)
        if (strchr("[], ", *c))
            *c = '_';
    return name;
}

/* The function of this name for lists of type t. */
static function *sorting_function(program *p, const type *t, const char *name) {
    const char *qualifier = qualifier_of(t), *type_name = t->name ? t->name : type_annotation(t);
    strbuf filled = {0};
    for (const char *c = t->kind == TYPE_CLASS ? sort_text : refusal_text; *c; c++) {
        if (*c != '$')
            strbuf_add_n(&filled, c, 1);
        else
            strbuf_add(&filled, *++c == 'T' ? type_name : qualifier);
    }
    program_add_source(p, qualifier, strbuf_text(&filled));
    function *f = program_find_function(p, mem_printf("%s.%s", qualifier, name));
    f->is_operator = t->kind != TYPE_CLASS;
    return f;
}

/* "sort" or "sorted" for an operator that sorts a list that no kernel sorts; NULL for others. */
static const char *sorting_name(const ir_node *n) {
    const char *name = n->schema ? n->schema->full_name : "";
    bool sorts = !strcmp(name, "aten::sort.any"), copies = !strcmp(name, "aten::sorted.any");
    if (!sorts && !copies)
        return NULL;
    const type *item = type_element(ir_in(n, 0)->type);
    bool has_order = item && item->kind == TYPE_CLASS && class_find_method(item->definition, "__lt__");
    bool has_none = item && (item->kind == TYPE_LIST || item->kind == TYPE_DICT);
    if (!has_order && !has_none)
        return NULL;
    return sorts ? "sort" : "sorted";
}

static bool rewrite_block(program *p, ir_block *b) {
    bool changed = false;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= rewrite_block(p, n->blocks[i]);
        const char *name = sorting_name(n);
        if (!name)
            continue;
        function *f = sorting_function(p, type_element(ir_in(n, 0)->type), name);
        ir_node *call = ir_node_new(n->graph, IR_CALL_FUNCTION, 1);
        call->callee = f;
        call->range = n->range;
        call->scope = n->scope;
        call->outputs[0]->type = f->schema->returns[0].type;
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            ir_node_add_input(call, ir_in(n, i));
        ir_insert_before(n, call);
        if (ir_output_count(n))
            ir_replace_uses(ir_out(n, 0), ir_out(call, 0));
        ir_destroy(n);
        changed = true;
    }
    return changed;
}

bool sort_objects(program *p, ir_graph *g) {
    return rewrite_block(p, g->block);
}
