package org.tsmobile;

/** How much of a module's buffer is in use, and what the last call executed. */
public final class Usage {
    /** All of the buffer. */
    public final long bufferBytes;
    /** What the instance takes without any call. */
    public final long fixedBytes;
    public final long usedBytes;
    /** Most ever in use. */
    public final long highWaterBytes;
    public final long instructions;
    /** Units of work of the operators; 0 where no fuel was given. */
    public final long work;

    Usage(long[] numbers) {
        bufferBytes = numbers[0];
        fixedBytes = numbers[1];
        usedBytes = numbers[2];
        highWaterBytes = numbers[3];
        instructions = numbers[4];
        work = numbers[5];
    }

    @Override
    public String toString() {
        return "Usage(bufferBytes=" + bufferBytes + ", fixedBytes=" + fixedBytes + ", usedBytes=" + usedBytes + ", highWaterBytes=" + highWaterBytes
            + ", instructions=" + instructions + ", work=" + work + ")";
    }
}
