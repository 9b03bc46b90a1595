package dev.okr.events;

import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.ids.IdKind;
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
    private static final String ORDER = "order";

    /** The filter value for text that is not an id. No event has it. */
    private static final String NO_RESOURCE = "";

    private final EventFeed feed;

    EventResource(EventFeed feed) {
        this.feed = feed;
    }

    /** The order of the list. */
    private enum Order {
        ASC,
        DESC
    }

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
    @Parameter(
            name = ORDER,
            in = ParameterIn.QUERY,
            description = "`asc` lists the oldest event first, to follow all changes. It has no pages, only cursors.",
            schema =
                    @Schema(
                            type = SchemaType.STRING,
                            enumeration = {"asc", "desc"},
                            defaultValue = "desc"))
    public RestResponse<Page<EventResponse>> listEvents(@Context UriInfo uri) {
        boolean oldestFirst = "asc".equals(uri.getQueryParameters().getFirst(ORDER));
        var query = oldestFirst
                ? ListQuery.oldestFirst(uri, TYPE, RESOURCE_ID, SINCE, ORDER)
                : ListQuery.newestFirst(uri, TYPE, RESOURCE_ID, SINCE, ORDER);
        query.constant(ORDER, Order.class);
        var type = query.value(TYPE, EventType::parse, "a type of event");
        var resourceId = query.value(RESOURCE_ID, id -> Optional.of(IdKind.isId(id) ? id : NO_RESOURCE), "an id");
        var since = query.time(SINCE);
        var events =
                oldestFirst ? feed.list(query, type, resourceId, since) : Event.list(query, type, resourceId, since);
        return Page.of(query, events, EventResponse::of);
    }
}
