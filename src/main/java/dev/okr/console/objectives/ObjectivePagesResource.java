package dev.okr.console.objectives;

import dev.okr.console.ConsolePath;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.console.week.CheckInForm;
import dev.okr.console.week.CheckInForms;
import dev.okr.objectives.explanation.ProgressExplanation;
import dev.okr.objectives.overview.Histories;
import dev.okr.objectives.overview.KeyResultView;
import dev.okr.objectives.overview.ObjectiveView;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The page of an objective: the explanation of its progress, its history, its key results and its alignments. */
@Path(ObjectivePagesResource.PATH)
@RunOnVirtualThread
public class ObjectivePagesResource {
    static final String PATH = "/settings/objectives";
    static final String SECTION = "overview";

    private final ConsoleSession session;
    private final CheckInForms checkIns;
    private final Pages pages;
    private final Histories histories;
    private final Caller caller;
    private final UtcClock clock;

    ObjectivePagesResource(
            ConsoleSession session,
            CheckInForms checkIns,
            Pages pages,
            Histories histories,
            Caller caller,
            UtcClock clock) {
        this.session = session;
        this.checkIns = checkIns;
        this.pages = pages;
        this.histories = histories;
        this.caller = caller;
        this.clock = clock;
    }

    @GET
    @Path("/{id}")
    public Response objective(@PathParam("id") String id) {
        return pages.ok(page(ObjectiveView.require(id), null));
    }

    /** Checks in on a key result of the objective. */
    @POST
    @Path("/{id}/check-ins/{keyResultId}")
    public Response checkIn(@PathParam("id") String id, @PathParam("keyResultId") String keyResultId, Form form) {
        session.requireWriter();
        if (!IdKind.OBJECTIVE
                .format(CheckInForms.require(keyResultId).objectiveId())
                .equals(id)) {
            throw Failure.notFound("key result");
        }
        return checkIns.save(keyResultId, action(id, keyResultId), form)
                .map(rejected -> pages.show(rejected.status(), page(ObjectiveView.require(id), rejected.form())))
                .orElseGet(() -> pages.redirect(ConsolePath.objective(id), Flash.CHECK_IN_SAVED));
    }

    private static String action(String id, String keyResultId) {
        return PATH + '/' + id + "/check-ins/" + keyResultId;
    }

    /** @param rejected the form that was not saved; null for none */
    private TemplateInstance page(ObjectiveView objective, @Nullable CheckInForm rejected) {
        var now = clock.now();
        var explanation = ProgressExplanation.require(IdKind.OBJECTIVE.format(objective.id()), now);
        var curve = histories.curve(caller.organizationId(), objective, now);
        boolean changeable = session.user().mayWrite() && !objective.isClosed();
        var keyResults = objective.keyResults().stream()
                .map(each -> KeyResultRow.of(each, changeable ? checkInForm(objective, each, rejected, now) : null))
                .toList();
        return Templates.objective(
                pages.shell(SECTION),
                ObjectivePage.of(objective, explanation, curve, keyResults, now),
                rejected != null);
    }

    private static CheckInForm checkInForm(
            ObjectiveView objective, KeyResultView keyResult, @Nullable CheckInForm rejected, Instant now) {
        var id = IdKind.KEY_RESULT.format(keyResult.id());
        if (rejected != null && rejected.id().equals(id)) {
            return rejected;
        }
        var metric = keyResult.metricType();
        var fields = CheckInForm.fields(metric, keyResult.currentValue(), keyResult.version(), now);
        var action = action(IdKind.OBJECTIVE.format(objective.id()), id);
        return CheckInForm.of(action, id, keyResult.title(), metric, fields);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance objective(Shell shell, ObjectivePage page, boolean rejected);
    }
}
