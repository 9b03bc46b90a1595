package dev.okr.console.overview;

import dev.okr.console.ConsolePath;
import dev.okr.console.CsvExport;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.objectives.overview.CycleChoice;
import dev.okr.objectives.overview.CycleObjective;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.ids.IdKind;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import java.util.Objects;

/** The objectives of a cycle as a table, as a tree of alignments and as CSV, with filters and a search. */
@Path(ConsolePath.OVERVIEW)
@RunOnVirtualThread
public class CycleListResource {
    private static final int MAX_IN_TREE = 200;

    private static final List<String> CSV_HEADER =
            List.of("id", "title", "team", "owner", "status", "progress", "score", "retrospective");

    private final CsvExport export;
    private final Pages pages;

    CycleListResource(CsvExport export, Pages pages) {
        this.export = export;
        this.pages = pages;
    }

    @GET
    @Path("/objectives")
    public Response objectives(@Context UriInfo uri) {
        var query = CycleQuery.read(uri.getQueryParameters());
        // The overview says that there are no cycles.
        return CycleChoice.offer(query.cycle())
                .map(offer -> pages.ok(Templates.cycleList(
                        pages.shell(OverviewResource.SECTION),
                        query.tree() ? tree(query, offer) : table(query, offer, uri))))
                .orElseGet(() -> pages.redirect(ConsolePath.OVERVIEW));
    }

    /** The objectives on all pages of the table with the same filters. */
    @GET
    @Path("/objectives.csv")
    public Response csv(@Context UriInfo uri) {
        var query = CycleQuery.read(uri.getQueryParameters());
        var cycle = CycleChoice.offer(query.cycle())
                .orElseThrow(() -> Failure.notFound("cycle"))
                .chosen();
        return export.<CycleObjective>start(
                "objectives.csv",
                CSV_HEADER,
                (last, limit) -> CycleObjective.next(cycle.id(), query.filter(), query.sort(), last, limit),
                objectives -> objectives.stream().map(CycleListResource::line).toList());
    }

    private static CycleList table(CycleQuery query, CycleChoice.Offer offer, UriInfo uri) {
        var page = ListQuery.byName(uri, "cycle", "view", "team", "owner", "status", "q", "find", "sort");
        var found =
                CycleObjective.list(offer.chosen().id(), query.filter(), query.sort(), page.perPage(), page.offset());
        return CycleList.of(
                query, offer, CycleList.table(found.items()), found.total(), Paging.of(page, found, query.address()));
    }

    private static CycleList tree(CycleQuery query, CycleChoice.Offer offer) {
        var found = CycleObjective.list(offer.chosen().id(), query.filter(), MAX_IN_TREE);
        var rows = CycleList.tree(found.items(), CycleObjective.alignments(found.items()));
        return CycleList.of(query, offer, rows, found.total(), null);
    }

    private static List<String> line(CycleObjective objective) {
        var score = objective.score();
        return List.of(
                IdKind.OBJECTIVE.format(objective.id()),
                objective.title(),
                Objects.requireNonNullElse(objective.team(), ""),
                objective.owner(),
                EnumNames.format(objective.status()),
                objective.progress().toPlainString(),
                score == null ? "" : score.toPlainString(),
                Objects.requireNonNullElse(objective.retrospective(), ""));
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance cycleList(Shell shell, CycleList page);
    }
}
