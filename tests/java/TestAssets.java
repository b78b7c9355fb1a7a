import android.content.res.AssetManager;
import java.io.File;
import java.util.Arrays;
import org.tsmobile.IValue;
import org.tsmobile.Module;
import org.tsmobile.Status;
import org.tsmobile.Tensor;
import org.tsmobile.TsmException;

/** Models as assets of APKs, by the AssetManager of tests/java/android: Android's own is not here. */
final class TestAssets {
    private static AssetManager aligned;
    private static AssetManager odd;

    public static void main(String[] apks) throws Throwable {
        aligned = new AssetManager(new File(apks[0]));
        odd = new AssetManager(new File(apks[1]));
        Check.all(TestAssets.class);
    }

    private static float[] scores(Module module) {
        try (Module m = module) {
            Tensor x = Tensor.fromBlob(new float[64], new long[] {1, 1, 8, 8});
            return m.forward(IValue.from(x)).toTensor().getDataAsFloatArray();
        }
    }

    static void testWhereverTheAssetLies() throws Exception {
        Check.isTrue(aligned.openFd("digits.tsm").getStartOffset() % 64 == 0);
        float[] wanted = scores(Module.load(aligned, "digits.tsm"));
        Check.equal(wanted.length, 10);
        Check.isTrue(Arrays.equals(scores(Module.load(odd, "digits.tsm")), wanted));
        Check.isTrue(Arrays.equals(scores(Module.load(aligned, "packed.tsm")), wanted));
    }

    static void testAssetsThatAreNone() {
        TsmException e = Check.raises(TsmException.class, "broken", () -> Module.load(aligned, "not broken.tsm"));
        Check.equal(e.getStatus(), Status.BAD_FILE);
        e = Check.raises(TsmException.class, "", () -> Module.load(aligned, "broken.tsm"));
        Check.equal(e.getStatus(), Status.BAD_FILE);
    }
}
