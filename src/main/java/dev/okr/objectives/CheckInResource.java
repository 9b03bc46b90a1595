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
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Lists, creates and changes the check-ins of a key result. They cannot be deleted alone. */
@Path("/v1/key-results/{id}/check-ins")
@Tag(name = "Check-ins")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class CheckInResource {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;
    private final EntityTags tags;

    CheckInResource(UtcClock clock, Caller caller, Outbox outbox, EntityTags tags) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "List the check-ins of a key result")
    @Parameter(name = "external_id", in = ParameterIn.QUERY)
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    public RestResponse<Page<CheckInResponse>> listCheckIns(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.lastRecordedFirst(uri, "external_id", "updated_since");
        return Page.of(query, CheckIn.list(query, KeyResult.requireId(id)));
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Check in on a key result")
    public RestResponse<Data<CheckInResponse>> createCheckIn(
            @PathParam("id") String id, @RequestBodySchema(CreateCheckIn.class) JsonBody body) {
        var keyResult = KeyResult.requireLocked(id);
        var now = clock.now();
        var request = CreateCheckIn.read(body.reader(), keyResult.shown(), now);
        var response = CheckIn.create(keyResult, request, caller.userId(), now, outbox);
        return tags.created("/v1/key-results/%s/check-ins/%s".formatted(id, response.id()), response);
    }

    @PUT
    @Path("/{checkInId}")
    @RetriedTransaction
    @Operation(summary = "Change a check-in")
    public RestResponse<Data<CheckInResponse>> updateCheckIn(
            @PathParam("id") String id,
            @PathParam("checkInId") String checkInId,
            @RequestBodySchema(UpdateCheckIn.class) JsonBody body) {
        var keyResult = KeyResult.requireLocked(id);
        var checkIn = CheckIn.require(keyResult, checkInId);
        checkIn.requireEditableBy(caller);
        tags.requireMatch(checkIn::shown);
        var now = clock.now();
        var request = UpdateCheckIn.read(body.reader(), keyResult.shown().metricType(), now);
        return tags.changed(checkIn.update(request, now, outbox));
    }

    @DELETE
    @Path("/{checkInId}")
    @RetriedTransaction
    @Operation(summary = "Delete a check-in")
    public Data<Deleted> deleteCheckIn(@PathParam("id") String id, @PathParam("checkInId") String checkInId) {
        var keyResult = KeyResult.requireLocked(id);
        var checkIn = CheckIn.require(keyResult, checkInId);
        checkIn.requireEditableBy(caller);
        tags.requireMatch(checkIn::shown);
        checkIn.delete(clock.now(), outbox);
        return Deleted.of(checkInId);
    }
}
