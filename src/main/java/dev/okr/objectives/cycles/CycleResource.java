package dev.okr.objectives.cycles;

import dev.okr.events.Outbox;
import dev.okr.organizations.audit.AuditLog;
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
import org.eclipse.microprofile.openapi.annotations.enums.Explode;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Reads, creates, changes and deletes cycles. */
@Path("/v1/cycles")
@Tag(name = "Cycles")
@Requires(toRead = Right.READ, toWrite = Right.ADMINISTER)
@RunOnVirtualThread
public class CycleResource {
    private final UtcClock clock;
    private final Outbox outbox;
    private final EntityTags tags;
    private final AuditLog roles;

    CycleResource(UtcClock clock, Outbox outbox, EntityTags tags, AuditLog roles) {
        this.clock = clock;
        this.outbox = outbox;
        this.tags = tags;
        this.roles = roles;
    }

    @GET
    @Operation(summary = "List cycles")
    @Parameter(
            name = "status",
            in = ParameterIn.QUERY,
            description = "Only cycles with one of these statuses, separated by commas.",
            explode = Explode.FALSE,
            schema = @Schema(type = SchemaType.ARRAY, implementation = CycleStatus.class))
    @Parameter(name = "name", in = ParameterIn.QUERY)
    @Parameter(name = "external_id", in = ParameterIn.QUERY)
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    public RestResponse<Page<CycleResponse>> listCycles(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri, "status", "name", "external_id", "updated_since");
        return Page.of(query, Cycle.list(query));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read a cycle")
    public RestResponse<Data<CycleResponse>> getCycle(@PathParam("id") String id) {
        return tags.read(Cycle.require(id));
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Create a cycle")
    public RestResponse<Data<CycleResponse>> createCycle(@RequestBodySchema(CreateCycle.class) JsonBody body) {
        roles.requireUnchangedAuthor();
        var response = Cycle.create(CreateCycle.read(body.reader()), clock.now(), outbox);
        return tags.created("/v1/cycles/" + response.id(), response);
    }

    @PUT
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Change a cycle")
    public RestResponse<Data<CycleResponse>> updateCycle(
            @PathParam("id") String id, @RequestBodySchema(UpdateCycle.class) JsonBody body) {
        roles.requireUnchangedAuthor();
        var cycle = Cycle.requireLocked(id);
        var before = Cycle.require(id);
        tags.requireMatch(() -> before);
        var request = UpdateCycle.read(body.reader(), before);
        return tags.changed(cycle.update(request, before, clock.now(), outbox));
    }

    @DELETE
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Delete a cycle")
    public Data<Deleted> deleteCycle(@PathParam("id") String id) {
        roles.requireUnchangedAuthor();
        var cycle = Cycle.requireLocked(id);
        var before = Cycle.require(id);
        tags.requireMatch(() -> before);
        cycle.delete(before, outbox);
        return Deleted.of(id);
    }
}
