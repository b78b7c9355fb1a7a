/* Calls, and values from Java and back. Values travel as words (Words.java), elements of tensors through their direct
 * buffers. */
#include "module.h"
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_org_tsmobile_Native_##name

/* How deep a result may nest: objects may be linked in circles. */
enum { MOST_DEPTH = 100 };

/* ---- Arguments ---- */

/* The next word; 0 past the end, where Arguments.java does not lead. */
static int64_t take(jni_words *w) {
    int64_t word = 0;
    if (w->at + sizeof word <= w->bytes)
        memcpy(&word, w->data + w->at, sizeof word);
    w->at += sizeof word;
    return word;
}

/* As many words as wanted, where they lie. */
static const void *take_words(jni_words *w, int64_t n) {
    const char *at = w->data + w->at;
    const size_t left = w->at < w->bytes ? (w->bytes - w->at) / sizeof(int64_t) : 0;
    if (n < 0 || (size_t)n > left)
        return NULL;
    w->at += (size_t)n * sizeof(int64_t);
    return at;
}

/* A text, behind which a zero stands. */
static const char *take_text(jni_words *w, size_t *n) {
    const int64_t bytes = take(w);
    *n = (size_t)bytes;
    return (const char *)take_words(w, bytes / 8 + 1);
}

static tsm_status make_tensor(jni_module *m, JNIEnv *env, jni_arguments *a, jobjectArray data, tsm_value *made) {
    const int64_t number = take(&a->words), dtype = take(&a->words), dims = take(&a->words);
    const int64_t *sizes = take_words(&a->words, dims);
    const int64_t has_strides = take(&a->words);
    const int64_t *strides = has_strides ? take_words(&a->words, dims) : NULL;
    const int64_t axis = take(&a->words), channels = axis < -1 ? 0 : take(&a->words);
    const double *scales = take_words(&a->words, channels);
    const int64_t *zero_points = take_words(&a->words, channels);
    tsm_dim d_sizes[TSM_MAX_DIMS], d_strides[TSM_MAX_DIMS];
    if (!sizes || !scales || !zero_points || (has_strides && !strides))
        return module_fail(m, TSM_INTERNAL, "the words of a tensor are cut off");
    for (int64_t d = 0; d < dims && d < TSM_MAX_DIMS; d++) {
        d_sizes[d] = (tsm_dim)sizes[d];
        d_strides[d] = strides ? (tsm_dim)strides[d] : 0;
    }
    jobject buffer = (*env)->GetObjectArrayElement(env, data, (jsize)number);
    if ((*env)->ExceptionCheck(env))
        return TSM_INTERNAL;
    void *memory = buffer ? (*env)->GetDirectBufferAddress(env, buffer) : NULL;
    (*env)->DeleteLocalRef(env, buffer);
    if (!memory)
        return module_fail(m, TSM_INTERNAL, "the buffer of a tensor has no address");
    tsm_status status =
        tsm_tensor_wrap(m->inst, made, (tsm_dtype)dtype, (int)dims, d_sizes, strides ? d_strides : NULL, memory);
    if (status != TSM_OK)
        return status;
    a->wrapped[a->wrapped_count++] = *made; /* with a count of its own */
    tsm_retain(*made);
    if (axis >= -1)
        status = tsm_tensor_set_quantizer(m->inst, *made, (int)axis, (tsm_dim)channels, scales, zero_points);
    if (status != TSM_OK)
        tsm_release(m->inst, *made);
    return status;
}

/* Takes the last n values off the stack: they have been put into a container, or could not be. */
static void pop(jni_module *m, jni_arguments *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        tsm_release(m->inst, a->stack[--a->count]);
}

static tsm_status make_dict(jni_module *m, jni_arguments *a, size_t n, tsm_value *made) {
    tsm_status status = tsm_dict_new(m->inst, made);
    const tsm_value *items = a->stack + a->count - 2 * n;
    for (size_t i = 0; i < n && status == TSM_OK; i++) {
        status = tsm_dict_set(m->inst, *made, items[2 * i], items[2 * i + 1]);
        if (status != TSM_OK)
            tsm_release(m->inst, *made);
    }
    return status;
}

/* A container of the values that were made last, in their place. */
static tsm_status make_container(jni_module *m, jni_arguments *a, tsm_tag tag, tsm_value *made) {
    const size_t n = (size_t)take(&a->words), values = tag == TSM_TAG_DICT ? 2 * n : n;
    if (values > a->count)
        return module_fail(m, TSM_INTERNAL, "the words of a container are wrong");
    const tsm_value *items = a->stack + a->count - values;
    const tsm_status status = tag == TSM_TAG_DICT    ? make_dict(m, a, n, made)
                              : tag == TSM_TAG_TUPLE ? tsm_tuple_new(m->inst, made, items, n)
                                                     : tsm_list_new(m->inst, made, items, n);
    if (status == TSM_OK)
        pop(m, a, values);
    return status;
}

static tsm_status make_float(jni_module *m, jni_words *w, tsm_tag tag, tsm_value *made) {
    const double *parts = take_words(w, tag == TSM_TAG_COMPLEX ? 2 : 1);
    if (!parts)
        return module_fail(m, TSM_INTERNAL, "the words of a number are cut off");
    if (tag == TSM_TAG_COMPLEX)
        return tsm_complex_new(m->inst, made, parts[0], parts[1]);
    *made = tsm_float(parts[0]);
    return TSM_OK;
}

static tsm_status make_named(jni_module *m, jni_words *w, tsm_tag tag, tsm_value *made) {
    size_t n, members;
    const char *text = take_text(w, &n), *member = tag == TSM_TAG_ENUM ? take_text(w, &members) : "";
    if (!text || !member)
        return module_fail(m, TSM_INTERNAL, "the words of a text are cut off");
    if (tag == TSM_TAG_ENUM)
        return tsm_enum_find(m->inst, made, text, member);
    return tag == TSM_TAG_STR ? tsm_str_new(m->inst, made, text, n) : tsm_device_parse(m->inst, made, text);
}

static tsm_status make_value(jni_module *m, JNIEnv *env, jni_arguments *a, jobjectArray data, tsm_value *made) {
    const tsm_tag tag = (tsm_tag)take(&a->words);
    *made = tsm_none();
    switch (tag) {
    case TSM_TAG_NONE:
        return TSM_OK;
    case TSM_TAG_BOOL:
        *made = tsm_bool(take(&a->words) != 0);
        return TSM_OK;
    case TSM_TAG_INT:
        *made = tsm_int(take(&a->words));
        return TSM_OK;
    case TSM_TAG_FLOAT:
    case TSM_TAG_COMPLEX:
        return make_float(m, &a->words, tag, made);
    case TSM_TAG_DEVICE:
    case TSM_TAG_STR:
    case TSM_TAG_ENUM:
        return make_named(m, &a->words, tag, made);
    case TSM_TAG_TENSOR:
        return make_tensor(m, env, a, data, made);
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
    case TSM_TAG_DICT:
        return make_container(m, a, tag, made);
    default:
        return module_fail(m, TSM_INTERNAL, "a value of this kind cannot be an argument");
    }
}

tsm_status arguments_make(jni_module *m, JNIEnv *env, jni_arguments *a, jobjectArray data) {
    while (a->words.at < a->words.bytes) {
        tsm_value made;
        const tsm_status status = make_value(m, env, a, data, &made);
        if (status != TSM_OK) {
            arguments_release(m, a);
            return status;
        }
        a->stack[a->count++] = made;
    }
    return TSM_OK;
}

void arguments_release(jni_module *m, jni_arguments *a) {
    pop(m, a, a->count);
}

/* ---- Calls ---- */

/* What of the tensors over Java's memory the program still holds stays, as addresses in `held`; the others go (0). */
static void settle(jni_module *m, JNIEnv *env, const jni_arguments *a, jlongArray held) {
    for (size_t i = 0; i < a->wrapped_count; i++) {
        jlong object = 0;
        if (tsm_is_shared(a->wrapped[i]))
            object = (jlong)(uintptr_t)a->wrapped[i].as.o;
        else
            tsm_release(m->inst, a->wrapped[i]);
        /* Within the array, so it raises nothing; another exception may be pending. */
        a->wrapped[i].as.i = object;
    }
    jthrowable pending = (*env)->ExceptionOccurred(env);
    if (pending)
        (*env)->ExceptionClear(env);
    for (size_t i = 0; i < a->wrapped_count; i++) {
        const jlong object = a->wrapped[i].as.i;
        (*env)->SetLongArrayRegion(env, held, (jsize)i, 1, &object);
        (void)(*env)->ExceptionCheck(env);
    }
    if (pending)
        (void)(*env)->Throw(env, pending);
}

/* Calls a method; the result stays in the module until `drop`. `words` has `bytes` of words, and behind them room for
 * `values` values and for the tensors among them. */
NATIVE(jint, call)
(JNIEnv *env, jclass self, jobject root, jint method, jobject words, jint bytes, jint values, jobjectArray data,
 jlongArray held, jobject surroundings, jboolean or_restore) {
    (void)self;
    jni_module *m = module_of(env, root);
    if (!m)
        return TSM_INTERNAL;
    jni_arguments a = {.words = words_of(env, words)};
    const size_t tensors = (size_t)(*env)->GetArrayLength(env, data);
    if (!a.words.data || a.words.bytes < (size_t)bytes + ((size_t)values + tensors) * sizeof(tsm_value))
        return module_fail(m, TSM_INTERNAL, "the buffer of arguments is too small");
    a.words.bytes = (size_t)bytes;
    a.stack = (tsm_value *)(void *)(a.words.data + bytes);
    a.wrapped = a.stack + values;
    m->env = env;
    m->surroundings = surroundings;
    tsm_status status = arguments_make(m, env, &a, data);
    if (status == TSM_OK) {
        status = or_restore ? tsm_call_or_restore(m->inst, method, a.stack, a.count, &m->result)
                            : tsm_call(m->inst, method, a.stack, a.count, &m->result);
        arguments_release(m, &a);
    }
    m->env = NULL;
    m->surroundings = NULL;
    settle(m, env, &a, held);
    return (jint)status;
}

NATIVE(void, drop)(JNIEnv *env, jclass self, jobject root) {
    (void)self;
    jni_module *m = module_of(env, root);
    if (!m)
        return;
    tsm_release(m->inst, m->result);
    m->result = tsm_none();
}

/* Moves the result into value[0], its tag, and value[1], its object: who has them releases it. */
NATIVE(void, hold)(JNIEnv *env, jclass self, jobject root, jlongArray value) {
    (void)self;
    jni_module *m = module_of(env, root);
    if (!m)
        return;
    const jlong words[2] = {(jlong)m->result.tag, m->result.as.i};
    (*env)->SetLongArrayRegion(env, value, 0, 2, words);
    if (!(*env)->ExceptionCheck(env))
        m->result = tsm_none();
}

/* Releases a value that was held: at any rate, or only where the program holds it no more. */
NATIVE(jboolean, release)(JNIEnv *env, jclass self, jobject root, jlong tag, jlong object, jboolean is_sure) {
    (void)self;
    const jni_module *m = module_of(env, root);
    tsm_value v = tsm_none();
    v.tag = (uint32_t)tag;
    if (tag > TSM_TAG_DEVICE)
        v.as.o = (tsm_object_header *)(uintptr_t)object;
    if (!m || (!is_sure && tsm_is_shared(v)))
        return JNI_FALSE;
    tsm_release(m->inst, v);
    return JNI_TRUE;
}

/* ---- Results ---- */

static bool put_value(const jni_module *m, jni_words *w, tsm_value v, int depth);

static bool put_items(const jni_module *m, jni_words *w, tsm_value v, int depth) {
    const size_t n = v.tag == TSM_TAG_DICT ? tsm_dict_size(v) : tsm_sequence_size(v);
    words_put(w, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        tsm_value key, item;
        if (v.tag == TSM_TAG_DICT) {
            tsm_dict_get(v, i, &key, &item);
            if (!put_value(m, w, key, depth))
                return false;
        } else {
            item = tsm_sequence_get(v, i);
        }
        if (!put_value(m, w, item, depth))
            return false;
    }
    return true;
}

static bool put_object(const jni_module *m, jni_words *w, tsm_value v, int depth) {
    const size_t n = tsm_object_size(v);
    words_put_name(w, tsm_class_name(m->inst, v));
    words_put(w, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        tsm_value item;
        words_put_name(w, tsm_object_attribute(m->inst, v, i, &item));
        if (!put_value(m, w, item, depth))
            return false;
    }
    return true;
}

static bool put_enum(const jni_module *m, jni_words *w, tsm_value v, int depth) {
    tsm_value item;
    words_put_name(w, tsm_class_name(m->inst, v));
    words_put_name(w, tsm_enum_get(m->inst, v, &item));
    return put_value(m, w, item, depth);
}

/* Sizes, strides and the quantizer; the address, from the module's mapping on. False for a tensor without elements of
 * its own (a nested one), or with zero points that are floats. */
static bool put_tensor(const jni_module *m, jni_words *w, tsm_value v) {
    tsm_tensor_view t;
    if (!tsm_tensor_get(v, &t) || t.float_zero_points)
        return false;
    words_put(w, t.dtype);
    words_put(w, t.dims);
    for (int d = 0; d < t.dims; d++)
        words_put(w, t.sizes[d]);
    for (int d = 0; d < t.dims; d++)
        words_put(w, t.strides[d]);
    words_put(w, (int64_t)((uintptr_t)t.data - (uintptr_t)m));
    words_put(w, t.quantizer_axis);
    if (t.quantizer_axis < -1)
        return true;
    words_put(w, t.quantizer_channels);
    for (tsm_dim i = 0; i < t.quantizer_channels; i++) {
        int64_t bits;
        memcpy(&bits, &t.scales[i], sizeof bits);
        words_put(w, bits);
    }
    for (tsm_dim i = 0; i < t.quantizer_channels; i++)
        words_put(w, t.zero_points[i]);
    return true;
}

static void put_text(jni_words *w, tsm_value v) {
    char device[24];
    size_t n;
    const char *text = device;
    if (v.tag == TSM_TAG_DEVICE)
        n = tsm_device_text(v, device, sizeof device);
    else
        text = tsm_str_get(v, &n);
    words_put_text(w, text, n);
}

static void put_complex(jni_words *w, tsm_value v) {
    double parts[2] = {0, 0};
    int64_t bits[2];
    tsm_complex_get(v, &parts[0], &parts[1]);
    memcpy(bits, parts, sizeof bits);
    words_put(w, bits[0]);
    words_put(w, bits[1]);
}

/* False: it nests too deep, or is of a kind that has no form in Java; the tag that is written last says which. */
static bool put_value(const jni_module *m, jni_words *w, tsm_value v, int depth) {
    words_put(w, v.tag);
    if (depth == MOST_DEPTH)
        return false;
    switch ((tsm_tag)v.tag) {
    case TSM_TAG_NONE:
        return true;
    case TSM_TAG_BOOL:
        words_put(w, v.as.b);
        return true;
    case TSM_TAG_INT:
    case TSM_TAG_FLOAT:
        words_put(w, v.as.i);
        return true;
    case TSM_TAG_COMPLEX:
        put_complex(w, v);
        return true;
    case TSM_TAG_DEVICE:
    case TSM_TAG_STR:
        put_text(w, v);
        return true;
    case TSM_TAG_TENSOR:
        return put_tensor(m, w, v);
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
    case TSM_TAG_DICT:
        return put_items(m, w, v, depth + 1);
    case TSM_TAG_OBJECT:
        return put_object(m, w, v, depth + 1);
    case TSM_TAG_ENUM:
        return put_enum(m, w, v, depth + 1);
    default:
        return false;
    }
}

/* Writes the result as Results.java reads it; gives the bytes that it takes, whether or not there was room, or 0 where
 * it cannot be written: the text is in the module. */
NATIVE(jlong, result)(JNIEnv *env, jclass self, jobject root, jobject into) {
    (void)self;
    jni_module *m = module_of(env, root);
    jni_words w = words_of(env, into);
    if (!m)
        return 0;
    if (put_value(m, &w, m->result, 0))
        return (jlong)w.at;
    (void)module_fail(
        m, TSM_UNSUPPORTED,
        "the result holds a future, a generator, a nested tensor or one with zero points that are floats, or "
        "nests deeper than 100 values");
    return 0;
}

/* Copies elements of a size to where they lie one after the other. */
static void copy_elements(char *to, const char *from, size_t bytes, const tsm_tensor_view *t) {
    tsm_dim at[TSM_MAX_DIMS] = {0}, count = 1;
    for (int d = 0; d < t->dims; d++)
        count *= t->sizes[d];
    for (tsm_dim i = 0; i < count; i++) {
        memcpy(to + (size_t)i * bytes, from, bytes);
        for (int d = t->dims - 1; d >= 0; d--) {
            from += (ptrdiff_t)bytes * t->strides[d];
            if (++at[d] < t->sizes[d])
                break;
            from -= (ptrdiff_t)bytes * t->strides[d] * t->sizes[d];
            at[d] = 0;
        }
    }
}

/* Copies a tensor of the result, which was described by these words, into a direct buffer that has room for it. */
NATIVE(void, copy)
(JNIEnv *env, jclass self, jobject root, jlong place, jlongArray layout, jlong element_bytes, jobject into) {
    (void)self;
    const jni_module *m = module_of(env, root);
    const jni_words memory = words_of(env, into);
    jlong numbers[2 * TSM_MAX_DIMS] = {0};
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    const jsize dims = (*env)->GetArrayLength(env, layout) / 2;
    if (!m || !memory.data || dims > TSM_MAX_DIMS)
        return;
    (*env)->GetLongArrayRegion(env, layout, 0, 2 * dims, numbers);
    if ((*env)->ExceptionCheck(env))
        return;
    size_t bytes = (size_t)element_bytes;
    bool is_contiguous = true;
    for (jsize d = dims - 1; d >= 0; d--) {
        sizes[d] = (tsm_dim)numbers[d];
        strides[d] = (tsm_dim)numbers[dims + d];
        is_contiguous = is_contiguous && (sizes[d] == 1 || (size_t)strides[d] * (size_t)element_bytes == bytes);
        bytes *= (size_t)sizes[d];
    }
    if (bytes > memory.bytes || !bytes)
        return;
    const char *from = (const char *)((uintptr_t)m + (uintptr_t)place);
    const tsm_tensor_view t = {.dims = dims, .sizes = sizes, .strides = strides};
    if (is_contiguous)
        memcpy(memory.data, from, bytes);
    else
        copy_elements(memory.data, from, (size_t)element_bytes, &t);
}
