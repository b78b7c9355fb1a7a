package android.media;

import java.nio.ByteBuffer;

/** As much of Android's class as org.tsmobile is compiled against: a camera's picture. */
public abstract class Image {
    public abstract int getFormat();

    public abstract int getWidth();

    public abstract int getHeight();

    public abstract Plane[] getPlanes();

    /** Brightness, or one of two colours. */
    public abstract static class Plane {
        public abstract int getRowStride();

        public abstract int getPixelStride();

        public abstract ByteBuffer getBuffer();
    }
}
