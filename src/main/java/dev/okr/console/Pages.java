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

/**
 * Makes responses from templates. A page is rendered before the response starts, so that a failure results in an error
 * page.
 */
@ApplicationScoped
public class Pages {
    private static final int UNPROCESSABLE = 422;

    private final ConsoleSession session;
    private final FormTokens tokens;
    private final AssetResource assets;
    private final CurrentVertxRequest http;
    private final boolean secureCookies;

    Pages(
            ConsoleSession session,
            FormTokens tokens,
            AssetResource assets,
            CurrentVertxRequest http,
            @ConfigProperty(name = "quarkus.oidc.authentication.cookie-force-secure") boolean secureCookies) {
        this.session = session;
        this.tokens = tokens;
        this.assets = assets;
        this.http = http;
        this.secureCookies = secureCookies;
    }

    /** The shell of a page, with the pending flash message. */
    public Shell shell(String section) {
        var flash = Flash.take(http.getCurrent(), secureCookies).map(Flash::text);
        return shell(section, session.findUser(), session.subject(), flash);
    }

    /** The shell of an error page, for a request that may not have reached a resource. */
    Shell bareShell(RoutingContext context) {
        return shell("", Optional.empty(), ConsoleSession.subject(context), Optional.empty());
    }

    public Response ok(TemplateInstance page) {
        return respond(200, page);
    }

    /** Shows a form again with errors in its fields. */
    public Response invalid(TemplateInstance page) {
        return respond(UNPROCESSABLE, page);
    }

    /** Shows a form again because of a conflict. */
    public Response conflict(TemplateInstance page) {
        return respond(409, page);
    }

    Response forbidden(TemplateInstance page) {
        return respond(403, page);
    }

    /** Redirects to a page that shows a message. */
    public Response redirect(String path, Flash flash) {
        flash.store(http.getCurrent(), secureCookies);
        return redirect(path);
    }

    Response redirect(String path) {
        return Response.seeOther(URI.create(path)).build();
    }

    private Shell shell(String section, Optional<ConsoleUser> user, String subject, Optional<String> flash) {
        return new Shell(
                section,
                user.map(ConsoleUser::name).orElse(null),
                user.map(ConsoleUser::organization).orElse(null),
                user.filter(ConsoleUser::isAdmin).isPresent(),
                subject.isEmpty() ? "" : tokens.create(subject),
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
