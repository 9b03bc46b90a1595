package dev.okr.console;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.http.ErrorPages;
import dev.okr.platform.http.Problem;
import dev.okr.platform.http.RequestIds;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Renders error pages for the console. */
@ApplicationScoped
class ConsoleErrors implements ErrorPages {
    private static final String NO_PAGE = "There is no page at this address.";
    private static final String BACK = "Back to the start page";

    private final Pages pages;

    ConsoleErrors(Pages pages) {
        this.pages = pages;
    }

    @Override
    public Optional<String> page(Problem problem, RoutingContext context) {
        if (!ConsolePath.isConsole(context)) {
            return Optional.empty();
        }
        var shell = pages.bareShell(context, problem.status());
        return Optional.of(Templates.error(shell, title(problem.status()), detail(problem), problem.requestId(), BACK)
                .render());
    }

    /**
     * Ends a request with an error page before it reaches a resource.
     *
     * @param link the text of the link to the start page; null for no link
     */
    void end(RoutingContext context, int status, String title, String detail, @Nullable String link) {
        var response = context.response();
        var page = Templates.error(pages.bareShell(context, status), title, detail, requestId(response), link);
        response.setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, MEDIA_TYPE)
                .end(page.render());
    }

    /** Ends a request for a page that does not exist. */
    void endNotFound(RoutingContext context) {
        end(context, 404, title(404), NO_PAGE, BACK);
    }

    private static String requestId(HttpServerResponse response) {
        @Nullable String id = response.headers().get(RequestIds.HEADER);
        return id == null ? "" : id;
    }

    /** Replaces the framework's messages, which are written for developers. */
    private static String detail(Problem problem) {
        return switch (problem.status()) {
            case 404 -> problem.detail().equals(ErrorCode.NOT_FOUND.detail()) ? NO_PAGE : problem.detail();
            case 405 -> "This page does not support this action. Go back to the start page and try again.";
            case 406 -> "This page is available as HTML only.";
            case 409 -> FormFields.detail(problem.code(), problem.detail());
            case 413 ->
                "The form is too large. To import a larger file, use the command line or allow scripts in the browser.";
            case 415 -> "The form must be sent as application/x-www-form-urlencoded.";
            default -> problem.detail();
        };
    }

    private static String title(int status) {
        return switch (status) {
            case 400 -> "Invalid request";
            case 403 -> "Access denied";
            case 404 -> "Page not found";
            case 409 -> "This is not possible now";
            case 503 -> "The console is temporarily unavailable";
            default -> status < 500 ? "The request failed" : "Internal error";
        };
    }

    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance error(
                Shell shell, String title, String detail, String requestId, @Nullable String link);
    }
}
