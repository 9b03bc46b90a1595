package dev.okr.keyresults;

import dev.okr.auth.Caller;
import dev.okr.http.Data;
import dev.okr.http.Deleted;
import dev.okr.http.JsonBody;
import dev.okr.http.ListQuery;
import dev.okr.http.Page;
import dev.okr.objectives.Objective;
import dev.okr.time.UtcClock;
import dev.okr.transactions.Atomic;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Key results (specification, section 4.2). */
@Path("/v1/objectives/{id}/key-results")
@Tag(name = "Key Results")
@RunOnVirtualThread
public class KeyResultResource {
    private final UtcClock clock;
    private final Caller caller;

    KeyResultResource(UtcClock clock, Caller caller) {
        this.clock = clock;
        this.caller = caller;
    }

    @GET
    @Operation(summary = "List the key results of an objective")
    public RestResponse<Page<KeyResultResponse>> listKeyResults(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri);
        var keyResults = KeyResult.list(query, Objective.requireId(id));
        return Page.of(query, keyResults, KeyResultResponse::of);
    }

    @GET
    @Path("/{krId}")
    @Operation(summary = "Read a key result with its check-ins")
    public Data<KeyResultDetail> getKeyResult(@PathParam("id") String id, @PathParam("krId") String krId) {
        return new Data<>(KeyResultDetail.require(id, krId));
    }

    @POST
    @Atomic
    @Operation(summary = "Create a key result")
    public RestResponse<Data<KeyResultResponse>> createKeyResult(
            @PathParam("id") String id, @RequestBodySchema(CreateKeyResult.class) JsonBody body) {
        var objective = Objective.requireLocked(id);
        var keyResult = KeyResult.create(objective, CreateKeyResult.read(body), caller.userId(), clock.now());
        var response = KeyResultResponse.of(keyResult);
        return Data.created("/v1/objectives/%s/key-results/%s".formatted(id, response.id()), response);
    }

    @PUT
    @Path("/{krId}")
    @Atomic
    @Operation(summary = "Change a key result")
    public Data<KeyResultResponse> updateKeyResult(
            @PathParam("id") String id,
            @PathParam("krId") String krId,
            @RequestBodySchema(UpdateKeyResult.class) JsonBody body) {
        var objective = Objective.requireLocked(id);
        var keyResult = KeyResult.require(objective.id(), krId);
        keyResult.update(objective, UpdateKeyResult.read(body, keyResult), clock.now());
        return new Data<>(KeyResultResponse.of(keyResult));
    }

    @DELETE
    @Path("/{krId}")
    @Atomic
    @Operation(summary = "Delete a key result with its check-ins")
    public Data<Deleted> deleteKeyResult(@PathParam("id") String id, @PathParam("krId") String krId) {
        var objective = Objective.requireLocked(id);
        var keyResult = KeyResult.require(objective.id(), krId);
        objective.requireDeletableBy(caller);
        keyResult.delete(objective, clock.now());
        return Deleted.of(krId);
    }
}
