package org.tsmobile;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * Memory of the system, which takes no room in Java's heap and is claimed page by page. It goes when it is freed, or when
 * nobody has its buffer, or a slice of that, any more; then what it keeps goes, too.
 */
final class Memory extends PhantomReference<ByteBuffer> {
    /** What of it a buffer of Java can show. */
    private static final long MOST_SHOWN = Integer.MAX_VALUE - 7;
    private static final ReferenceQueue<ByteBuffer> GONE = new ReferenceQueue<ByteBuffer>();
    private static final Set<Memory> LIVE = Collections.synchronizedSet(new HashSet<Memory>());

    final long bytes;
    private final long address;
    @SuppressWarnings("unused") // it is only kept
    private final Object kept;

    private Memory(ByteBuffer root, long address, long bytes, Object kept) {
        super(root, GONE);
        this.address = address;
        this.bytes = bytes;
        this.kept = kept;
    }

    /** A mapping, its buffer and its size. */
    static final class Mapping {
        final ByteBuffer root;
        final Memory memory;

        private Mapping(ByteBuffer root, Memory memory) {
            this.root = root;
            this.memory = memory;
        }
    }

    /** Null where the system has none. `kept` stays as long as the mapping. */
    static Mapping map(long bytes, Object kept) {
        sweep();
        long address = Native.map(bytes);
        if (address == 0)
            return null;
        ByteBuffer root = Native.buffer(address, Math.min(bytes, MOST_SHOWN));
        if (root == null) {
            Native.unmap(address, bytes);
            throw new IllegalStateException("this Java has no direct buffers over memory of the system");
        }
        Memory memory = new Memory(root, address, bytes, kept);
        LIVE.add(memory);
        return new Mapping(root.order(ByteOrder.nativeOrder()), memory);
    }

    /** Frees it now: nobody may use its buffer any more. */
    void free() {
        if (LIVE.remove(this)) {
            clear();
            Native.unmap(address, bytes);
        }
    }

    /** Frees what nobody has any more. */
    static void sweep() {
        for (Reference<? extends ByteBuffer> gone = GONE.poll(); gone != null; gone = GONE.poll())
            ((Memory) gone).free();
    }
}
