/* jni.h asks for this header, and needs nothing of it. */
