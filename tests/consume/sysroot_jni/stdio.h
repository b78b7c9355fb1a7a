/* jni.h asks for this header, and needs nothing of it; platform.h names a stream. */
#ifndef SYSROOT_JNI_STDIO_H
#define SYSROOT_JNI_STDIO_H

typedef struct sysroot_file FILE;

#endif
