package android.content.res;

import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.zip.ZipEntry;

/** As much of Android's class as org.tsmobile is compiled against: a stored file inside of an archive. */
public class AssetFileDescriptor implements Closeable {
    private final File file;
    private final long start;
    private final long length;

    AssetFileDescriptor(File file, ZipEntry entry) throws IOException {
        this.file = file;
        this.length = entry.getSize();
        this.start = find(file, entry.getName());
    }

    /** Where the data of a file begin: behind its local header, whose name and extra field have a length each. */
    private static long find(File file, String name) throws IOException {
        try (RandomAccessFile zip = new RandomAccessFile(file, "r")) {
            byte[] all = new byte[(int) zip.length()];
            zip.readFully(all);
            byte[] wanted = name.getBytes("UTF-8");
            for (int at = 0; at + 30 + wanted.length < all.length; at++) {
                boolean isHere = all[at] == 'P' && all[at + 1] == 'K' && all[at + 2] == 3 && all[at + 3] == 4;
                for (int i = 0; isHere && i < wanted.length; i++)
                    isHere = all[at + 30 + i] == wanted[i];
                if (isHere)
                    return at + 30 + number(all, at + 26) + number(all, at + 28);
            }
        }
        throw new IOException(name);
    }

    private static int number(byte[] data, int at) {
        return (data[at] & 0xff) | (data[at + 1] & 0xff) << 8;
    }

    public FileInputStream createInputStream() throws IOException {
        return new FileInputStream(file);
    }

    public long getStartOffset() {
        return start;
    }

    public long getLength() {
        return length;
    }

    @Override
    public void close() {}
}
