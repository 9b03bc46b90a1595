package dev.okr.console.audit;

import dev.okr.console.AdminsOnly;
import dev.okr.console.CsvExport;
import dev.okr.console.Names;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.organizations.audit.AuditEntry;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.time.UtcClock;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The page for the audit log, and its export. */
@Path(AuditResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class AuditResource {
    static final String PATH = "/settings/audit";

    private static final String CSV = "/csv";
    private static final int ENTRIES_PER_PAGE = 25;

    private final CsvExport export;
    private final Pages pages;
    private final UtcClock clock;

    AuditResource(CsvExport export, Pages pages, UtcClock clock) {
        this.export = export;
        this.pages = pages;
        this.clock = clock;
    }

    /** @param before the last entry of the previous page, if any */
    @GET
    public Response listEntries(@Context UriInfo uri, @QueryParam(AuditQuery.BEFORE) @Nullable String before) {
        var query = AuditQuery.of(uri);
        // One extra entry tells whether there is another page.
        var found = AuditEntry.newest(query.filter(), before == null ? null : position(before), ENTRIES_PER_PAGE + 1);
        var shown = found.subList(0, Math.min(found.size(), ENTRIES_PER_PAGE));
        var names = new Names(userIds(shown));
        var rows = shown.stream().map(entry -> AuditRow.of(entry, names)).toList();
        var older = shown.size() == found.size()
                ? null
                : query.address(PATH, shown.getLast().id());
        return pages.ok(Templates.audit(pages.shell("audit"), query, query.address(PATH + CSV, null), rows, older));
    }

    /** The entries that match the same filters, as a file. */
    @GET
    @Path(CSV)
    public Response export(@Context UriInfo uri) {
        var filter = AuditQuery.of(uri).filter();
        return export.<AuditEntry>start(
                "audit-log-%s.csv".formatted(LocalDate.ofInstant(clock.now(), ZoneOffset.UTC)),
                AuditRow.CSV_HEADER,
                (last, limit) -> AuditEntry.newest(filter, last == null ? null : last.id(), limit),
                AuditResource::lines);
    }

    private static List<List<String>> lines(List<AuditEntry> entries) {
        var names = new Names(userIds(entries));
        return entries.stream().map(entry -> AuditRow.of(entry, names).csv()).toList();
    }

    private static UUID position(String before) {
        try {
            return UUID.fromString(before);
        } catch (IllegalArgumentException notAUuid) {
            throw Failure.malformed("This position in the audit log does not exist.");
        }
    }

    private static List<UUID> userIds(List<AuditEntry> entries) {
        return entries.stream().flatMap(AuditRow::userIds).toList();
    }

    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance audit(
                Shell shell, AuditQuery query, String export, List<AuditRow> entries, @Nullable String older);
    }
}
