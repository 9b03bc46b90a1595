package dev.okr.console;

import io.quarkus.oidc.OidcConfigurationMetadata;
import io.quarkus.oidc.OidcSession;
import io.quarkus.oidc.UserInfo;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.RequestScoped;
import java.util.Optional;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jspecify.annotations.Nullable;

/** The session of the request: whom the provider says it is, and who that is here. */
@RequestScoped
class ConsoleSession {
    /** Under this name Quarkus keeps what the provider says of itself. */
    private static final String PROVIDER = "configuration-metadata";

    /** And under this one what it says of the person beside the ID token, where it was asked. */
    private static final String USER_INFO = "userinfo";

    private final CurrentVertxRequest http;
    private final OidcSession oidc;
    private @Nullable ConsoleUser person;

    ConsoleSession(CurrentVertxRequest http, OidcSession oidc) {
        this.http = http;
        this.oidc = oidc;
    }

    void bind(ConsoleUser found) {
        this.person = found;
    }

    /** None on the pages that need no sign-in, and none for somebody who is not known here. */
    Optional<ConsoleUser> findPerson() {
        return Optional.ofNullable(person);
    }

    /** Who is using the page. */
    ConsoleUser person() {
        return findPerson().orElseThrow(() -> new IllegalStateException("a page without sign-in has no person"));
    }

    /** None for a request that came without signing in. */
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

    /** The address of the person, if the provider said it. */
    Optional<ProvidedEmail> email() {
        var userInfo = identity(http.getCurrent()).map(identity -> identity.<UserInfo>getAttribute(USER_INFO));
        return token().flatMap(token -> ProvidedEmail.of(token, userInfo.orElse(null)));
    }

    /** Whom the provider means, whatever name or address it gives them; empty for nobody. */
    String subject() {
        return subject(http.getCurrent());
    }

    /** The same for any request, also one that never came to a page. */
    static String subject(RoutingContext context) {
        return token(context)
                .map(token -> token.getIssuer() + ' ' + token.getSubject())
                .orElse("");
    }

    /** Where the provider ends its own session, if it can. */
    Optional<String> providerSignOut() {
        return provider(http.getCurrent()).map(OidcConfigurationMetadata::getEndSessionUri);
    }

    /** What the provider says of itself; none for a request that came without signing in. */
    static Optional<OidcConfigurationMetadata> provider(RoutingContext context) {
        return identity(context).map(identity -> identity.getAttribute(PROVIDER));
    }

    /** Takes the session's cookies away. */
    void end() {
        oidc.logout().await().indefinitely();
    }
}
