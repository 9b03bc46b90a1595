package dev.okr.console;

import dev.okr.platform.http.ErrorPages;
import dev.okr.platform.http.Problem;
import dev.okr.platform.http.RequestIds;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Says in a page of the console what went wrong with one. */
@ApplicationScoped
class ConsoleErrors implements ErrorPages {
    private final Pages pages;

    ConsoleErrors(Pages pages) {
        this.pages = pages;
    }

    @Override
    public Optional<String> page(Problem problem, RoutingContext context) {
        if (!ConsolePath.isConsole(context)) {
            return Optional.empty();
        }
        var shell = pages.bareShell(context);
        return Optional.of(Templates.error(shell, title(problem.status()), detail(problem), problem.requestId(), true)
                .render());
    }

    /**
     * Answers a request that never came to a page.
     *
     * @param back whether there is a page to go back to
     */
    void end(RoutingContext context, int status, String title, String detail, boolean back) {
        var response = context.response();
        var page = Templates.error(pages.bareShell(context), title, detail, requestId(response), back);
        response.setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, MEDIA_TYPE)
                .end(page.render());
    }

    private static String requestId(HttpServerResponse response) {
        @Nullable String id = response.headers().get(RequestIds.HEADER);
        return id == null ? "" : id;
    }

    /** What the framework refuses is said there for programmers. */
    private static String detail(Problem problem) {
        return switch (problem.status()) {
            case 405 ->
                "Nothing can be done at this address in this way. Go back to the start and try again from there.";
            case 406 -> "This page is there for browsers, as HTML.";
            case 413 -> "The form is too large.";
            case 415 -> "Send the form as a browser does.";
            default -> problem.detail();
        };
    }

    private static String title(int status) {
        return switch (status) {
            case 400 -> "That cannot be read";
            case 403 -> "You have no access here";
            case 404 -> "There is no such page";
            case 409 -> "That is not possible now";
            case 503 -> "The console is not available right now";
            default -> status < 500 ? "That did not work" : "Something went wrong on our side";
        };
    }
}
