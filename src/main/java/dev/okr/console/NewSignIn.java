package dev.okr.console;

import io.quarkus.arc.Unremovable;
import io.quarkus.oidc.OidcRedirectFilter;
import io.quarkus.oidc.Redirect;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Makes the provider ask for a new sign-in after a sign-out. Without these parameters, a provider whose own session
 * continues would return the ended session without a prompt.
 */
@ApplicationScoped
@Redirect(Redirect.Location.OIDC_AUTHORIZATION)
@Unremovable
class NewSignIn implements OidcRedirectFilter {
    @Override
    public void filter(OidcRedirectContext context) {
        if (ConsolePath.of(context.routingContext()).equals(SessionResource.SIGN_IN_AGAIN)) {
            context.additionalQueryParams().add("prompt", "login").add("max_age", "0");
        }
    }
}
