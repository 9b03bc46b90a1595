package dev.okr.console.objectives;

import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Option;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.console.overview.OverviewWords;
import dev.okr.objectives.ObjectiveWriter;
import dev.okr.objectives.overview.CycleObjective;
import dev.okr.objectives.overview.ObjectiveView;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.Text;
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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Aligns an objective with others, above and below it. */
@Path(AlignmentPagesResource.PATH)
@RunOnVirtualThread
public class AlignmentPagesResource {
    static final String PATH = "/settings/alignments";

    private static final int MAX_FOUND = 20;
    private static final String OBJECTIVE = "objective";
    private static final String OTHER = "other";
    private static final String POSITION = "position";
    private static final String ABOVE = "above";
    private static final String TYPE = "alignment_type";
    private static final String WEIGHT = "weight";
    private static final String TEXT = "q";

    private static final List<Option> POSITIONS = List.of(
            new Option(ABOVE, "Above: this objective serves it", ""),
            new Option("below", "Below: it serves this objective", ""));

    private static final List<Option> TYPES = List.of(
            new Option("contributes_to", "Counts for the progress", "The progress of the parent follows"),
            new Option("supports", "Supports only", "Shows the connection, without any effect on the progress"));

    private final ConsoleSession session;
    private final ObjectiveWriter objectives;
    private final Pages pages;

    AlignmentPagesResource(ConsoleSession session, ObjectiveWriter objectives, Pages pages) {
        this.session = session;
        this.objectives = objectives;
        this.pages = pages;
    }

    @GET
    public Response alignments(
            @QueryParam("objective") @DefaultValue("") String id, @QueryParam("q") @DefaultValue("") String text) {
        session.requireWriter();
        var form = Form.empty()
                .with(OBJECTIVE, id)
                .with(POSITION, ABOVE)
                .with(TYPE, "contributes_to")
                .with(WEIGHT, "1")
                .with(TEXT, text);
        return pages.ok(page(form));
    }

    @POST
    public Response align(Form form) {
        session.requireWriter();
        try {
            boolean above = form.value(POSITION).equals(ABOVE);
            var fields = FormFields.of(form)
                    .text(TYPE)
                    .number(WEIGHT)
                    .with("parent_objective_id", new JsonValue.Text(form.value(above ? OTHER : OBJECTIVE)))
                    .with("child_objective_id", new JsonValue.Text(form.value(above ? OBJECTIVE : OTHER)))
                    .read();
            objectives.align(fields);
            return pages.redirect(address(form), Flash.ALIGNED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            form.errors().entrySet().stream()
                    .filter(error -> error.getKey().endsWith("_objective_id"))
                    .forEach(error -> form.addError(OTHER, error.getValue()));
            return pages.show(failure.code().status(), page(form));
        }
    }

    @POST
    @Path("/{id}/weight")
    public Response changeWeight(@PathParam("id") String id, Form form) {
        session.requireWriter();
        try {
            Map<String, JsonValue> fields = FormFields.of(form).number(WEIGHT).read();
            objectives.updateAlignment(id, fields);
            return pages.redirect(address(form), Flash.ALIGNMENT_CHANGED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            var error = form.errors().values().stream().findFirst().orElse("");
            return pages.show(
                    failure.code().status(),
                    page(Form.empty()
                            .with(OBJECTIVE, form.value(OBJECTIVE))
                            .with(WEIGHT, "1")
                            .withError(FormFields.WHOLE, error)));
        }
    }

    @GET
    @Path("/{id}/delete")
    public Response deletionForm(
            @PathParam("id") String id, @QueryParam("objective") @DefaultValue("") String objectiveId) {
        session.requireWriter();
        var objective = ObjectiveView.require(objectiveId);
        var tree = AlignmentTree.of(objective);
        var node = Stream.of(tree.parents(), tree.children())
                .flatMap(List::stream)
                .filter(each -> each.alignment().equals(id))
                .findFirst()
                .orElseThrow(() -> Failure.notFound("alignment"));
        return pages.ok(Templates.alignmentDelete(
                pages.shell(ObjectivePagesResource.SECTION),
                objectiveId,
                objective.title(),
                node,
                tree.parents().contains(node)));
    }

    @POST
    @Path("/{id}/delete")
    public Response delete(@PathParam("id") String id, Form form) {
        session.requireWriter();
        objectives.deleteAlignment(id);
        return pages.redirect(address(form), Flash.ALIGNMENT_DELETED);
    }

    /** Finds objectives of the same cycle. An empty search finds the newest ones. */
    private TemplateInstance page(Form form) {
        var objective = ObjectiveView.require(form.value(OBJECTIVE));
        var text = Text.normalize(form.value(TEXT));
        var filter = new CycleObjective.Filter(null, false, null, null, Text.isClean(text) ? text : "");
        var found = CycleObjective.newest(objective.cycle().id(), filter, MAX_FOUND + 1).stream()
                .filter(other -> !other.id().equals(objective.id()))
                .limit(MAX_FOUND)
                .map(other -> new Option(
                        IdKind.OBJECTIVE.format(other.id()),
                        other.title(),
                        other.owner() + ", " + OverviewWords.percentage(other.progress())))
                .toList();
        return Templates.alignments(
                pages.shell(ObjectivePagesResource.SECTION),
                IdKind.OBJECTIVE.format(objective.id()),
                objective.title(),
                AlignmentTree.of(objective),
                form,
                found,
                POSITIONS,
                TYPES);
    }

    /** Accepts only ids of objectives, so that a form cannot redirect elsewhere. */
    private static String address(Form form) {
        return IdKind.OBJECTIVE
                .parse(form.value(OBJECTIVE))
                .map(id -> PATH + "?objective=" + IdKind.OBJECTIVE.format(id))
                .orElse("/settings/overview");
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance alignments(
                Shell shell,
                String id,
                String title,
                AlignmentTree tree,
                Form form,
                List<Option> found,
                List<Option> positions,
                List<Option> types);

        static native TemplateInstance alignmentDelete(
                Shell shell, String id, String title, AlignmentTree.Node node, boolean above);
    }
}
