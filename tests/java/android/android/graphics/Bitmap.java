package android.graphics;

/** As much of Android's class as org.tsmobile is compiled against: pixels of 0xAARRGGBB, row by row. */
public final class Bitmap {
    private final int[] pixels;
    private final int width;

    public Bitmap(int[] pixels, int width) {
        this.pixels = pixels;
        this.width = width;
    }

    public int getWidth() {
        return width;
    }

    public int getHeight() {
        return pixels.length / width;
    }

    public void getPixels(int[] into, int offset, int stride, int x, int y, int w, int h) {
        if (x < 0 || y < 0 || w < 0 || h < 0 || x + w > width || y + h > getHeight())
            throw new IllegalArgumentException("x + width must be <= bitmap.width()");
        for (int row = 0; row < h; row++)
            System.arraycopy(pixels, (y + row) * width + x, into, offset + row * stride, w);
    }
}
