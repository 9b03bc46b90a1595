package dev.okr.settings;

import dev.okr.audit.AuditEntry;
import dev.okr.http.ListQuery;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import java.util.UUID;

/** The page about who did what. */
@Path(AuditResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class AuditResource {
    static final String PATH = "/settings/audit";

    private final Pages pages;

    AuditResource(Pages pages) {
        this.pages = pages;
    }

    @GET
    public Response listEntries(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri);
        var slice = AuditEntry.list(query);
        var names = new Names(people(slice.items()));
        var rows =
                slice.items().stream().map(entry -> AuditRow.of(entry, names)).toList();
        return pages.ok(Templates.audit(pages.shell("audit"), rows, Paging.of(query, slice, PATH)));
    }

    private static List<UUID> people(List<AuditEntry> entries) {
        return entries.stream().flatMap(AuditRow::people).toList();
    }
}
