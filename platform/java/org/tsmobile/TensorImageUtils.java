package org.tsmobile;

import android.graphics.Bitmap;
import android.graphics.ImageFormat;
import android.media.Image;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/** Pictures of Android as tensors of red, green and blue, by the names of PyTorch's class. Elements are
 * (colour / 255 - mean) / std. */
public final class TensorImageUtils {
    /** Means of red, green and blue with which torchvision's models were trained. */
    public static final float[] TORCHVISION_NORM_MEAN_RGB = {0.485f, 0.456f, 0.406f};
    /** And standard deviations. */
    public static final float[] TORCHVISION_NORM_STD_RGB = {0.229f, 0.224f, 0.225f};

    private static final int COLOURS = 3;
    private static final int LEVELS = 256;

    private TensorImageUtils() {}

    // ---- Bitmaps ----

    /** A tensor [1, 3, height, width] of a whole bitmap. */
    public static Tensor bitmapToFloat32Tensor(Bitmap bitmap, float[] mean, float[] std) {
        return bitmapToFloat32Tensor(bitmap, mean, std, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor bitmapToFloat32Tensor(Bitmap bitmap, float[] mean, float[] std, MemoryFormat format) {
        return bitmapToFloat32Tensor(bitmap, 0, 0, bitmap.getWidth(), bitmap.getHeight(), mean, std, format);
    }

    /** Of a part of a bitmap. */
    public static Tensor bitmapToFloat32Tensor(Bitmap bitmap, int x, int y, int width, int height, float[] mean, float[] std) {
        return bitmapToFloat32Tensor(bitmap, x, y, width, height, mean, std, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor bitmapToFloat32Tensor(Bitmap bitmap, int x, int y, int width, int height, float[] mean, float[] std,
                                               MemoryFormat format) {
        Writer writer = new Writer(null, 0, width, height, mean, std, format);
        writeBitmap(bitmap, x, y, width, height, writer);
        return writer.tensor();
    }

    /** Writes the elements behind the buffer's first `offset` ones. */
    public static void bitmapToFloatBuffer(Bitmap bitmap, int x, int y, int width, int height, float[] mean, float[] std, FloatBuffer into,
                                           int offset) {
        bitmapToFloatBuffer(bitmap, x, y, width, height, mean, std, into, offset, MemoryFormat.CONTIGUOUS);
    }

    public static void bitmapToFloatBuffer(Bitmap bitmap, int x, int y, int width, int height, float[] mean, float[] std, FloatBuffer into,
                                           int offset, MemoryFormat format) {
        writeBitmap(bitmap, x, y, width, height, new Writer(into, offset, width, height, mean, std, format));
    }

    private static void writeBitmap(Bitmap bitmap, int x, int y, int width, int height, Writer writer) {
        int[] row = new int[width];
        for (int line = 0; line < height; line++) {
            bitmap.getPixels(row, 0, width, x, y + line, width, 1);
            for (int column = 0; column < width; column++)
                writer.put(line * width + column, row[column] >> 16 & 0xff, row[column] >> 8 & 0xff, row[column] & 0xff);
        }
    }

    // ---- Camera images ----

    /** A tensor [1, 3, height, width] of the middle of a camera's picture (YUV_420_888), turned clockwise by 0, 90, 180 or
     * 270 degrees and scaled; each element is the nearest pixel. */
    public static Tensor imageYUV420CenterCropToFloat32Tensor(Image image, int rotateCWDegrees, int tensorWidth, int tensorHeight, float[] mean,
                                                              float[] std) {
        return imageYUV420CenterCropToFloat32Tensor(image, rotateCWDegrees, tensorWidth, tensorHeight, mean, std, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor imageYUV420CenterCropToFloat32Tensor(Image image, int rotateCWDegrees, int tensorWidth, int tensorHeight, float[] mean,
                                                              float[] std, MemoryFormat format) {
        Writer writer = new Writer(null, 0, tensorWidth, tensorHeight, mean, std, format);
        writeImage(image, rotateCWDegrees, tensorWidth, tensorHeight, writer);
        return writer.tensor();
    }

    /** Writes the elements behind the buffer's first `offset` ones. */
    public static void imageYUV420CenterCropToFloatBuffer(Image image, int rotateCWDegrees, int tensorWidth, int tensorHeight, float[] mean,
                                                          float[] std, FloatBuffer into, int offset) {
        imageYUV420CenterCropToFloatBuffer(image, rotateCWDegrees, tensorWidth, tensorHeight, mean, std, into, offset, MemoryFormat.CONTIGUOUS);
    }

    public static void imageYUV420CenterCropToFloatBuffer(Image image, int rotateCWDegrees, int tensorWidth, int tensorHeight, float[] mean,
                                                          float[] std, FloatBuffer into, int offset, MemoryFormat format) {
        Writer writer = new Writer(into, offset, tensorWidth, tensorHeight, mean, std, format);
        writeImage(image, rotateCWDegrees, tensorWidth, tensorHeight, writer);
    }

    private static void writeImage(Image image, int degrees, int width, int height, Writer writer) {
        if (image.getFormat() != ImageFormat.YUV_420_888)
            throw new IllegalArgumentException("the image has format " + image.getFormat() + ", not YUV_420_888");
        if (degrees != 0 && degrees != 90 && degrees != 180 && degrees != 270)
            throw new IllegalArgumentException("an image can be turned by 0, 90, 180 or 270 degrees, not by " + degrees);
        boolean isUpright = degrees % 180 == 0;
        Pixels pixels = new Pixels(image);
        int turnedWidth = isUpright ? pixels.width : pixels.height;
        int turnedHeight = isUpright ? pixels.height : pixels.width;
        // The largest part of the turned image that has the tensor's proportions.
        boolean isTooWide = (long) turnedWidth * height >= (long) turnedHeight * width;
        int cropWidth = isTooWide ? (int) ((long) turnedHeight * width / height) : turnedWidth;
        int cropHeight = isTooWide ? turnedHeight : (int) ((long) turnedWidth * height / width);
        int left = (turnedWidth - cropWidth) / 2;
        int top = (turnedHeight - cropHeight) / 2;
        for (int line = 0; line < height; line++)
            for (int column = 0; column < width; column++) {
                int x = left + (int) ((long) column * cropWidth / width);
                int y = top + (int) ((long) line * cropHeight / height);
                int across = degrees == 0 ? x : degrees == 90 ? y : degrees == 180 ? turnedWidth - 1 - x : turnedHeight - 1 - y;
                int down = degrees == 0 ? y : degrees == 90 ? turnedWidth - 1 - x : degrees == 180 ? turnedHeight - 1 - y : x;
                pixels.put(across, down, writer, line * width + column);
            }
    }

    /** The planes of a camera's picture. */
    private static final class Pixels {
        private static final int SCALE_BITS = 10;
        final int width;
        final int height;
        private final ByteBuffer[] data = new ByteBuffer[COLOURS];
        private final int[] rowStrides = new int[COLOURS];
        private final int[] pixelStrides = new int[COLOURS];

        Pixels(Image image) {
            width = image.getWidth();
            height = image.getHeight();
            Image.Plane[] planes = image.getPlanes();
            for (int i = 0; i < COLOURS; i++) {
                data[i] = planes[i].getBuffer();
                rowStrides[i] = planes[i].getRowStride();
                pixelStrides[i] = planes[i].getPixelStride();
            }
        }

        private int get(int plane, int x, int y) {
            return data[plane].get(y * rowStrides[plane] + x * pixelStrides[plane]) & 0xff;
        }

        private static int colour(int scaled) {
            return Math.max(0, Math.min(255, scaled >> SCALE_BITS));
        }

        /** ITU-R BT.601, brightness from 16 on, in units of 1/1024. */
        void put(int x, int y, Writer writer, int pixel) {
            int bright = 1192 * Math.max(0, get(0, x, y) - 16);
            int blue = get(1, x / 2, y / 2) - 128;
            int red = get(2, x / 2, y / 2) - 128;
            writer.put(pixel, colour(bright + 1634 * red), colour(bright - 833 * red - 400 * blue), colour(bright + 2066 * blue));
        }
    }

    // ---- Elements ----

    /** Puts colours of pixels where they belong. */
    private static final class Writer {
        private final FloatBuffer into;
        private final int offset;
        private final int width;
        private final int height;
        private final MemoryFormat format;
        private final int planeStride;
        private final int pixelStride;
        /** The element of each brightness of a colour. */
        private final float[][] elements = new float[COLOURS][LEVELS];

        /** `given` is null where a tensor is wanted. */
        Writer(FloatBuffer given, int offset, int width, int height, float[] mean, float[] std, MemoryFormat format) {
            if (mean.length != COLOURS || std.length != COLOURS)
                throw new IllegalArgumentException("mean and std have three numbers each, not " + mean.length + " and " + std.length);
            if (width <= 0 || height <= 0 || (long) width * height > Integer.MAX_VALUE / COLOURS / Float.BYTES)
                throw new IllegalArgumentException(width + " times " + height + " pixels are no size of a picture");
            if (format != MemoryFormat.CONTIGUOUS && format != MemoryFormat.CHANNELS_LAST)
                throw new IllegalArgumentException("a picture cannot be " + format);
            int count = width * height;
            if (given != null && (offset < 0 || given.capacity() - offset < COLOURS * count))
                throw new IllegalArgumentException("a buffer of " + given.capacity() + " elements has no room for " + COLOURS * count + " at " + offset);
            this.into = given != null ? given : Tensor.allocateFloatBuffer(COLOURS * count);
            this.offset = offset;
            this.width = width;
            this.height = height;
            this.format = format;
            planeStride = format == MemoryFormat.CHANNELS_LAST ? 1 : count;
            pixelStride = format == MemoryFormat.CHANNELS_LAST ? COLOURS : 1;
            for (int i = 0; i < COLOURS; i++)
                for (int level = 0; level < LEVELS; level++)
                    elements[i][level] = (level / 255f - mean[i]) / std[i];
        }

        void put(int pixel, int red, int green, int blue) {
            int at = offset + pixel * pixelStride;
            into.put(at, elements[0][red]);
            into.put(at + planeStride, elements[1][green]);
            into.put(at + 2 * planeStride, elements[2][blue]);
        }

        Tensor tensor() {
            return Tensor.fromBlob(into, new long[] {1, COLOURS, height, width}, format);
        }
    }
}
