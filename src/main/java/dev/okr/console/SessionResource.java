package dev.okr.console;

import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriBuilder;
import jakarta.ws.rs.core.UriInfo;

/** Sign-in and sign-out. */
@Path("/settings")
@RunOnVirtualThread
public class SessionResource {
    static final String SIGN_OUT = "/settings/sign-out";

    /** Asks the provider for a new sign-in ({@link NewSignIn}). */
    static final String SIGN_IN_AGAIN = "/settings/sign-in-again";

    /** The redirect URL for the provider. application.properties has it too. */
    static final String SIGNED_IN = "/settings/signed-in";

    private static final String SIGNED_OUT = "/settings/signed-out";

    private final ConsoleSession session;
    private final EndedSessions ended;
    private final Pages pages;

    SessionResource(ConsoleSession session, EndedSessions ended, Pages pages) {
        this.session = session;
        this.ended = ended;
        this.pages = pages;
    }

    @GET
    public Response start() {
        return pages.redirect(ConsolePath.START_PAGE);
    }

    /** The redirect URL for the provider. Quarkus then redirects to the requested page. */
    @GET
    @Path("/signed-in")
    public Response signedIn() {
        return pages.redirect(ConsolePath.ROOT);
    }

    @GET
    @Path("/sign-in-again")
    public Response signInAgain() {
        return pages.redirect(ConsolePath.ROOT);
    }

    /**
     * Asks again whether to sign out. If the session has expired, the first sign-out leads to the provider. The
     * provider may sign the user in again and redirect here.
     */
    @GET
    @Path("/sign-out")
    public Response signOutForm() {
        return pages.ok(Templates.signOut(pages.shell("")));
    }

    @POST
    @Path("/sign-out")
    public Response signOut(@Context UriInfo uri, Form form) {
        var provider = session.providerSignOut();
        var token = session.token();
        token.ifPresent(ended::add);
        session.end();
        if (provider.isEmpty() || token.isEmpty()) {
            return pages.redirect(SIGNED_OUT);
        }
        // OpenID Connect RP-Initiated Logout 1.0. The hint identifies the session to end.
        var address = UriBuilder.fromUri(provider.get())
                .queryParam("id_token_hint", token.get().getRawToken())
                .queryParam("post_logout_redirect_uri", uri.getBaseUri().resolve(SIGNED_OUT));
        return Response.seeOther(address.build()).build();
    }

    @GET
    @Path("/signed-out")
    public Response signedOut() {
        return pages.ok(
                Templates.notice(pages.shell(""), "Signed out", "You are signed out of the console.", "Sign in"));
    }

    @GET
    @Path("/sign-in-failed")
    public Response signInFailed() {
        return pages.forbidden(Templates.notice(
                pages.shell(""),
                "Not signed in",
                "Your provider denied the sign-in, or you cancelled it.",
                ConsoleGate.TRY_AGAIN));
    }

    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance notice(Shell shell, String title, String text, String link);

        static native TemplateInstance signOut(Shell shell);
    }
}
