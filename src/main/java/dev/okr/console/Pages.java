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
    /** The header of a request for a part of a page, and of its response. Only our script can send it. */
    public static final String PART = "X-Okr-Part";

    private static final int UNPROCESSABLE = 422;
    private static final int FORBIDDEN = 403;

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
        var flash = Flash.take(http.getCurrent(), secure()).map(Flash::text);
        var user = session.findUser();
        return shell(section, user, session.subject(), flash, user.isPresent());
    }

    /** The shell of an error page, for a request that may not have reached a resource. */
    Shell bareShell(RoutingContext context, int status) {
        var user = ConsoleSession.findUser(context);
        var subject = ConsoleSession.subject(context);
        // A path that no resource serves fails before the user is read.
        boolean navigation = user.isPresent() || (isSignedIn(subject) && status != FORBIDDEN);
        return shell("", user, subject, Optional.empty(), navigation);
    }

    public Response ok(TemplateInstance page) {
        return respond(200, page);
    }

    /** A page with any status. */
    public Response show(int status, TemplateInstance page) {
        return respond(status, page);
    }

    /** A part of a page, which the script inserts. */
    public Response part(int status, TemplateInstance part) {
        return Response.status(status)
                .type(ErrorPages.MEDIA_TYPE)
                .header(PART, "true")
                .entity(new HtmlWriter.Html(part.render()))
                .build();
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
        return respond(FORBIDDEN, page);
    }

    /** Redirects to a page that shows a message. */
    public Response redirect(String path, Flash flash) {
        flash.store(http.getCurrent(), secure());
        return redirect(path);
    }

    public Response redirect(String path) {
        return Response.seeOther(URI.create(path)).build();
    }

    /** Whether cookies are for HTTPS only. A trial has no HTTPS. */
    private boolean secure() {
        return secureCookies && !session.isTrial();
    }

    private Shell shell(
            String section, Optional<ConsoleUser> user, String subject, Optional<String> flash, boolean navigation) {
        return new Shell(
                section,
                user.map(ConsoleUser::name).orElse(null),
                user.map(ConsoleUser::organization).orElse(null),
                user.filter(ConsoleUser::isAdmin).isPresent(),
                user.filter(ConsoleUser::mayWrite).isPresent(),
                subject.startsWith(TrialSignIn.NOBODY + ' '),
                isSignedIn(subject),
                navigation,
                subject.isEmpty() ? "" : tokens.create(subject),
                flash.orElse(null),
                assets.stylesheet(),
                assets.script());
    }

    private static boolean isSignedIn(String subject) {
        return !subject.isEmpty() && !subject.equals(TrialSignIn.NOBODY);
    }

    private static Response respond(int status, TemplateInstance page) {
        return Response.status(status)
                .type(ErrorPages.MEDIA_TYPE)
                .entity(new HtmlWriter.Html(page.render()))
                .build();
    }
}
