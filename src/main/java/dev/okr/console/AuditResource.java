package dev.okr.console;

import dev.okr.organizations.audit.AuditEntry;
import dev.okr.platform.errors.Failure;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The page about who did what. */
@Path(AuditResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class AuditResource {
    static final String PATH = "/settings/audit";

    private static final int ENTRIES_PER_PAGE = 25;

    private final Pages pages;

    AuditResource(Pages pages) {
        this.pages = pages;
    }

    /** @param before the last entry of the page before, if there is one */
    @GET
    public Response listEntries(@QueryParam("before") @Nullable String before) {
        // One more than is shown tells whether there are older ones.
        var found = AuditEntry.newest(before == null ? null : place(before), ENTRIES_PER_PAGE + 1);
        var shown = found.subList(0, Math.min(found.size(), ENTRIES_PER_PAGE));
        var names = new Names(people(shown));
        var rows = shown.stream().map(entry -> AuditRow.of(entry, names)).toList();
        var older = shown.size() == found.size()
                ? null
                : PATH + "?before=" + shown.getLast().id();
        return pages.ok(Templates.audit(pages.shell("audit"), rows, older));
    }

    private static UUID place(String before) {
        try {
            return UUID.fromString(before);
        } catch (IllegalArgumentException noUuid) {
            throw Failure.malformed("There is no such place in the audit log.");
        }
    }

    private static List<UUID> people(List<AuditEntry> entries) {
        return entries.stream().flatMap(AuditRow::people).toList();
    }
}
