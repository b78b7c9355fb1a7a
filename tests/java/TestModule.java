import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tsmobile.DType;
import org.tsmobile.IValue;
import org.tsmobile.Loader;
import org.tsmobile.MemoryFormat;
import org.tsmobile.MethodInfo;
import org.tsmobile.Module;
import org.tsmobile.Profile;
import org.tsmobile.Quantizer;
import org.tsmobile.Tensor;
import org.tsmobile.View;

/** What modules do: values of every kind, memory that is not copied, state, what a file says of itself. */
final class TestModule {
    private static String path;
    private static Module m;

    public static void main(String[] arguments) throws Throwable {
        path = arguments[0];
        m = Module.load(path);
        Check.all(TestModule.class);
        m.close();
    }

    private static Tensor floats(float... data) {
        return Tensor.fromBlob(data, new long[] {data.length});
    }

    private static float[] of(IValue v) {
        return v.toTensor().getDataAsFloatArray();
    }

    private static IValue echo(Tensor x) {
        return m.runMethod("echo", IValue.from(x));
    }

    static void testThreads() {
        float[] data = new float[1 << 20];
        java.util.Arrays.fill(data, 1);
        IValue x = IValue.from(Tensor.fromBlob(data, new long[] {1 << 20}));
        try (Module own = new Loader().threads(4).load(path); Module other = own.newInstance()) {
            for (int n = 0; n < 20; n++) {
                float[] y = of((n % 2 == 0 ? own : other).forward(x, IValue.from(n)));
                Check.isTrue(y[0] == n && y[(1 << 20) - 1] == n);
            }
        }
        Check.raises(IllegalArgumentException.class, "0 threads", () -> new Loader().threads(0));
    }

    static void testProfile() {
        try (Module own = new Loader().profile(true).load(path)) {
            own.forward(IValue.from(floats(1, 2)), IValue.from(3));
            own.forward(IValue.from(floats(1, 2)), IValue.from(3));
            Profile profile = own.profile();
            long calls = 0;
            double percent = 0;
            for (Profile.Row row : profile.rows) {
                Check.isTrue(row.operator.contains("::") && row.calls > 0 && row.milliseconds >= 0 && row.bytes >= 0);
                calls += row.operator.startsWith("aten::mul") ? row.calls : 0;
                percent += row.percent;
            }
            Check.equal(calls, 4L);
            Check.isTrue(Math.abs(percent - 100) < 1e-6 && profile.toString().contains("  aten::mul") && profile.toString().contains("calls"));
        }
        Check.raises(IllegalStateException.class, "does not count", () -> m.profile());
    }

    static void testForward() {
        Check.equal(of(m.forward(IValue.from(floats(1, 2)))), new float[] {1, 2});
        Check.equal(of(m.forward(IValue.from(floats(1, 2)), IValue.from(3), IValue.from(0.5))), new float[] {1.5f, 3});
        Check.equal(of(m.runMethod("forward", IValue.from(floats(1, 2)), IValue.from(2))), new float[] {2, 4});
        Check.isTrue(Module.version() >= 300);
    }

    static void testPlainValues() {
        IValue[] numbers = m.runMethod("numbers", IValue.from(-(1L << 62)), IValue.from(0.1), IValue.from(true), IValue.complexFrom(1, -2)).toTuple();
        Check.equal(numbers[0].toLong(), -(1L << 62));
        Check.equal(numbers[1].toDouble(), 0.1);
        Check.equal(numbers[2].toBool(), true);
        Check.equal(numbers[3].toComplex(), new double[] {1, -2});
        for (String text : new String[] {"", "a", "12345678", "h\u00e9llo \u4e16\u754c \ud83d\ude00", "a\0b", String.join("x", java.util.Collections.nCopies(5000, "y"))})
            Check.equal(m.runMethod("text", IValue.from(text)).toStr(), text);
        Check.equal(m.runMethod("where", IValue.deviceFrom("cuda:1")).toDevice(), "cuda:1");
        IValue red = m.runMethod("color", IValue.enumFrom("Color", "GREEN"));
        Check.equal(red.toEnumName(), "GREEN");
        Check.equal(red.toEnumValue().toLong(), 2L);
        Check.isTrue(red.className().endsWith("Color") && red.isEnum());
        Check.equal(m.runMethod("color", red).toEnumName(), "GREEN");
    }

    static void testContainers() {
        IValue[] none = m.runMethod("optional", IValue.optionalNull(), IValue.from(4)).toTuple();
        Check.isTrue(none[0].isNull() && none[1].toLong() == 4);
        Tensor[] tensors = m.runMethod("tensors", IValue.listFrom(floats(1), floats(2, 3))).toTensorList();
        Check.equal(tensors[1].getDataAsFloatArray(), new float[] {2, 3});
        Check.equal(m.runMethod("tensors", IValue.listFrom(new Tensor[0])).toTensorList().length, 0);
        double[] many = new double[3000];
        Arrays.setAll(many, i -> i * 0.5);
        Check.equal(m.runMethod("floats", IValue.listFrom(many)).toDoubleList(), many);
        Map<String, IValue> map = new LinkedHashMap<>();
        map.put("b", IValue.listFrom(1L, 2L));
        map.put("a", IValue.listFrom(new long[0]));
        Map<String, IValue> back = m.runMethod("table", IValue.dictStringKeyFrom(map)).toDictStringKey();
        Check.equal(back.keySet().toString(), "[b, a]");
        Check.equal(back.get("b").toLongList(), new long[] {1, 2});
        IValue inner = IValue.tupleFrom(IValue.from("s"), IValue.from(floats(7)));
        IValue[] nested = m.runMethod("nested", IValue.tupleFrom(IValue.from(1), inner)).toTuple();
        Check.equal(of(nested[1].toTuple()[1]), new float[] {7});
        IValue[] pair = m.runMethod("pair", IValue.from(floats(1)), IValue.from(2)).toTuple();
        Check.equal(of(pair[0]), new float[] {3});
        IValue[] boxes = m.runMethod("boxes", IValue.from(floats(5))).toList();
        Check.isTrue(boxes[0].isObject() && boxes[0].className().endsWith("Box"));
        Check.equal(boxes[1].toAttributes().get("name").toStr(), "b");
        Check.equal(of(boxes[1].toAttributes().get("item")), new float[] {5});
    }

    static void testEveryType() {
        for (DType dtype : DType.values()) {
            Quantizer q = dtype.toString().startsWith("q") ? Quantizer.perTensor(0.5, 3) : null;
            ByteBuffer data = Tensor.allocateByteBuffer(6 * dtype.size());
            for (int i = 0; i < data.capacity(); i++)
                data.put(i, (byte) (dtype == DType.BOOL ? i % 2 : 17 * i));
            long[] shape = {2, 3};
            Tensor x = q == null ? Tensor.fromBlob(data, dtype, shape) : Tensor.fromBlob(data, dtype, shape, q);
            Tensor y = echo(x).toTensor();
            Check.equal(y.dtype(), dtype);
            Check.equal(y.shape(), shape);
            Check.isTrue(y.getDataBuffer().equals(data.duplicate().clear()));
            Check.isTrue((y.quantizer() == null) == (q == null));
        }
    }

    static void testTypedArrays() {
        long[] shape = {3};
        Check.equal(echo(Tensor.fromBlob(new byte[] {-1, 0, 1}, shape)).toTensor().getDataAsByteArray(), new byte[] {-1, 0, 1});
        Tensor bytes = echo(Tensor.fromBlobUnsigned(new byte[] {-1, 0, 1}, shape)).toTensor();
        Check.equal(bytes.dtype(), DType.UINT8);
        Check.equal(bytes.getDataAsUnsignedByteArray(), new byte[] {-1, 0, 1});
        Check.equal(echo(Tensor.fromBlob(new boolean[] {true, false, true}, shape)).toTensor().getDataAsBooleanArray(), new boolean[] {true, false, true});
        Check.equal(echo(Tensor.fromBlob(new short[] {1, 2, -3}, shape)).toTensor().getDataAsShortArray(), new short[] {1, 2, -3});
        Check.equal(echo(Tensor.fromBlob(new int[] {1, 2, -3}, shape)).toTensor().getDataAsIntArray(), new int[] {1, 2, -3});
        Check.equal(echo(Tensor.fromBlob(new long[] {1, 2, -3}, shape)).toTensor().getDataAsLongArray(), new long[] {1, 2, -3});
        Check.equal(echo(Tensor.fromBlob(new double[] {1, 2, -3}, shape)).toTensor().getDataAsDoubleArray(), new double[] {1, 2, -3});
        Tensor x = floats(1, 2, 3);
        Check.equal(x.getDataAsFloatArray(), new float[] {1, 2, 3});
        Check.equal(x.toString(), "Tensor([3], dtype=torch.float32)");
        Check.equal(echo(Tensor.fromBlob(new float[0], new long[] {0, 5})).toTensor().shape(), new long[] {0, 5});
        Check.equal(echo(Tensor.fromBlob(new float[] {4}, new long[0])).toTensor().numel(), 1L);
    }

    static void testQuantized() {
        Tensor rows = m.runMethod("quantize_rows", IValue.from(Tensor.fromBlob(new float[] {1, 2, 1, 2}, new long[] {2, 2}))).toTensor();
        Check.equal(rows.dtype(), DType.QINT8);
        Check.equal(rows.quantizer().axis(), 0);
        Check.equal(rows.quantizer().scales(), new double[] {0.5, 0.25});
        Check.equal(rows.quantizer().zeroPoints(), new long[] {0, 1});
        Check.equal(rows.getDataAsByteArray(), new byte[] {2, 4, 5, 9});
        Check.equal(of(m.runMethod("plain", IValue.from(rows))), new float[] {1, 2, 1, 2});
    }

    static void testMemoryFormats() {
        float[] data = new float[2 * 3 * 2 * 2];
        for (int i = 0; i < data.length; i++)
            data[i] = i;
        long[] shape = {2, 3, 2, 2};
        Tensor x = Tensor.fromBlob(data, shape, MemoryFormat.CHANNELS_LAST);
        float[] rows = of(echo(x));
        for (int n = 0; n < 2; n++)
            for (int c = 0; c < 3; c++)
                for (int at = 0; at < 4; at++)
                    Check.equal(rows[(n * 3 + c) * 4 + at], data[(n * 4 + at) * 3 + c]);
        Check.equal(x.memoryFormat(), MemoryFormat.CHANNELS_LAST);
        Check.equal(echo(x).toTensor().memoryFormat(), MemoryFormat.CONTIGUOUS);
        Tensor volume = Tensor.fromBlob(data, new long[] {1, 3, 2, 2, 2}, MemoryFormat.CHANNELS_LAST_3D);
        Check.equal(of(echo(volume))[8], 1f);
    }

    /** Elements are read from, and written to, the caller's buffer. */
    static void testDirectBuffersAreNotCopied() {
        FloatBuffer data = Tensor.allocateFloatBuffer(3);
        Tensor x = Tensor.fromBlob(data, new long[] {3});
        data.put(0, 5);
        Check.equal(of(m.forward(IValue.from(x))), new float[] {5, 0, 0});
        m.runMethod("change", IValue.from(x));
        Check.equal(data.get(0), 6f);
        Check.equal(data.get(2), 1f);
        Tensor frozen = Tensor.fromBlob(data.asReadOnlyBuffer(), new long[] {3});
        m.runMethod("change", IValue.from(frozen));
        Check.equal(data.get(0), 6f);
        Check.equal(frozen.getDataAsFloatArray()[0], 7f);
    }

    /** A result is a copy: the next call does not change it. */
    static void testResultsStay() {
        Tensor first = m.forward(IValue.from(floats(1, 2)), IValue.from(7)).toTensor();
        for (int i = 0; i < 100; i++)
            m.forward(IValue.from(floats(i, i)), IValue.from(i));
        Check.equal(first.getDataAsFloatArray(), new float[] {7, 14});
    }

    static void testViews() throws Exception {
        Module own = Module.load(path);
        Tensor kept;
        try (View view = own.view("forward", IValue.from(floats(1, 2)), IValue.from(4))) {
            kept = view.value().toTensor();
            Check.isTrue(kept.getDataBuffer().isReadOnly());
            own.forward(IValue.from(floats(9, 9)), IValue.from(9));
            Check.equal(kept.getDataAsFloatArray(), new float[] {4, 8});
            Check.equal(of(own.forward(IValue.from(kept))), new float[] {4, 8});
            Check.raises(IllegalStateException.class, "1 view(s) of results are still open", own::reset);
        }
        own.reset();
        View open = own.view("forward", IValue.from(floats(3)));
        Tensor last = open.value().toTensor();
        own.close();
        // Its memory stays as long as somebody has the buffer.
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(10);
            Module.load(path).close();
        }
        Check.equal(last.getDataAsFloatArray(), new float[] {3});
        open.close();
        open.close();
        Check.raises(IllegalStateException.class, "the view is closed", open::value);
    }

    /** What the program keeps of Java's memory is not collected, and is given back when it is no longer kept. */
    static void testArgumentsThatTheProgramKeeps() {
        Module own = m.newInstance();
        long used = own.usage().usedBytes;
        for (int n = 0; n < 20; n++) {
            FloatBuffer data = Tensor.allocateFloatBuffer(50000);
            data.put(49999, n);
            own.runMethod("keep", IValue.from(Tensor.fromBlob(data, new long[] {50000})));
            System.gc();
            Check.equal(of(own.runMethod("give_kept"))[49999], (float) n);
        }
        Check.isTrue(own.usage().usedBytes < used + 4096);
        Check.isTrue(own.usage().toString().matches("Usage\\(bufferBytes=\\d+, .*work=0\\)"));
        own.reset();
        Check.equal(of(own.runMethod("give_kept")).length, 1);
        own.close();
    }

    static void testState() {
        Module own = m.newInstance();
        Check.equal(of(own.runMethod("add", IValue.from(floats(1, 1, 1)))), new float[] {1, 1, 1});
        byte[] state = own.saveState();
        own.runMethod("add", IValue.from(floats(1, 1, 1)));
        float[] drawn = of(own.runMethod("draw", IValue.from(3)));
        own.loadState(state);
        Check.equal(of(own.runMethod("add", IValue.from(floats(0, 0, 0)))), new float[] {1, 1, 1});
        Check.equal(of(own.runMethod("draw", IValue.from(3))), drawn);
        own.reset();
        Check.equal(of(own.runMethod("add", IValue.from(floats(0, 0, 0)))), new float[] {0, 0, 0});
        Check.equal(m.newInstance().saveState().length, own.newInstance().saveState().length);
        own.close();
    }

    static void testWhatTheFileSays() {
        List<MethodInfo> methods = m.methods();
        MethodInfo forward = m.method("forward");
        Check.isTrue(methods.size() > 20);
        Check.isTrue(forward.schema().contains("Tensor x, int n=1, float scale=1.") && forward.doc().equals("Multiplies."));
        Check.equal(forward.toString(), forward.schema());
        Check.equal(forward.inputs().get(1).toString(), "n: int");
        Check.equal(forward.inputs().get(1).name(), "n");
        Check.equal(forward.inputs().get(1).type(), "int");
        Check.equal(forward.inputs().get(0).dtype(), null);
        Check.equal(forward.outputs().size(), 1);
        Check.equal(forward.bufferBytes(), 0L);
        Check.equal(m.method("pair").outputs().get(0).name(), "first");
        Check.isTrue(m.producer().startsWith("tsmc ") && m.metadata().containsKey("source.sha256"));
    }

    static void testPrinting() {
        StringBuilder printed = new StringBuilder();
        StringBuilder warned = new StringBuilder();
        try (Module own = new Loader().print(printed::append).warn(warned::append).load(path)) {
            own.runMethod("say", IValue.from("h\u00e9llo"));
            own.runMethod("caution", IValue.from("careful"));
        }
        Check.equal(printed.toString(), "h\u00e9llo\n");
        Check.isTrue(warned.toString().contains("careful"));
    }

    static void testWhereAFileIsFrom() throws Exception {
        byte[] data = Files.readAllBytes(Paths.get(path));
        ByteBuffer direct = ByteBuffer.allocateDirect(data.length + 64).order(ByteOrder.BIG_ENDIAN);
        direct.position(5);
        direct.put(data).flip().position(5);
        for (Module own : new Module[] {Module.load(ByteBuffer.wrap(data)), Module.load(direct), Module.load(direct.alignedSlice(1))}) {
            Check.equal(own.runMethod("count", IValue.from(10)).toLong(), 9L);
            own.close();
        }
        try (FileInputStream in = new FileInputStream(path); Module own = Module.load(in)) {
            Check.equal(own.runMethod("count", IValue.from(10)).toLong(), 9L);
        }
    }

    /** Modules that nobody closes are freed when nobody has them: more than there is address space for at once. */
    static void testModulesThatAreNotClosed() throws Exception {
        for (int i = 0; i < 200; i++) {
            m.newInstance().runMethod("count", IValue.from(10));
            if (i % 20 == 19) {
                System.gc();
                Thread.sleep(5);
            }
        }
        Check.isTrue(mappings() < 100);
    }

    private static long mappings() throws Exception {
        long count = 0;
        for (String line : Files.readAllLines(Paths.get("/proc/self/maps"))) {
            String[] ends = line.substring(0, line.indexOf(' ')).split("-");
            if (Long.parseUnsignedLong(ends[1], 16) - Long.parseUnsignedLong(ends[0], 16) >= 1L << 32)
                count++;
        }
        return count;
    }

    static void testClosedModulesGiveTheirMemoryBack() throws Exception {
        long before = mappings();
        for (int i = 0; i < 50; i++)
            m.newInstance().close();
        Check.isTrue(mappings() <= before);
    }
}
