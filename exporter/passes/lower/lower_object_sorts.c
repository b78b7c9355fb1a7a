/* The sort function in TorchScript, filled in with the type and the comparison of each kind of list. */
#include "exporter/passes/lower/lower_object_sorts.h"

#include <ctype.h>
#include <string.h>

#include "exporter/program/program_internal.h"

/* $T: the type of the items, $M: the module that this text becomes, after which their `less` follows. Runs of doubling
 * length are merged into `other` and copied back; of equal items the left one goes first. */
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
                                "            take_right = $M.less(l[left], l[right])\n"
                                "          else:\n"
                                "            take_right = $M.less(l[right], l[left])\n"
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
                                "  return copy\n"
                                "\n"
                                "def less(a: $T, b: $T) -> bool:\n";

/* The same functions for lists whose items have no order: they raise $R unless the list is empty. */
static const char refusal_text[] = "def sort(l: List[$T], reverse: bool) -> NoneType:\n"
                                   "  if torch.gt(torch.len(l), 0):\n"
                                   "    ops.prim.RaiseException(\"$R\")\n"
                                   "  return None\n"
                                   "\n"
                                   "def sorted(l: List[$T]) -> List[$T]:\n"
                                   "  _0 = $M.sort(l, False)\n"
                                   "  return l\n";

/* The same for lists whose items may be of several types. $C: class_text for each class that has an order. What is left
 * the kernel sorts or refuses. */
static const char mixed_text[] = "def sort(l: List[$T], reverse: bool) -> NoneType:\n"
                                 "$C"
                                 "  _0 = torch.sort(l, reverse)\n"
                                 "  return None\n"
                                 "\n"
                                 "def sorted(l: List[$T]) -> List[$T]:\n"
                                 "  copy = l[0:len(l)]\n"
                                 "  _0 = $M.sort(copy, False)\n"
                                 "  return copy\n";

static const char class_text[] = "  items = annotate(List[$T], [])\n"
                                 "  for i in range(len(l)):\n"
                                 "    if isinstance(l[i], $T):\n"
                                 "      _1 = torch.append(items, unchecked_cast($T, l[i]))\n"
                                 "  if torch.gt(len(l), 0):\n"
                                 "    if len(items) == len(l):\n"
                                 "      _2 = $M.sort(items, reverse)\n"
                                 "      for i in range(len(l)):\n"
                                 "        l[i] = items[i]\n"
                                 "      return None\n";

/* An object with an order of its own, or a tuple that has one somewhere. */
static bool needs_calls(const type *t) {
    stack_check();
    if (t->kind == TYPE_CLASS)
        return class_find_method(t->definition, "__lt__") != NULL;
    for (uint32_t i = 0; t->kind == TYPE_TUPLE && i < t->count; i++)
        if (needs_calls(t->items[i]))
            return true;
    return false;
}

/* Whether each value is of this very type, so that it is known before the program runs which items have an order. Lists
 * and dicts tell their type whatever they hold. */
static bool is_exact(const type *t) {
    stack_check();
    for (uint32_t i = 0; t->kind == TYPE_TUPLE && i < t->count; i++)
        if (!is_exact(t->items[i]))
            return false;
    return t->kind != TYPE_ANY && t->kind != TYPE_OPTIONAL && t->kind != TYPE_UNION && t->kind != TYPE_NUMBER &&
           t->kind != TYPE_INTERFACE;
}

/* A tuple as PyTorch shows it where it stands by itself: NamedTuples with their fields. */
static const char *tuple_text(const type *t) {
    if (!t->field_names)
        return t->text;
    strbuf b = {0};
    for (uint32_t i = 0; i < t->count; i++)
        strbuf_printf(&b, "%s%s : %s", i ? ", " : "", t->field_names[i], t->items[i]->text);
    return mem_printf("NamedTuple(%s)", strbuf_text(&b));
}

/* Why values of t, an exact type, have no order, in PyTorch's words; NULL: they have one. `outer` is the tuple around
 * t; NULL: there is none. */
static const char *refusal_of(const type *t, const type *outer) {
    stack_check();
    const char *why = NULL;
    switch (t->kind) {
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_BOOL:
    case TYPE_STR:
    case TYPE_TENSOR:
        return NULL;
    case TYPE_TUPLE:
        for (uint32_t i = 0; i < t->count && !why; i++)
            why = refusal_of(t->items[i], t);
        return why;
    case TYPE_CLASS:
        return needs_calls(t) ? NULL
                              : mem_printf("To sort a list of %s it must define a __lt__ method with two inputs of "
                                           "type %s that returns a bool",
                                           t->text, t->text);
    default:
        return outer ? mem_printf("Contained elements in %s are not sortable. Only Int, Bool, Float, String, Tensor, a "
                                  "User Defined Class with __lt__ method defined or Tuples of aforementionted types "
                                  "can be sorted.",
                                  tuple_text(outer))
                     : mem_printf("Only list of Tensors, ints, floats, bools, strs, a User Defined Class that defines "
                                  "the __lt__ compare method or Tuples of aforementioned types can be sorted, got "
                                  "list of %s",
                                  type_annotation(t));
    }
}

/* Statements that return whether `a` goes before `b`, expressions of type t, unless they are equal. Tuples are compared
 * item by item; objects are equal to themselves only. */
static void add_comparison(strbuf *text, const type *t, const char *a, const char *b) {
    stack_check();
    for (uint32_t i = 0; t->kind == TYPE_TUPLE && i < t->count; i++)
        add_comparison(text, t->items[i], mem_printf("%s[%u]", a, i), mem_printf("%s[%u]", b, i));
    if (t->kind == TYPE_CLASS)
        strbuf_printf(text, "  if %s < %s:\n    return True\n  if %s is not %s:\n    return False\n", a, b, a, b);
    else if (t->kind != TYPE_TUPLE)
        strbuf_printf(text, "  if bool(%s < %s):\n    return True\n  if bool(%s != %s):\n    return False\n", a, b, a,
                      b);
}

/* A name for the module of type t: its annotation, with "_" for characters that names cannot have. */
static const char *module_of(const type *t) {
    char *name = mem_printf("__torch__.sorting_of.%s", type_annotation(t));
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '_';
    return name;
}

/* The type as sources of archives have it: its annotation, but enums by their bare name. */
static const char *written_type(const type *t) {
    static const char enum_open[] = "Enum<";
    strbuf text = {0};
    for (const char *c = type_annotation(t); *c; c++) {
        if (!strncmp(c, enum_open, sizeof enum_open - 1))
            c += sizeof enum_open - 2;
        else if (*c != '>')
            strbuf_add_n(&text, c, 1);
    }
    return strbuf_text(&text);
}

/* Lists of Any, Optional and Union: the classes with an order that an item may be of. */
static const type **ordered_classes(program *p, const type *t) {
    const type **found = NULL;
    class_def **all = program_classes(p);
    for (size_t i = 0; !is_exact(t) && t->kind != TYPE_TUPLE && i < arrlenu(all); i++)
        if (all[i]->kind == TYPE_CLASS && needs_calls(all[i]->type) && type_is_subtype(all[i]->type, t, NULL))
            arrput(found, all[i]->type);
    return found;
}

/* Adds a text with what stands for its letters where items are of type t. */
static void fill(strbuf *to, const char *text, const type *t, const char *refusal, const type *const *classes) {
    stack_check();
    for (const char *c = text; *c; c++) {
        if (*c != '$')
            strbuf_add_n(to, c, 1);
        else if (*++c == 'T')
            strbuf_add(to, written_type(t));
        else if (*c == 'M')
            strbuf_add(to, module_of(t));
        else if (*c == 'R')
            strbuf_add(to, refusal);
        else
            for (size_t i = 0; i < arrlenu(classes); i++)
                fill(to, class_text, classes[i], NULL, NULL);
    }
}

/* Defines the functions that sort lists of items of type t; they raise `refusal` unless that is NULL. */
static void define_sorting(program *p, const type *t, const char *refusal) {
    const type **classes = refusal ? NULL : ordered_classes(p, t);
    strbuf text = {0};
    stack_check();
    for (size_t i = 0; i < arrlenu(classes); i++)
        define_sorting(p, classes[i], NULL);
    fill(&text, refusal ? refusal_text : classes ? mixed_text : sort_text, t, refusal, classes);
    if (!refusal && !classes) {
        add_comparison(&text, t, "a", "b");
        strbuf_add(&text, "  return False\n");
    }
    program_add_source(p, module_of(t), strbuf_text(&text));
}

/* The function of this name for lists of items of type t; it raises `refusal` unless that is NULL. */
static function *sorting_function(program *p, const type *t, const char *name, const char *refusal) {
    define_sorting(p, t, refusal);
    function *f = program_find_function(p, mem_printf("%s.%s", module_of(t), name));
    f->is_operator = refusal != NULL;
    return f;
}

/* "sort" or "sorted" for an operator that sorts a list of any type; NULL for others. */
static const char *sorting_name(const ir_node *n) {
    const char *name = n->schema ? n->schema->full_name : "";
    return !strcmp(name, "aten::sort.any") ? "sort" : !strcmp(name, "aten::sorted.any") ? "sorted" : NULL;
}

static bool rewrite_block(program *p, ir_block *b) {
    stack_check();
    bool changed = false;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= rewrite_block(p, n->blocks[i]);
        const char *name = sorting_name(n);
        const type *item = name ? type_element(ir_in(n, 0)->type) : NULL;
        if (!item)
            continue;
        const char *refusal = is_exact(item) ? refusal_of(item, NULL) : NULL;
        if (!refusal && !needs_calls(item) && !ordered_classes(p, item))
            continue;
        function *f = sorting_function(p, item, name, refusal);
        ir_value *result = function_insert_call(n, f, n->inputs, ir_input_count(n));
        if (ir_output_count(n))
            ir_replace_uses(ir_out(n, 0), result);
        ir_destroy(n);
        changed = true;
    }
    return changed;
}

bool lower_object_sorts(program *p, ir_graph *g) {
    return rewrite_block(p, g->block);
}
