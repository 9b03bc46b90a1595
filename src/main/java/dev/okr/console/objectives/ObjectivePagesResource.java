package dev.okr.console.objectives;

import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.objectives.explanation.ProgressExplanation;
import dev.okr.objectives.overview.Histories;
import dev.okr.objectives.overview.ObjectiveView;
import dev.okr.platform.http.Caller;
import dev.okr.platform.time.UtcClock;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;

/** The page of an objective: the explanation of its progress, its history, its key results and its alignments. */
@Path(ObjectivePagesResource.PATH)
@RunOnVirtualThread
public class ObjectivePagesResource {
    static final String PATH = "/settings/objectives";
    static final String SECTION = "overview";

    private final Pages pages;
    private final Histories histories;
    private final Caller caller;
    private final UtcClock clock;

    ObjectivePagesResource(Pages pages, Histories histories, Caller caller, UtcClock clock) {
        this.pages = pages;
        this.histories = histories;
        this.caller = caller;
        this.clock = clock;
    }

    @GET
    @Path("/{id}")
    public Response objective(@PathParam("id") String id) {
        var now = clock.now();
        var objective = ObjectiveView.require(id);
        var explanation = ProgressExplanation.require(id, now);
        var curve = histories.curve(caller.organizationId(), objective, now);
        return pages.ok(
                Templates.objective(pages.shell(SECTION), ObjectivePage.of(objective, explanation, curve, now)));
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance objective(Shell shell, ObjectivePage page);
    }
}
