/* libtsmobile for Java: what the parts of libtsmobile_jni share.
 *
 * No memory is allocated here. A module, its instance and the instance's buffer lie in one mapping, of which Java has a
 * direct buffer, `root`; native methods take that buffer, so the mapping stays while one runs. What else they need is
 * in buffers that Java gives them. Nothing is kept between calls but in the mapping, and the threads that help
 * operators: one pool for the process, which is there when a module asks for more than one thread. */
#ifndef PLATFORM_JAVA_JNI_MODULE_H
#define PLATFORM_JAVA_JNI_MODULE_H

#include "tsmobile.h"
#include <jni.h>

/* A module, at the beginning of its mapping; the instance's buffer follows at MODULE_BYTES. */
typedef struct {
    tsm_program program;
    tsm_instance *inst; /* NULL until it is started */
    tsm_value result;   /* of the last call, until it is dropped */
    /* While a call runs: */
    JNIEnv *env;
    jobject surroundings; /* an org.tsmobile.Surroundings */
    char message[16384];
} jni_module;

enum { MODULE_BYTES = 32768 };
_Static_assert(sizeof(jni_module) <= MODULE_BYTES, "a module fits before its buffer");

/* The module in a root buffer. */
jni_module *module_of(JNIEnv *env, jobject root);

/* Text for Module.message(). */
tsm_status module_fail(jni_module *m, tsm_status status, const char *text);

/* 8-byte words and texts in a direct buffer of Java, in this machine's order of bytes: what is passed each way. */
typedef struct {
    char *data;
    size_t bytes; /* room, or what there is */
    size_t at;    /* may go beyond `bytes` where words are written: so much room is wanted */
} jni_words;

/* The memory of a direct buffer; without one there are no bytes. */
jni_words words_of(JNIEnv *env, jobject buffer);
/* Writes a word where there is room. */
void words_put(jni_words *w, int64_t word);
/* Writes a text: its bytes' number, and they, filled up to whole words. */
void words_put_text(jni_words *w, const char *text, size_t n);
/* The same for a text that a zero ends; NULL is an empty one. */
void words_put_name(jni_words *w, const char *text);

/* The arguments of a call, made of the words that Arguments.java writes. */
typedef struct {
    jni_words words;
    tsm_value *stack; /* room for as many values as are made */
    size_t count;
    tsm_value *wrapped; /* tensors over memory of Java, each held by a count */
    size_t wrapped_count;
} jni_arguments;

/* Makes them, in order. On failure all that were made, but those in `wrapped`, have been given back. `data` are the
 * buffers of tensors. TSM_INTERNAL with an exception of Java's: a buffer has no address. */
tsm_status arguments_make(jni_module *m, JNIEnv *env, jni_arguments *a, jobjectArray data);
/* Gives them back, except those in `wrapped`. */
void arguments_release(jni_module *m, jni_arguments *a);

#endif
