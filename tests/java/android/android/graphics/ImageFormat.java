package android.graphics;

/** As much of Android's class as org.tsmobile is compiled against. */
public final class ImageFormat {
    public static final int YUV_420_888 = 35;
    public static final int JPEG = 256;

    private ImageFormat() {}
}
