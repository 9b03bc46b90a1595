package dev.okr.console.week;

import dev.okr.console.ConsolePath;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.objectives.overview.DueKeyResult;
import dev.okr.objectives.overview.OwnObjective;
import dev.okr.platform.http.Caller;
import dev.okr.platform.time.UtcClock;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The start page. It has a form for each key result that is due for a check-in. The script of the console sends the
 * form and replaces its row with the response. Without the script, the response is the whole page.
 */
@Path(ConsolePath.START_PAGE)
@RunOnVirtualThread
public class WeekResource {
    private static final String SECTION = "week";

    private final ConsoleSession session;
    private final CheckInForms checkIns;
    private final Caller caller;
    private final Pages pages;
    private final UtcClock clock;

    WeekResource(ConsoleSession session, CheckInForms checkIns, Caller caller, Pages pages, UtcClock clock) {
        this.session = session;
        this.checkIns = checkIns;
        this.caller = caller;
        this.pages = pages;
        this.clock = clock;
    }

    @GET
    public Response week() {
        var rows = due();
        if (!rows.isEmpty()) {
            rows.set(0, rows.getFirst().withFocus());
        }
        return pages.ok(page(rows));
    }

    /**
     * Checks in on a key result.
     *
     * @param row whether the script asks for the row only
     */
    @POST
    @Path("/{id}")
    public Response checkIn(
            @PathParam("id") String keyResultId, @HeaderParam(Pages.PART) @Nullable String row, Form form) {
        session.requireWriter();
        boolean part = row != null;
        return checkIns.save(keyResultId, action(keyResultId), form)
                .map(rejected -> respond(
                        rejected.status(), new CheckInRow(rejected.keyResult(), rejected.form(), clock.now()), part))
                .orElseGet(() -> saved(keyResultId, part));
    }

    static String action(String keyResultId) {
        return ConsolePath.START_PAGE + '/' + keyResultId;
    }

    private Response saved(String keyResultId, boolean part) {
        if (!part) {
            return pages.redirect(ConsolePath.START_PAGE, Flash.CHECK_IN_SAVED);
        }
        return pages.part(200, row(new CheckInRow(CheckInForms.require(keyResultId), null, clock.now())));
    }

    /** The row, or the page with the row and the other key results that are due. */
    private Response respond(int status, CheckInRow row, boolean part) {
        if (part) {
            return pages.part(status, row(row));
        }
        var rows = due();
        rows.removeIf(other -> other.id().equals(row.id()));
        rows.addFirst(row);
        return pages.show(status, page(rows));
    }

    private List<CheckInRow> due() {
        var now = clock.now();
        var rows = new ArrayList<CheckInRow>();
        for (var keyResult : DueKeyResult.list(caller.userId(), now)) {
            rows.add(CheckInRow.of(keyResult, now));
        }
        return rows;
    }

    private TemplateInstance page(List<CheckInRow> rows) {
        var now = clock.now();
        var objectives = OwnObjective.list(caller.userId()).stream()
                .map(objective -> OwnObjectiveRow.of(objective, now))
                .toList();
        return Templates.week(pages.shell(SECTION), WeekPage.of(rows, objectives));
    }

    private TemplateInstance row(CheckInRow row) {
        return Templates.weekRow(pages.shell(SECTION), row);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance week(Shell shell, WeekPage page);

        static native TemplateInstance weekRow(Shell shell, CheckInRow row);
    }
}
