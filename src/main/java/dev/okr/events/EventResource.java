package dev.okr.events;

import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Lists events, so that subscribers can find those that they missed. */
@Path("/v1/events")
@Tag(name = "Events")
@Requires(toRead = Right.MANAGE_WEBHOOKS, toWrite = Right.MANAGE_WEBHOOKS)
@RunOnVirtualThread
public class EventResource {
    private static final String TYPE = "type";
    private static final String RESOURCE_ID = "resource_id";
    private static final String SINCE = "since";

    /** The filter value for text that is not an id. No event has it. */
    private static final String NO_RESOURCE = "";

    @GET
    @Operation(summary = "List events")
    @Parameter(
            name = TYPE,
            in = ParameterIn.QUERY,
            description = "Only events of this type.",
            schema = @Schema(implementation = EventType.class))
    @Parameter(
            name = RESOURCE_ID,
            in = ParameterIn.QUERY,
            description = "Only events of the resource with this id. It can be of any kind.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = SINCE,
            in = ParameterIn.QUERY,
            description = "Only events at or after this time.",
            schema = @Schema(type = SchemaType.STRING, format = "date-time"))
    public RestResponse<Page<EventResponse>> listEvents(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri, TYPE, RESOURCE_ID, SINCE);
        var events = Event.list(
                query,
                query.value(TYPE, EventType::parse, "a type of event"),
                query.value(RESOURCE_ID, id -> Optional.of(IdKind.isId(id) ? id : NO_RESOURCE), "an id"),
                query.value(SINCE, Timestamps::parse, "an RFC 3339 timestamp with an offset"));
        return Page.of(query, events, EventResponse::of);
    }
}
