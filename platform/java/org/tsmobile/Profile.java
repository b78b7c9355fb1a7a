package org.tsmobile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** A table of operators, those that took longest first; toString() gives it as text. */
public final class Profile {
    /** In the order of their time. */
    public final List<Row> rows;

    /** An operator: how often it ran, how long in all, and the bytes by which it made the buffer's use grow. */
    public static final class Row {
        public final String operator;
        public final long calls;
        public final double milliseconds;
        /** Of the time of all operators. */
        public final double percent;
        public final long bytes;

        private Row(String operator, long calls, double milliseconds, double percent, long bytes) {
            this.operator = operator;
            this.calls = calls;
            this.milliseconds = milliseconds;
            this.percent = percent;
            this.bytes = bytes;
        }
    }

    /** Of what Native.profile writes. */
    Profile(Words words) {
        List<Row> found = new ArrayList<Row>();
        long all = 0;
        while (words.data.hasRemaining()) {
            String name = words.getText();
            long calls = words.get();
            long nanoseconds = words.get();
            all += nanoseconds;
            found.add(new Row(name, calls, nanoseconds / 1e6, 0, words.get()));
        }
        double whole = Math.max(1, all) / 1e6;
        List<Row> sorted = new ArrayList<Row>();
        for (Row row : found)
            sorted.add(new Row(row.operator, row.calls, row.milliseconds, 100 * row.milliseconds / whole, row.bytes));
        Collections.sort(sorted, new Comparator<Row>() {
            @Override
            public int compare(Row a, Row b) {
                return Double.compare(b.milliseconds, a.milliseconds);
            }
        });
        rows = Collections.unmodifiableList(sorted);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%10s %6s %8s %12s  operator%n", "ms", "%", "calls", "bytes"));
        for (Row row : rows)
            text.append(String.format(Locale.ROOT, "%10.3f %6.1f %8d %12d  %s%n", row.milliseconds, row.percent, row.calls, row.bytes, row.operator));
        return text.toString();
    }
}
