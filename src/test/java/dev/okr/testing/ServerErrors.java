package dev.okr.testing;

import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Errors as PostgreSQL reports them. */
public final class ServerErrors {
    private ServerErrors() {}

    /** An error of a server that reports its messages in German. */
    public static PSQLException of(String state) {
        return new PSQLException(new ServerErrorMessage("SFEHLER\0C" + state + "\0MVerbindung fehlgeschlagen\0\0"));
    }
}
