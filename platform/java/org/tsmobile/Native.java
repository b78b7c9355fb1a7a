package org.tsmobile;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/** The functions of libtsmobile_jni. `root` is a module's mapping; numbers that are returned are statuses or bytes. */
final class Native {
    /** Bytes of a mapping before the instance's buffer. */
    static final int MODULE_BYTES = 32768;
    /** Bytes of a value. */
    static final int VALUE_BYTES = 16;

    static {
        System.loadLibrary("tsmobile_jni");
    }

    private Native() {}

    static native long map(long bytes);

    static native void unmap(long address, long bytes);

    static native ByteBuffer buffer(long address, long bytes);

    static native long address(Buffer buffer);

    static native int open(ByteBuffer root, Buffer file, long bytes, boolean check);

    static native int start(ByteBuffer root, long bufferBytes, long fuel, int threads, boolean profile);

    static native byte[] message(ByteBuffer root);

    static native long describe(ByteBuffer root, ByteBuffer into);

    static native int call(ByteBuffer root, int method, ByteBuffer words, int bytes, int values, Object[] data, long[] held,
                           Surroundings surroundings, boolean orRestore);

    static native long result(ByteBuffer root, ByteBuffer into);

    static native void copy(ByteBuffer root, long place, long[] layout, long elementBytes, ByteBuffer into);

    static native void drop(ByteBuffer root);

    static native void hold(ByteBuffer root, long[] value);

    static native boolean release(ByteBuffer root, long tag, long object, boolean isSure);

    static native int reset(ByteBuffer root);

    static native long save(ByteBuffer root, ByteBuffer into);

    static native int load(ByteBuffer root, ByteBuffer state, int bytes);

    static native void usage(ByteBuffer root, long[] into);

    static native long profile(ByteBuffer root, ByteBuffer into);

    /** Bytes of an address. */
    static native int addressBytes();

    static native int version();
}
