package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.Deleted;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Reads, creates, changes and deletes the key results of an objective. */
@Path("/v1/objectives/{id}/key-results")
@Tag(name = "Key Results")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class KeyResultResource {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;
    private final EntityTags tags;

    KeyResultResource(UtcClock clock, Caller caller, Outbox outbox, EntityTags tags) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "List the key results of an objective")
    @Parameter(name = "external_id", in = ParameterIn.QUERY)
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    @Parameter(name = "sort", in = ParameterIn.QUERY)
    public RestResponse<Page<KeyResultResponse>> listKeyResults(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri, "external_id", "updated_since", "sort");
        var keyResults = KeyResult.list(query, Objective.requireId(id));
        return Page.of(query, keyResults);
    }

    @GET
    @Path("/{krId}")
    @Operation(summary = "Read a key result with its check-ins")
    public RestResponse<Data<KeyResultDetail>> getKeyResult(
            @PathParam("id") String id, @PathParam("krId") String krId) {
        return tags.read(KeyResultDetail.require(id, krId));
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Create a key result")
    public RestResponse<Data<KeyResultResponse>> createKeyResult(
            @PathParam("id") String id, @RequestBodySchema(CreateKeyResult.class) JsonBody body) {
        var objective = LockedObjective.require(id);
        var request = CreateKeyResult.read(body.reader());
        var response = KeyResult.create(objective, request, caller.userId(), clock.now(), outbox);
        var location = "/v1/objectives/%s/key-results/%s".formatted(id, response.id());
        return tags.created(location, response, new KeyResultDetail(response, List.of()));
    }

    @PUT
    @Path("/{krId}")
    @RetriedTransaction
    @Operation(summary = "Change a key result")
    public RestResponse<Data<KeyResultResponse>> updateKeyResult(
            @PathParam("id") String id,
            @PathParam("krId") String krId,
            @RequestBodySchema(UpdateKeyResult.class) JsonBody body) {
        var keyResult = KeyResult.requireLocked(id, krId);
        keyResult.requireMayChange(body.members(), caller.userId());
        tags.requireMatch(() -> KeyResultDetail.require(id, krId));
        var response = keyResult.update(UpdateKeyResult.read(body.reader(), keyResult.shown()), clock.now(), outbox);
        return tags.changed(response, KeyResultDetail.require(id, krId));
    }

    @DELETE
    @Path("/{krId}")
    @RetriedTransaction
    @Operation(summary = "Delete a key result with its check-ins")
    public Data<Deleted> deleteKeyResult(@PathParam("id") String id, @PathParam("krId") String krId) {
        var keyResult = KeyResult.requireLocked(id, krId);
        Objective.requireManagedBy(caller.userId(), keyResult.objective().shown(), "delete this");
        tags.requireMatch(() -> KeyResultDetail.require(id, krId));
        keyResult.delete(clock.now(), outbox);
        return Deleted.of(krId);
    }
}
