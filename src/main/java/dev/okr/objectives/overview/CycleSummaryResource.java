package dev.okr.objectives.overview;

import dev.okr.access.limits.ConcurrencyLimit;
import dev.okr.access.limits.OftenSlow;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.time.UtcClock;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** The standing of a cycle in one call. */
@Path("/v1/cycles/{id}/summary")
@Tag(name = "Cycles")
@Requires(toRead = Right.READ, toWrite = Right.ADMINISTER)
@OftenSlow
@RunOnVirtualThread
public class CycleSummaryResource {
    /** The limit for one replica, because the summary of a large cycle takes long. */
    private static final int MAX_AT_ONCE = 2;

    private static final Duration MAX_WAIT = Duration.ofMillis(2_000);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private final ConcurrencyLimit limit = new ConcurrencyLimit(MAX_AT_ONCE, MAX_WAIT);
    private final DataSource database;
    private final UtcClock clock;
    private final Caller caller;
    private final EntityTags tags;

    CycleSummaryResource(DataSource database, UtcClock clock, Caller caller, EntityTags tags) {
        this.database = database;
        this.clock = clock;
        this.caller = caller;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "Read the standing of a cycle and of each team in it")
    public RestResponse<Data<CycleSummary>> getCycleSummary(@PathParam("id") String id) {
        var organizationId = caller.organizationId();
        if (!limit.begin(organizationId)) {
            throw Failure.unavailable("Too many summaries are being read. Try again shortly.", RETRY_AFTER);
        }
        try {
            var summary = Snapshot.read(database, sql -> CycleSummary.require(sql, organizationId, id, clock.now()));
            return tags.read(summary);
        } catch (SQLException e) {
            throw new IllegalStateException("The summary of the cycle could not be read.", e);
        } finally {
            limit.end(organizationId);
        }
    }
}
