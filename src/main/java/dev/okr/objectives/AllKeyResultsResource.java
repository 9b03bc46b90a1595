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
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Key results by their own ids, without the objective in the path. */
@Path("/v1/key-results")
@Tag(name = "Key Results")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class AllKeyResultsResource {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;
    private final EntityTags tags;

    AllKeyResultsResource(UtcClock clock, Caller caller, Outbox outbox, EntityTags tags) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "List the key results of all objectives")
    @Parameter(
            name = "objective_id",
            in = ParameterIn.QUERY,
            description = "Only key results of this objective.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "cycle_id",
            in = ParameterIn.QUERY,
            description = "Only key results of objectives of this cycle.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "team_id",
            in = ParameterIn.QUERY,
            description = "Only key results of objectives of this team.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "owner_id",
            in = ParameterIn.QUERY,
            description = "Only key results of this owner.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "metric_type",
            in = ParameterIn.QUERY,
            description = "Only key results that measure this.",
            schema = @Schema(implementation = MetricType.class))
    @Parameter(
            name = "stale_since",
            in = ParameterIn.QUERY,
            description = "Only key results without a check-in that was recorded at or after this time.",
            schema = @Schema(type = SchemaType.STRING, format = "date-time"))
    @Parameter(
            name = "q",
            in = ParameterIn.QUERY,
            description = "Only key results with these words in the title, in any order."
                    + " Each word matches the beginning of a word. Case and accents are ignored."
                    + " 1 to 8 words of at most 64 characters.",
            schema = @Schema(implementation = String.class))
    @Parameter(name = "external_id", in = ParameterIn.QUERY)
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    @Parameter(name = "sort", in = ParameterIn.QUERY)
    public RestResponse<Page<KeyResultResponse>> listAllKeyResults(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(
                uri,
                "objective_id",
                "cycle_id",
                "team_id",
                "owner_id",
                "metric_type",
                "stale_since",
                "q",
                "external_id",
                "updated_since",
                "sort");
        return Page.of(query, KeyResult.list(query, null));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read a key result with its check-ins, by its own id")
    public RestResponse<Data<KeyResultDetail>> getKeyResultById(@PathParam("id") String id) {
        return tags.read(KeyResultDetail.require(id));
    }

    @PUT
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Change a key result, by its own id")
    public RestResponse<Data<KeyResultResponse>> updateKeyResultById(
            @PathParam("id") String id, @RequestBodySchema(UpdateKeyResult.class) JsonBody body) {
        var keyResult = KeyResult.requireLocked(id);
        keyResult.requireMayChange(body.members(), caller.userId());
        tags.requireMatch(() -> KeyResultDetail.require(id));
        var response = keyResult.update(UpdateKeyResult.read(body.reader(), keyResult.shown()), clock.now(), outbox);
        return tags.changed(response, KeyResultDetail.require(id));
    }

    @DELETE
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Delete a key result with its check-ins, by its own id")
    public Data<Deleted> deleteKeyResultById(@PathParam("id") String id) {
        var keyResult = KeyResult.requireLocked(id);
        Objective.requireManagedBy(caller.userId(), keyResult.objective().shown(), "delete this");
        tags.requireMatch(() -> KeyResultDetail.require(id));
        keyResult.delete(clock.now(), outbox);
        return Deleted.of(id);
    }
}
