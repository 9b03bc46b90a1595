package dev.okr.objectives;

import dev.okr.access.limits.LargeRequests;
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
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.Explode;
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

/** Reads, creates, changes and deletes objectives. */
@Path("/v1/objectives")
@Tag(name = "Objectives")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class ObjectiveResource {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;
    private final EntityTags tags;
    private final LargeRequests large;

    ObjectiveResource(UtcClock clock, Caller caller, Outbox outbox, EntityTags tags, LargeRequests large) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
        this.tags = tags;
        this.large = large;
    }

    @GET
    @Operation(summary = "List objectives")
    @Parameter(
            name = "cycle_id",
            in = ParameterIn.QUERY,
            description = "Only objectives of this cycle.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "team_id",
            in = ParameterIn.QUERY,
            description = "Only objectives of this team.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "owner_id",
            in = ParameterIn.QUERY,
            description = "Only objectives of this owner.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "status",
            in = ParameterIn.QUERY,
            description = "Only objectives with one of these statuses, separated by commas.",
            explode = Explode.FALSE,
            schema = @Schema(type = SchemaType.ARRAY, implementation = ObjectiveStatus.class))
    @Parameter(
            name = "q",
            in = ParameterIn.QUERY,
            description = "Only objectives with these words in the title or the description, in any order."
                    + " Each word matches the beginning of a word. Case and accents are ignored."
                    + " 1 to 8 words of at most 64 characters.",
            schema = @Schema(implementation = String.class))
    @Parameter(name = "external_id", in = ParameterIn.QUERY)
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    @Parameter(name = "sort", in = ParameterIn.QUERY)
    @Parameter(name = "include", in = ParameterIn.QUERY)
    public RestResponse<Page<ObjectiveListItem>> listObjectives(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(
                uri,
                "cycle_id",
                "team_id",
                "owner_id",
                "status",
                "q",
                "external_id",
                "updated_since",
                "sort",
                "include");
        return Page.of(query, Objective.list(query, null, large));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read an objective with its key results")
    public RestResponse<Data<ObjectiveDetail>> getObjective(@PathParam("id") String id) {
        return tags.read(ObjectiveDetail.require(id));
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Create an objective")
    public RestResponse<Data<ObjectiveResponse>> createObjective(
            @RequestBodySchema(CreateObjective.class) JsonBody body) {
        var request = CreateObjective.read(body.reader());
        var response = Objective.create(request, caller.userId(), clock.now(), outbox);
        return tags.created("/v1/objectives/" + response.id(), response, new ObjectiveDetail(response, List.of()));
    }

    @POST
    @Path("/batch")
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Create several objectives with key results, all or none")
    public RestResponse<Data<List<ObjectiveListItem>>> objectiveBatch(
            @RequestBodySchema(CreateObjectiveBatch.class) JsonBody body) {
        var batch = ObjectiveBatch.read(body.reader(), clock.now());
        var created = batch.create(caller.userId(), clock.now(), outbox);
        return ResponseBuilder.create(Status.CREATED, new Data<>(created))
                .header(HttpHeaders.LOCATION, "/v1/objectives")
                .build();
    }

    @PUT
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Change an objective")
    public RestResponse<Data<ObjectiveResponse>> updateObjective(
            @PathParam("id") String id, @RequestBodySchema(UpdateObjective.class) JsonBody body) {
        var objective = Objective.requireLocked(id);
        objective.requireMayChange(body.members(), caller.userId());
        tags.requireMatch(() -> ObjectiveDetail.require(id));
        var request = UpdateObjective.read(body.reader(), objective.ownerId);
        var changed = objective.update(request, clock.now(), outbox);
        return tags.changed(changed.objective(), changed);
    }

    @DELETE
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Delete an objective with its key results, check-ins and alignments")
    public Data<Deleted> deleteObjective(@PathParam("id") String id) {
        var objective = Objective.requireLocked(id);
        Objective.requireManagedBy(caller.userId(), objective.shown(), "delete this");
        tags.requireMatch(() -> ObjectiveDetail.require(id));
        objective.delete(caller.userId(), clock.now(), outbox);
        return Deleted.of(id);
    }
}
