package dev.okr.console.objectives;

import dev.okr.console.Names;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.events.RecentChange;
import dev.okr.objectives.overview.ObjectiveView;
import dev.okr.platform.ids.IdKind;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.util.ArrayList;
import java.util.List;

/** Who changed what in an objective and in its key results, according to the events. */
@Path(ObjectivePagesResource.PATH + "/{id}/changes")
@RunOnVirtualThread
public class ChangesResource {
    private static final int MAX_CHANGES = 100;

    private final Pages pages;

    ChangesResource(Pages pages) {
        this.pages = pages;
    }

    @GET
    public Response changes(@PathParam("id") String id) {
        var objective = ObjectiveView.require(id);
        var ids = new ArrayList<>(List.of(id));
        objective.keyResults().forEach(keyResult -> ids.add(IdKind.KEY_RESULT.format(keyResult.id())));
        var changes = RecentChange.of(ids, MAX_CHANGES);
        var names = new Names(changes.stream().flatMap(ChangeRow::userIds).toList());
        return pages.ok(Templates.changes(
                pages.shell(ObjectivePagesResource.SECTION),
                id,
                objective.title(),
                changes.stream().map(change -> ChangeRow.of(change, names)).toList()));
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance changes(Shell shell, String id, String title, List<ChangeRow> changes);
    }
}
