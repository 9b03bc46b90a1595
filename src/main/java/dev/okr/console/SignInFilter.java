package dev.okr.console;

import dev.okr.access.limits.RequestGate;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.RequestIds;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.CallerCheck;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.inject.Provider;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import java.sql.SQLException;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;

/**
 * Identifies the signed-in user and rejects unknown users. The path policy in application.properties has already
 * required a sign-in.
 */
@jakarta.ws.rs.ext.Provider
@Priority(Priorities.AUTHENTICATION)
public class SignInFilter implements ContainerRequestFilter {
    private final ConsoleSession session;
    private final Pages pages;
    private final AgroalDataSource database;
    private final Caller caller;
    private final CurrentTenant tenant;
    private final CurrentVertxRequest http;
    private final RequestGate gate;

    // JAX-RS providers are created during the build of a native image. A Provider reads the value at run time.
    private final Provider<Boolean> verifiedEmailRequired;

    SignInFilter(
            ConsoleSession session,
            Pages pages,
            AgroalDataSource database,
            Caller caller,
            CurrentTenant tenant,
            CurrentVertxRequest http,
            RequestGate gate,
            @ConfigProperty(name = "okr.console.require-verified-email") Provider<Boolean> verifiedEmailRequired) {
        this.session = session;
        this.pages = pages;
        this.database = database;
        this.caller = caller;
        this.tenant = tenant;
        this.http = http;
        this.gate = gate;
        this.verifiedEmailRequired = verifiedEmailRequired;
    }

    /** @param readNanos the time before the user was read, by {@link System#nanoTime} */
    private record Found(ConsoleUser user, long readNanos) {}

    @Override
    public void filter(ContainerRequestContext request) {
        var context = http.getCurrent();
        if (ConsolePath.of(context).equals(SessionResource.SIGN_OUT)) {
            // Everybody may sign out, including unknown users.
            RequestGate.await(gate.awaitBody(context));
            return;
        }
        if (!ConsolePath.needsSignIn(context)) {
            return;
        }
        ((ResteasyReactiveRequestContext) ((ResteasyReactiveContainerRequestContext) request).getServerRequestContext())
                .registerCompletionCallback(gate.beginWork(context));
        var found = findUser(context);
        if (found.isPresent()) {
            var known = found.get().user.identity();
            context.put(RequestIds.ORGANIZATION_ID, IdKind.ORGANIZATION.format(known.organizationId()));
            RequestGate.await(gate.enter(context, known.organizationId(), known.userId(), known.userId(), "This user"));
            gate.awaitTurn(
                    context,
                    known.organizationId(),
                    RequestGate.isChange(context),
                    context.request().getParam(ListQuery.PER_PAGE));
            if (Caller.isOutdated(found.get().readNanos)) {
                found = findUser(context);
            }
        }
        if (found.isEmpty()) {
            session.end();
            if (ConsolePath.of(context).equals(SessionResource.SIGN_IN_AGAIN)) {
                // Another redirect would cause an endless loop.
                throw Failure.forbidden("You have signed out, and your sign-in provider did not ask you to sign in"
                        + " again. Sign out there too, then try again.");
            }
            // Without the cookies, the next request leads to the provider.
            request.abortWith(pages.redirect(SessionResource.SIGN_IN_AGAIN));
            return;
        }
        var current = found.get().user;
        CallerCheck.set(found.get().readNanos, () -> requireStillAllowed(current, context));
        session.bind(current);
        caller.bind(current.identity());
        tenant.bind(current.identity().organizationId());
    }

    /**
     * Identifies the user again. A change requires that nothing about the user has changed. A read, for example an export,
     * requires only the same user with the same role.
     */
    private long requireStillAllowed(ConsoleUser user, RoutingContext context) {
        boolean isChange = RequestGate.isChange(context);
        return findUser(context)
                .filter(found -> isChange ? found.user.equals(user) : found.user.isSameUserWithSameRole(user))
                .map(Found::readNanos)
                .orElseThrow(() ->
                        Failure.forbidden("Your account has changed, or you have signed out. Load the page again."));
    }

    /**
     * The user of the session. Empty if the session has ended.
     *
     * @throws Failure if the user may not use the console
     */
    private Optional<Found> findUser(RoutingContext context) {
        var end = RequestGate.await(gate.awaitLookup(context));
        try (var connection = database.getConnection()) {
            long readNanos = System.nanoTime();
            var sql = new Sql(connection);
            var token = session.token();
            return token.isPresent() && EndedSessions.contains(token.get(), sql)
                    ? Optional.empty()
                    : Optional.of(new Found(requireUser(sql), readNanos));
        } catch (SQLException e) {
            throw new IllegalStateException("The user could not be read.", e);
        } finally {
            end.run();
        }
    }

    private ConsoleUser requireUser(Sql sql) throws SQLException {
        var email = session.email()
                .orElseThrow(() -> Failure.forbidden(
                        "Your sign-in provider did not send your email address, which identifies you here."));
        if (verifiedEmailRequired.get() && !email.verified()) {
            throw Failure.forbidden(
                    ("Your sign-in provider has not verified your email address %s. Verify it there, then"
                                    + " sign out and sign in again.")
                            .formatted(email.address()));
        }
        return ConsoleUser.find(email.address(), sql)
                .orElseThrow(() -> Failure.forbidden(
                        "No active user has the email address %s. Ask an admin of your organisation to add you."
                                .formatted(email.address())));
    }
}
