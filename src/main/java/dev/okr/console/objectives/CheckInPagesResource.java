package dev.okr.console.objectives;

import dev.okr.console.ConsolePath;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Moment;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.console.week.CheckInForm;
import dev.okr.console.week.CheckInForms;
import dev.okr.objectives.CheckInResponse;
import dev.okr.objectives.KeyResultWriter;
import dev.okr.objectives.overview.CheckInView;
import dev.okr.objectives.overview.KeyResultDetailView;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.ListQuery;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** Adds, corrects and deletes the check-ins of a key result. */
@Path(KeyResultPagesResource.PATH + "/{id}/check-ins")
@RunOnVirtualThread
public class CheckInPagesResource {
    private static final String SECTION = ObjectivePagesResource.SECTION;

    private final ConsoleSession session;
    private final CheckInForms forms;
    private final KeyResultWriter keyResults;
    private final Pages pages;
    private final Caller caller;

    CheckInPagesResource(
            ConsoleSession session, CheckInForms forms, KeyResultWriter keyResults, Pages pages, Caller caller) {
        this.session = session;
        this.forms = forms;
        this.keyResults = keyResults;
        this.pages = pages;
        this.caller = caller;
    }

    @POST
    public Response create(@PathParam("id") String keyResultId, @Context UriInfo uri, Form form) {
        session.requireWriter();
        return forms.save(keyResultId, ConsolePath.keyResult(keyResultId), form)
                .map(rejected -> pages.show(rejected.status(), page(keyResultId, uri, rejected.form())))
                .orElseGet(() -> pages.redirect(ConsolePath.keyResult(keyResultId), Flash.CHECK_IN_SAVED));
    }

    @GET
    @Path("/{checkInId}/edit")
    public Response editForm(@PathParam("id") String keyResultId, @PathParam("checkInId") String checkInId) {
        session.requireWriter();
        var view = KeyResultDetailView.require(keyResultId);
        var checkIn = CheckInView.require(view.keyResult().id(), checkInId);
        var form = Form.empty();
        FormFields.shown(form, CheckInForm.VALUE, FormFields.plain(checkIn.value()));
        FormFields.shown(form, CheckInForm.NOTE, checkIn.note());
        var confidence = checkIn.confidence();
        FormFields.shown(form, CheckInForm.CONFIDENCE, confidence == null ? "" : confidence.toString());
        FormFields.shown(form, CheckInForm.RECORDED_AT, Moment.local(checkIn.recordedAt()));
        return pages.ok(editPage(view, checkInId, form));
    }

    @POST
    @Path("/{checkInId}/edit")
    public Response edit(@PathParam("id") String keyResultId, @PathParam("checkInId") String checkInId, Form form) {
        session.requireWriter();
        try {
            keyResults.updateCheckIn(keyResultId, checkInId, present -> changes(form, present));
            return pages.redirect(ConsolePath.keyResult(keyResultId), Flash.CHECK_IN_CHANGED);
        } catch (Failure failure) {
            FormFields.addErrors(form, failure);
            return pages.show(
                    failure.code().status(), editPage(KeyResultDetailView.require(keyResultId), checkInId, form));
        }
    }

    @GET
    @Path("/{checkInId}/delete")
    public Response deletionForm(@PathParam("id") String keyResultId, @PathParam("checkInId") String checkInId) {
        session.requireWriter();
        var view = KeyResultDetailView.require(keyResultId);
        var checkIn = CheckInView.require(view.keyResult().id(), checkInId);
        var page = KeyResultPage.of(view, List.of(checkIn), caller.userId(), caller.isAdmin());
        return pages.ok(Templates.checkInDelete(
                pages.shell(SECTION), page, page.checkIns().getFirst()));
    }

    @POST
    @Path("/{checkInId}/delete")
    public Response delete(@PathParam("id") String keyResultId, @PathParam("checkInId") String checkInId, Form form) {
        session.requireWriter();
        keyResults.deleteCheckIn(keyResultId, checkInId);
        return pages.redirect(ConsolePath.keyResult(keyResultId), Flash.CHECK_IN_DELETED);
    }

    private static Map<String, JsonValue> changes(Form form, CheckInResponse present) {
        var confidence = present.confidence();
        return FormFields.of(form)
                .changed(CheckInForm.VALUE, present.value())
                .changed(CheckInForm.NOTE, present.note())
                .changed(CheckInForm.CONFIDENCE, confidence == null ? null : BigDecimal.valueOf(confidence))
                .changed(CheckInForm.RECORDED_AT, present.recordedAt())
                .read();
    }

    private TemplateInstance page(String keyResultId, UriInfo uri, CheckInForm rejected) {
        var view = KeyResultDetailView.require(keyResultId);
        var query = ListQuery.byName(uri);
        var slice = CheckInView.list(view.keyResult().id(), query.perPage(), 0);
        var page = KeyResultPage.of(view, slice.items(), caller.userId(), caller.isAdmin());
        return KeyResultPagesResource.Templates.keyResult(
                pages.shell(SECTION),
                page,
                rejected.fields(),
                rejected.conflict(),
                Paging.of(query, slice, ConsolePath.keyResult(page.row().id())));
    }

    private TemplateInstance editPage(KeyResultDetailView view, String checkInId, Form form) {
        var row = KeyResultPage.of(view, List.of(), caller.userId(), false);
        return Templates.checkInEdit(pages.shell(SECTION), row, checkInId, form);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance checkInEdit(Shell shell, KeyResultPage page, String checkInId, Form form);

        static native TemplateInstance checkInDelete(Shell shell, KeyResultPage page, KeyResultPage.CheckIn checkIn);
    }
}
