package org.tsmobile;

/** The program raised an exception. The message is the traceback, with the lines of the model's Python code. */
public final class ModelException extends TsmException {
    private static final long serialVersionUID = 1;

    ModelException(String traceback) {
        super(Status.RAISED, traceback);
    }

    /** The last line of the traceback: the class of the exception and its text. */
    public String getRaised() {
        String text = getMessage();
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '\n')
            end--;
        return text.substring(text.lastIndexOf('\n', end - 1) + 1, end);
    }
}
