package dev.okr.console;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import io.quarkus.oidc.OidcConfigurationMetadata;
import io.quarkus.oidc.OidcSession;
import io.quarkus.oidc.UserInfo;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.inject.Instance;
import java.util.Optional;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jspecify.annotations.Nullable;

/** The console session of the request. It has the identity from the provider and the matching user. */
@RequestScoped
public class ConsoleSession {
    /** The attribute in which Quarkus stores the provider's metadata. */
    private static final String PROVIDER = "configuration-metadata";

    /** The attribute in which Quarkus stores the response of the UserInfo endpoint, if it was requested. */
    private static final String USER_INFO = "userinfo";

    private static final String USER = "okr.console.user";

    /** The attribute with the email address of a person who tries the service ({@link TrialSignIn}). */
    static final String TRIAL = "okr.console.trial";

    private final CurrentVertxRequest http;
    private final OidcSession oidc;
    private final Instance<TrialSignIn> trials;
    private @Nullable ConsoleUser user;

    ConsoleSession(CurrentVertxRequest http, OidcSession oidc, Instance<TrialSignIn> trials) {
        this.http = http;
        this.oidc = oidc;
        this.trials = trials;
    }

    void bind(ConsoleUser signedIn) {
        this.user = signedIn;
        http.getCurrent().put(USER, signedIn);
    }

    /** The user. Empty on pages without sign-in and for unknown users. */
    Optional<ConsoleUser> findUser() {
        return Optional.ofNullable(user);
    }

    /** Like {@link #findUser()}, for a request that may not have reached a resource. */
    static Optional<ConsoleUser> findUser(RoutingContext context) {
        return Optional.ofNullable(context.get(USER));
    }

    /** The user of the page. */
    public ConsoleUser user() {
        return findUser().orElseThrow(() -> new IllegalStateException("A page without sign-in has no user."));
    }

    /** @throws Failure if the user may only read */
    public void requireWriter() {
        if (!user().mayWrite()) {
            throw Failure.missingRole("member");
        }
    }

    /** Whether the plan of the organisation includes the API, and with it API keys and webhooks. */
    public boolean mayUseApi() {
        return user().plan().includesApi();
    }

    /**
     * @param what what requires the plan, at the start of a sentence
     * @throws Failure if the plan of the organisation does not include the API
     */
    public void requirePlan(String what) {
        if (!mayUseApi()) {
            throw Failure.of(ErrorCode.PLAN_REQUIRED, what + " requires the Business plan or a higher one.");
        }
    }

    /** The ID token. Empty for a request without sign-in. */
    Optional<JsonWebToken> token() {
        return token(http.getCurrent());
    }

    private static Optional<JsonWebToken> token(RoutingContext context) {
        return identity(context)
                .filter(identity -> identity.getPrincipal() instanceof JsonWebToken)
                .map(identity -> (JsonWebToken) identity.getPrincipal());
    }

    private static Optional<SecurityIdentity> identity(RoutingContext context) {
        return context.user() instanceof QuarkusHttpUser user
                ? Optional.of(user.getSecurityIdentity())
                : Optional.empty();
    }

    /** Whether somebody tries the service without a provider. */
    boolean isTrial() {
        return trial(http.getCurrent()).isPresent();
    }

    private static Optional<String> trial(RoutingContext context) {
        return identity(context).map(identity -> identity.getAttribute(TRIAL));
    }

    /** The email address from the provider, if any. */
    Optional<ProvidedEmail> email() {
        var chosen = trial(http.getCurrent());
        if (chosen.isPresent()) {
            return chosen.map(address -> new ProvidedEmail(address, true));
        }
        var userInfo = identity(http.getCurrent()).map(identity -> identity.<UserInfo>getAttribute(USER_INFO));
        return token().flatMap(token -> ProvidedEmail.of(token, userInfo.orElse(null)));
    }

    /** The identity at the provider. It does not depend on name and address. Empty without sign-in. */
    String subject() {
        return subject(http.getCurrent());
    }

    /** Like {@link #subject()}, for a request that may not reach a resource. */
    static String subject(RoutingContext context) {
        return token(context)
                .map(token -> token.getIssuer() + ' ' + token.getSubject())
                .or(() -> trial(context).map(address -> TrialSignIn.NOBODY + ' ' + address))
                // The trial page has no user yet. A token without a user is valid on that page only.
                .orElseGet(() -> ConsolePath.of(context).equals(TrialSignIn.PATH) ? TrialSignIn.NOBODY : "");
    }

    /** The provider's end-session endpoint, if it has one. */
    Optional<String> providerSignOut() {
        return provider(http.getCurrent()).map(OidcConfigurationMetadata::getEndSessionUri);
    }

    /** The provider's metadata. Empty for a request without sign-in. */
    static Optional<OidcConfigurationMetadata> provider(RoutingContext context) {
        return identity(context).map(identity -> identity.getAttribute(PROVIDER));
    }

    /** Removes the cookies of the session. */
    void end() {
        if (isTrial()) {
            trials.forEach(trial -> trial.signOut(http.getCurrent()));
            return;
        }
        oidc.logout().await().indefinitely();
    }
}
