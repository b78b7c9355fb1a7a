package android.content.res;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** As much of Android's class as org.tsmobile is compiled against, over the assets of an APK: Android itself is not here. */
public final class AssetManager {
    private final File apk;
    private final ZipFile zip;

    public AssetManager(File apk) throws IOException {
        this.apk = apk;
        this.zip = new ZipFile(apk);
    }

    private ZipEntry find(String name) throws IOException {
        ZipEntry entry = zip.getEntry("assets/" + name);
        if (entry == null)
            throw new FileNotFoundException(name);
        return entry;
    }

    public InputStream open(String name) throws IOException {
        return zip.getInputStream(find(name));
    }

    public AssetFileDescriptor openFd(String name) throws IOException {
        ZipEntry entry = find(name);
        if (entry.getMethod() != ZipEntry.STORED)
            throw new FileNotFoundException("This file can not be opened as a file descriptor; it is probably compressed");
        return new AssetFileDescriptor(apk, entry);
    }
}
