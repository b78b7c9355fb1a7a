/* Memory, files, instances and their state: the native methods of org.tsmobile.Native that make no values. */
#include "module.h"
#include "platform/platform.h"
#include <string.h>
#include <sys/mman.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif
#include <time.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_org_tsmobile_Native_##name

jni_module *module_of(JNIEnv *env, jobject root) {
    return (jni_module *)(*env)->GetDirectBufferAddress(env, root);
}

tsm_status module_fail(jni_module *m, tsm_status status, const char *text) {
    size_t n = strlen(text);
    if (n >= sizeof m->message)
        n = sizeof m->message - 1;
    memcpy(m->message, text, n);
    m->message[n] = 0;
    return status;
}

/* ---- Words ---- */

jni_words words_of(JNIEnv *env, jobject buffer) {
    jni_words w = {buffer ? (char *)(*env)->GetDirectBufferAddress(env, buffer) : NULL, 0, 0};
    const jlong bytes = w.data ? (*env)->GetDirectBufferCapacity(env, buffer) : 0;
    w.bytes = bytes > 0 ? (size_t)bytes : 0;
    return w;
}

void words_put(jni_words *w, int64_t word) {
    if (w->at + sizeof word <= w->bytes)
        memcpy(w->data + w->at, &word, sizeof word);
    w->at += sizeof word;
}

void words_put_text(jni_words *w, const char *text, size_t n) {
    words_put(w, (int64_t)n);
    if (w->at + n <= w->bytes && n)
        memcpy(w->data + w->at, text, n);
    w->at += (n + 7) / 8 * 8;
}

void words_put_name(jni_words *w, const char *text) {
    words_put_text(w, text, text ? strlen(text) : 0);
}

/* ---- Memory ---- */

NATIVE(jlong, map)(JNIEnv *env, jclass self, jlong bytes) {
    (void)env;
    (void)self;
    if (bytes <= 0 || (uint64_t)bytes > SIZE_MAX)
        return 0;
    void *memory =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? 0 : (jlong)(uintptr_t)memory;
}

NATIVE(void, unmap)(JNIEnv *env, jclass self, jlong address, jlong bytes) {
    (void)env;
    (void)self;
    munmap((void *)(uintptr_t)address, (size_t)bytes);
}

NATIVE(jobject, buffer)(JNIEnv *env, jclass self, jlong address, jlong bytes) {
    (void)self;
    return (*env)->NewDirectByteBuffer(env, (void *)(uintptr_t)address, bytes);
}

NATIVE(jlong, address)(JNIEnv *env, jclass self, jobject buffer) {
    (void)self;
    return (jlong)(uintptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

/* ---- Surroundings ---- */

/* Gives a text of the program to Surroundings.print(byte[], boolean). After an exception of Java nothing more is
 * printed; it is thrown when the call is over. */
static void say(const jni_module *m, const char *text, size_t n, jboolean is_warning) {
    JNIEnv *env = m->env;
    if (!env || !m->surroundings || n > INT32_MAX || (*env)->ExceptionCheck(env))
        return;
    jbyteArray bytes = (*env)->NewByteArray(env, (jsize)n);
    if (!bytes)
        return;
    (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)n, (const jbyte *)text);
    jclass type = (*env)->GetObjectClass(env, m->surroundings);
    jmethodID print = (*env)->ExceptionCheck(env) ? NULL : (*env)->GetMethodID(env, type, "print", "([BZ)V");
    if (print) {
        (*env)->CallVoidMethod(env, m->surroundings, print, bytes, is_warning);
        (void)(*env)->ExceptionCheck(env); /* it stays pending */
    }
    (*env)->DeleteLocalRef(env, type);
    (*env)->DeleteLocalRef(env, bytes);
}

static void print(void *context, const char *text, size_t n) {
    say((const jni_module *)context, text, n, JNI_FALSE);
}

static void warn(void *context, const char *text, size_t n) {
    say((const jni_module *)context, text, n, JNI_TRUE);
}

static uint64_t nanoseconds(void *context) {
    struct timespec now = {0, 0};
    (void)context;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t features(void) {
#if defined(__aarch64__)
    const unsigned long dot_product = 1ul << 20; /* HWCAP_ASIMDDP of Linux */
    return getauxval(AT_HWCAP) & dot_product ? TSM_FEATURE_DOT_PRODUCT : 0;
#else
    return 0;
#endif
}

/* ---- Programs and instances ---- */

NATIVE(jint, open)(JNIEnv *env, jclass self, jobject root, jobject file, jlong bytes, jboolean check) {
    (void)self;
    jni_module *m = module_of(env, root);
    if (!m)
        return TSM_INTERNAL;
    const void *data = (*env)->GetDirectBufferAddress(env, file);
    if (!data)
        return module_fail(m, TSM_INTERNAL, "the file's buffer is not direct");
    m->result = tsm_none();
    const tsm_status status = tsm_program_open(&m->program, data, (size_t)bytes, m->message, sizeof m->message);
    if (status != TSM_OK || !check)
        return status;
    const tsm_status sums = tsm_program_check_sums(&m->program, m->message, sizeof m->message);
    return sums == TSM_UNSUPPORTED ? TSM_OK : sums; /* files of 0.1.0 have no checksums */
}

NATIVE(jint, start)
(JNIEnv *env, jclass self, jobject root, jlong buffer_bytes, jlong fuel, jint threads, jboolean profile) {
    (void)self;
    jni_module *m = module_of(env, root);
    if (!m)
        return TSM_INTERNAL;
    tsm_options options = {
        .size = sizeof options,
        .platform = {.context = m, .print = print, .warn = warn, .nanoseconds = nanoseconds, .features = features()},
        .fuel = (uint64_t)fuel,
        .message = m->message,
        .message_bytes = sizeof m->message,
        .profile = profile};
    if (threads > 1 && platform_threads((unsigned)threads) > 1)
        options.platform.parallel = platform_parallel;
    tsm_instance *inst = NULL;
    const tsm_status status =
        tsm_instance_init(&inst, &m->program, &options, (char *)m + MODULE_BYTES, (size_t)buffer_bytes);
    m->inst = inst;
    return status;
}

NATIVE(jbyteArray, message)(JNIEnv *env, jclass self, jobject root) {
    (void)self;
    const jni_module *m = module_of(env, root);
    if (!m)
        return NULL;
    const jsize n = (jsize)strlen(m->message);
    jbyteArray text = (*env)->NewByteArray(env, n);
    if (text)
        (*env)->SetByteArrayRegion(env, text, 0, n, (const jbyte *)m->message);
    return text;
}

NATIVE(jint, reset)(JNIEnv *env, jclass self, jobject root) {
    (void)self;
    const jni_module *m = module_of(env, root);
    return m ? tsm_instance_reset(m->inst) : TSM_INTERNAL;
}

/* Gives the state's size, or minus a status; writes it where `into`, a direct buffer, is not null and has room. */
NATIVE(jlong, save)(JNIEnv *env, jclass self, jobject root, jobject into) {
    (void)self;
    const jni_module *m = module_of(env, root);
    if (!m)
        return -(jlong)TSM_INTERNAL;
    const jni_words memory = words_of(env, into);
    size_t needed = 0;
    const tsm_status status = tsm_instance_save(m->inst, memory.data, memory.bytes, &needed);
    return status == TSM_OK ? (jlong)needed : -(jlong)status;
}

NATIVE(jint, load)(JNIEnv *env, jclass self, jobject root, jobject state, jint bytes) {
    (void)self;
    const jni_module *m = module_of(env, root);
    const jni_words memory = words_of(env, state);
    return m && memory.data ? tsm_instance_load(m->inst, memory.data, (size_t)bytes) : TSM_INTERNAL;
}

NATIVE(void, usage)(JNIEnv *env, jclass self, jobject root, jlongArray into) {
    (void)self;
    const jni_module *m = module_of(env, root);
    if (!m)
        return;
    const tsm_usage u = tsm_instance_usage(m->inst);
    const jlong numbers[] = {(jlong)u.buffer_bytes,     (jlong)u.fixed_bytes,  (jlong)u.used_bytes,
                             (jlong)u.high_water_bytes, (jlong)u.instructions, (jlong)u.work};
    (*env)->SetLongArrayRegion(env, into, 0, sizeof numbers / sizeof *numbers, numbers);
}

/* Writes rows of the profile: name, calls, nanoseconds, bytes; gives the bytes that they take, whether or not there was
 * room. */
NATIVE(jlong, profile)(JNIEnv *env, jclass self, jobject root, jobject into) {
    (void)self;
    const jni_module *m = module_of(env, root);
    jni_words w = words_of(env, into);
    tsm_profile_row row;
    for (size_t i = 0; m && tsm_profile_get(m->inst, i, &row); i++) {
        if (!row.calls)
            continue;
        words_put_name(&w, row.name);
        words_put(&w, (int64_t)row.calls);
        words_put(&w, (int64_t)row.nanoseconds);
        words_put(&w, (int64_t)row.bytes);
    }
    return (jlong)w.at;
}

/* ---- What the file says of itself ---- */

static void put_info(jni_words *w, tsm_value_info v) {
    words_put_name(w, v.name);
    words_put_name(w, v.type);
    words_put(w, v.dtype);
    words_put(w, v.rank);
    for (int d = 0; d < v.rank; d++)
        words_put(w, v.sizes[d]);
}

static void put_method(jni_words *w, const tsm_program *p, size_t method) {
    words_put_name(w, tsm_method_name(p, method));
    words_put_name(w, tsm_method_schema(p, method));
    words_put_name(w, tsm_method_doc(p, method));
    words_put(w, (int64_t)tsm_method_bytes(p, method));
    const size_t inputs = tsm_method_arguments(p, method), outputs = tsm_method_outputs(p, method);
    words_put(w, (int64_t)inputs);
    for (size_t i = 0; i < inputs; i++)
        put_info(w, tsm_method_input(p, method, i));
    words_put(w, (int64_t)outputs);
    for (size_t i = 0; i < outputs; i++)
        put_info(w, tsm_method_output(p, method, i));
}

/* Writes what Info.java reads; gives the bytes that it takes, whether or not there was room. */
NATIVE(jlong, describe)(JNIEnv *env, jclass self, jobject root, jobject into) {
    (void)self;
    const jni_module *m = module_of(env, root);
    jni_words w = words_of(env, into);
    if (!m)
        return 0;
    words_put_name(&w, tsm_producer(&m->program));
    const size_t metadata = tsm_metadata_count(&m->program), methods = tsm_method_count(&m->program);
    words_put(&w, (int64_t)metadata);
    for (size_t i = 0; i < metadata; i++) {
        const char *value = "";
        words_put_name(&w, tsm_metadata_get(&m->program, i, &value));
        words_put_name(&w, value);
    }
    words_put(&w, (int64_t)methods);
    for (size_t i = 0; i < methods; i++)
        put_method(&w, &m->program, i);
    return (jlong)w.at;
}

NATIVE(jint, addressBytes)(JNIEnv *env, jclass self) {
    (void)env;
    (void)self;
    return (jint)sizeof(void *);
}

NATIVE(jint, version)(JNIEnv *env, jclass self) {
    (void)env;
    (void)self;
    return (jint)tsm_version();
}
