package dev.okr.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Records the statements that the service sends to its database, until it is closed. */
public final class RecordedStatements implements AutoCloseable {
    private static final Logger STATEMENTS = Logger.getLogger("dev.okr.statements");

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord statement) {
            // Otherwise the record would take the id of the thread that reads it.
            statement.getLongThreadID();
            records.add(statement);
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    public RecordedStatements() {
        handler.setLevel(Level.ALL);
        STATEMENTS.setLevel(Level.FINE);
        STATEMENTS.addHandler(handler);
    }

    /** Forgets all statements up to now. */
    public void clear() {
        records.clear();
    }

    /**
     * The statements of one request in their order, without superfluous spaces. The request is the first whose thread
     * has sent a statement with this text. Requests that run afterwards in the same thread are included.
     */
    public List<String> ofRequestWith(String text) {
        long thread = records.stream()
                .filter(each -> each.getMessage().contains(text))
                .findFirst()
                .orElseThrow()
                .getLongThreadID();
        return records.stream()
                .filter(each -> each.getLongThreadID() == thread)
                .map(each -> each.getMessage().strip().replaceAll("\\s+", " ").replaceAll(" ([,;])", "$1"))
                .toList();
    }

    @Override
    public void close() {
        STATEMENTS.removeHandler(handler);
        STATEMENTS.setLevel(null);
    }
}
