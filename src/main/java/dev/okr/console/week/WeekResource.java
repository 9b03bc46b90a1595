package dev.okr.console.week;

import dev.okr.console.ConsolePath;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Names;
import dev.okr.console.Numbers;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.objectives.CheckInWriter;
import dev.okr.objectives.overview.DueKeyResult;
import dev.okr.objectives.overview.OwnObjective;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Caller;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
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
import java.time.Instant;
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
    private static final String ID = "id";
    private static final String SEEN = "seen";
    private static final String VALUE = "value";
    private static final String NOTE = "note";
    private static final String CONFIDENCE = "confidence";

    private final ConsoleSession session;
    private final CheckInWriter checkIns;
    private final Caller caller;
    private final Pages pages;
    private final UtcClock clock;

    WeekResource(ConsoleSession session, CheckInWriter checkIns, Caller caller, Pages pages, UtcClock clock) {
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
        try {
            var id = form.createdId(IdKind.CHECK_IN);
            var fields =
                    FormFields.of(form).number(VALUE, CONFIDENCE).text(NOTE).read();
            if (checkIns.create(id, keyResultId, form.value(SEEN), new BodyReader(fields))) {
                return saved(keyResultId, form, part);
            }
            return respond(409, conflict(require(keyResultId), form), part);
        } catch (Failure failure) {
            var keyResult = require(keyResultId);
            addErrors(form, failure);
            return respond(failure.code().status(), CheckInRow.of(keyResult, form, clock.now()), part);
        }
    }

    private Response saved(String keyResultId, Form form, boolean part) {
        if (!part) {
            return pages.redirect(ConsolePath.START_PAGE, Flash.CHECK_IN_SAVED);
        }
        return pages.part(
                200, row(CheckInRow.of(require(keyResultId), form, clock.now()).afterSaving()));
    }

    /** The row, or the page with the row and the other key results that are due. */
    private Response respond(int status, CheckInRow row, boolean part) {
        if (part) {
            return pages.part(status, row(row));
        }
        var rows = due();
        rows.removeIf(other -> other.id().equals(row.id()));
        rows.addFirst(row.withFocus());
        return pages.show(status, page(rows));
    }

    /** The form with both values. It contains the new version, so the user can save it now. */
    private CheckInRow conflict(DueKeyResult keyResult, Form form) {
        var last = keyResult.last();
        var row = CheckInRow.of(keyResult, form.with(SEEN, keyResult.version()), clock.now());
        var yours = Numbers.parse(form.value(VALUE)).map(row::value).orElse("");
        if (last != null && last.value().compareTo(keyResult.current()) == 0) {
            var author = last.authorId().equals(caller.userId())
                    ? "You"
                    : new Names(List.of(last.authorId())).of(last.authorId());
            return row.with(new CheckInRow.Conflict(author, row.current(), last.note(), yours));
        }
        return row.with(new CheckInRow.Conflict(null, row.current(), null, yours));
    }

    private List<CheckInRow> due() {
        var now = clock.now();
        var rows = new ArrayList<CheckInRow>();
        for (var keyResult : DueKeyResult.list(caller.userId(), now)) {
            rows.add(CheckInRow.of(keyResult, form(keyResult, now), now));
        }
        return rows;
    }

    /** The form contains the id of the check-in, so that submitting it twice creates one check-in. */
    private static Form form(DueKeyResult keyResult, Instant now) {
        return Form.empty().with(ID, IdKind.CHECK_IN.format(UuidV7.at(now))).with(SEEN, keyResult.version());
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

    private static DueKeyResult require(String keyResultId) {
        return DueKeyResult.find(keyResultId).orElseThrow(() -> Failure.notFound("key result"));
    }

    /** Adds the errors of fields. A row shows an error of the whole form at the value. */
    private static void addErrors(Form form, Failure failure) {
        FormFields.addErrors(form, failure);
        var whole = form.error(FormFields.WHOLE);
        if (whole != null) {
            form.addError(VALUE, whole);
        }
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance week(Shell shell, WeekPage page);

        static native TemplateInstance weekRow(Shell shell, CheckInRow row);
    }
}
