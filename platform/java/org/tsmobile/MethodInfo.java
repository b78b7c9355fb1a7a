package org.tsmobile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What a file says of a method. */
public final class MethodInfo {
    final int index;
    private final String name;
    private final String schema;
    private final String doc;
    private final long bufferBytes;
    private final List<ValueInfo> inputs;
    private final List<ValueInfo> outputs;

    MethodInfo(Words words, int index) {
        this.index = index;
        name = words.getText();
        schema = words.getText();
        doc = words.getText();
        bufferBytes = words.get();
        inputs = values(words);
        outputs = values(words);
    }

    private static List<ValueInfo> values(Words words) {
        List<ValueInfo> values = new ArrayList<ValueInfo>();
        for (long n = words.get(); n > 0; n--)
            values.add(new ValueInfo(words));
        return Collections.unmodifiableList(values);
    }

    public String name() {
        return name;
    }

    /** As TorchScript prints it: "forward(Tensor x, int n=1) -> Tensor". */
    public String schema() {
        return schema;
    }

    /** What the author wrote about it; "" when that is not known. */
    public String doc() {
        return doc;
    }

    /** The buffer that a call needs with arguments as in the file's example; 0: it is not known. */
    public long bufferBytes() {
        return bufferBytes;
    }

    public List<ValueInfo> inputs() {
        return inputs;
    }

    /** The items of a tuple, or one. */
    public List<ValueInfo> outputs() {
        return outputs;
    }

    /** The schema. */
    @Override
    public String toString() {
        return schema;
    }
}
