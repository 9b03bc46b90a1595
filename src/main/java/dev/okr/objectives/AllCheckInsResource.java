package dev.okr.objectives;

import dev.okr.access.limits.LargeRequests;
import dev.okr.events.Outbox;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.JsonBody;
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
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.ResponseBuilder;
import org.jboss.resteasy.reactive.RestResponse.Status;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Check-ins of all key results. */
@Path("/v1/check-ins")
@Tag(name = "Check-ins")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class AllCheckInsResource {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;
    private final LargeRequests large;

    AllCheckInsResource(UtcClock clock, Caller caller, Outbox outbox, LargeRequests large) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
        this.large = large;
    }

    @GET
    @Operation(summary = "List the check-ins of all key results")
    @Parameter(
            name = "key_result_id",
            in = ParameterIn.QUERY,
            description = "Only check-ins of this key result.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "objective_id",
            in = ParameterIn.QUERY,
            description = "Only check-ins of key results of this objective.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "cycle_id",
            in = ParameterIn.QUERY,
            description = "Only check-ins of key results in this cycle.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "author_id",
            in = ParameterIn.QUERY,
            description = "Only check-ins of this author.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "recorded_since",
            in = ParameterIn.QUERY,
            description = "Only check-ins that were recorded at or after this time.",
            schema = @Schema(type = SchemaType.STRING, format = "date-time"))
    @Parameter(
            name = "recorded_before",
            in = ParameterIn.QUERY,
            description = "Only check-ins that were recorded before this time.",
            schema = @Schema(type = SchemaType.STRING, format = "date-time"))
    @Parameter(name = "external_id", in = ParameterIn.QUERY)
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    public RestResponse<Page<CheckInResponse>> listAllCheckIns(@Context UriInfo uri) {
        var query = ListQuery.lastRecordedFirst(
                uri,
                "key_result_id",
                "objective_id",
                "cycle_id",
                "author_id",
                "recorded_since",
                "recorded_before",
                "external_id",
                "updated_since");
        return Page.of(query, CheckIn.list(query, null));
    }

    @POST
    @Path("/batch")
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Check in on several key results, all or none")
    public RestResponse<Data<List<CheckInResponse>>> checkInBatch(
            @RequestBodySchema(CreateCheckInBatch.class) JsonBody body) {
        var reader = body.reader();
        var batch = CheckInBatch.read(reader, clock.now(), large);
        var created = batch.create(reader, caller.userId(), clock.now(), outbox);
        return ResponseBuilder.create(Status.CREATED, new Data<>(created))
                .header(HttpHeaders.LOCATION, "/v1/check-ins")
                .build();
    }
}
