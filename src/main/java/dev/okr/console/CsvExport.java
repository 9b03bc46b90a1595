package dev.okr.console;

import dev.okr.access.limits.Downloads;
import dev.okr.platform.http.Caller;
import dev.okr.platform.transactions.Deadline;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Exports rows as CSV. It reads some rows at a time, and waits until the client has taken them. It holds no transaction
 * or database connection meanwhile. But it holds a turn at the database until the file ends. So only a few exports run
 * at once ({@link Downloads}).
 */
@ApplicationScoped
public class CsvExport {
    private static final int ROWS_PER_STATEMENT = 500;
    private static final int MAX_AT_ONCE = 4;
    private static final Duration MAX_DURATION = Duration.ofMinutes(2);
    private static final Duration STATEMENT_DEADLINE = Duration.ofSeconds(10);

    private final Caller caller;
    private final CurrentVertxRequest http;
    private final Downloads downloads = new Downloads(MAX_AT_ONCE, MAX_DURATION, MAX_DURATION);

    CsvExport(Caller caller, CurrentVertxRequest http) {
        this.caller = caller;
        this.http = http;
    }

    /** Reads rows in their order. */
    @FunctionalInterface
    public interface Rows<T> {
        /** @param last the last row that was read; null at the start */
        List<T> next(@Nullable T last, int limit);
    }

    /**
     * Streams a file.
     *
     * @param lines converts rows to lines
     * @throws dev.okr.platform.errors.Failure if no permit is free in time
     */
    public <T> Response start(
            String file, List<String> header, Rows<T> rows, Function<List<T>, List<List<String>>> lines) {
        var content = downloads.start(
                caller.organizationId(), http.getCurrent(), output -> write(output, header, rows, lines));
        return Response.ok(content)
                .type(Csv.MEDIA_TYPE)
                .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + file + '"')
                .build();
    }

    private static <T> void write(
            OutputStream output, List<String> header, Rows<T> rows, Function<List<T>, List<List<String>>> lines)
            throws IOException {
        var writer = new BufferedWriter(new OutputStreamWriter(output, StandardCharsets.UTF_8));
        var csv = new Csv(writer);
        csv.line(header);
        var some = next(rows, null);
        while (!some.isEmpty()) {
            for (var line : lines.apply(some)) {
                csv.line(line);
            }
            some = some.size() < ROWS_PER_STATEMENT ? List.of() : next(rows, some.getLast());
        }
        writer.flush();
    }

    private static <T> List<T> next(Rows<T> rows, @Nullable T last) {
        // Each part has its own deadline, because the client may take longer for the file than one request may take.
        Deadline.begin(STATEMENT_DEADLINE);
        return rows.next(last, ROWS_PER_STATEMENT);
    }
}
