import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** A few lines that run tests: the methods of a class whose names begin with "test". */
final class Check {
    private Check() {}

    interface Body {
        void run() throws Exception;
    }

    static void equal(Object got, Object wanted) {
        if (!Arrays.deepEquals(new Object[] {got}, new Object[] {wanted}))
            throw new AssertionError("got " + Arrays.deepToString(new Object[] {got}) + ", not " + Arrays.deepToString(new Object[] {wanted}));
    }

    static void isTrue(boolean condition) {
        if (!condition)
            throw new AssertionError("not so");
    }

    /** Runs what must throw an exception of this very class, with this text in its message, and returns it. */
    static <T extends Throwable> T raises(Class<T> type, String text, Body body) {
        try {
            body.run();
        } catch (Throwable e) {
            if (e.getClass() != type || !String.valueOf(e.getMessage()).contains(text))
                throw new AssertionError("got " + e + ", not " + type.getName() + " with: " + text, e);
            return type.cast(e);
        }
        throw new AssertionError("no exception; wanted " + type.getName() + " with: " + text);
    }

    static void all(Class<?> tests) throws Throwable {
        int count = 0;
        for (Method test : tests.getDeclaredMethods()) {
            if (!test.getName().startsWith("test"))
                continue;
            try {
                test.invoke(null);
            } catch (InvocationTargetException e) {
                System.out.println("FAIL: " + tests.getName() + "." + test.getName());
                throw e.getCause();
            }
            count++;
        }
        System.out.println("ok: " + count + " tests of " + tests.getName());
    }
}
