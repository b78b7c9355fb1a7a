package org.tsmobile;

import android.content.res.AssetFileDescriptor;
import android.content.res.AssetManager;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/** Loads modules otherwise than Module.load does: `new Loader().fuel(1000000).load(path)`. */
public final class Loader {
    static final int ALIGNMENT = 64;

    long bufferBytes;
    long fuel;
    int threads = 1;
    boolean profile;
    boolean check = true;
    Printer print = new Printer() {
        @Override
        public void print(String text) {
            System.out.print(text);
        }
    };
    Printer warn = new Printer() {
        @Override
        public void print(String text) {
            System.err.print(text);
        }
    };

    /** The memory in which the program runs; 0, the default: as much as it needs. */
    public Loader bufferBytes(long bytes) {
        if (bytes < 0)
            throw new IllegalArgumentException("a buffer of " + bytes + " bytes");
        bufferBytes = bytes;
        return this;
    }

    /** The most instructions, and units of work, that one call may take; 0, the default: no limit. */
    public Loader fuel(long most) {
        fuel = most;
        return this;
    }

    /** The most threads that operators may use, the calling one among them; 1 unless told otherwise. The others are one
     * pool for the whole process, and wait for a moment for the next operator before they sleep. */
    public Loader threads(int most) {
        if (most < 1)
            throw new IllegalArgumentException(most + " threads");
        threads = most;
        return this;
    }

    /** Whether time and bytes are counted by operator, for {@link Module#profile}; false unless told otherwise. */
    public Loader profile(boolean isWanted) {
        profile = isWanted;
        return this;
    }

    /** Whether the file is compared with its checksums, for which all of it is read; true unless told otherwise. */
    public Loader check(boolean isWanted) {
        check = isWanted;
        return this;
    }

    /** What takes the texts of print(); System.out unless told otherwise. */
    public Loader print(Printer printer) {
        print = some(printer);
        return this;
    }

    /** What takes the texts of warnings; System.err unless told otherwise. */
    public Loader warn(Printer printer) {
        warn = some(printer);
        return this;
    }

    private static Printer some(Printer printer) {
        if (printer == null)
            throw new NullPointerException("a printer is null");
        return printer;
    }

    /** A file, which is mapped: nobody may write to it while the module, or one made of it, is used. */
    public Module load(String path) {
        try {
            FileInputStream in = new FileInputStream(path);
            try {
                return open(map(in, 0, in.getChannel().size()));
            } finally {
                in.close();
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** A direct buffer at a multiple of 64 bytes is used where it lies; others are copied. From position to limit. */
    public Module load(ByteBuffer file) {
        return open(file.slice());
    }

    /** All that the stream has; it is not closed. */
    public Module load(InputStream in) {
        try {
            return open(read(in));
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** An asset of an Android app. One that is not compressed is mapped, and used where it lies when that is at a
     * multiple of 64 bytes (docs/integration.md); others are copied. */
    public Module load(AssetManager assets, String name) {
        try {
            ByteBuffer mapped = mapAsset(assets, name);
            if (mapped != null)
                return open(mapped);
            InputStream in = assets.open(name);
            try {
                return open(read(in));
            } finally {
                in.close();
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static TsmException unreadable(IOException e) {
        return new TsmException(Status.BAD_FILE, e.getMessage() == null ? e.toString() : e.getMessage(), e);
    }

    /** Null where the asset is compressed, or is none. */
    private static ByteBuffer mapAsset(AssetManager assets, String name) throws IOException {
        AssetFileDescriptor asset;
        try {
            asset = assets.openFd(name);
        } catch (FileNotFoundException e) {
            return null;
        }
        try {
            FileInputStream in = asset.createInputStream();
            try {
                return map(in, asset.getStartOffset(), asset.getLength());
            } finally {
                in.close();
            }
        } finally {
            asset.close();
        }
    }

    private static ByteBuffer map(FileInputStream in, long offset, long bytes) throws IOException {
        if (bytes > Integer.MAX_VALUE)
            throw new IOException("a file of " + bytes + " bytes: Java maps at most 2 GiB");
        return in.getChannel().map(FileChannel.MapMode.READ_ONLY, offset, bytes);
    }

    /** Everything, twice as much memory at a time. */
    private static ByteBuffer read(InputStream in) throws IOException {
        byte[] data = new byte[Math.max(1 << 16, in.available())];
        int n = 0;
        for (int got = in.read(data, 0, data.length); got >= 0; got = in.read(data, n, data.length - n)) {
            n += got;
            if (n == data.length) {
                if (n > Integer.MAX_VALUE / 2)
                    throw new IOException("the stream has more than 1 GiB");
                byte[] larger = new byte[2 * n];
                System.arraycopy(data, 0, larger, 0, n);
                data = larger;
            }
        }
        return ByteBuffer.wrap(data, 0, n).slice();
    }

    private Module open(ByteBuffer file) {
        boolean isUsable = file.isDirect() && file.capacity() > 0 && Native.address(file) % ALIGNMENT == 0;
        return new Module(isUsable ? file : copy(file), null, this);
    }

    private static ByteBuffer copy(ByteBuffer file) {
        Memory.Mapping mapping = Memory.map(Math.max(1, file.capacity()), null);
        if (mapping == null)
            throw new TsmException(Status.OUT_OF_MEMORY, "the system has no memory for a file of " + file.capacity() + " bytes");
        ByteBuffer copy = mapping.root;
        copy.put(file.duplicate());
        copy.flip();
        return copy.slice().order(ByteOrder.nativeOrder());
    }
}
