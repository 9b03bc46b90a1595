package dev.okr.console.objectives;

import dev.okr.console.ConsolePath;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Option;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.console.overview.OverviewWords;
import dev.okr.objectives.ObjectiveResponse;
import dev.okr.objectives.ObjectiveWriter;
import dev.okr.objectives.overview.ObjectiveView;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
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
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The forms that create, change and delete objectives. The rules of the API check them. */
@Path(ObjectivePagesResource.PATH)
@RunOnVirtualThread
public class ObjectiveFormsResource {
    /** The maximum number of key results in the form. More can be added later. */
    private static final int MAX_ROWS = 10;

    private static final int FIRST_ROWS = 3;

    private static final String ID = "id";
    private static final String ROWS = "rows";
    private static final String TITLE = "title";
    private static final String CYCLE = "cycle_id";
    private static final String TEAM = ObjectiveOptions.TEAM;
    private static final String OWNER = ObjectiveOptions.OWNER;
    private static final String DESCRIPTION = "description";
    private static final String STATUS = "status";
    private static final String SCORE = "score";
    private static final String RETROSPECTIVE = "retrospective";

    private final ConsoleSession session;
    private final ObjectiveWriter objectives;
    private final Pages pages;
    private final Caller caller;
    private final UtcClock clock;

    ObjectiveFormsResource(
            ConsoleSession session, ObjectiveWriter objectives, Pages pages, Caller caller, UtcClock clock) {
        this.session = session;
        this.objectives = objectives;
        this.pages = pages;
        this.caller = caller;
        this.clock = clock;
    }

    @GET
    @Path("/new")
    public Response newObjective(
            @QueryParam("cycle") @Nullable String cycle, @QueryParam("team") @Nullable String team) {
        session.requireWriter();
        var form = Form.empty()
                .with(ID, IdKind.OBJECTIVE.format(UuidV7.at(clock.now())))
                .with(ROWS, String.valueOf(FIRST_ROWS))
                .with(CYCLE, cycle == null ? "" : cycle)
                .with(TEAM, team == null ? "" : team)
                .with(OWNER, IdKind.USER.format(caller.userId()));
        return pages.ok(newPage(form));
    }

    /** Creates an objective with its key results, or shows the form with another row, other options or hints. */
    @POST
    public Response create(Form form) {
        session.requireWriter();
        var id = form.createdId(IdKind.OBJECTIVE);
        if (form.has("add")) {
            form.with(ROWS, String.valueOf(Math.min(rows(form) + 1, MAX_ROWS)));
            return pages.ok(newPage(form));
        }
        if (ObjectiveOptions.isSearch(form)) {
            return pages.ok(newPage(form));
        }
        var used = usedRows(form);
        var hints = KeyResultHints.of(form, used);
        if (!hints.isEmpty() && !form.value("hints").equals(String.join(" ", hints))) {
            return pages.ok(newPage(form.with("hints", String.join(" ", hints)), hints));
        }
        try {
            objectives.create(id, fields(form, used));
            return pages.redirect(address(IdKind.OBJECTIVE.format(id)), Flash.OBJECTIVE_CREATED);
        } catch (Failure failure) {
            addErrors(form, failure, used);
            return pages.show(failure.code().status(), newPage(form));
        }
    }

    @GET
    @Path("/{id}/edit")
    public Response editForm(@PathParam("id") String id) {
        session.requireWriter();
        return pages.ok(editPage(ObjectiveView.require(id), Form.empty()));
    }

    /** Changes the fields that the form contains. The form on the page of the objective has only the status. */
    @POST
    @Path("/{id}/edit")
    public Response edit(@PathParam("id") String id, Form form) {
        session.requireWriter();
        if (ObjectiveOptions.isSearch(form)) {
            return pages.ok(editPage(ObjectiveView.require(id), form));
        }
        try {
            objectives.update(id, present -> changes(form, present));
            return pages.redirect(address(id), Flash.OBJECTIVE_CHANGED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            return pages.show(failure.code().status(), editPage(ObjectiveView.require(id), form));
        }
    }

    @GET
    @Path("/{id}/delete")
    public Response deletionForm(@PathParam("id") String id) {
        session.requireWriter();
        var objective = ObjectiveView.require(id);
        return pages.ok(Templates.objectiveDelete(
                pages.shell(ObjectivePagesResource.SECTION),
                id,
                objective.title(),
                objective.keyResults().size()));
    }

    @POST
    @Path("/{id}/delete")
    public Response delete(@PathParam("id") String id, Form form) {
        session.requireWriter();
        objectives.delete(id);
        return pages.redirect(DeletedObjectivesResource.PATH + "?deleted=" + id, Flash.OBJECTIVE_DELETED);
    }

    private static Map<String, JsonValue> changes(Form form, ObjectiveResponse present) {
        return FormFields.of(form)
                .changed(TITLE, present.title())
                .changed(DESCRIPTION, present.description())
                .changed(STATUS, EnumNames.format(present.status()))
                .changed(OWNER, present.ownerId())
                .changed(CYCLE, present.cycleId())
                .changed(TEAM, present.teamId())
                .changed(SCORE, present.score())
                .changed(RETROSPECTIVE, present.retrospective())
                .read();
    }

    private static Map<String, JsonValue> fields(Form form, List<String> used) {
        var objective = FormFields.of(form).text(TITLE, DESCRIPTION, CYCLE, TEAM, OWNER);
        // The owner of the objective owns its key results, and not the person who fills in the form.
        var keyResults = used.stream()
                .map(row -> KeyResultFields.created(form.with(row + OWNER, form.value(OWNER)), row))
                .<JsonValue>map(JsonValue.Object::new)
                .toList();
        if (!keyResults.isEmpty()) {
            objective.with("key_results", new JsonValue.Array(keyResults));
        }
        return objective.read();
    }

    /** The index in the pointer of a key result counts only the rows in use. */
    private static void addErrors(Form form, Failure failure, List<String> used) {
        var found = Form.empty();
        FormFields.addErrors(found, failure, "/objectives/0");
        found.errors().forEach((field, error) -> {
            var parts = field.split("\\.", 3);
            form.addError(parts.length == 3 ? used.get(Integer.parseInt(parts[1])) + parts[2] : field, error);
        });
    }

    /** The prefixes of the rows in which something was entered. */
    private static List<String> usedRows(Form form) {
        return IntStream.range(0, rows(form))
                .mapToObj(KeyResultFields::prefix)
                .filter(row -> !form.value(row + TITLE).isBlank()
                        || !form.value(row + "target_value").isBlank())
                .toList();
    }

    private static int rows(Form form) {
        try {
            return Math.clamp(Integer.parseInt(form.value(ROWS)), FIRST_ROWS, MAX_ROWS);
        } catch (NumberFormatException wrong) {
            return FIRST_ROWS;
        }
    }

    private TemplateInstance newPage(Form form) {
        return newPage(form, List.of());
    }

    private TemplateInstance newPage(Form form, List<String> hints) {
        var rows =
                IntStream.range(0, rows(form)).mapToObj(KeyResultFields::prefix).toList();
        return Templates.objectiveNew(
                pages.shell(ObjectivePagesResource.SECTION),
                form,
                ObjectiveOptions.read(form),
                ObjectiveOptions.metrics(),
                rows,
                hints,
                rows.size() < MAX_ROWS);
    }

    private TemplateInstance editPage(ObjectiveView objective, Form form) {
        var cycle = objective.cycle();
        showPresent(form, objective);
        var options = ObjectiveOptions.read(form)
                .with(new Option(
                        IdKind.CYCLE.format(cycle.id()),
                        cycle.name() + ", " + OverviewWords.days(cycle.startsAt(), cycle.endsAt()),
                        ""));
        return Templates.objectiveEdit(
                pages.shell(ObjectivePagesResource.SECTION),
                IdKind.OBJECTIVE.format(objective.id()),
                form,
                options,
                cycle.takesScores());
    }

    /** Fills the fields that were not sent with the present values. */
    private static void showPresent(Form form, ObjectiveView objective) {
        FormFields.shown(form, TITLE, objective.title());
        FormFields.shown(form, DESCRIPTION, objective.description());
        FormFields.shown(form, STATUS, EnumNames.format(objective.status()));
        FormFields.shown(form, OWNER, IdKind.USER.format(objective.ownerId()));
        FormFields.shown(form, CYCLE, IdKind.CYCLE.format(objective.cycle().id()));
        var team = objective.teamId();
        FormFields.shown(form, TEAM, team == null ? "" : IdKind.TEAM.format(team));
        var score = objective.score();
        FormFields.shown(form, SCORE, score == null ? "" : FormFields.plain(score));
        FormFields.shown(form, RETROSPECTIVE, objective.retrospective());
    }

    private static String address(String id) {
        return ConsolePath.objective(id);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance objectiveNew(
                Shell shell,
                Form form,
                ObjectiveOptions options,
                List<Option> metrics,
                List<String> rows,
                List<String> hints,
                boolean more);

        static native TemplateInstance objectiveEdit(
                Shell shell, String id, Form form, ObjectiveOptions options, boolean scores);

        static native TemplateInstance objectiveDelete(Shell shell, String id, String title, int keyResults);
    }
}
