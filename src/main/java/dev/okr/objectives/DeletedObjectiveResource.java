package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.time.UtcClock;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Lists and restores deleted objectives. */
@Path("/v1/deleted-objectives")
@Tag(name = "Objectives")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class DeletedObjectiveResource {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;
    private final EntityTags tags;

    DeletedObjectiveResource(UtcClock clock, Caller caller, Outbox outbox, EntityTags tags) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "List deleted objectives")
    public RestResponse<Page<DeletedObjectiveResponse>> listDeletedObjectives(@Context UriInfo uri) {
        var query = ListQuery.lastDeletedFirst(uri);
        return Page.of(query, DeletedObjective.list(query));
    }

    @POST
    @Path("/{id}/restore")
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Restore an objective with its key results, check-ins and alignments")
    public RestResponse<Data<ObjectiveResponse>> restoreObjective(@PathParam("id") String id) {
        var deleted = DeletedObjective.requireLocked(id);
        Objective.requireManagedBy(caller.userId(), deleted.shown(), "restore this");
        var restored = deleted.restore(clock.now(), outbox);
        return tags.created("/v1/objectives/" + id, restored.objective(), restored);
    }
}
