package dev.okr.console.audit;

import dev.okr.console.Csv;
import dev.okr.console.Names;
import dev.okr.organizations.audit.AuditEntry;
import dev.okr.organizations.audit.AuditFilter;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.transactions.Deadline;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Writes the audit log as CSV. It reads a part of the log at a time, and waits until the client has taken it. No
 * transaction or database connection is held meanwhile. An export holds a place among the requests of the service, so
 * only a few exports run at once. One that takes too long is cut off, even if its client reads nothing.
 */
@ApplicationScoped
class AuditExport {
    private static final Logger LOG = Logger.getLogger(AuditExport.class);

    private static final int ENTRIES_PER_STATEMENT = 500;
    private static final int MAX_AT_ONCE = 4;
    private static final Duration MAX_DURATION = Duration.ofMinutes(2);
    private static final Duration STATEMENT_DEADLINE = Duration.ofSeconds(10);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private static final List<String> HEADER =
            List.of("time", "actor_type", "actor_id", "actor", "action", "subject_id", "subject", "detail");

    private final Caller caller;
    private final CurrentVertxRequest http;

    /** The organisations that have an export. Each has at most one. */
    private final Set<UUID> underWay = new HashSet<>();

    AuditExport(Caller caller, CurrentVertxRequest http) {
        this.caller = caller;
        this.http = http;
    }

    /** @throws Failure if too many exports are under way */
    StreamingOutput start(AuditFilter filter) {
        var organization = caller.organizationId();
        var request = http.getCurrent();
        begin(organization);
        var isOver = new AtomicBoolean();
        Runnable end = () -> {
            if (isOver.compareAndSet(false, true)) {
                end(organization);
            }
        };
        // Also ends an export that never wrote anything.
        long timer = request.vertx().setTimer(MAX_DURATION.toMillis(), id -> {
            abort(request);
            end.run();
        });
        return output -> {
            try {
                write(filter, output, request);
            } finally {
                request.vertx().cancelTimer(timer);
                end.run();
            }
        };
    }

    /**
     * Closes the connection, because the response has started. Without its end, the client knows that the file is
     * incomplete. The methods of Vert.x would wait until the client has taken what was written.
     */
    private static void abort(RoutingContext request) {
        ((ConnectionBase) request.request().connection()).channel().close();
    }

    private void begin(UUID organization) {
        synchronized (underWay) {
            if (underWay.size() >= MAX_AT_ONCE || !underWay.add(organization)) {
                throw Failure.unavailable("Another export is running. Try again shortly.", RETRY_AFTER);
            }
        }
    }

    private void end(UUID organization) {
        synchronized (underWay) {
            underWay.remove(organization);
        }
    }

    private static void write(AuditFilter filter, OutputStream output, RoutingContext request) {
        try {
            write(filter, output);
        } catch (IOException e) {
            LOG.debugf(e, "The client did not take an export of the audit log");
            abort(request);
        } catch (RuntimeException e) {
            abort(request);
            throw e;
        }
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
