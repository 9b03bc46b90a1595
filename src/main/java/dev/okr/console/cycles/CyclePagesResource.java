package dev.okr.console.cycles;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.objectives.CycleWriter;
import dev.okr.objectives.ObjectiveWriter;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.objectives.cycles.CycleResponse;
import dev.okr.objectives.overview.CycleObjective;
import dev.okr.objectives.overview.OpenKeyResult;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** Creates, changes, reviews and closes cycles. */
@Path(CyclePagesResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class CyclePagesResource {
    static final String PATH = "/settings/cycles";
    static final String SECTION = "overview";

    private static final String ID = "id";
    private static final String NAME = "name";
    private static final String STARTS_AT = "starts_at";
    private static final String ENDS_AT = "ends_at";
    private static final String SCORE = "score";
    private static final String RETROSPECTIVE = "retrospective";

    private final CycleWriter cycles;
    private final ObjectiveWriter objectives;
    private final Pages pages;
    private final UtcClock clock;

    CyclePagesResource(CycleWriter cycles, ObjectiveWriter objectives, Pages pages, UtcClock clock) {
        this.cycles = cycles;
        this.objectives = objectives;
        this.pages = pages;
        this.clock = clock;
    }

    @GET
    @Path("/new")
    public Response newCycle() {
        var form = Form.empty().with(ID, IdKind.CYCLE.format(UuidV7.at(clock.now())));
        return pages.ok(Templates.cycleNew(pages.shell(SECTION), form));
    }

    @POST
    public Response create(Form form) {
        var id = form.createdId(IdKind.CYCLE);
        try {
            var fields = FormFields.of(form).text(NAME);
            days(form, fields);
            cycles.create(id, fields.read());
            return pages.redirect("/settings/overview?cycle=" + IdKind.CYCLE.format(id), Flash.CYCLE_CREATED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            return pages.show(failure.code().status(), Templates.cycleNew(pages.shell(SECTION), form));
        }
    }

    /** What an admin can do with a cycle, step by step. */
    @GET
    @Path("/{id}")
    public Response cycle(@PathParam("id") String id) {
        return pages.ok(page(id, Form.empty()));
    }

    @GET
    @Path("/{id}/edit")
    public Response editForm(@PathParam("id") String id) {
        var cycle = Cycle.require(id);
        var form = Form.empty();
        FormFields.shown(form, NAME, cycle.name());
        FormFields.shown(form, STARTS_AT, day(cycle.startsAt()));
        FormFields.shown(form, ENDS_AT, lastDay(cycle));
        return pages.ok(Templates.cycleEdit(pages.shell(SECTION), id, form));
    }

    @POST
    @Path("/{id}/edit")
    public Response edit(@PathParam("id") String id, Form form) {
        try {
            cycles.update(id, present -> changes(form, present));
            return pages.redirect(PATH + '/' + id, Flash.CYCLE_CHANGED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            return pages.show(failure.code().status(), Templates.cycleEdit(pages.shell(SECTION), id, form));
        }
    }

    @POST
    @Path("/{id}/scores/{objectiveId}")
    public Response score(@PathParam("id") String id, @PathParam("objectiveId") String objectiveId, Form form) {
        try {
            objectives.update(
                    objectiveId,
                    present -> FormFields.of(form)
                            .changed(SCORE, present.score())
                            .changed(RETROSPECTIVE, present.retrospective())
                            .read());
            return pages.redirect(PATH + '/' + id + "#scores", Flash.SCORE_SAVED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            return pages.show(failure.code().status(), page(id, form.with(ID, objectiveId)));
        }
    }

    @POST
    @Path("/{id}/close")
    public Response close(@PathParam("id") String id, Form form) {
        cycles.close(id);
        return pages.redirect(PATH + '/' + id, Flash.CYCLE_CLOSED);
    }

    @POST
    @Path("/{id}/reopen")
    public Response reopen(@PathParam("id") String id, Form form) {
        cycles.reopen(id);
        return pages.redirect(PATH + '/' + id, Flash.CYCLE_REOPENED);
    }

    /** @param form the review that could not be saved; empty for none */
    private TemplateInstance page(String id, Form form) {
        var cycle = Cycle.require(id);
        var cycleId = IdKind.CYCLE.require(id);
        var page = CyclePage.of(
                cycle,
                OpenKeyResult.some(cycleId, CyclePage.MAX_SHOWN + 1),
                CycleObjective.scores(cycleId, CyclePage.MAX_SHOWN));
        return Templates.cycle(pages.shell(SECTION), page, form);
    }

    /** The days of a form. The last day belongs to the cycle, but {@code ends_at} of the API is exclusive. */
    private static void days(Form form, FormFields fields) {
        start(form, STARTS_AT, fields, 0);
        start(form, ENDS_AT, fields, 1);
    }

    private static void start(Form form, String name, FormFields fields, int daysLater) {
        try {
            var day = LocalDate.parse(form.value(name).strip()).plusDays(daysLater);
            fields.with(name, new JsonValue.Text(day + "T00:00:00Z"));
        } catch (DateTimeException wrong) {
            form.addError(name, "Enter a day, such as 2027-01-31.");
            // A null is invalid, so nothing of the form is saved.
            fields.with(name, new JsonValue.Null());
        }
    }

    /** If the user did not change a day, the cycle keeps its exact time. */
    private static Map<String, JsonValue> changes(Form form, CycleResponse present) {
        var name = FormFields.of(form).changed(NAME, present.name());
        var days = FormFields.of(form)
                .changed(STARTS_AT, day(present.startsAt()))
                .changed(ENDS_AT, lastDay(present))
                .read();
        if (days.containsKey(STARTS_AT)) {
            start(form, STARTS_AT, name, 0);
        }
        if (days.containsKey(ENDS_AT)) {
            start(form, ENDS_AT, name, 1);
        }
        return name.read();
    }

    /** The cycle ends before this day ends. A fraction of a second after midnight does not count, as in responses. */
    private static String lastDay(CycleResponse cycle) {
        return day(cycle.endsAt().truncatedTo(ChronoUnit.SECONDS).minusNanos(1));
    }

    private static String day(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC).toString();
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance cycleNew(Shell shell, Form form);

        static native TemplateInstance cycleEdit(Shell shell, String id, Form form);

        static native TemplateInstance cycle(Shell shell, CyclePage page, Form form);
    }
}
