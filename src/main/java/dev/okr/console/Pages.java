package dev.okr.console;

import dev.okr.platform.http.ErrorPages;
import io.quarkus.qute.TemplateInstance;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Makes responses of pages. A page is rendered before it is answered, so that what fails in it is an error page. */
@ApplicationScoped
class Pages {
    private static final int UNPROCESSABLE = 422;

    private final ConsoleSession session;
    private final FormTokens tokens;
    private final Assets assets;
    private final CurrentVertxRequest http;
    private final boolean secureCookies;

    Pages(
            ConsoleSession session,
            FormTokens tokens,
            Assets assets,
            CurrentVertxRequest http,
            @ConfigProperty(name = "quarkus.oidc.authentication.cookie-force-secure") boolean secureCookies) {
        this.session = session;
        this.tokens = tokens;
        this.assets = assets;
        this.http = http;
        this.secureCookies = secureCookies;
    }

    /** What a page has around it. */
    Shell shell(String section) {
        var flash = Flash.take(http.getCurrent(), secureCookies).map(Flash::text);
        return shell(section, session.findPerson(), session.subject(), flash);
    }

    /** The same around a page that says what went wrong, of a request that may have come to no page at all. */
    Shell bareShell(RoutingContext context) {
        return shell("", Optional.empty(), ConsoleSession.subject(context), Optional.empty());
    }

    Response ok(TemplateInstance page) {
        return respond(200, page);
    }

    /** Shows a form again whose fields are not right yet. */
    Response invalid(TemplateInstance page) {
        return respond(UNPROCESSABLE, page);
    }

    /** Shows a form again that a rule stands in the way of. */
    Response conflict(TemplateInstance page) {
        return respond(409, page);
    }

    Response forbidden(TemplateInstance page) {
        return respond(403, page);
    }

    /** Leads on to a page that says what has happened. */
    Response redirect(String path, Flash flash) {
        flash.leave(http.getCurrent(), secureCookies);
        return redirect(path);
    }

    Response redirect(String path) {
        return Response.seeOther(URI.create(path)).build();
    }

    private Shell shell(String section, Optional<ConsoleUser> person, String subject, Optional<String> flash) {
        return new Shell(
                section,
                person.map(ConsoleUser::name).orElse(null),
                person.map(ConsoleUser::organization).orElse(null),
                person.filter(ConsoleUser::isAdmin).isPresent(),
                subject.isEmpty() ? "" : tokens.make(subject),
                flash.orElse(null),
                assets.stylesheet(),
                assets.script());
    }

    private static Response respond(int status, TemplateInstance page) {
        return Response.status(status)
                .type(ErrorPages.MEDIA_TYPE)
                .entity(page.render())
                .build();
    }
}
