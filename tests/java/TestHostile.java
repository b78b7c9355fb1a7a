import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.tsmobile.DType;
import org.tsmobile.IValue;
import org.tsmobile.Loader;
import org.tsmobile.MemoryFormat;
import org.tsmobile.ModelException;
import org.tsmobile.Module;
import org.tsmobile.Quantizer;
import org.tsmobile.Status;
import org.tsmobile.Tensor;
import org.tsmobile.TsmException;

/** What is refused, and that the module goes on afterwards. */
final class TestHostile {
    private static String path;
    private static byte[] file;
    private static Module m;

    public static void main(String[] arguments) throws Throwable {
        path = arguments[0];
        file = Files.readAllBytes(Paths.get(path));
        m = Module.load(path);
        Check.all(TestHostile.class);
        Check.equal(m.runMethod("count", IValue.from(10)).toLong(), 9L);
        m.close();
    }

    private static Tensor ones(int n) {
        float[] data = new float[n];
        java.util.Arrays.fill(data, 1);
        return Tensor.fromBlob(data, new long[] {n});
    }

    private static void refused(Status status, String text, Check.Body body) {
        Check.equal(Check.raises(TsmException.class, text, body).getStatus(), status);
        Check.equal(m.runMethod("count", IValue.from(10)).toLong(), 9L);
    }

    static void testDamagedFiles() {
        Random chance = new Random(4);
        for (int n = 0; n < 60; n++) {
            int length = n % 2 == 0 ? chance.nextInt(file.length) : file.length;
            byte[] data = java.util.Arrays.copyOf(file, length);
            if (n % 2 == 1)
                data[chance.nextInt(length)] ^= (byte) (1 << chance.nextInt(8));
            TsmException e = Check.raises(TsmException.class, "", () -> Module.load(ByteBuffer.wrap(data)));
            Check.isTrue(e.getStatus() == Status.BAD_FILE || e.getStatus() == Status.UNSUPPORTED);
        }
        refused(Status.BAD_FILE, "", () -> Module.load(ByteBuffer.wrap(new byte[0])));
        refused(Status.BAD_FILE, "nowhere", () -> Module.load("/nowhere/model.tsm"));
        refused(Status.BAD_FILE, "", () -> Module.load("/tmp"));
        Check.raises(NullPointerException.class, "", () -> Module.load((String) null));
    }

    /** What opens in spite of its damage runs, or raises; nothing breaks. */
    static void testDamagedFilesWithoutChecksums() {
        Random chance = new Random(5);
        Loader loader = new Loader().check(false).fuel(100000).bufferBytes(1 << 20).print(text -> {}).warn(text -> {});
        for (int n = 0; n < 150; n++) {
            byte[] data = file.clone();
            data[64 + chance.nextInt(data.length - 64)] ^= (byte) (1 << chance.nextInt(8));
            try (Module own = loader.load(ByteBuffer.wrap(data))) {
                for (int i = 0; i < 8 && i < own.methods().size(); i++)
                    try {
                        own.runMethod(own.methods().get(i).name(), IValue.from(ones(3)));
                    } catch (TsmException e) {
                        Check.isTrue(e.getStatus() != Status.OK);
                    }
            } catch (TsmException e) {
                Check.isTrue(e.getStatus() != Status.OK);
            }
        }
    }

    static void testWrongArguments() {
        IValue x = IValue.from(ones(2));
        refused(Status.BAD_ARGUMENT, "forward() is missing value for argument 'x'. Declaration: forward(Tensor x", () -> m.forward());
        refused(Status.BAD_ARGUMENT, "expected at most 3 argument(s) but received 4", () -> m.forward(x, IValue.from(1), IValue.from(1.0), x));
        refused(Status.BAD_ARGUMENT, "Expected a value of type 'Tensor' for argument 'x' but instead found type 'int'", () -> m.forward(IValue.from(3)));
        refused(Status.BAD_ARGUMENT, "Expected a value of type 'int' for argument 'n' but instead found type 'float'", () -> m.forward(x, IValue.from(1.5)));
        refused(Status.BAD_ARGUMENT, "Expected a value of type 'List[Tensor]'", () -> m.runMethod("tensors", IValue.listFrom(x, IValue.from(1))));
        refused(Status.BAD_ARGUMENT, "there is no enum member Color.BLUE", () -> m.runMethod("color", IValue.enumFrom("Color", "BLUE")));
        refused(Status.BAD_ARGUMENT, "the program has no method 'forwards'; it has ", () -> m.runMethod("forwards"));
        IValue box = m.runMethod("boxes", x).toList()[0];
        refused(Status.BAD_ARGUMENT, "cannot be an argument", () -> m.runMethod("echo", box));
        Check.raises(NullPointerException.class, "an argument is null", () -> m.forward((IValue) null));
        Check.raises(NullPointerException.class, "a value is null", () -> IValue.from((Tensor) null));
        Check.raises(ModelException.class, "device type at start of device string: moon", () -> m.runMethod("where", IValue.deviceFrom("moon")));
        IValue deep = x;
        for (int i = 0; i < 300; i++)
            deep = IValue.listFrom(deep);
        final IValue nested = deep;
        refused(Status.BAD_ARGUMENT, "", () -> m.runMethod("echo", nested));
    }

    static void testWrongDtypes() {
        IValue doubles = IValue.from(Tensor.fromBlob(new double[] {1, 2}, new long[] {2}));
        Check.raises(ModelException.class, "loat", () -> m.runMethod("quantize", doubles));
        Check.raises(IllegalStateException.class, "a tensor of type float64 gives no float array", () -> m.forward(doubles).toTensor().getDataAsFloatArray());
        Check.raises(IllegalStateException.class, "the value is of type Tensor, not int", doubles::toLong);
        Check.raises(IllegalStateException.class, "the value is of type None, not Tuple", () -> IValue.optionalNull().toTuple());
        Check.raises(IllegalStateException.class, "the value is of type int, not str", () -> IValue.dictLongKeyFrom(new java.util.HashMap<>(java.util.Collections.singletonMap(1L, doubles))).toDictStringKey());
    }

    static void testOddValues() {
        for (String text : new String[] {"\ud83d", "a\ude00b", "\ude00\ud83d"})
            refused(Status.BAD_ARGUMENT, "half of a surrogate pair", () -> m.runMethod("text", IValue.from(text)));
        Check.raises(IllegalArgumentException.class, "a zero character", () -> IValue.deviceFrom("cpu\0:1"));
        Check.raises(IllegalArgumentException.class, "a zero character", () -> IValue.enumFrom("Color", "RED\0"));
        ByteBuffer swapped = ByteBuffer.allocateDirect(8).order(ByteOrder.BIG_ENDIAN);
        Check.raises(IllegalArgumentException.class, "order of bytes", () -> Tensor.fromBlob(swapped, DType.FLOAT32, new long[] {2}));
        Check.equal(m.runMethod("echo", IValue.from(Tensor.fromBlob(swapped, new long[] {8}))).toTensor().numel(), 8L); // bytes have no order
        Tensor none = m.runMethod("echo", IValue.from(Tensor.fromBlob(new float[0], new long[] {2, 0, 3}))).toTensor();
        Check.equal(none.shape(), new long[] {2, 0, 3});
        Check.equal(m.runMethod("echo", IValue.from(Tensor.fromBlob(new long[] {Long.MIN_VALUE}, new long[0]))).toTensor().getDataAsLongArray(),
                    new long[] {Long.MIN_VALUE});
    }

    static void testTensorsThatAreNone() {
        long[] two = {2};
        Class<IllegalArgumentException> wrong = IllegalArgumentException.class;
        Check.raises(wrong, "does not hold float32[3], which is 12 bytes", () -> Tensor.fromBlob(new float[2], new long[] {3}));
        Check.raises(wrong, "a size is negative", () -> Tensor.fromBlob(new float[2], new long[] {-1, -2}));
        Check.raises(wrong, "the sizes are too large", () -> Tensor.fromBlob(new float[2], new long[] {1L << 40, 1L << 40}));
        Check.raises(wrong, "at most 8 dimensions", () -> Tensor.fromBlob(new float[1], new long[] {1, 1, 1, 1, 1, 1, 1, 1, 1}));
        Check.raises(wrong, "the buffer is not direct", () -> Tensor.fromBlob(java.nio.FloatBuffer.allocate(2), two));
        Check.raises(wrong, "order of bytes", () -> Tensor.fromBlob(ByteBuffer.allocateDirect(8).order(ByteOrder.BIG_ENDIAN).asFloatBuffer(), two));
        Check.raises(wrong, "CHANNELS_LAST is for tensors of 4 dimensions, not 1", () -> Tensor.fromBlob(new float[2], two, MemoryFormat.CHANNELS_LAST));
        Check.raises(wrong, "quint8 needs a quantizer", () -> Tensor.fromBlob(Tensor.allocateByteBuffer(2), DType.QUINT8, two));
        Check.raises(wrong, "2 scales, but 1 zero points", () -> Quantizer.perChannel(0, new double[2], new long[1]));
        Tensor odd = Tensor.fromBlob(Tensor.allocateByteBuffer(2), DType.QUINT8, two, Quantizer.perChannel(7, new double[] {1, 1}, new long[2]));
        refused(Status.BAD_ARGUMENT, "", () -> m.runMethod("plain", IValue.from(odd)));
    }

    static void testAProgramThatRaises() {
        ModelException e = Check.raises(ModelException.class, "raise ValueError(\"the number is too large\")", () -> m.runMethod("fail", IValue.from(3)));
        Check.isTrue(e.getMessage().contains("model.py\", line ") && e.getRaised().endsWith("the number is too large") && !e.getRaised().contains("\n"));
        Check.equal(e.getStatus(), Status.RAISED);
        Check.raises(ModelException.class, "The size of tensor a", () -> m.runMethod("add", IValue.from(ones(4))));
        Check.raises(ModelException.class, "", () -> m.runMethod("store", IValue.from(ones(1)), IValue.from("file")));
        Check.equal(m.runMethodOrRestore("fail", IValue.from(2)).toLong(), 2L);
        Check.raises(ModelException.class, "too large", () -> m.runMethodOrRestore("fail", IValue.from(3)));
    }

    static void testFuel() {
        try (Module own = new Loader().fuel(10000).load(path)) {
            TsmException e = Check.raises(TsmException.class, "the limit", () -> own.runMethod("count", IValue.from(1L << 40)));
            Check.equal(e.getStatus(), Status.OUT_OF_FUEL);
            Check.equal(own.runMethod("count", IValue.from(10)).toLong(), 9L);
            Check.isTrue(own.usage().instructions > 0 && own.usage().instructions < 1000);
        }
    }

    static void testSmallBuffers() {
        int opened = 0;
        int failed = 0;
        for (long n : new long[] {1, 63, 100, 1000, 5000, 10000, 20000, 50000, 1 << 18, 1 << 20}) {
            try (Module own = new Loader().bufferBytes(n).load(path)) {
                Check.equal(own.usage().bufferBytes, n);
                if (n < 1 << 19) {
                    TsmException e = Check.raises(TsmException.class, "bytes", () -> own.forward(IValue.from(ones(1 << 16)), IValue.from(2)));
                    Check.equal(e.getStatus(), Status.OUT_OF_MEMORY);
                } else {
                    own.forward(IValue.from(ones(1 << 16)), IValue.from(2));
                }
                Check.equal(own.runMethod("count", IValue.from(10)).toLong(), 9L);
                opened++;
            } catch (TsmException e) {
                Check.equal(e.getStatus(), Status.OUT_OF_MEMORY);
                Check.isTrue(e.getMessage().contains("bytes"));
                failed++;
            }
        }
        Check.isTrue(opened > 2 && failed > 2);
        refused(Status.OUT_OF_MEMORY, "the system has no memory for a buffer of " + Long.MAX_VALUE, () -> new Loader().bufferBytes(Long.MAX_VALUE).load(path));
        refused(Status.OUT_OF_MEMORY, "the system has no memory", () -> new Loader().bufferBytes(1L << 60).load(path));
        Check.raises(IllegalArgumentException.class, "-1 bytes", () -> new Loader().bufferBytes(-1));
    }

    static void testStates() {
        Module own = m.newInstance();
        own.runMethod("add", IValue.from(ones(3)));
        byte[] state = own.saveState();
        Random chance = new Random(6);
        for (int n = 0; n < 100; n++) {
            byte[] wrong = n % 2 == 0 ? state.clone() : java.util.Arrays.copyOf(state, chance.nextInt(state.length));
            if (n % 2 == 0)
                wrong[chance.nextInt(wrong.length)] ^= (byte) (1 << chance.nextInt(8));
            Check.raises(TsmException.class, "", () -> own.loadState(wrong));
        }
        Check.equal(own.runMethod("add", IValue.from(ones(3))).toTensor().getDataAsFloatArray(), new float[] {2, 2, 2});
        own.close();
    }

    static void testUseAfterClose() {
        Module own = m.newInstance();
        own.runMethod("keep", IValue.from(ones(3)));
        own.close();
        own.close();
        own.destroy();
        for (Check.Body use : new Check.Body[] {() -> own.forward(IValue.from(ones(1))), own::reset, own::saveState, own::usage, () -> own.loadState(new byte[3]),
                () -> own.view("count", IValue.from(3))})
            Check.raises(IllegalStateException.class, "the program is closed", use);
        Check.isTrue(own.method("count").name().equals("count"));
        try (Module again = own.newInstance()) {
            Check.equal(again.runMethod("count", IValue.from(10)).toLong(), 9L);
        }
    }

    static void testTwoThreadsOnOneModule() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        Module own = new Loader().print(text -> {
            entered.countDown();
            try {
                leave.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }).load(path);
        Thread thread = new Thread(() -> own.runMethod("say", IValue.from("a")));
        thread.start();
        entered.await();
        for (Check.Body use : new Check.Body[] {() -> own.runMethod("count", IValue.from(1)), own::reset, own::saveState, own::usage, own::close,
                () -> own.loadState(new byte[3])})
            Check.raises(IllegalStateException.class, "the program is running", use);
        Check.equal(own.newInstance().runMethod("count", IValue.from(10)).toLong(), 9L);
        leave.countDown();
        thread.join();
        Check.equal(own.runMethod("count", IValue.from(10)).toLong(), 9L);
        own.close();
    }

    /** An exception in the middle of a call comes out of it. */
    static void testPrintersThatThrow() {
        AtomicReference<Module> self = new AtomicReference<>();
        try (Module own = new Loader().print(text -> self.get().runMethod("count", IValue.from(1))).load(path)) {
            self.set(own);
            Check.raises(IllegalStateException.class, "the program is running", () -> own.runMethod("say", IValue.from("a")));
            Check.equal(own.runMethod("count", IValue.from(10)).toLong(), 9L);
        }
        try (Module own = new Loader().print(text -> {
            throw new ArithmeticException(text);
        }).load(path)) {
            Check.raises(ArithmeticException.class, "b\n", () -> own.runMethod("say", IValue.from("b")));
            own.runMethod("keep", IValue.from(ones(3)));
            Check.equal(own.runMethod("give_kept").toTensor().numel(), 3L);
        }
    }

    static void testModulesSideBySide() throws Exception {
        AtomicReference<Throwable> fault = new AtomicReference<>();
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            final int seed = t;
            threads[t] = new Thread(() -> {
                try (Module own = m.newInstance()) {
                    for (int n = 0; n < 200; n++) {
                        float[] y = own.forward(IValue.from(ones(1000)), IValue.from(n * seed)).toTensor().getDataAsFloatArray();
                        Check.equal(y[999], (float) (n * seed));
                    }
                } catch (Throwable e) {
                    fault.set(e);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads)
            thread.join();
        if (fault.get() != null)
            throw new AssertionError(fault.get());
    }
}
