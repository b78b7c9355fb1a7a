import org.tsmobile.IValue;
import org.tsmobile.Module;
import org.tsmobile.TsmException;

/** Prints, each with a zero behind it, the messages that test_java.py compares with tsmrun's. */
final class Texts {
    public static void main(String[] arguments) {
        for (int n = 0; n < Integer.parseInt(arguments[1]); n++) {
            final int number = n;
            tell(() -> Module.load("damaged" + number + ".tsm").close());
        }
        try (Module module = Module.load(arguments[0])) {
            tell(() -> module.runMethod("fail", IValue.from(3)));
            tell(() -> module.runMethod("count", new IValue[0]));
        }
    }

    private static void tell(Runnable body) {
        try {
            body.run();
            System.out.print("no exception\0");
        } catch (TsmException e) {
            System.out.print(e.getMessage() + "\0");
        }
    }
}
