package dev.okr.operations.commands;

/** A command failed. Its message is the one line that the operator reads. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CommandFailure(String message) {
        super(message, null, false, false);
    }
}
