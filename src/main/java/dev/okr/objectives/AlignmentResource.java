package dev.okr.objectives;

import dev.okr.events.Outbox;
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
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Lists, creates, changes and deletes alignments. */
@Path("/v1/alignments")
@Tag(name = "Alignments")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class AlignmentResource {
    private final UtcClock clock;
    private final Outbox outbox;
    private final EntityTags tags;

    AlignmentResource(UtcClock clock, Outbox outbox, EntityTags tags) {
        this.clock = clock;
        this.outbox = outbox;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "List alignments")
    @Parameter(
            name = "objective_id",
            in = ParameterIn.QUERY,
            description = "Only alignments that have this objective as parent or child.",
            schema = @Schema(implementation = String.class))
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    public RestResponse<Page<AlignmentResponse>> listAlignments(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri, "objective_id", "updated_since");
        return Page.of(query, Alignment.list(query));
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Align two objectives")
    public RestResponse<Data<AlignmentResponse>> createAlignment(
            @RequestBodySchema(CreateAlignment.class) JsonBody body) {
        var request = CreateAlignment.read(body.reader());
        var response = Alignment.create(request, clock.now(), outbox);
        return tags.created("/v1/alignments/" + response.id(), response);
    }

    @PUT
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Change the weight of an alignment")
    public RestResponse<Data<AlignmentResponse>> updateAlignment(
            @PathParam("id") String id, @RequestBodySchema(UpdateAlignment.class) JsonBody body) {
        var alignment = Alignment.requireLocked(id);
        tags.requireMatch(alignment::shown);
        return tags.changed(alignment.update(UpdateAlignment.read(body.reader()), clock.now(), outbox));
    }

    @DELETE
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Delete an alignment")
    public Data<Deleted> deleteAlignment(@PathParam("id") String id) {
        var alignment = Alignment.requireLocked(id);
        tags.requireMatch(alignment::shown);
        alignment.delete(clock.now(), outbox);
        return Deleted.of(id);
    }
}
