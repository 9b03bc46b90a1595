package dev.okr.console;

import dev.okr.console.overview.OverviewPage;
import dev.okr.objectives.overview.Overviews;
import dev.okr.platform.http.Caller;
import dev.okr.platform.time.UtcClock;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** The page with the progress of a cycle. It is the start page of the console. */
@Path(OverviewResource.PATH)
@RunOnVirtualThread
public class OverviewResource {
    static final String PATH = "/settings/overview";

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
        return pages.ok(Templates.overview(pages.shell("overview"), page));
    }
}
