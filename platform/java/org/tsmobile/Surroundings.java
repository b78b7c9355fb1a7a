package org.tsmobile;

import java.nio.charset.StandardCharsets;

/** What a running program reaches: libtsmobile_jni calls it. */
final class Surroundings {
    private final Printer print;
    private final Printer warn;

    Surroundings(Printer print, Printer warn) {
        this.print = print;
        this.warn = warn;
    }

    @SuppressWarnings("unused") // called by its name
    void print(byte[] text, boolean isWarning) {
        (isWarning ? warn : print).print(new String(text, StandardCharsets.UTF_8));
    }
}
