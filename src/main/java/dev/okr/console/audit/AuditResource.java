package dev.okr.console.audit;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Names;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.organizations.audit.AuditEntry;
import dev.okr.platform.errors.Failure;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The page for the audit log. */
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

    /** @param before the last entry of the previous page, if any */
    @GET
    public Response listEntries(@QueryParam("before") @Nullable String before) {
        // One extra entry tells whether there is another page.
        var found = AuditEntry.newest(before == null ? null : position(before), ENTRIES_PER_PAGE + 1);
        var shown = found.subList(0, Math.min(found.size(), ENTRIES_PER_PAGE));
        var names = new Names(userIds(shown));
        var rows = shown.stream().map(entry -> AuditRow.of(entry, names)).toList();
        var older = shown.size() == found.size()
                ? null
                : PATH + "?before=" + shown.getLast().id();
        return pages.ok(Templates.audit(pages.shell("audit"), rows, older));
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

        static native TemplateInstance audit(Shell shell, List<AuditRow> entries, @Nullable String older);
    }
}
