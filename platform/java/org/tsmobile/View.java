package org.tsmobile;

import java.io.Closeable;

/** A result whose tensors are shown where they lie, until it is closed: see {@link Module#view}. */
public final class View implements Closeable {
    private final Module module;
    private final IValue value;
    private long[] tagAndObject;

    View(Module module, IValue value, long[] tagAndObject) {
        this.module = module;
        this.value = value;
        this.tagAndObject = tagAndObject;
    }

    /** The result. Its tensors' elements are any numbers when the view is closed. */
    public IValue value() {
        if (tagAndObject == null)
            throw new IllegalStateException("the view is closed");
        return value;
    }

    @Override
    public void close() {
        if (tagAndObject == null)
            return;
        module.release(tagAndObject);
        tagAndObject = null;
    }
}
