package dev.okr.operations.database;

import java.io.IOException;

/** The embedded PostgreSQL does not start, for a reason that the operator can do something about. */
final class StartRefused extends IOException {
    private static final long serialVersionUID = 1L;

    StartRefused(String message) {
        super(message);
    }
}
