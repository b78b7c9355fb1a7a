package org.tsmobile;

import java.util.Arrays;

/** What a file says of an input or output of a method. */
public final class ValueInfo {
    private final String name;
    private final String type;
    private final DType dtype;
    private final long[] shape;

    ValueInfo(Words words) {
        name = words.getText();
        type = words.getText();
        dtype = DType.of(words.get());
        long rank = words.get();
        shape = rank < 0 ? null : new long[(int) rank];
        for (int d = 0; d < rank; d++)
            shape[d] = words.get();
    }

    /** Of an argument, or of a NamedTuple's field; "" where there is none. */
    public String name() {
        return name;
    }

    /** As TorchScript writes it: "Tensor", "Optional[int]"; "" where it is not known. */
    public String type() {
        return type;
    }

    /** Of a tensor's elements; null where it is not known. */
    public DType dtype() {
        return dtype;
    }

    /** A tensor's sizes, -1 for any; null where their number is not known. */
    public long[] shape() {
        return shape == null ? null : shape.clone();
    }

    /** "x: Tensor float32[1, -1]". */
    @Override
    public String toString() {
        return (name.isEmpty() ? "" : name + ": ") + type + (dtype == null ? "" : " " + dtype) + (shape == null ? "" : Arrays.toString(shape));
    }
}
