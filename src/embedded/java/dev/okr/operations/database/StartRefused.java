package dev.okr.operations.database;

import java.io.IOException;

/** The embedded PostgreSQL cannot start, for a reason that the operator can resolve. */
final class StartRefused extends IOException {
    private static final long serialVersionUID = 1L;

    StartRefused(String message) {
        super(message);
    }
}
