package dev.okr.objectives;

import dev.okr.access.limits.LargeRequests;
import dev.okr.access.limits.LongRunning;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.PendingWrites;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.HttpHeaders;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.ResponseBuilder;
import org.jboss.resteasy.reactive.RestResponse.Status;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Copies objectives into another cycle. */
@Path("/v1/cycles/{id}/carry-over")
@Tag(name = "Cycles")
@Requires(toRead = Right.READ, toWrite = Right.ADMINISTER)
@LongRunning
@RunOnVirtualThread
public class CarryOverResource {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;
    private final PendingWrites writes;
    private final LargeRequests large;
    private final AuditLog roles;

    CarryOverResource(
            UtcClock clock, Caller caller, Outbox outbox, PendingWrites writes, LargeRequests large, AuditLog roles) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
        this.writes = writes;
        this.large = large;
        this.roles = roles;
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Copy objectives with their key results into another cycle")
    public RestResponse<Data<List<ObjectiveResponse>>> carryOver(
            @PathParam("id") String id, @RequestBodySchema(CarryOver.class) JsonBody body) {
        var from = Cycle.requireId(id);
        var reader = body.reader();
        roles.requireUnchangedAuthor();
        var request = CarryOver.read(reader, from, ids -> CarriedObjectives.ofCycle(from, ids));
        var carried = CarriedObjectives.lock(from, request, reader);
        large.requireMemoryForResponse(carried.responseBytes());
        var copies = carried.copy(caller.userId(), clock.now(), outbox, writes);
        return ResponseBuilder.create(Status.CREATED, new Data<>(copies))
                .header(HttpHeaders.LOCATION, "/v1/objectives")
                .build();
    }
}
