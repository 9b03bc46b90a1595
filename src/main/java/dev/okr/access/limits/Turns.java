package dev.okr.access.limits;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Lets the requests of organisations take turns at the database. An organisation that runs requests alone may use all
 * connections. While others run requests too, some connections remain for them.
 */
final class Turns {
    private final int maxAlone;
    private final int maxBesideOthers;
    private final Map<UUID, Organization> organizations = new LinkedHashMap<>();
    private int running;

    private static final class Organization {
        private final Queue<CompletableFuture<Void>> waiting = new ArrayDeque<>();
        private int running;
    }

    /** @param connections the number of connections to the database */
    Turns(int connections) {
        // More than connections, because a request does not use its connection all the time.
        this.maxAlone = 2 * connections;
        this.maxBesideOthers = Math.max(1, connections * 3 / 4);
    }

    /** Completes when a request of the organisation may run. Each call needs one call of {@link #end}. */
    synchronized CompletableFuture<Void> begin(UUID organizationId) {
        var organization = organizations.computeIfAbsent(organizationId, id -> new Organization());
        var turn = new CompletableFuture<Void>();
        organization.waiting.add(turn);
        if (organization.waiting.size() == 1 && mayRun(organization)) {
            run(organization).complete(null);
        }
        return turn;
    }

    /** Ends a request that has run, or has waited in vain. */
    void end(UUID organizationId, CompletableFuture<Void> turn) {
        // Completed outside the lock, because it resumes a request.
        for (var next = ended(organizationId, turn); next != null; next = next()) {
            next.complete(null);
        }
    }

    private synchronized @Nullable CompletableFuture<Void> ended(UUID organizationId, CompletableFuture<Void> turn) {
        var organization = organizations.get(organizationId);
        if (organization == null) {
            return null;
        }
        if (!organization.waiting.remove(turn)) {
            organization.running--;
            running--;
        }
        if (organization.running == 0 && organization.waiting.isEmpty()) {
            organizations.remove(organizationId);
        }
        return next();
    }

    /** The next request that may run. */
    private synchronized @Nullable CompletableFuture<Void> next() {
        for (var organization : organizations.values()) {
            if (!organization.waiting.isEmpty() && mayRun(organization)) {
                return run(organization);
            }
        }
        return null;
    }

    private CompletableFuture<Void> run(Organization organization) {
        organization.running++;
        running++;
        return organization.waiting.remove();
    }

    private boolean mayRun(Organization organization) {
        boolean isAlone = organization.running == running;
        return organization.running < (isAlone ? maxAlone : maxBesideOthers);
    }
}
