/* The unpickler: its stack machine and its opcodes. */
#include "exporter/archive/pickle.h"

#include <string.h>

#include "exporter/archive/pickle_globals.h"
#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

enum {
    PROTOCOL = 2,
    BUSY = INT32_MAX, /* height of a value whose parts are being measured */
    MAX_LONG_BYTES = 8,
};

/* What all sparse tensors of one pickle may make us check: 512 MiB of int64 indices. */
static const int64_t max_indices = (int64_t)1 << 26;

struct pkl_machine {
    const pkl_input *input;
    size_t at, opcode_at;
    pkl_value **stack; /* stb_ds array */
    size_t *marks;     /* stb_ds array: positions of the marks */
    pkl_value **memo;  /* stb_ds array; NULL where nothing was put */
    pkl_value *none, *yes, *no;
    int64_t indices_left;
    bool stopped;
};

void pkl_fail(const pkl_machine *m, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = mem_vprintf(format, args);
    va_end(args);
    diag_fail("%s: at byte %zu: %s", m->input->name, m->opcode_at, text);
}

void pkl_charge_indices(pkl_machine *m, int64_t n) {
    if (n > m->indices_left)
        pkl_fail(m, "its sparse tensors have more than %lld indices", (long long)max_indices);
    m->indices_left -= n;
}

pkl_value *pkl_new(pkl_kind kind) {
    pkl_value *v = MEM_NEW(pkl_value);
    v->kind = kind;
    return v;
}

static pkl_value *pkl_new_int(int64_t integer) {
    pkl_value *v = pkl_new(PKL_INT);
    v->integer = integer;
    return v;
}

/* ---- input ---- */

static const uint8_t *take(pkl_machine *m, size_t n) {
    if (n > m->input->size - m->at)
        pkl_fail(m, "the pickle ends in the middle of an operation");
    const uint8_t *p = m->input->bytes + m->at;
    m->at += n;
    return p;
}

static uint64_t take_little_endian(pkl_machine *m, size_t n) {
    const uint8_t *p = take(m, n);
    uint64_t x = 0;
    for (size_t i = n; i-- > 0;)
        x = x << 8 | p[i];
    return x;
}

/* A line without its newline. */
static const char *take_line(pkl_machine *m) {
    const uint8_t *start = m->input->bytes + m->at;
    const uint8_t *end = memchr(start, '\n', m->input->size - m->at);
    if (!end)
        pkl_fail(m, "the pickle ends in the middle of a name");
    m->at += (size_t)(end - start) + 1;
    return intern_n((const char *)start, (size_t)(end - start));
}

/* ---- stack ---- */

static void push(pkl_machine *m, pkl_value *v) {
    arrput(m->stack, v);
}

/* The lowest position that may be popped: values below the last mark stay until the mark is taken away. */
static size_t floor_of_stack(const pkl_machine *m) {
    return arrlenu(m->marks) ? arrlast(m->marks) : 0;
}

static pkl_value *top(const pkl_machine *m) {
    if (arrlenu(m->stack) <= floor_of_stack(m))
        pkl_fail(m, "the stack is empty");
    return arrlast(m->stack);
}

static pkl_value *pop(pkl_machine *m) {
    pkl_value *v = top(m);
    (void)arrpop(m->stack);
    return v;
}

/* The values since the last mark, which is taken away; they stay valid until the next push. */
typedef struct {
    pkl_value **items;
    size_t count;
} span;

static span pop_to_mark(pkl_machine *m) {
    if (!arrlenu(m->marks))
        pkl_fail(m, "there is no mark on the stack");
    size_t start = arrpop(m->marks);
    span s = {m->stack + start, arrlenu(m->stack) - start};
    arrsetlen(m->stack, start);
    return s;
}

static pkl_value *new_sequence(pkl_kind kind, span s) {
    pkl_value *v = pkl_new(kind);
    v->seq.items = MEM_ARRAY(pkl_value *, s.count);
    v->seq.count = s.count;
    if (s.count)
        memcpy(v->seq.items, s.items, s.count * sizeof *s.items);
    return v;
}

static void push_tuple(pkl_machine *m, size_t count) {
    if (arrlenu(m->stack) < floor_of_stack(m) + count)
        pkl_fail(m, "the stack holds fewer than %zu values", count);
    arrsetlen(m->stack, arrlenu(m->stack) - count);
    push(m, new_sequence(PKL_TUPLE, (span){m->stack + arrlenu(m->stack), count}));
}

/* Grows by doubling; the capacity follows from the count, so that the value need not hold it. */
static void *grown(void *items, size_t count, size_t more, size_t item_size) {
    size_t capacity = 4, needed = count + more;
    while (capacity < count)
        capacity *= 2;
    if (count && needed <= capacity)
        return items;
    while (capacity < needed)
        capacity *= 2;
    return mem_realloc(items, capacity * item_size);
}

static void list_append(pkl_machine *m, pkl_value *list, span s) {
    if (list->kind != PKL_LIST)
        pkl_fail(m, "items are appended to a %s", pkl_kind_name(list->kind));
    if (!s.count)
        return;
    list->seq.items = grown(list->seq.items, list->seq.count, s.count, sizeof *s.items);
    memcpy(list->seq.items + list->seq.count, s.items, s.count * sizeof *s.items);
    list->seq.count += s.count;
}

static void dict_put(pkl_machine *m, pkl_value *dict, span s) {
    if (dict->kind != PKL_DICT)
        pkl_fail(m, "items are stored in a %s", pkl_kind_name(dict->kind));
    if (s.count % 2)
        pkl_fail(m, "the last key of a dict has no value");
    if (!s.count)
        return;
    dict->dict.entries = grown(dict->dict.entries, dict->dict.count, s.count / 2, sizeof(pkl_entry));
    for (size_t i = 0; i < s.count; i += 2)
        dict->dict.entries[dict->dict.count++] = (pkl_entry){s.items[i], s.items[i + 1]};
}

/* ---- operations ---- */

static void op_proto(pkl_machine *m) {
    int protocol = *take(m, 1);
    if (protocol > PROTOCOL)
        pkl_fail(m, "pickle protocol %d is not supported; PyTorch writes protocol %d", protocol, PROTOCOL);
}

static void op_stop(pkl_machine *m) {
    if (arrlenu(m->marks) || arrlenu(m->stack) != 1)
        pkl_fail(m, "the pickle ends with %zu values on its stack", arrlenu(m->stack));
    m->stopped = true;
}

static void op_mark(pkl_machine *m) {
    arrput(m->marks, arrlenu(m->stack));
}

static void op_global(pkl_machine *m) {
    const char *module = take_line(m);
    const char *name = take_line(m);
    push(m, pkl_find_global(m, module, name));
}

static void memo_put(pkl_machine *m, uint64_t index) {
    /* Each put takes at least two bytes, and writers number them from 0. */
    if (index >= m->input->size)
        pkl_fail(m, "memo index %llu is too large", (unsigned long long)index);
    pkl_value *v = top(m);
    while (arrlenu(m->memo) <= index)
        arrput(m->memo, NULL);
    m->memo[index] = v;
}

static void memo_get(pkl_machine *m, uint64_t index) {
    if (index >= arrlenu(m->memo) || !m->memo[index])
        pkl_fail(m, "memo %llu was never put", (unsigned long long)index);
    push(m, m->memo[index]);
}

static void op_binput(pkl_machine *m) {
    memo_put(m, take_little_endian(m, 1));
}
static void op_long_binput(pkl_machine *m) {
    memo_put(m, take_little_endian(m, 4));
}
static void op_binget(pkl_machine *m) {
    memo_get(m, take_little_endian(m, 1));
}
static void op_long_binget(pkl_machine *m) {
    memo_get(m, take_little_endian(m, 4));
}

static void op_none(pkl_machine *m) {
    push(m, m->none);
}
static void op_newtrue(pkl_machine *m) {
    push(m, m->yes);
}
static void op_newfalse(pkl_machine *m) {
    push(m, m->no);
}
static void op_binint1(pkl_machine *m) {
    push(m, pkl_new_int((int64_t)take_little_endian(m, 1)));
}
static void op_binint2(pkl_machine *m) {
    push(m, pkl_new_int((int64_t)take_little_endian(m, 2)));
}
static void op_binint(pkl_machine *m) {
    push(m, pkl_new_int((int32_t)take_little_endian(m, 4)));
}

static void op_long1(pkl_machine *m) {
    size_t n = *take(m, 1);
    if (n > MAX_LONG_BYTES)
        pkl_fail(m, "an integer of %zu bytes does not fit into 64 bits", n);
    uint64_t bits = take_little_endian(m, n);
    if (n && n < MAX_LONG_BYTES && bits >> (8 * n - 1))
        bits |= UINT64_MAX << 8 * n;
    push(m, pkl_new_int((int64_t)bits));
}

static void op_binfloat(pkl_machine *m) {
    const uint8_t *p = take(m, 8);
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | p[i];
    pkl_value *v = pkl_new(PKL_FLOAT);
    memcpy(&v->number, &bits, sizeof bits);
    push(m, v);
}

static void op_binunicode(pkl_machine *m) {
    size_t n = (size_t)take_little_endian(m, 4);
    const char *text = (const char *)take(m, n);
    pkl_value *v = pkl_new(PKL_STR);
    v->str.text = mem_strndup(text, n);
    v->str.length = n;
    push(m, v);
}

static void op_empty_tuple(pkl_machine *m) {
    push_tuple(m, 0);
}
static void op_tuple1(pkl_machine *m) {
    push_tuple(m, 1);
}
static void op_tuple2(pkl_machine *m) {
    push_tuple(m, 2);
}
static void op_tuple3(pkl_machine *m) {
    push_tuple(m, 3);
}
static void op_tuple(pkl_machine *m) {
    push(m, new_sequence(PKL_TUPLE, pop_to_mark(m)));
}

static void op_empty_list(pkl_machine *m) {
    push(m, pkl_new(PKL_LIST));
}
static void op_empty_dict(pkl_machine *m) {
    push(m, pkl_new(PKL_DICT));
}

static void op_list(pkl_machine *m) {
    pkl_value *list = pkl_new(PKL_LIST);
    list_append(m, list, pop_to_mark(m));
    push(m, list);
}

static void op_dict(pkl_machine *m) {
    pkl_value *dict = pkl_new(PKL_DICT);
    dict_put(m, dict, pop_to_mark(m));
    push(m, dict);
}

static void op_append(pkl_machine *m) {
    pkl_value *item = pop(m);
    list_append(m, top(m), (span){&item, 1});
}

static void op_appends(pkl_machine *m) {
    span items = pop_to_mark(m);
    list_append(m, top(m), items);
}

static void op_setitem(pkl_machine *m) {
    pkl_value *value = pop(m), *key = pop(m);
    dict_put(m, top(m), (span){(pkl_value *[]){key, value}, 2});
}

static void op_setitems(pkl_machine *m) {
    span items = pop_to_mark(m);
    dict_put(m, top(m), items);
}

static void op_newobj(pkl_machine *m) {
    pkl_value *arguments = pop(m), *callee = pop(m);
    if (callee->kind != PKL_GLOBAL || arguments->kind != PKL_TUPLE || arguments->seq.count)
        pkl_fail(m, "an object is made from a %s with a %s of arguments", pkl_kind_name(callee->kind),
                 pkl_kind_name(arguments->kind));
    if (callee->global->kind == PKL_GLOBAL_FUNCTION) {
        push(m, callee); /* old archives: the BUILD that follows calls it */
        return;
    }
    if (callee->global->kind != PKL_GLOBAL_CLASS && callee->global->kind != PKL_GLOBAL_SCRIPT)
        pkl_fail(m, "'%s' is not a class of TorchScript", callee->global->name);
    pkl_value *object = pkl_new(PKL_OBJECT);
    object->object.class_name = callee->global->name;
    push(m, object);
}

/* A class "called" with a bare value is TorchScript's encoding of an enumerator. */
static pkl_value *call(pkl_machine *m, const pkl_value *callee, pkl_value *argument) {
    if (callee->kind != PKL_GLOBAL)
        pkl_fail(m, "a %s is called", pkl_kind_name(callee->kind));
    const pkl_global *global = callee->global;
    if (global->kind == PKL_GLOBAL_FUNCTION)
        return global->call(m, global, argument);
    if (global->kind != PKL_GLOBAL_CLASS)
        pkl_fail(m, "'%s' cannot be called", global->name);
    pkl_value *v = pkl_new(PKL_ENUM);
    v->enumerator.class_name = global->name;
    v->enumerator.value = argument;
    return v;
}

static void op_reduce(pkl_machine *m) {
    pkl_value *argument = pop(m), *callee = pop(m);
    push(m, call(m, callee, argument));
}

/* torch.save writes objects of TorchScript's classes as torch.ScriptObject, with (state, "the class's name"). */
static void give_class(pkl_machine *m, pkl_value *object, const pkl_value *given) {
    if (given->kind != PKL_TUPLE || given->seq.count != 2 || given->seq.items[1]->kind != PKL_STR)
        pkl_fail(m, "a torch.ScriptObject gets no state and name of a class");
    object->object.class_name = intern(given->seq.items[1]->str.text);
    object->object.state = given->seq.items[0];
}

static void op_build(pkl_machine *m) {
    pkl_value *state = pop(m), *target = pop(m);
    switch (target->kind) {
    case PKL_OBJECT:
        if (target->object.state)
            pkl_fail(m, "an object of class '%s' gets a second state", target->object.class_name);
        if (!strcmp(target->object.class_name, "torch.ScriptObject"))
            give_class(m, target, state);
        else
            target->object.state = state;
        break;
    case PKL_DICT:
        break; /* Python attributes of an OrderedDict: the _metadata of a state dict, which says nothing about its
                  tensors */
    case PKL_GLOBAL:
        target = call(m, target, state);
        break;
    default:
        pkl_fail(m, "a %s gets a state", pkl_kind_name(target->kind));
    }
    push(m, target);
}

static const pkl_value *id_part(pkl_machine *m, const pkl_value *id, size_t i, pkl_kind kind) {
    const pkl_value *part = id->seq.items[i];
    if (part->kind != kind)
        pkl_fail(m, "part %zu of a persistent id is a %s, not a %s", i, pkl_kind_name(part->kind), pkl_kind_name(kind));
    return part;
}

/* The id is ('storage', class, key, device, number of elements); older writers add a sixth part, the view, which is
 * None. */
static void op_binpersid(pkl_machine *m) {
    const pkl_value *id = pop(m);
    if (id->kind != PKL_TUPLE || id->seq.count < 5 || !pkl_is_str(id->seq.items[0], "storage"))
        pkl_fail(m, "a persistent id does not name a storage");
    if (!m->input->find_storage)
        pkl_fail(m, "a storage is named where none is expected");
    const pkl_global *class = id_part(m, id, 1, PKL_GLOBAL)->global;
    const char *key = id_part(m, id, 2, PKL_STR)->str.text;
    const char *device = id_part(m, id, 3, PKL_STR)->str.text;
    int64_t numel = id_part(m, id, 4, PKL_INT)->integer;
    if (class->kind != PKL_GLOBAL_STORAGE)
        pkl_fail(m, "'%s' is not a storage class", class->name);
    uint64_t element = pt_dtype_size((pt_dtype) class->number);
    if (numel < 0 || (uint64_t)numel > INT64_MAX / element)
        pkl_fail(m, "storage '%s' claims %lld elements", key, (long long)numel);
    pt_dtype dtype = (pt_dtype) class->number;
    bool is_pair = dtype == PT_COMPLEX32 || dtype == PT_COMPLEX64 || dtype == PT_COMPLEX128;
    pt_storage *storage = m->input->find_storage(m->input->context, key, device, (uint64_t)numel * element,
                                                 (size_t)element / (is_pair ? 2 : 1));
    if (!storage)
        pkl_fail(m, "storage '%s' is missing", key);
    if ((uint64_t)numel * element > storage->size)
        pkl_fail(m, "storage '%s' has %zu bytes, not the %lld elements of %s", key, storage->size, (long long)numel,
                 class->name);
    pkl_value *v = pkl_new(PKL_STORAGE);
    v->storage.storage = storage;
    v->storage.dtype = (pt_dtype) class->number;
    v->storage.numel = numel;
    push(m, v);
}

/* The opcodes, named as in Python's pickletools. X(byte, NAME, function) */
#define OPCODES(X)                                                                                                     \
    X(0x80, "PROTO", op_proto)                                                                                         \
    X('.', "STOP", op_stop)                                                                                            \
    X('(', "MARK", op_mark)                                                                                            \
    X('c', "GLOBAL", op_global)                                                                                        \
    X('q', "BINPUT", op_binput)                                                                                        \
    X('r', "LONG_BINPUT", op_long_binput)                                                                              \
    X('h', "BINGET", op_binget)                                                                                        \
    X('j', "LONG_BINGET", op_long_binget)                                                                              \
    X('N', "NONE", op_none)                                                                                            \
    X(0x88, "NEWTRUE", op_newtrue)                                                                                     \
    X(0x89, "NEWFALSE", op_newfalse)                                                                                   \
    X('K', "BININT1", op_binint1)                                                                                      \
    X('M', "BININT2", op_binint2)                                                                                      \
    X('J', "BININT", op_binint)                                                                                        \
    X(0x8a, "LONG1", op_long1)                                                                                         \
    X('G', "BINFLOAT", op_binfloat)                                                                                    \
    X('X', "BINUNICODE", op_binunicode)                                                                                \
    X(')', "EMPTY_TUPLE", op_empty_tuple)                                                                              \
    X(0x85, "TUPLE1", op_tuple1)                                                                                       \
    X(0x86, "TUPLE2", op_tuple2)                                                                                       \
    X(0x87, "TUPLE3", op_tuple3)                                                                                       \
    X('t', "TUPLE", op_tuple)                                                                                          \
    X(']', "EMPTY_LIST", op_empty_list)                                                                                \
    X('l', "LIST", op_list)                                                                                            \
    X('a', "APPEND", op_append)                                                                                        \
    X('e', "APPENDS", op_appends)                                                                                      \
    X('}', "EMPTY_DICT", op_empty_dict)                                                                                \
    X('d', "DICT", op_dict)                                                                                            \
    X('s', "SETITEM", op_setitem)                                                                                      \
    X('u', "SETITEMS", op_setitems)                                                                                    \
    X(0x81, "NEWOBJ", op_newobj)                                                                                       \
    X('R', "REDUCE", op_reduce)                                                                                        \
    X('b', "BUILD", op_build)                                                                                          \
    X('Q', "BINPERSID", op_binpersid)

#define OPCODE_ROW(byte, name, function) [byte] = function,
static void (*const operations[256])(pkl_machine *) = {OPCODES(OPCODE_ROW)};

/* ---- the whole ---- */

static void measure(const pkl_machine *m, pkl_value *v, uint32_t depth);

static uint32_t height_of_part(const pkl_machine *m, pkl_value *part, uint32_t depth, uint32_t highest) {
    measure(m, part, depth + 1);
    return part->height > highest ? part->height : highest;
}

/* Sets the height of v and of all that it contains; refuses what contains itself or is too deep. */
static void measure(const pkl_machine *m, pkl_value *v, uint32_t depth) {
    stack_check();
    if (v->height == BUSY)
        diag_fail("%s: a value of kind '%s' contains itself", m->input->name, pkl_kind_name(v->kind));
    if (depth + (v->height ? v->height : 1) > LIMIT_VALUE_DEPTH)
        diag_fail("%s: %s", m->input->name, limit_text(OVER_VALUE_DEPTH));
    if (v->height)
        return;
    v->height = BUSY;
    uint32_t highest = 0;
    switch (v->kind) {
    case PKL_LIST:
    case PKL_TUPLE:
        for (size_t i = 0; i < v->seq.count; i++)
            highest = height_of_part(m, v->seq.items[i], depth, highest);
        break;
    case PKL_DICT:
        for (size_t i = 0; i < v->dict.count; i++) {
            highest = height_of_part(m, v->dict.entries[i].key, depth, highest);
            highest = height_of_part(m, v->dict.entries[i].value, depth, highest);
        }
        break;
    case PKL_OBJECT:
        if (v->object.state)
            highest = height_of_part(m, v->object.state, depth, highest);
        break;
    case PKL_ENUM:
        highest = height_of_part(m, v->enumerator.value, depth, highest);
        break;
    default:
        break;
    }
    v->height = highest + 1;
}

static pkl_value *new_bool(bool boolean) {
    pkl_value *v = pkl_new(PKL_BOOL);
    v->boolean = boolean;
    return v;
}

pkl_value *pkl_load(const pkl_input *input) {
    pkl_machine m = {.input = input,
                     .none = pkl_new(PKL_NONE),
                     .yes = new_bool(true),
                     .no = new_bool(false),
                     .indices_left = max_indices};
    while (!m.stopped) {
        m.opcode_at = m.at;
        uint8_t opcode = *take(&m, 1);
        if (!operations[opcode])
            pkl_fail(&m, opcode > ' ' && opcode < 127 ? "unknown opcode 0x%02x ('%c')" : "unknown opcode 0x%02x",
                     opcode, opcode);
        operations[opcode](&m);
    }
    pkl_value *root = m.stack[0];
    measure(&m, root, 0);
    return root;
}

#define KIND_NAME(NAME, name) [PKL_##NAME] = name,
static const char *const kind_names[PKL_KIND_COUNT] = {PKL_KINDS(KIND_NAME)};

const char *pkl_kind_name(pkl_kind kind) {
    return kind_names[kind];
}

bool pkl_is_str(const pkl_value *v, const char *text) {
    return v->kind == PKL_STR && v->str.length == strlen(text) && !memcmp(v->str.text, text, v->str.length);
}

pkl_value *pkl_dict_get(const pkl_value *dict, const char *key) {
    if (dict->kind != PKL_DICT)
        return NULL;
    for (size_t i = dict->dict.count; i-- > 0;)
        if (pkl_is_str(dict->dict.entries[i].key, key))
            return dict->dict.entries[i].value;
    return NULL;
}
