package dev.okr.cycles;

import dev.okr.http.Data;
import dev.okr.http.JsonBody;
import dev.okr.http.ListQuery;
import dev.okr.http.Page;
import dev.okr.organizations.TenantEntity;
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
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Cycles (specification, section 4.4). */
@Path("/v1/cycles")
@Tag(name = "Cycles")
@RunOnVirtualThread
public class CycleResource {
    private static final String STATUS = "status";

    private final UtcClock clock;

    CycleResource(UtcClock clock) {
        this.clock = clock;
    }

    @GET
    @Operation(summary = "List cycles")
    @Parameter(
            name = STATUS,
            in = ParameterIn.QUERY,
            description = "Only cycles with this status.",
            schema = @Schema(implementation = CycleStatus.class))
    public RestResponse<Page<CycleResponse>> listCycles(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri, STATUS);
        var cycles = Cycle.list(query, query.constant(STATUS, CycleStatus.class));
        var aggregates =
                Aggregates.of(cycles.items().stream().map(TenantEntity::id).toList());
        return Page.of(
                query, cycles, cycle -> CycleResponse.of(cycle, aggregates.getOrDefault(cycle.id(), Aggregates.NONE)));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read a cycle")
    public Data<CycleResponse> getCycle(@PathParam("id") String id) {
        return represent(Cycle.require(id));
    }

    @POST
    @Atomic
    @Operation(summary = "Create a cycle")
    public RestResponse<Data<CycleResponse>> createCycle(@RequestBodySchema(CreateCycle.class) JsonBody body) {
        var cycle = Cycle.create(CreateCycle.read(body), clock.now());
        var response = CycleResponse.of(cycle, Aggregates.NONE);
        return Data.created("/v1/cycles/" + response.id(), response);
    }

    @PUT
    @Path("/{id}")
    @Atomic
    @Operation(summary = "Change a cycle")
    public Data<CycleResponse> updateCycle(
            @PathParam("id") String id, @RequestBodySchema(UpdateCycle.class) JsonBody body) {
        var cycle = Cycle.requireLocked(id);
        cycle.update(UpdateCycle.read(body, cycle), clock.now());
        return represent(cycle);
    }

    private static Data<CycleResponse> represent(Cycle cycle) {
        return new Data<>(CycleResponse.of(cycle, Aggregates.of(cycle.id())));
    }
}
