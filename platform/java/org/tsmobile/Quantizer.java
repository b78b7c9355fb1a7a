package org.tsmobile;

/** What the integers of a quantized tensor stand for: (integer - zeroPoint) * scale. */
public final class Quantizer {
    final int axis;
    final double[] scales;
    final long[] zeroPoints;

    Quantizer(int axis, double[] scales, long[] zeroPoints) {
        if (scales.length != zeroPoints.length)
            throw new IllegalArgumentException(scales.length + " scales, but " + zeroPoints.length + " zero points");
        this.axis = axis;
        this.scales = scales.clone();
        this.zeroPoints = zeroPoints.clone();
    }

    /** One scale and zero point for the whole tensor. */
    public static Quantizer perTensor(double scale, long zeroPoint) {
        return new Quantizer(-1, new double[] {scale}, new long[] {zeroPoint});
    }

    /** One for each index of a dimension. */
    public static Quantizer perChannel(int axis, double[] scales, long[] zeroPoints) {
        if (axis < 0)
            throw new IllegalArgumentException("axis " + axis + " is negative");
        return new Quantizer(axis, scales, zeroPoints);
    }

    /** The dimension that has scales of its own; -1: one scale for all. */
    public int axis() {
        return axis;
    }

    public double[] scales() {
        return scales.clone();
    }

    public long[] zeroPoints() {
        return zeroPoints.clone();
    }
}
