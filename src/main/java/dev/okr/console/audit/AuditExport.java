package dev.okr.console.audit;

import dev.okr.console.Csv;
import dev.okr.console.Names;
import dev.okr.organizations.audit.AuditEntry;
import dev.okr.organizations.audit.AuditFilter;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Downloads;
import dev.okr.platform.transactions.Deadline;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the audit log as CSV. It reads a part of the log at a time, and waits until the client has taken it. It holds
 * no transaction or database connection meanwhile. An export holds a place among the requests of the service, so only a
 * few exports run at once ({@link Downloads}).
 */
@ApplicationScoped
class AuditExport {
    private static final int ENTRIES_PER_STATEMENT = 500;
    private static final int MAX_AT_ONCE = 4;
    private static final Duration MAX_DURATION = Duration.ofMinutes(2);
    private static final Duration STATEMENT_DEADLINE = Duration.ofSeconds(10);

    private static final List<String> HEADER =
            List.of("time", "actor_type", "actor_id", "actor", "action", "subject_id", "subject", "detail");

    private final Caller caller;
    private final CurrentVertxRequest http;
    private final Downloads downloads = new Downloads(MAX_AT_ONCE, MAX_DURATION);

    AuditExport(Caller caller, CurrentVertxRequest http) {
        this.caller = caller;
        this.http = http;
    }

    /** @throws Failure if too many exports are under way */
    StreamingOutput start(AuditFilter filter) {
        return downloads.start(caller.organizationId(), http.getCurrent(), output -> write(filter, output));
    }

    private static void write(AuditFilter filter, OutputStream output) throws IOException {
        var writer = new BufferedWriter(new OutputStreamWriter(output, StandardCharsets.UTF_8));
        var csv = new Csv(writer);
        csv.line(HEADER);
        var entries = next(filter, null);
        while (!entries.isEmpty()) {
            var names = new Names(
                    entries.stream().flatMap(AuditRow::userIds).distinct().toList());
            for (var entry : entries) {
                csv.line(AuditRow.of(entry, names).csv());
            }
            entries = entries.size() < ENTRIES_PER_STATEMENT
                    ? List.of()
                    : next(filter, entries.getLast().id());
        }
        writer.flush();
    }

    private static List<AuditEntry> next(AuditFilter filter, @Nullable UUID before) {
        // Each part has its own deadline, because the client may take longer for the file than one request may take.
        Deadline.begin(STATEMENT_DEADLINE);
        return AuditEntry.newest(filter, before, ENTRIES_PER_STATEMENT);
    }
}
