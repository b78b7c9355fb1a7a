package org.tsmobile;

/** Why libtsmobile refused something: its statuses, in their order. */
public enum Status {
    OK,
    RAISED,
    OUT_OF_MEMORY,
    BAD_FILE,
    UNSUPPORTED,
    BAD_ARGUMENT,
    OUT_OF_FUEL,
    TOO_DEEP,
    INTERNAL;

    private static final Status[] ALL = values();

    static Status of(int number) {
        return number >= 0 && number < ALL.length ? ALL[number] : INTERNAL;
    }
}
