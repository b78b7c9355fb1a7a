package org.tsmobile;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;

/**
 * Elements of one type with sizes. A tensor over a direct buffer is used where it lies: what is written to the buffer
 * between calls the next call sees, and a method that changes its argument writes to the buffer. Arrays, and buffers
 * that may not be written to, are copied once.
 */
public final class Tensor {
    private static final int MOST_DIMS = 8;

    /** A direct buffer: bytes, or elements of the type's width. */
    final Buffer data;
    final DType dtype;
    final long[] shape;
    final MemoryFormat memoryFormat;
    /** Null where the tensor is not quantized. */
    final Quantizer quantizer;

    /** What is known to fit. */
    Tensor(Buffer data, DType dtype, long[] shape, MemoryFormat memoryFormat, Quantizer quantizer) {
        this.data = data;
        this.dtype = dtype;
        this.shape = shape;
        this.memoryFormat = memoryFormat;
        this.quantizer = quantizer;
    }

    // ---- Buffers ----

    /** A direct buffer in this machine's order of bytes, as tensors want it. */
    public static ByteBuffer allocateByteBuffer(int bytes) {
        return Words.direct(bytes);
    }

    public static ShortBuffer allocateShortBuffer(int elements) {
        return Words.direct(width(elements, 2)).asShortBuffer();
    }

    public static IntBuffer allocateIntBuffer(int elements) {
        return Words.direct(width(elements, 4)).asIntBuffer();
    }

    public static LongBuffer allocateLongBuffer(int elements) {
        return Words.direct(width(elements, 8)).asLongBuffer();
    }

    public static FloatBuffer allocateFloatBuffer(int elements) {
        return Words.direct(width(elements, 4)).asFloatBuffer();
    }

    public static DoubleBuffer allocateDoubleBuffer(int elements) {
        return Words.direct(width(elements, 8)).asDoubleBuffer();
    }

    private static int width(int elements, int bytes) {
        if (elements < 0 || elements > Integer.MAX_VALUE / bytes)
            throw new IllegalArgumentException(elements + " elements of " + bytes + " bytes are no size of a buffer");
        return elements * bytes;
    }

    // ---- Tensors of buffers ----

    /** Of int8 elements. */
    public static Tensor fromBlob(ByteBuffer data, long[] shape) {
        return fromBlob(data, DType.INT8, shape);
    }

    public static Tensor fromBlob(ByteBuffer data, long[] shape, MemoryFormat format) {
        return make(data, data.order(), 1, DType.INT8, shape, format, null);
    }

    /** Of uint8 elements. */
    public static Tensor fromBlobUnsigned(ByteBuffer data, long[] shape) {
        return fromBlob(data, DType.UINT8, shape);
    }

    public static Tensor fromBlobUnsigned(ByteBuffer data, long[] shape, MemoryFormat format) {
        return make(data, data.order(), 1, DType.UINT8, shape, format, null);
    }

    /** Of elements of any type but the quantized ones, as bytes. */
    public static Tensor fromBlob(ByteBuffer data, DType dtype, long[] shape) {
        return make(data, data.order(), 1, dtype, shape, MemoryFormat.CONTIGUOUS, null);
    }

    /** Quantized: the stored integers as bytes, and what they stand for. */
    public static Tensor fromBlob(ByteBuffer data, DType dtype, long[] shape, Quantizer quantizer) {
        if (quantizer == null)
            throw new NullPointerException("a quantized tensor has a quantizer");
        return make(data, data.order(), 1, dtype, shape, MemoryFormat.CONTIGUOUS, quantizer);
    }

    public static Tensor fromBlob(ShortBuffer data, long[] shape) {
        return make(data, data.order(), 2, DType.INT16, shape, MemoryFormat.CONTIGUOUS, null);
    }

    public static Tensor fromBlob(IntBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(IntBuffer data, long[] shape, MemoryFormat format) {
        return make(data, data.order(), 4, DType.INT32, shape, format, null);
    }

    public static Tensor fromBlob(LongBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(LongBuffer data, long[] shape, MemoryFormat format) {
        return make(data, data.order(), 8, DType.INT64, shape, format, null);
    }

    public static Tensor fromBlob(FloatBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(FloatBuffer data, long[] shape, MemoryFormat format) {
        return make(data, data.order(), 4, DType.FLOAT32, shape, format, null);
    }

    public static Tensor fromBlob(DoubleBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(DoubleBuffer data, long[] shape, MemoryFormat format) {
        return make(data, data.order(), 8, DType.FLOAT64, shape, format, null);
    }

    // ---- Tensors of arrays, which are copied ----

    /** Of int8 elements. */
    public static Tensor fromBlob(byte[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(byte[] data, long[] shape, MemoryFormat format) {
        return fromBlob((ByteBuffer) copyOf(data), shape, format);
    }

    /** Of uint8 elements. */
    public static Tensor fromBlobUnsigned(byte[] data, long[] shape) {
        return fromBlobUnsigned(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlobUnsigned(byte[] data, long[] shape, MemoryFormat format) {
        return fromBlobUnsigned((ByteBuffer) copyOf(data), shape, format);
    }

    /** Of bools. */
    public static Tensor fromBlob(boolean[] data, long[] shape) {
        ByteBuffer copy = Words.direct(data.length);
        for (int i = 0; i < data.length; i++)
            copy.put(i, (byte) (data[i] ? 1 : 0));
        return fromBlob(copy, DType.BOOL, shape);
    }

    public static Tensor fromBlob(short[] data, long[] shape) {
        ShortBuffer copy = allocateShortBuffer(data.length);
        copy.put(data);
        return fromBlob(copy, shape);
    }

    public static Tensor fromBlob(int[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(int[] data, long[] shape, MemoryFormat format) {
        IntBuffer copy = allocateIntBuffer(data.length);
        copy.put(data);
        return fromBlob(copy, shape, format);
    }

    public static Tensor fromBlob(long[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(long[] data, long[] shape, MemoryFormat format) {
        LongBuffer copy = allocateLongBuffer(data.length);
        copy.put(data);
        return fromBlob(copy, shape, format);
    }

    public static Tensor fromBlob(float[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(float[] data, long[] shape, MemoryFormat format) {
        FloatBuffer copy = allocateFloatBuffer(data.length);
        copy.put(data);
        return fromBlob(copy, shape, format);
    }

    public static Tensor fromBlob(double[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor fromBlob(double[] data, long[] shape, MemoryFormat format) {
        DoubleBuffer copy = allocateDoubleBuffer(data.length);
        copy.put(data);
        return fromBlob(copy, shape, format);
    }

    private static Buffer copyOf(byte[] data) {
        ByteBuffer copy = Words.direct(data.length);
        copy.put(data);
        return copy;
    }

    private static Tensor make(Buffer data, ByteOrder order, int width, DType dtype, long[] shape, MemoryFormat format, Quantizer quantizer) {
        long[] sizes = shape.clone();
        long bytes = numel(sizes) * dtype.bytes;
        if (sizes.length > MOST_DIMS)
            throw new IllegalArgumentException("a tensor has at most " + MOST_DIMS + " dimensions, not " + sizes.length);
        if ((long) data.capacity() * width != bytes)
            throw new IllegalArgumentException("a buffer of " + data.capacity() * (long) width + " bytes does not hold " + dtype + Arrays.toString(sizes)
                    + ", which is " + bytes + " bytes");
        if (!data.isDirect())
            throw new IllegalArgumentException("the buffer is not direct; Tensor.allocate...Buffer makes such");
        if (order != ByteOrder.nativeOrder() && dtype.bytes > 1)
            throw new IllegalArgumentException("the buffer's order of bytes is " + order + ", the machine's is " + ByteOrder.nativeOrder());
        if (dtype.isQuantized() != (quantizer != null))
            throw new IllegalArgumentException(dtype + (quantizer == null ? " needs a quantizer" : " is not quantized"));
        format.strides(sizes); // whether it is for so many dimensions
        return new Tensor(data.isReadOnly() ? writable(data) : data, dtype, sizes, format, quantizer);
    }

    /** A copy, since a method may write to its arguments. */
    private static Buffer writable(Buffer data) {
        if (data instanceof ByteBuffer)
            return allocateByteBuffer(data.capacity()).put((ByteBuffer) whole(data));
        if (data instanceof ShortBuffer)
            return allocateShortBuffer(data.capacity()).put((ShortBuffer) whole(data));
        if (data instanceof IntBuffer)
            return allocateIntBuffer(data.capacity()).put((IntBuffer) whole(data));
        if (data instanceof LongBuffer)
            return allocateLongBuffer(data.capacity()).put((LongBuffer) whole(data));
        if (data instanceof FloatBuffer)
            return allocateFloatBuffer(data.capacity()).put((FloatBuffer) whole(data));
        return allocateDoubleBuffer(data.capacity()).put((DoubleBuffer) whole(data));
    }

    /** Another buffer over the same elements, from the first to the last one. */
    private static Buffer whole(Buffer data) {
        Buffer all = data instanceof ByteBuffer ? ((ByteBuffer) data).duplicate().order(ByteOrder.nativeOrder())
                : data instanceof ShortBuffer ? ((ShortBuffer) data).duplicate()
                : data instanceof IntBuffer ? ((IntBuffer) data).duplicate()
                : data instanceof LongBuffer ? ((LongBuffer) data).duplicate()
                : data instanceof FloatBuffer ? ((FloatBuffer) data).duplicate() : ((DoubleBuffer) data).duplicate();
        return all.clear();
    }

    // ---- Questions ----

    public DType dtype() {
        return dtype;
    }

    /** A copy of the sizes. */
    public long[] shape() {
        return shape.clone();
    }

    /** Tensors that methods give are contiguous. */
    public MemoryFormat memoryFormat() {
        return memoryFormat;
    }

    /** Null where the tensor is not quantized. */
    public Quantizer quantizer() {
        return quantizer;
    }

    /** The number of elements. */
    public long numel() {
        return numel(shape);
    }

    /** The number of elements of these sizes. */
    public static long numel(long[] shape) {
        long n = 1;
        for (long size : shape) {
            if (size < 0)
                throw new IllegalArgumentException("a size is negative: " + Arrays.toString(shape));
            if (size != 0 && n > (Long.MAX_VALUE >> 5) / size)
                throw new IllegalArgumentException("the sizes are too large: " + Arrays.toString(shape));
            n *= size;
        }
        return n;
    }

    /** The buffer itself: of bytes for tensors that methods give, else of the kind that fromBlob was given. */
    public Buffer getDataBuffer() {
        return whole(data);
    }

    // ---- Elements as arrays; IllegalStateException where they are of another type ----

    /** Of int8 or qint8. */
    public byte[] getDataAsByteArray() {
        return bytes("byte", DType.INT8, DType.QINT8);
    }

    /** Of uint8 or quint8. */
    public byte[] getDataAsUnsignedByteArray() {
        return bytes("unsigned byte", DType.UINT8, DType.QUINT8);
    }

    /** Of bool. */
    public boolean[] getDataAsBooleanArray() {
        byte[] bytes = bytes("boolean", DType.BOOL, DType.BOOL);
        boolean[] array = new boolean[bytes.length];
        for (int i = 0; i < array.length; i++)
            array[i] = bytes[i] != 0;
        return array;
    }

    /** Of int16 or uint16, and the bits of float16 and bfloat16. */
    public short[] getDataAsShortArray() {
        if (dtype.bytes != 2)
            throw wrongType("short");
        short[] array = new short[(int) numel()];
        Buffer all = whole(data);
        (all instanceof ByteBuffer ? ((ByteBuffer) all).asShortBuffer() : (ShortBuffer) all).get(array);
        return array;
    }

    /** Of int32 or qint32. */
    public int[] getDataAsIntArray() {
        if (dtype != DType.INT32 && dtype != DType.QINT32)
            throw wrongType("int");
        int[] array = new int[(int) numel()];
        Buffer all = whole(data);
        (all instanceof ByteBuffer ? ((ByteBuffer) all).asIntBuffer() : (IntBuffer) all).get(array);
        return array;
    }

    /** Of int64. */
    public long[] getDataAsLongArray() {
        if (dtype != DType.INT64)
            throw wrongType("long");
        long[] array = new long[(int) numel()];
        Buffer all = whole(data);
        (all instanceof ByteBuffer ? ((ByteBuffer) all).asLongBuffer() : (LongBuffer) all).get(array);
        return array;
    }

    /** Of float32. */
    public float[] getDataAsFloatArray() {
        if (dtype != DType.FLOAT32)
            throw wrongType("float");
        float[] array = new float[(int) numel()];
        Buffer all = whole(data);
        (all instanceof ByteBuffer ? ((ByteBuffer) all).asFloatBuffer() : (FloatBuffer) all).get(array);
        return array;
    }

    /** Of float64. */
    public double[] getDataAsDoubleArray() {
        if (dtype != DType.FLOAT64)
            throw wrongType("double");
        double[] array = new double[(int) numel()];
        Buffer all = whole(data);
        (all instanceof ByteBuffer ? ((ByteBuffer) all).asDoubleBuffer() : (DoubleBuffer) all).get(array);
        return array;
    }

    private byte[] bytes(String name, DType first, DType second) {
        if (dtype != first && dtype != second)
            throw wrongType(name);
        byte[] array = new byte[(int) numel()];
        ((ByteBuffer) whole(data)).get(array);
        return array;
    }

    private IllegalStateException wrongType(String name) {
        return new IllegalStateException("a tensor of type " + dtype + " gives no " + name + " array");
    }

    @Override
    public String toString() {
        return "Tensor(" + Arrays.toString(shape) + ", dtype=torch." + dtype + ")";
    }
}
