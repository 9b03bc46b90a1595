package dev.okr.console.cycles;

import dev.okr.access.limits.LargeRequests;
import dev.okr.console.AdminsOnly;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Option;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.console.overview.OverviewWords;
import dev.okr.objectives.CycleWriter;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.objectives.overview.Choices;
import dev.okr.objectives.overview.CycleObjective;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.ids.IdKind;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** Copies the objectives of a cycle into another one. */
@Path(CyclePagesResource.PATH + "/{id}/carry-over")
@AdminsOnly
@RunOnVirtualThread
public class CarryOverPagesResource {
    /** If a cycle has more objectives, they can only be carried over all together. */
    private static final int MAX_SHOWN = 200;

    private static final String TO = "to";
    private static final String VALUES = "values";
    private static final String WHICH = "which";
    private static final String ALL = "all";
    private static final String OBJECTIVE_IDS = "objective_ids";

    private static final List<Option> VALUE_OPTIONS = List.of(
            new Option(
                    "keep",
                    "Continue from the current values",
                    "Key results that have reached their target are left out"),
            new Option("restart", "Start again", "Key results begin at their original start"));

    private static final List<Option> WHICH_OPTIONS =
            List.of(new Option(ALL, "All below 100%", ""), new Option("some", "Only those that I select", ""));

    private final CycleWriter cycles;
    private final Pages pages;
    private final LargeRequests large;

    CarryOverPagesResource(CycleWriter cycles, Pages pages, LargeRequests large) {
        this.cycles = cycles;
        this.pages = pages;
        this.large = large;
    }

    @GET
    public Response form(@PathParam("id") String id, @QueryParam(TO) @DefaultValue("") String to) {
        return pages.ok(page(id, Form.empty().with(TO, to).with(VALUES, "keep").with(WHICH, ALL)));
    }

    /** Objectives that were carried over before are left out, so sending the form twice copies nothing twice. */
    @POST
    public Response carryOver(@PathParam("id") String id, Form form) {
        try {
            large.awaitLongRunning();
            cycles.carryOver(id, fields(form));
            return pages.redirect("/settings/overview?cycle=" + form.value(TO).strip(), Flash.CARRIED_OVER);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            return pages.show(failure.code().status(), page(id, form));
        }
    }

    private static Map<String, JsonValue> fields(Form form) {
        var fields = FormFields.of(form).text(TO, VALUES);
        if (!form.value(WHICH).equals(ALL)) {
            var ids = form.values(OBJECTIVE_IDS).stream()
                    .<JsonValue>map(JsonValue.Text::new)
                    .toList();
            if (ids.isEmpty()) {
                form.addError(OBJECTIVE_IDS, "Select at least one objective.");
            }
            fields.with(OBJECTIVE_IDS, new JsonValue.Array(ids));
        }
        return fields.read();
    }

    private TemplateInstance page(String id, Form form) {
        var cycle = Cycle.require(id);
        var targets = Choices.openCycles().stream()
                .filter(open -> !open.id().equals(id))
                .map(open -> new Option(
                        open.id(), open.name() + ", " + OverviewWords.days(open.startsAt(), open.endsAt()), ""))
                .toList();
        var objectives = CycleObjective.newest(IdKind.CYCLE.require(id), CycleObjective.Filter.NONE, MAX_SHOWN).stream()
                .map(each -> new Option(
                        IdKind.OBJECTIVE.format(each.id()),
                        each.title(),
                        "%s, %s%s"
                                .formatted(
                                        each.owner(),
                                        OverviewWords.percentage(each.progress()),
                                        each.progress().compareTo(BigDecimal.ONE) < 0 ? "" : ", reached")))
                .toList();
        return Templates.carryOver(
                pages.shell(CyclePagesResource.SECTION),
                id,
                cycle.name(),
                form,
                targets,
                VALUE_OPTIONS,
                WHICH_OPTIONS,
                objectives);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance carryOver(
                Shell shell,
                String id,
                String cycle,
                Form form,
                List<Option> targets,
                List<Option> values,
                List<Option> which,
                List<Option> objectives);
    }
}
