package dev.okr.console.objectives;

import dev.okr.console.ConsolePath;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Option;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.console.week.CheckInForm;
import dev.okr.objectives.KeyResultResponse;
import dev.okr.objectives.KeyResultWriter;
import dev.okr.objectives.overview.CheckInView;
import dev.okr.objectives.overview.KeyResultDetailView;
import dev.okr.objectives.overview.ObjectiveView;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The page of a key result, and the forms that create, change and delete key results. */
@Path(KeyResultPagesResource.PATH)
@RunOnVirtualThread
public class KeyResultPagesResource {
    static final String PATH = "/settings/key-results";

    private static final String SECTION = ObjectivePagesResource.SECTION;
    private static final String ID = "id";
    private static final String OBJECTIVE = "objective";
    private static final String NO_PREFIX = "";

    private final ConsoleSession session;
    private final KeyResultWriter keyResults;
    private final Pages pages;
    private final Caller caller;
    private final UtcClock clock;

    KeyResultPagesResource(
            ConsoleSession session, KeyResultWriter keyResults, Pages pages, Caller caller, UtcClock clock) {
        this.session = session;
        this.keyResults = keyResults;
        this.pages = pages;
        this.caller = caller;
        this.clock = clock;
    }

    @GET
    @Path("/{id}")
    public Response keyResult(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.byName(uri);
        var view = KeyResultDetailView.require(id);
        var keyResult = view.keyResult();
        var checkIns = CheckInView.list(keyResult.id(), query.perPage(), query.offset());
        var page = KeyResultPage.of(view, checkIns.items(), caller.userId(), caller.isAdmin());
        return pages.ok(Templates.keyResult(
                pages.shell(SECTION),
                page,
                CheckInForm.fields(keyResult.metricType(), keyResult.currentValue(), keyResult.version(), clock.now()),
                null,
                Paging.of(query, checkIns, ConsolePath.keyResult(id))));
    }

    @GET
    @Path("/new")
    public Response newKeyResult(@QueryParam("objective") @DefaultValue("") String objectiveId) {
        session.requireWriter();
        var objective = ObjectiveView.require(objectiveId);
        var form = Form.empty()
                .with(ID, IdKind.KEY_RESULT.format(UuidV7.at(clock.now())))
                .with(OBJECTIVE, objectiveId)
                .with(KeyResultFields.METRIC_TYPE, "number")
                .with(KeyResultFields.START, "0")
                .with(KeyResultFields.WEIGHT, "1")
                .with(KeyResultFields.OWNER, IdKind.USER.format(objective.ownerId()));
        return pages.ok(newPage(form, objective));
    }

    @POST
    public Response create(Form form) {
        session.requireWriter();
        var objective = form.value(OBJECTIVE);
        var id = form.createdId(IdKind.KEY_RESULT, objective);
        if (ObjectiveOptions.isSearch(form)) {
            return pages.ok(newPage(form, ObjectiveView.require(objective)));
        }
        try {
            keyResults.create(id, objective, KeyResultFields.created(form, NO_PREFIX));
            return pages.redirect(ConsolePath.objective(objective), Flash.KEY_RESULT_CREATED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            return pages.show(failure.code().status(), newPage(form, ObjectiveView.require(objective)));
        }
    }

    @GET
    @Path("/{id}/edit")
    public Response editForm(@PathParam("id") String id) {
        session.requireWriter();
        var view = KeyResultDetailView.require(id);
        var keyResult = view.keyResult();
        var form = Form.empty();
        FormFields.shown(form, KeyResultFields.TITLE, keyResult.title());
        FormFields.shown(form, KeyResultFields.TARGET, FormFields.plain(keyResult.targetValue()));
        FormFields.shown(form, KeyResultFields.WEIGHT, FormFields.plain(keyResult.weight()));
        FormFields.shown(form, KeyResultFields.OWNER, IdKind.USER.format(view.ownerId()));
        return pages.ok(editPage(view, form));
    }

    @POST
    @Path("/{id}/edit")
    public Response edit(@PathParam("id") String id, Form form) {
        session.requireWriter();
        if (ObjectiveOptions.isSearch(form)) {
            return pages.ok(editPage(KeyResultDetailView.require(id), form));
        }
        try {
            keyResults.update(id, present -> changes(form, present));
            return pages.redirect(ConsolePath.keyResult(id), Flash.KEY_RESULT_CHANGED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            return pages.show(failure.code().status(), editPage(KeyResultDetailView.require(id), form));
        }
    }

    @GET
    @Path("/{id}/delete")
    public Response deletionForm(@PathParam("id") String id) {
        session.requireWriter();
        var view = KeyResultDetailView.require(id);
        return pages.ok(Templates.keyResultDelete(
                pages.shell(SECTION), id, view.keyResult().title()));
    }

    @POST
    @Path("/{id}/delete")
    public Response delete(@PathParam("id") String id, Form form) {
        session.requireWriter();
        var objective = IdKind.OBJECTIVE.format(KeyResultDetailView.require(id).objectiveId());
        keyResults.delete(id);
        return pages.redirect(ConsolePath.objective(objective), Flash.KEY_RESULT_DELETED);
    }

    private static Map<String, JsonValue> changes(Form form, KeyResultResponse present) {
        return FormFields.of(form)
                .changed(KeyResultFields.TITLE, present.title())
                .changed(KeyResultFields.TARGET, present.targetValue())
                .changed(KeyResultFields.WEIGHT, present.weight())
                .changed(KeyResultFields.OWNER, present.ownerId())
                .read();
    }

    private TemplateInstance newPage(Form form, ObjectiveView objective) {
        return Templates.keyResultNew(
                pages.shell(SECTION),
                form,
                objective.title(),
                ObjectiveOptions.metrics(),
                ObjectiveOptions.owners(form));
    }

    private TemplateInstance editPage(KeyResultDetailView view, Form form) {
        var row = KeyResultRow.of(view.keyResult());
        return Templates.keyResultEdit(pages.shell(SECTION), row, form, ObjectiveOptions.owners(form));
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance keyResult(
                Shell shell, KeyResultPage page, Form form, CheckInForm.@Nullable Conflict conflict, Paging paging);

        static native TemplateInstance keyResultNew(
                Shell shell, Form form, String objective, List<Option> metrics, ObjectiveOptions options);

        static native TemplateInstance keyResultEdit(
                Shell shell, KeyResultRow keyResult, Form form, ObjectiveOptions options);

        static native TemplateInstance keyResultDelete(Shell shell, String id, String title);
    }
}
