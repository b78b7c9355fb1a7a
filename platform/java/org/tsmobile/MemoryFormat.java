package org.tsmobile;

/** The order of a tensor's elements in its buffer. */
public enum MemoryFormat {
    /** Row by row. */
    CONTIGUOUS,
    /** Sizes are N, C, H, W; in memory the channels stand last: N, H, W, C. */
    CHANNELS_LAST,
    /** Sizes are N, C, D, H, W; in memory the channels stand last: N, D, H, W, C. */
    CHANNELS_LAST_3D;

    /** The strides of these sizes; null for rows. */
    long[] strides(long[] shape) {
        if (this == CONTIGUOUS)
            return null;
        int dims = this == CHANNELS_LAST ? 4 : 5;
        if (shape.length != dims)
            throw new IllegalArgumentException(this + " is for tensors of " + dims + " dimensions, not " + shape.length);
        long[] strides = new long[dims];
        strides[1] = 1;
        long next = shape[1];
        for (int d = dims - 1; d > 1; d--) {
            strides[d] = next;
            next *= shape[d];
        }
        strides[0] = next;
        return strides;
    }
}
