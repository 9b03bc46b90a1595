package dev.okr.console.objectives;

import dev.okr.console.ConsolePath;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Names;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.objectives.DeletedObjectiveResponse;
import dev.okr.objectives.ObjectiveWriter;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.ids.IdKind;
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
import java.time.Instant;
import java.util.List;

/**
 * The objectives that were deleted in the last 30 days. The form that deletes an objective redirects here, so that the
 * user can undo it at once.
 */
@Path(DeletedObjectivesResource.PATH)
@RunOnVirtualThread
public class DeletedObjectivesResource {
    static final String PATH = "/settings/deleted-objectives";

    private final ConsoleSession session;
    private final ObjectiveWriter objectives;
    private final Pages pages;

    DeletedObjectivesResource(ConsoleSession session, ObjectiveWriter objectives, Pages pages) {
        this.session = session;
        this.objectives = objectives;
        this.pages = pages;
    }

    /**
     * A deleted objective as the page shows it.
     *
     * @param justNow whether the form that redirected here deleted it
     */
    public record Row(
            String id,
            String title,
            Instant deletedAt,
            String deletedBy,
            String content,
            boolean restorable,
            boolean justNow) {}

    @GET
    public Response deletedObjectives(@Context UriInfo uri) {
        var query = ListQuery.lastDeletedFirst(uri, "deleted");
        var slice = DeletedObjectiveResponse.list(query);
        var names = new Names(slice.items().stream()
                .map(each -> IdKind.USER.require(each.deletedBy()))
                .toList());
        var deleted = uri.getQueryParameters().getFirst("deleted");
        var rows = slice.items().stream()
                .map(each -> new Row(
                        each.id(),
                        each.title(),
                        each.deletedAt(),
                        names.of(IdKind.USER.require(each.deletedBy())),
                        content(each),
                        each.restorable(),
                        each.id().equals(deleted)))
                .toList();
        return pages.ok(Templates.deletedObjectives(
                pages.shell(ObjectivePagesResource.SECTION), rows, Paging.of(query, slice, PATH)));
    }

    @POST
    @Path("/{id}/restore")
    public Response restore(@PathParam("id") String id, Form form) {
        session.requireWriter();
        objectives.restore(id);
        return pages.redirect(ConsolePath.objective(id), Flash.OBJECTIVE_RESTORED);
    }

    private static String content(DeletedObjectiveResponse objective) {
        return count(objective.keyResultsCount(), "key result") + ", " + count(objective.checkInsCount(), "check-in");
    }

    private static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance deletedObjectives(Shell shell, List<Row> objectives, Paging paging);
    }
}
