package org.tsmobile;

import android.content.res.AssetManager;
import java.io.Closeable;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An opened .tsm file with one instance of its program: what methods change of the module's attributes stays.
 *
 * <p>One thread at a time uses a module; a second one is refused at once, and takes {@link #newInstance}. What libtsmobile
 * refuses is a {@link TsmException}; a module that is closed or runs already, an IllegalStateException. A module that
 * nobody has any more is freed at some time; {@link #close} does it now.
 */
public final class Module implements Closeable {
    private static final long MOST_BUFFER_64 = 1L << 32;
    private static final long MOST_BUFFER_32 = 1L << 28;
    private static final long LEAST_BUFFER = 1L << 20;

    private final Program program;
    private final Loader settings;
    private final Surroundings surroundings;
    private final Memory memory;
    private final AtomicBoolean isBusy = new AtomicBoolean();
    private final Words words = new Words();
    /** Tensors over Java's memory that the program keeps, with that memory. */
    private List<Held> held = new ArrayList<Held>();
    /** Such memory, until the instance is as at the beginning. */
    private final List<Object> kept = new ArrayList<Object>();
    /** The mapping; null when the module is closed. */
    private ByteBuffer root;
    private int views;
    private boolean hadViews;

    private static final class Held {
        final long object;
        final Object data;

        Held(long object, Object data) {
            this.object = object;
            this.data = data;
        }
    }

    // ---- Loading ----

    /** Loads a file, which is mapped: nobody may write to it while the module is used. */
    public static Module load(String path) {
        return new Loader().load(path);
    }

    /** Loads an asset of an Android app: see {@link Loader#load(AssetManager, String)}. */
    public static Module load(AssetManager assets, String name) {
        return new Loader().load(assets, name);
    }

    /** Loads what stands between a buffer's position and limit: see {@link Loader#load(ByteBuffer)}. */
    public static Module load(ByteBuffer file) {
        return new Loader().load(file);
    }

    /** Loads all that a stream has, and does not close it. */
    public static Module load(InputStream in) {
        return new Loader().load(in);
    }

    /** The version of libtsmobile as a number that grows: 10203 is 1.2.3. */
    public static int version() {
        return Native.version();
    }

    Module(ByteBuffer file, Program known, Loader settings) {
        Memory.Mapping mapping = allocate(settings.bufferBytes, file);
        this.settings = settings;
        memory = mapping.memory;
        root = mapping.root;
        surroundings = new Surroundings(settings.print, settings.warn);
        boolean isOpen = false;
        try {
            check(Native.open(root, file, file.capacity(), settings.check && known == null));
            program = known != null ? known : new Program(file, root);
            long room = memory.bytes - Native.MODULE_BYTES;
            check(Native.start(root, settings.bufferBytes == 0 ? room : Math.min(room, settings.bufferBytes), settings.fuel, settings.threads,
                               settings.profile));
            isOpen = true;
        } finally {
            if (!isOpen)
                memory.free();
        }
    }

    /** The file stays as long as the memory. */
    private static Memory.Mapping allocate(long wanted, ByteBuffer file) {
        if (wanted != 0) {
            Memory.Mapping mapping = wanted > Long.MAX_VALUE - Native.MODULE_BYTES ? null : Memory.map(wanted + Native.MODULE_BYTES, file);
            if (mapping == null)
                throw new TsmException(Status.OUT_OF_MEMORY, "the system has no memory for a buffer of " + wanted + " bytes");
            return mapping;
        }
        for (long bytes = Native.addressBytes() == 8 ? MOST_BUFFER_64 : MOST_BUFFER_32; bytes >= LEAST_BUFFER; bytes /= 2) {
            Memory.Mapping mapping = Memory.map(bytes, file);
            if (mapping != null)
                return mapping;
        }
        throw new TsmException(Status.OUT_OF_MEMORY, "the system has no memory for a buffer");
    }

    /** Another instance of the same file, as it was loaded: for another thread, or a state of its own. */
    public Module newInstance() {
        return new Module(program.file, program, settings);
    }

    // ---- One call at a time ----

    private void enter() {
        if (!isBusy.compareAndSet(false, true))
            throw new IllegalStateException("the program is running; newInstance() makes another one for another thread");
        if (root == null) {
            isBusy.set(false);
            throw new IllegalStateException("the program is closed");
        }
        sweep();
    }

    private void leave() {
        isBusy.set(false);
    }

    private void check(int status) {
        if (status != 0)
            throw TsmException.of(Status.of(status), message());
    }

    private String message() {
        byte[] text = Native.message(root);
        return new String(text, StandardCharsets.UTF_8);
    }

    /** Releases tensors over Java's memory that the program holds no more. */
    private void sweep() {
        if (held.isEmpty())
            return;
        List<Held> left = new ArrayList<Held>();
        for (Held h : held)
            if (!Native.release(root, IValue.TENSOR, h.object, false))
                left.add(h);
        held = left;
    }

    // ---- Calls ----

    /** Calls forward, or the only method. */
    public IValue forward(IValue... inputs) {
        return run(program.forward(), inputs, false);
    }

    /** Calls a method. Arguments that are left out at the end have their defaults. */
    public IValue runMethod(String name, IValue... inputs) {
        return run(program.method(name), inputs, false);
    }

    /** The same, all or nothing: where the call fails, attributes are as they were before it (docs/state.md). */
    public IValue runMethodOrRestore(String name, IValue... inputs) {
        return run(program.method(name), inputs, true);
    }

    /**
     * Calls a method without copying the tensors that it gives: they are shown, read-only, in the module's buffer. Their
     * memory is not used for anything else until the view is closed; {@link #reset} and {@link #loadState} wait for that.
     */
    public View view(String name, IValue... inputs) {
        MethodInfo method = program.method(name);
        enter();
        try {
            call(method.index, inputs, false);
            IValue value = result(true);
            long[] tagAndObject = new long[2];
            Native.hold(root, tagAndObject);
            views++;
            hadViews = true;
            return new View(this, value, tagAndObject);
        } finally {
            Native.drop(root);
            leave();
        }
    }

    private IValue run(MethodInfo method, IValue[] inputs, boolean orRestore) {
        enter();
        try {
            call(method.index, inputs, orRestore);
            return result(false);
        } finally {
            Native.drop(root);
            leave();
        }
    }

    private void call(int method, IValue[] inputs, boolean orRestore) {
        words.data.clear();
        Arguments arguments = new Arguments(words);
        for (IValue input : inputs)
            arguments.put(input);
        int bytes = words.data.position();
        Object[] data = arguments.data();
        words.reserve((long) (arguments.values + data.length) * Native.VALUE_BYTES);
        long[] objects = new long[data.length];
        try {
            check(Native.call(root, method, words.data, bytes, arguments.values, data, objects, surroundings, orRestore));
        } finally {
            for (int i = 0; i < objects.length; i++)
                if (objects[i] != 0)
                    held.add(new Held(objects[i], data[i]));
        }
    }

    private IValue result(boolean isViewed) {
        words.data.clear();
        long bytes = Native.result(root, words.data);
        if (bytes > words.data.capacity()) {
            words.reserve(bytes);
            words.data.clear();
            bytes = Native.result(root, words.data);
        }
        if (bytes == 0)
            throw TsmException.of(Status.UNSUPPORTED, message());
        return new Results(words, root, isViewed).read();
    }

    /** Of View.close(). */
    void release(long[] tagAndObject) {
        if (!isBusy.compareAndSet(false, true))
            throw new IllegalStateException("the program is running; the view can be closed when it is not");
        try {
            if (root != null)
                Native.release(root, tagAndObject[0], tagAndObject[1], true);
            views--;
        } finally {
            leave();
        }
    }

    // ---- State ----

    /** Values from earlier calls must be gone before the instance's memory is laid out again. */
    private void checkFree() {
        if (views > 0)
            throw new IllegalStateException(views + " view(s) of results are still open");
        for (Held h : held) {
            Native.release(root, IValue.TENSOR, h.object, true);
            kept.add(h.data);
        }
        held = new ArrayList<Held>();
    }

    /** Puts all attributes back to what the file holds, and random numbers back to their beginning. */
    public void reset() {
        enter();
        try {
            checkFree();
            check(Native.reset(root));
            kept.clear();
        } finally {
            leave();
        }
    }

    /** What the program has changed of its attributes, for loadState of a module of the same file, on whatever machine. */
    public byte[] saveState() {
        enter();
        try {
            ByteBuffer memory = Words.direct(saved(null));
            byte[] state = new byte[saved(memory)];
            memory.get(state);
            return state;
        } finally {
            leave();
        }
    }

    private int saved(ByteBuffer memory) {
        long n = Native.save(root, memory);
        if (n < 0)
            check((int) -n);
        if (n > Integer.MAX_VALUE - 8)
            throw new TsmException(Status.UNSUPPORTED, "the state has " + n + " bytes, more than an array of Java holds");
        return (int) n;
    }

    /** Brings the module to a state that saveState gave. A state that is refused leaves it as it was, or, when the buffer
     * is too small, as reset does. */
    public void loadState(byte[] state) {
        ByteBuffer memory = Words.direct(state.length);
        memory.put(state);
        enter();
        try {
            checkFree();
            check(Native.load(root, memory, state.length));
            kept.clear();
        } finally {
            leave();
        }
    }

    // ---- Questions ----

    /** The methods, in the file's order. */
    public List<MethodInfo> methods() {
        return program.list();
    }

    /** One of them. */
    public MethodInfo method(String name) {
        return program.method(name);
    }

    /** Which tsmc wrote the file: "tsmc 0.3.0". */
    public String producer() {
        return program.producer;
    }

    /** What tsmc --meta was given, and where the program came from. */
    public Map<String, String> metadata() {
        return program.metadata;
    }

    /** How much of the buffer is in use, and what the last call executed. */
    public Usage usage() {
        enter();
        try {
            long[] numbers = new long[6];
            Native.usage(root, numbers);
            return new Usage(numbers);
        } finally {
            leave();
        }
    }

    /** Where the time of all calls so far went, by operator; of a module that {@link Loader#profile} made count. */
    public Profile profile() {
        if (!settings.profile)
            throw new IllegalStateException("the module does not count: load it with new Loader().profile(true)");
        enter();
        try {
            Words rows = new Words();
            rows.reserve(Native.profile(root, null));
            rows.data.limit((int) Native.profile(root, rows.data));
            return new Profile(rows);
        } finally {
            leave();
        }
    }

    // ---- The end ----

    /** Gives the memory back. Views of results that are still used keep it until they are gone. */
    @Override
    public void close() {
        if (!isBusy.compareAndSet(false, true))
            throw new IllegalStateException("the program is running; it can be closed when it is not");
        try {
            if (root == null)
                return;
            root = null;
            held.clear();
            kept.clear();
            if (!hadViews)
                memory.free();
        } finally {
            leave();
        }
        Memory.sweep();
    }

    /** The name that PyTorch's Module has for close(). */
    public void destroy() {
        close();
    }
}
