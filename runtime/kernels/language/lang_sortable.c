/* Which lists of values aten::sort.any and aten::sorted.any sort, and PyTorch's words for those that they refuse. What
 * the values are counts, not what the list may hold: an item of Optional[int] is an int or None. */
#include "runtime/kernels/language/lang.h"
#include "runtime/value/chars.h"

/* The type that a list or dict was made with, as an annotation; NULL: it does not know it. */
static const char *declared_type(tsm_exec *x, tsm_value v) {
    const uint32_t type = tsm_get_type(v.as.o);
    return type == UINT32_MAX ? NULL : tsm_type_annotation(x, type);
}

typedef enum { DIFFERENT, SAME, TOO_DEEP } agreement;

/* Whether two values are of one type. Lists and dicts that do not know theirs agree with any. */
static agreement compare_types(tsm_exec *x, tsm_value a, tsm_value b, int depth) {
    if (!tsm_count_work(x, 1) || a.tag != b.tag)
        return DIFFERENT;
    switch (a.tag) {
    case TSM_TAG_TUPLE: {
        const tsm_tuple *s = tsm_as_tuple(a), *t = tsm_as_tuple(b);
        agreement found = depth == 0 ? TOO_DEEP : (agreement)(s->length == t->length && s->type == t->type);
        for (uint32_t i = 0; s != t && found == SAME && i < s->length; i++)
            found = compare_types(x, s->items[i], t->items[i], depth - 1);
        return found;
    }
    case TSM_TAG_LIST:
    case TSM_TAG_DICT:
        return tsm_get_type(a.as.o) == tsm_get_type(b.as.o) || !declared_type(x, a) || !declared_type(x, b) ? SAME
                                                                                                            : DIFFERENT;
    case TSM_TAG_OBJECT:
        return tsm_as_object(a)->type == tsm_as_object(b)->type ? SAME : DIFFERENT;
    default:
        return a.tag != TSM_TAG_ENUM || tsm_as_enum(a)->type == tsm_as_enum(b)->type ? SAME : DIFFERENT;
    }
}

/* The tuple, or the first one in it, that holds something without an order; NULL: there is none. */
static const tsm_tuple *without_order(tsm_exec *x, const tsm_tuple *t, int depth) {
    enum {
        ORDERED = TSM_ACCEPTS(INT) | TSM_ACCEPTS(FLOAT) | TSM_ACCEPTS(BOOL) | TSM_ACCEPTS(STR) | TSM_ACCEPTS(TENSOR) |
                  TSM_ACCEPTS(OBJECT) /* which comparing refuses */
    };
    for (uint32_t i = 0; i < t->length; i++) {
        const tsm_value v = t->items[i];
        const tsm_tuple *found = ORDERED >> v.tag & 1 ? NULL : t;
        if (v.tag == TSM_TAG_TUPLE && depth > 0 && tsm_count_work(x, 1))
            found = without_order(x, tsm_as_tuple(v), depth - 1);
        if (found)
            return found;
    }
    return NULL;
}

static void add_chars(tsm_exec *x, tsm_text *to, const char *s) {
    tsm_text_add(x, to, s, tsm_chars_length(s));
}

/* List[int] and Dict[str, int], or, as a part of what schemas call (int, int[]): int[] and Dict(str, int). */
static void add_container_type(tsm_exec *x, tsm_text *to, tsm_value v, bool in_schema) {
    const char *declared = declared_type(x, v), *inner = declared ? tsm_chars_first(declared, '[') : NULL;
    if (!in_schema || !inner) {
        add_chars(x, to, declared ? declared : tsm_tag_name(v.tag));
        return;
    }
    const bool is_list = v.tag == TSM_TAG_LIST;
    add_chars(x, to, is_list ? "" : "Dict(");
    tsm_text_add(x, to, inner + 1, tsm_chars_length(inner + 1) - 1);
    add_chars(x, to, is_list ? "[]" : ")");
}

static void add_type(tsm_exec *x, tsm_text *to, tsm_value v, bool in_schema, int depth) {
    if (v.tag == TSM_TAG_TUPLE && tsm_as_tuple(v)->type) {
        add_chars(x, to, tsm_type_name(x, tsm_as_tuple(v)->type - 1));
    } else if (v.tag == TSM_TAG_TUPLE && depth > 0) {
        const tsm_tuple *t = tsm_as_tuple(v);
        add_chars(x, to, in_schema ? "(" : "Tuple[");
        for (uint32_t i = 0; i < t->length && to->status == TSM_OK; i++) {
            add_chars(x, to, i ? ", " : "");
            add_type(x, to, t->items[i], in_schema, depth - 1);
        }
        add_chars(x, to, in_schema ? ")" : "]");
    } else if (v.tag == TSM_TAG_LIST || v.tag == TSM_TAG_DICT) {
        add_container_type(x, to, v, in_schema);
    } else if (v.tag == TSM_TAG_OBJECT) {
        add_chars(x, to, tsm_type_name(x, tsm_as_object(v)->type));
    } else if (v.tag == TSM_TAG_ENUM) {
        add_chars(x, to, "Enum<");
        add_chars(x, to, tsm_type_name(x, tsm_as_enum(v)->type));
        add_chars(x, to, ">");
    } else {
        add_chars(x, to, tsm_tag_name(v.tag));
    }
}

/* Raises a text in which two types stand; the second one may be empty. */
static tsm_status refuse_items(tsm_exec *x, const char *format, tsm_text *first, tsm_text *second) {
    tsm_status status = first->status != TSM_OK ? first->status : second->status;
    if (status == TSM_OK)
        status = TSM_RAISE(x, format, (int)first->length, first->text, (int)second->length, second->text);
    tsm_text_free(x, first);
    tsm_text_free(x, second);
    return status;
}

tsm_status tsm_lang_check_sortable(tsm_exec *x, const tsm_list *l) {
    tsm_text first = {0}, second = {0};
    for (uint32_t i = 1; i < l->length; i++) {
        const agreement types = compare_types(x, l->items[0], l->items[i], LANG_ORDERED_DEPTH);
        if (types == TOO_DEEP)
            return TSM_RAISE(x, "tuples that are nested more than %d deep are not sorted", LANG_ORDERED_DEPTH);
        if (types == SAME)
            continue;
        add_type(x, &first, l->items[0], false, LANG_ORDERED_DEPTH);
        add_type(x, &second, l->items[i], false, LANG_ORDERED_DEPTH);
        return refuse_items(x, "Only values of same type can be compared. Found %.*s and %.*s", &first, &second);
    }
    if (!l->length)
        return TSM_OK;
    if (l->items[0].tag == TSM_TAG_OBJECT) { /* lists of objects with an order are sorted by code of the program */
        const char *name = tsm_type_name(x, tsm_as_object(l->items[0])->type);
        return TSM_RAISE(x,
                         "To sort a list of %s it must define a __lt__ method with two inputs of type %s that returns "
                         "a bool",
                         name, name);
    }
    if (l->items[0].tag != TSM_TAG_TUPLE) {
        add_type(x, &first, l->items[0], false, LANG_ORDERED_DEPTH);
        return refuse_items(
            x,
            "Only list of Tensors, ints, floats, bools, strs, a User Defined Class that defines the __lt__ "
            "compare method or Tuples of aforementioned types can be sorted, got list of %.*s%.*s",
            &first, &second);
    }
    const tsm_tuple *unordered = without_order(x, tsm_as_tuple(l->items[0]), LANG_ORDERED_DEPTH);
    if (!unordered)
        return TSM_OK;
    add_type(x, &first, tsm_of(TSM_TAG_TUPLE, (void *)(uintptr_t)unordered), true, LANG_ORDERED_DEPTH);
    return refuse_items(
        x,
        "Contained elements in %.*s are not sortable. Only Int, Bool, Float, String, Tensor, a User Defined "
        "Class with __lt__ method defined or Tuples of aforementionted types can be sorted.%.*s",
        &first, &second);
}
