package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.CycleResponse;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.time.UtcClock;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Closes and reopens cycles. */
@Path("/v1/cycles")
@Tag(name = "Cycles")
@Requires(toRead = Right.READ, toWrite = Right.ADMINISTER)
@RunOnVirtualThread
public class CycleClosingResource {
    private final UtcClock clock;
    private final Outbox outbox;
    private final EntityTags tags;
    private final AuditLog roles;

    CycleClosingResource(UtcClock clock, Outbox outbox, EntityTags tags, AuditLog roles) {
        this.clock = clock;
        this.outbox = outbox;
        this.tags = tags;
        this.roles = roles;
    }

    @POST
    @Path("{id}/close")
    @Idempotent
    @Operation(summary = "Close a completed cycle")
    public RestResponse<Data<CycleResponse>> closeCycle(@PathParam("id") String id) {
        roles.requireUnchangedAuthor();
        return tags.changed(CycleClosing.close(id, clock.now(), outbox));
    }

    @POST
    @Path("{id}/reopen")
    @Idempotent
    @Operation(summary = "Reopen a closed cycle")
    public RestResponse<Data<CycleResponse>> reopenCycle(@PathParam("id") String id) {
        roles.requireUnchangedAuthor();
        return tags.changed(CycleClosing.reopen(id, clock.now(), outbox));
    }
}
