package org.tsmobile;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A file, as its modules share it, and what it says of itself. */
final class Program {
    /** Direct, at a multiple of 64 bytes. */
    final ByteBuffer file;
    final String producer;
    final Map<String, String> metadata;
    final Map<String, MethodInfo> methods;

    /** Of a module that has opened the file. */
    Program(ByteBuffer file, ByteBuffer root) {
        this.file = file;
        Words words = new Words();
        words.reserve(Native.describe(root, null));
        words.data.limit((int) Native.describe(root, words.data));
        producer = words.getText();
        Map<String, String> entries = new LinkedHashMap<String, String>();
        for (long n = words.get(); n > 0; n--)
            entries.put(words.getText(), words.getText());
        metadata = Collections.unmodifiableMap(entries);
        Map<String, MethodInfo> found = new LinkedHashMap<String, MethodInfo>();
        for (int i = 0, n = (int) words.get(); i < n; i++) {
            MethodInfo method = new MethodInfo(words, i);
            found.put(method.name(), method);
        }
        methods = Collections.unmodifiableMap(found);
    }

    MethodInfo method(String name) {
        MethodInfo method = methods.get(name);
        if (method == null)
            throw new TsmException(Status.BAD_ARGUMENT, "the program has no method '" + name + "'; it has " + names());
        return method;
    }

    /** forward, or the only method. */
    MethodInfo forward() {
        if (!methods.containsKey("forward") && methods.size() == 1)
            return methods.values().iterator().next();
        return method("forward");
    }

    private String names() {
        StringBuilder text = new StringBuilder();
        for (String name : methods.keySet())
            text.append(text.length() == 0 ? "" : ", ").append(name);
        return text.toString();
    }

    List<MethodInfo> list() {
        return new ArrayList<MethodInfo>(methods.values());
    }
}
