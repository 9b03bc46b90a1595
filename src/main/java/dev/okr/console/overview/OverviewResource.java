package dev.okr.console.overview;

import dev.okr.console.ConsolePath;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.objectives.overview.Overviews;
import dev.okr.platform.http.Caller;
import dev.okr.platform.time.UtcClock;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** The page with the progress of a cycle. */
@Path(ConsolePath.OVERVIEW)
@RunOnVirtualThread
public class OverviewResource {
    static final String SECTION = "overview";

    private final Pages pages;
    private final Overviews overviews;
    private final Caller caller;
    private final UtcClock clock;

    OverviewResource(Pages pages, Overviews overviews, Caller caller, UtcClock clock) {
        this.pages = pages;
        this.overviews = overviews;
        this.caller = caller;
        this.clock = clock;
    }

    @GET
    public Response overview(@QueryParam("cycle") @Nullable String cycle) {
        var page = overviews
                .read(caller.organizationId(), cycle, clock.now())
                .map(OverviewPage::of)
                .orElse(null);
        return pages.ok(Templates.overview(pages.shell(SECTION), page));
    }

    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance overview(Shell shell, @Nullable OverviewPage page);
    }
}
