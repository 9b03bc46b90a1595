package dev.okr.console.objectives;

import dev.okr.console.ConsolePath;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Moment;
import dev.okr.console.Numbers;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.objectives.CheckInResponse;
import dev.okr.objectives.CheckInWriter;
import dev.okr.objectives.KeyResultWriter;
import dev.okr.objectives.overview.CheckInView;
import dev.okr.objectives.overview.KeyResultDetailView;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
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
    private static final String SEEN = "seen";
    private static final String VALUE = "value";
    private static final String NOTE = "note";
    private static final String CONFIDENCE = "confidence";
    private static final String RECORDED_AT = "recorded_at";

    private final ConsoleSession session;
    private final CheckInWriter checkIns;
    private final KeyResultWriter keyResults;
    private final Pages pages;
    private final Caller caller;
    private final UtcClock clock;

    CheckInPagesResource(
            ConsoleSession session,
            CheckInWriter checkIns,
            KeyResultWriter keyResults,
            Pages pages,
            Caller caller,
            UtcClock clock) {
        this.session = session;
        this.checkIns = checkIns;
        this.keyResults = keyResults;
        this.pages = pages;
        this.caller = caller;
        this.clock = clock;
    }

    @POST
    public Response create(@PathParam("id") String keyResultId, @Context UriInfo uri, Form form) {
        session.requireWriter();
        try {
            var id = form.createdId(IdKind.CHECK_IN);
            var fields = FormFields.of(form)
                    .number(VALUE, CONFIDENCE)
                    .text(NOTE)
                    .time(RECORDED_AT)
                    .read();
            if (checkIns.create(id, keyResultId, form.value(SEEN), new BodyReader(fields))) {
                return pages.redirect(ConsolePath.keyResult(keyResultId), Flash.CHECK_IN_SAVED);
            }
            return conflict(keyResultId, uri, form);
        } catch (Failure failure) {
            var view = KeyResultDetailView.require(keyResultId);
            FormFields.addErrors(form, failure);
            return pages.show(failure.code().status(), page(view, uri, form));
        }
    }

    @GET
    @Path("/{checkInId}/edit")
    public Response editForm(@PathParam("id") String keyResultId, @PathParam("checkInId") String checkInId) {
        session.requireWriter();
        var view = KeyResultDetailView.require(keyResultId);
        var checkIn = CheckInView.require(view.keyResult().id(), checkInId);
        var form = Form.empty();
        FormFields.shown(form, VALUE, FormFields.plain(checkIn.value()));
        FormFields.shown(form, NOTE, checkIn.note());
        var confidence = checkIn.confidence();
        FormFields.shown(form, CONFIDENCE, confidence == null ? "" : confidence.toString());
        FormFields.shown(form, RECORDED_AT, Moment.local(checkIn.recordedAt()));
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

    /** The form with the new value. It contains the new version, so that the user can send it again. */
    private Response conflict(String keyResultId, UriInfo uri, Form form) {
        var view = KeyResultDetailView.require(keyResultId);
        var keyResult = view.keyResult();
        var theirs = Numbers.format(keyResult.currentValue(), keyResult.metricType());
        form.with(SEEN, view.keyResult().version());
        form.addError(VALUE, "Somebody changed the value to %s. Save again to add your check-in.".formatted(theirs));
        return pages.conflict(page(view, uri, form));
    }

    private static Map<String, JsonValue> changes(Form form, CheckInResponse present) {
        var confidence = present.confidence();
        return FormFields.of(form)
                .changed(VALUE, present.value())
                .changed(NOTE, present.note())
                .changed(CONFIDENCE, confidence == null ? null : BigDecimal.valueOf(confidence))
                .changed(RECORDED_AT, present.recordedAt())
                .read();
    }

    private TemplateInstance page(KeyResultDetailView view, UriInfo uri, Form form) {
        var query = ListQuery.byName(uri);
        var slice = CheckInView.list(view.keyResult().id(), query.perPage(), 0);
        var page = KeyResultPage.of(view, slice.items(), caller.userId(), caller.isAdmin());
        return KeyResultPagesResource.Templates.keyResult(
                pages.shell(SECTION),
                page,
                form,
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
