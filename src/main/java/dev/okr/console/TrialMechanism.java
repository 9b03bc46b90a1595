package dev.okr.console;

import io.quarkus.arc.properties.UnlessBuildProperty;
import io.quarkus.security.identity.IdentityProviderManager;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.request.AuthenticationRequest;
import io.quarkus.security.runtime.QuarkusPrincipal;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.vertx.http.runtime.security.ChallengeData;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticationMechanism;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Authenticates the cookies of {@link TrialSignIn}, and redirects everybody else on this machine to its page. */
@ApplicationScoped
@UnlessBuildProperty(name = "quarkus.native.enabled", stringValue = "true", enableIfMissing = true)
class TrialMechanism implements HttpAuthenticationMechanism {
    private static final int FIRST = HttpAuthenticationMechanism.DEFAULT_PRIORITY + 1_000;
    private static final int FOUND = 302;

    private final TrialSignIn trial;

    TrialMechanism(TrialSignIn trial) {
        this.trial = trial;
    }

    @Override
    public Uni<SecurityIdentity> authenticate(RoutingContext context, IdentityProviderManager identityProviders) {
        @Nullable
        SecurityIdentity identity = ConsolePath.isConsole(context)
                ? trial.find(context).map(TrialMechanism::identity).orElse(null)
                : null;
        return Uni.createFrom().item(identity);
    }

    private static SecurityIdentity identity(String email) {
        return QuarkusSecurityIdentity.builder()
                .setPrincipal(new QuarkusPrincipal(email))
                .addAttribute(ConsoleSession.TRIAL, email)
                .build();
    }

    @Override
    public Uni<ChallengeData> getChallenge(RoutingContext context) {
        @Nullable
        ChallengeData toPage = ConsolePath.isConsole(context) && trial.isOpenFor(context)
                ? new ChallengeData(FOUND, HttpHeaders.LOCATION, TrialSignIn.PATH)
                : null;
        return Uni.createFrom().item(toPage);
    }

    @Override
    public Set<Class<? extends AuthenticationRequest>> getCredentialTypes() {
        return Set.of();
    }

    @Override
    public int getPriority() {
        return FIRST;
    }
}
