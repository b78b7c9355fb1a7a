package org.tsmobile;

/** Takes what a program prints. An exception that it throws ends the call of the method, and comes out of it. */
public interface Printer {
    /** A piece of text, as the program wrote it: lines end with '\n'. */
    void print(String text);
}
