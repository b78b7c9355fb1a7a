import java.io.FileInputStream;
import java.nio.channels.FileChannel;
import org.tsmobile.IValue;
import org.tsmobile.Module;
import org.tsmobile.Tensor;

/** A user's program: recognizes the digit in a file of 64 floats, which is mapped, and prints its ten scores. */
final class Recognize {
    public static void main(String[] files) throws Exception {
        try (Module module = Module.load(files[0]); FileInputStream in = new FileInputStream(files[1])) {
            java.nio.ByteBuffer image = Tensor.allocateByteBuffer(64 * 4);
            FileChannel channel = in.getChannel();
            while (image.hasRemaining() && channel.read(image) > 0) {}
            image.rewind();
            Tensor x = Tensor.fromBlob(image.asFloatBuffer(), new long[] {1, 1, 8, 8});
            for (float score : module.forward(IValue.from(x)).toTensor().getDataAsFloatArray())
                System.out.println(score);
        }
    }
}
