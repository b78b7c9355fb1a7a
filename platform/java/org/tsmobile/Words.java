package org.tsmobile;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What is passed to libtsmobile_jni and back: words of 8 bytes and texts, in a direct buffer that grows. */
final class Words {
    private static final int FIRST_BYTES = 4096;

    ByteBuffer data = direct(FIRST_BYTES);

    static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** Makes room for so many bytes more; zeros. */
    void reserve(long more) {
        long wanted = data.position() + more;
        if (wanted <= data.capacity())
            return;
        if (wanted > Integer.MAX_VALUE - 8)
            throw new TsmException(Status.BAD_ARGUMENT, "values besides tensors take " + wanted + " bytes, more than 2 GiB");
        ByteBuffer larger = direct((int) Math.min(Integer.MAX_VALUE - 8, Math.max(wanted, 2L * data.capacity())));
        data.flip();
        larger.put(data);
        data = larger;
    }

    void put(long word) {
        reserve(8);
        data.putLong(word);
    }

    void put(double number) {
        put(Double.doubleToRawLongBits(number));
    }

    private static ByteBuffer encode(String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new TsmException(Status.BAD_ARGUMENT, "a string has half of a surrogate pair, which UTF-8 cannot hold");
        }
    }

    /** At least one zero stands behind the text. */
    void put(String text) {
        ByteBuffer bytes = encode(text);
        int length = bytes.remaining();
        put((long) length);
        reserve(length + 8L);
        data.put(bytes);
        for (int n = 8 - length % 8; n > 0; n--)
            data.put((byte) 0);
    }

    long get() {
        return data.getLong();
    }

    double getDouble() {
        return Double.longBitsToDouble(get());
    }

    String getText() {
        byte[] bytes = new byte[(int) get()];
        data.get(bytes);
        data.position((data.position() + 7) / 8 * 8);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
