import android.graphics.Bitmap;
import android.graphics.ImageFormat;
import android.media.Image;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import org.tsmobile.IValue;
import org.tsmobile.MemoryFormat;
import org.tsmobile.Module;
import org.tsmobile.Tensor;
import org.tsmobile.TensorImageUtils;

/** Android's pictures as tensors. */
final class TestImages {
    private static final float[] NONE = {0, 0, 0};
    private static final float[] ONE = {1, 1, 1};
    private static Module m;

    public static void main(String[] arguments) throws Throwable {
        m = Module.load(arguments[0]);
        Check.all(TestImages.class);
        m.close();
    }

    private static Bitmap bitmap() {
        return new Bitmap(new int[] {0xff0000ff, 0xff00ff00, 0xffff0000, 0x00000000, 0xff333333, 0xffffffff}, 3);
    }

    private static float[] through(Tensor x) {
        return m.runMethod("echo", IValue.from(x)).toTensor().getDataAsFloatArray();
    }

    static void testBitmaps() {
        Tensor x = TensorImageUtils.bitmapToFloat32Tensor(bitmap(), NONE, ONE);
        Check.equal(x.shape(), new long[] {1, 3, 2, 3});
        Check.equal(through(x), new float[] {0, 0, 1, 0, .2f, 1, 0, 1, 0, 0, .2f, 1, 1, 0, 0, 0, .2f, 1});
        Tensor part = TensorImageUtils.bitmapToFloat32Tensor(bitmap(), 2, 0, 1, 2, new float[] {.5f, 0, 0}, new float[] {.25f, 1, 2});
        Check.equal(part.shape(), new long[] {1, 3, 2, 1});
        Check.equal(through(part), new float[] {2, 2, 0, 1, 0, .5f});
        Tensor last = TensorImageUtils.bitmapToFloat32Tensor(bitmap(), NONE, ONE, MemoryFormat.CHANNELS_LAST);
        Check.equal(through(last), through(x));
        FloatBuffer two = Tensor.allocateFloatBuffer(2 * 18);
        TensorImageUtils.bitmapToFloatBuffer(bitmap(), 0, 0, 3, 2, NONE, ONE, two, 18);
        Check.equal(new float[] {two.get(17), two.get(20), two.get(35)}, new float[] {0, 1, 1});
        Check.equal(TensorImageUtils.TORCHVISION_NORM_MEAN_RGB.length + TensorImageUtils.TORCHVISION_NORM_STD_RGB.length, 6);
    }

    /** A picture whose brightness tells where a pixel was, in planes with gaps; grey, or of one colour. */
    private static final class Camera extends Image {
        private final int width;
        private final int height;
        private final int blue;
        private final int red;
        int format = ImageFormat.YUV_420_888;

        Camera(int width, int height, int blue, int red) {
            this.width = width;
            this.height = height;
            this.blue = blue;
            this.red = red;
        }

        @Override
        public int getFormat() {
            return format;
        }

        @Override
        public int getWidth() {
            return width;
        }

        @Override
        public int getHeight() {
            return height;
        }

        private Plane plane(final int w, final int h, final int step, final int value) {
            final int stride = w * step + 5;
            final ByteBuffer data = ByteBuffer.allocate(stride * h);
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++)
                    data.put(y * stride + x * step, (byte) (value < 0 ? 16 + 10 * y + x : value));
            return new Plane() {
                @Override
                public int getRowStride() {
                    return stride;
                }

                @Override
                public int getPixelStride() {
                    return step;
                }

                @Override
                public ByteBuffer getBuffer() {
                    return data;
                }
            };
        }

        @Override
        public Plane[] getPlanes() {
            int w = (width + 1) / 2;
            int h = (height + 1) / 2;
            return new Plane[] {plane(width, height, 1, -1), plane(w, h, 2, blue), plane(w, h, 2, red)};
        }
    }

    /** The places (10 y + x) of the pixels that a tensor has. */
    private static int[] places(int degrees, int width, int height) {
        Tensor x = TensorImageUtils.imageYUV420CenterCropToFloat32Tensor(new Camera(6, 4, 128, 128), degrees, width, height, NONE, ONE);
        Check.equal(x.shape(), new long[] {1, 3, height, width});
        float[] data = through(x);
        int[] found = new int[width * height];
        for (int i = 0; i < found.length; i++) {
            Check.isTrue(data[i] == data[i + found.length] && data[i] == data[i + 2 * found.length]); // grey
            found[i] = Math.round(data[i] * 255 * 1024 / 1192 + .4f);
        }
        return found;
    }

    static void testCameras() {
        Check.equal(places(0, 6, 4), new int[] {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 30, 31, 32, 33, 34, 35});
        Check.equal(places(90, 4, 6), new int[] {30, 20, 10, 0, 31, 21, 11, 1, 32, 22, 12, 2, 33, 23, 13, 3, 34, 24, 14, 4, 35, 25, 15, 5});
        Check.equal(places(180, 6, 4), new int[] {35, 34, 33, 32, 31, 30, 25, 24, 23, 22, 21, 20, 15, 14, 13, 12, 11, 10, 5, 4, 3, 2, 1, 0});
        Check.equal(places(270, 4, 6), new int[] {5, 15, 25, 35, 4, 14, 24, 34, 3, 13, 23, 33, 2, 12, 22, 32, 1, 11, 21, 31, 0, 10, 20, 30});
        Check.equal(places(0, 4, 4), new int[] {1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34}); // the middle
        Check.equal(places(90, 4, 4), new int[] {31, 21, 11, 1, 32, 22, 12, 2, 33, 23, 13, 3, 34, 24, 14, 4});
        Check.equal(places(0, 2, 2), new int[] {1, 3, 21, 23});
        Check.equal(places(0, 1, 3).length, 3);
        float[] red = through(TensorImageUtils.imageYUV420CenterCropToFloat32Tensor(new Camera(2, 2, 90, 240), 0, 1, 1, NONE, ONE));
        Check.isTrue(red[0] > .6f && red[1] == 0 && red[2] == 0);
        float[] blue = through(TensorImageUtils.imageYUV420CenterCropToFloat32Tensor(new Camera(2, 2, 240, 110), 0, 1, 1, NONE, ONE));
        Check.isTrue(blue[0] == 0 && blue[1] == 0 && blue[2] > .8f);
        FloatBuffer into = Tensor.allocateFloatBuffer(5);
        TensorImageUtils.imageYUV420CenterCropToFloatBuffer(new Camera(2, 2, 240, 110), 0, 1, 1, NONE, ONE, into, 2);
        Check.equal(into.get(4), blue[2]);
    }

    static void testRefusals() {
        Class<IllegalArgumentException> wrong = IllegalArgumentException.class;
        Camera jpeg = new Camera(2, 2, 0, 0);
        jpeg.format = ImageFormat.JPEG;
        Check.raises(wrong, "format 256, not YUV_420_888", () -> TensorImageUtils.imageYUV420CenterCropToFloat32Tensor(jpeg, 0, 1, 1, NONE, ONE));
        Check.raises(wrong, "not by 45", () -> TensorImageUtils.imageYUV420CenterCropToFloat32Tensor(new Camera(2, 2, 0, 0), 45, 1, 1, NONE, ONE));
        Check.raises(wrong, "three numbers each, not 3 and 1", () -> TensorImageUtils.bitmapToFloat32Tensor(bitmap(), NONE, new float[1]));
        Check.raises(wrong, "no size of a picture", () -> TensorImageUtils.imageYUV420CenterCropToFloat32Tensor(jpeg, 0, 0, 1, NONE, ONE));
        Check.raises(wrong, "no size of a picture", () -> TensorImageUtils.bitmapToFloat32Tensor(bitmap(), 0, 0, 1 << 20, 1 << 20, NONE, ONE));
        Check.raises(wrong, "bitmap.width()", () -> TensorImageUtils.bitmapToFloat32Tensor(bitmap(), 2, 0, 2, 2, NONE, ONE));
        Check.raises(wrong, "no room for 18 at 1", () -> TensorImageUtils.bitmapToFloatBuffer(bitmap(), 0, 0, 3, 2, NONE, ONE, Tensor.allocateFloatBuffer(18), 1));
        Check.raises(wrong, "cannot be CHANNELS_LAST_3D",
                     () -> TensorImageUtils.bitmapToFloat32Tensor(bitmap(), NONE, ONE, MemoryFormat.CHANNELS_LAST_3D));
    }
}
