package org.tsmobile;

/** What libtsmobile refused; the message is the text of its C interface. */
public class TsmException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final Status status;

    TsmException(Status status, String message) {
        super(message);
        this.status = status;
    }

    TsmException(Status status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** Which of the refusals it is. */
    public Status getStatus() {
        return status;
    }

    static TsmException of(Status status, String message) {
        return status == Status.RAISED ? new ModelException(message) : new TsmException(status, message);
    }
}
