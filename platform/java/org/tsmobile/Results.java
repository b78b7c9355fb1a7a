package org.tsmobile;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The result of a call, read from the words that values.c writes. */
final class Results {
    private final Words words;
    private final ByteBuffer root;
    private final boolean isViewed;

    /** With `isViewed` tensors in the module's memory are shown there; else elements are copied. */
    Results(Words words, ByteBuffer root, boolean isViewed) {
        this.words = words;
        this.root = root;
        this.isViewed = isViewed;
    }

    IValue read() {
        int tag = (int) words.get();
        switch (tag) {
            case IValue.NONE:
                return IValue.optionalNull();
            case IValue.BOOL:
                return IValue.from(words.get() != 0);
            case IValue.INT:
                return IValue.from(words.get());
            case IValue.FLOAT:
                return IValue.from(words.getDouble());
            case IValue.COMPLEX:
                return new IValue(tag, new double[] {words.getDouble(), words.getDouble()});
            case IValue.STR:
            case IValue.DEVICE:
                return new IValue(tag, words.getText());
            case IValue.TENSOR:
                return new IValue(tag, tensor());
            case IValue.LIST:
            case IValue.TUPLE:
                return new IValue(tag, items((int) words.get()));
            case IValue.DICT:
                return new IValue(tag, items(2 * (int) words.get()));
            case IValue.OBJECT:
                return new IValue(tag, object());
            default: // an enum member: values.c writes no others
                return new IValue(tag, new IValue.Named(words.getText(), new String[] {words.getText()}, new IValue[] {read()}));
        }
    }

    private IValue[] items(int n) {
        IValue[] items = new IValue[n];
        for (int i = 0; i < n; i++)
            items[i] = read();
        return items;
    }

    private IValue.Named object() {
        String className = words.getText();
        int n = (int) words.get();
        String[] names = new String[n];
        IValue[] items = new IValue[n];
        for (int i = 0; i < n; i++) {
            names[i] = words.getText();
            items[i] = read();
        }
        return new IValue.Named(className, names, items);
    }

    private Tensor tensor() {
        DType dtype = DType.of(words.get());
        int dims = (int) words.get();
        long[] layout = new long[2 * dims]; // sizes, strides
        long bytes = dtype.bytes;
        for (int i = 0; i < 2 * dims; i++)
            layout[i] = words.get();
        boolean isContiguous = true;
        for (int d = dims - 1; d >= 0; d--) {
            isContiguous = isContiguous && (layout[d] == 1 || layout[dims + d] * dtype.bytes == bytes);
            bytes *= layout[d];
        }
        long place = words.get();
        int axis = (int) words.get();
        Quantizer quantizer = axis < -1 ? null : quantizer(axis);
        long[] shape = new long[dims];
        System.arraycopy(layout, 0, shape, 0, dims);
        ByteBuffer data = isViewed && isContiguous && place >= 0 && place + bytes <= root.capacity() ? view(place, bytes) : copy(place, layout, bytes, dtype);
        return new Tensor(data, dtype, shape, MemoryFormat.CONTIGUOUS, quantizer);
    }

    private Quantizer quantizer(int axis) {
        int n = (int) words.get();
        double[] scales = new double[n];
        long[] zeroPoints = new long[n];
        for (int i = 0; i < n; i++)
            scales[i] = words.getDouble();
        for (int i = 0; i < n; i++)
            zeroPoints[i] = words.get();
        return new Quantizer(axis, scales, zeroPoints);
    }

    private ByteBuffer view(long place, long bytes) {
        ByteBuffer all = root.duplicate();
        all.position((int) place).limit((int) (place + bytes));
        return all.slice().asReadOnlyBuffer().order(ByteOrder.nativeOrder());
    }

    private ByteBuffer copy(long place, long[] layout, long bytes, DType dtype) {
        if (bytes > Integer.MAX_VALUE - 8)
            throw new TsmException(Status.UNSUPPORTED, "a tensor of the result has " + bytes + " bytes, more than a buffer of Java holds");
        ByteBuffer data = Words.direct((int) bytes);
        Native.copy(root, place, layout, dtype.bytes, data);
        return data;
    }
}
