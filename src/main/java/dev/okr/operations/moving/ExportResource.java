package dev.okr.operations.moving;

import dev.okr.access.limits.Downloads;
import dev.okr.access.limits.RequestGate;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.QueryParameters;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.CallerCheck;
import dev.okr.platform.transactions.Deadline;
import io.agroal.api.AgroalDataSource;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Exports all data of the organisation. */
@Path("/v1/export")
@Tag(name = "Export and import")
@Requires(toRead = Right.READ_EVERYTHING, toWrite = Right.ADMINISTER)
@RunOnVirtualThread
public class ExportResource {
    private static final Logger LOG = Logger.getLogger(ExportResource.class);

    static final String NDJSON = "application/x-ndjson";

    private static final String CYCLE = "cycle_id";

    /** Limited, because each export holds a database connection. */
    private static final int MAX_AT_ONCE = 2;

    private static final Duration MAX_DURATION = Duration.ofMinutes(30);

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    /** An export continues for this time while the caller cannot be looked up, for example in an overload. */
    private static final Duration MAX_UNIDENTIFIED = Duration.ofSeconds(10);

    private static final int SERVER_ERROR = 500;

    /**
     * Short, because an export keeps a snapshot of the database open. So PostgreSQL cannot remove rows that are deleted
     * meanwhile. Many such rows make the queue of webhooks slow.
     */
    private static final Duration MAX_SLOW_DURATION = Duration.ofMinutes(1);

    private final AgroalDataSource database;
    private final Caller caller;
    private final CurrentVertxRequest http;
    private final DeadRows deadRows;
    private final RequestGate gate;
    private final Downloads downloads = new Downloads(MAX_AT_ONCE, MAX_DURATION, MAX_SLOW_DURATION);

    ExportResource(
            AgroalDataSource database, Caller caller, CurrentVertxRequest http, DeadRows deadRows, RequestGate gate) {
        this.database = database;
        this.caller = caller;
        this.http = http;
        this.deadRows = deadRows;
        this.gate = gate;
    }

    @GET
    @Produces({NDJSON, MediaType.APPLICATION_JSON})
    @Operation(summary = "Export all data of the organisation")
    @Parameter(
            name = CYCLE,
            in = ParameterIn.QUERY,
            description = "Only the objectives of this cycle, with their key results, check-ins and alignments.",
            schema = @Schema(implementation = String.class))
    public Response exportData(@Context UriInfo uri) throws SQLException {
        return export(new QueryParameters(uri, CYCLE).id(CYCLE, IdKind.CYCLE));
    }

    /** @throws dev.okr.platform.errors.Failure if the organisation has no such cycle */
    Response export(@Nullable UUID cycle) throws SQLException {
        var organization = caller.organizationId();
        if (cycle != null) {
            Export.requireCycle(database, organization, cycle);
        }
        var output = downloads.start(organization, http.getCurrent(), out -> write(organization, cycle, out));
        // The pool has connections for exports. A slow client must not hold a turn of the other requests.
        gate.endTurn(http.getCurrent());
        // The format is always NDJSON, whatever the client accepts.
        return Response.ok(output).type(NDJSON).build();
    }

    private void write(UUID organization, @Nullable UUID cycle, OutputStream out) throws IOException {
        // Reading the file may take longer than the time limit of a request.
        Deadline.begin(MAX_DURATION);
        try {
            Export.write(database, organization, cycle, out, new Watch(organization));
        } catch (SQLException e) {
            throw new IllegalStateException("An export failed.", e);
        }
    }

    /** Ends an export that keeps too many dead rows, or whose caller may no longer export. */
    private final class Watch implements LongConsumer {
        private final UUID organization;
        private final long startNanos = System.nanoTime();
        private long nextNanos = startNanos;
        private long identifiedNanos = startNanos;

        Watch(UUID organization) {
            this.organization = organization;
        }

        @Override
        public void accept(long lines) {
            long now = System.nanoTime();
            if (now - nextNanos < 0) {
                return;
            }
            requireCaller(now);
            if (deadRows.areTooMany(Duration.ofNanos(now - startNanos))) {
                LOG.warnf(
                        "An export of organisation %s has ended, because the webhook queue has too many dead rows",
                        organization);
                throw new UncheckedIOException(new IOException("The webhook queue has too many dead rows."));
            }
            nextNanos = System.nanoTime() + CHECK_INTERVAL.toNanos();
        }

        private void requireCaller(long now) {
            try {
                CallerCheck.repeat();
                identifiedNanos = now;
            } catch (RuntimeException e) {
                boolean isRefused =
                        e instanceof Failure failure && failure.code().status() < SERVER_ERROR;
                if (isRefused || now - identifiedNanos > MAX_UNIDENTIFIED.toNanos()) {
                    throw new UncheckedIOException(new IOException("The caller may no longer export.", e));
                }
            }
        }
    }
}
