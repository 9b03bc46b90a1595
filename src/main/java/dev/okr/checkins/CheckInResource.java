package dev.okr.checkins;

import dev.okr.auth.Caller;
import dev.okr.http.Data;
import dev.okr.http.JsonBody;
import dev.okr.http.ListQuery;
import dev.okr.http.Page;
import dev.okr.keyresults.KeyResult;
import dev.okr.time.UtcClock;
import dev.okr.transactions.Atomic;
import io.smallrye.common.annotation.RunOnVirtualThread;
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

/** Check-ins (specification, section 4.3). */
@Path("/v1/key-results/{id}/check-ins")
@Tag(name = "Check-ins")
@RunOnVirtualThread
public class CheckInResource {
    private final UtcClock clock;
    private final Caller caller;

    CheckInResource(UtcClock clock, Caller caller) {
        this.clock = clock;
        this.caller = caller;
    }

    @GET
    @Operation(summary = "List the check-ins of a key result")
    public RestResponse<Page<CheckInResponse>> listCheckIns(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri);
        return Page.of(query, CheckIn.list(query, KeyResult.requireId(id)), CheckInResponse::of);
    }

    @POST
    @Atomic
    @Operation(summary = "Check in on a key result")
    public RestResponse<Data<CheckInResponse>> createCheckIn(
            @PathParam("id") String id, @RequestBodySchema(CreateCheckIn.class) JsonBody body) {
        var locked = KeyResult.requireLocked(id);
        var request = CreateCheckIn.read(body, locked.keyResult());
        var response = CheckInResponse.of(CheckIn.create(locked, request, caller.userId(), clock.now()));
        return Data.created("/v1/key-results/%s/check-ins/%s".formatted(id, response.id()), response);
    }

    @PUT
    @Path("/{checkInId}")
    @Atomic
    @Operation(summary = "Change a check-in")
    public Data<CheckInResponse> updateCheckIn(
            @PathParam("id") String id,
            @PathParam("checkInId") String checkInId,
            @RequestBodySchema(UpdateCheckIn.class) JsonBody body) {
        var locked = KeyResult.requireLocked(id);
        var checkIn = CheckIn.require(locked.keyResult().id(), checkInId);
        checkIn.requireEditableBy(caller);
        checkIn.update(locked, UpdateCheckIn.read(body, locked.keyResult()), clock.now());
        return new Data<>(CheckInResponse.of(checkIn));
    }
}
