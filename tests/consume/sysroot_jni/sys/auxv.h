/* What libtsmobile_jni asks of the processor, for compilers without a C library. */
#ifndef SYSROOT_JNI_SYS_AUXV_H
#define SYSROOT_JNI_SYS_AUXV_H

#define AT_HWCAP 16

unsigned long getauxval(unsigned long type);

#endif
