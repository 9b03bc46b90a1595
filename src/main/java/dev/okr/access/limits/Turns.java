package dev.okr.access.limits;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets the requests of organisations take turns at the database. An organisation that runs requests alone may use all
 * connections. If others ran requests within the last second, it may use half of them.
 */
final class Turns {
    private final int maxAlone;
    private final int maxBesideOthers;
    private static final long RECENT_NANOS = Duration.ofSeconds(1).toNanos();

    private final LongSupplier nanoTime;
    private final Map<UUID, Organization> organizations = new LinkedHashMap<>();

    /** The organisation of the last request, and when another one than this had its last request. */
    private @Nullable UUID last;

    private long lastNanos;
    private long lastOfOthersNanos;

    private static final class Organization {
        private final Queue<CompletableFuture<Void>> waiting = new ArrayDeque<>();
        private int running;
    }

    /** @param connections the number of connections to the database */
    Turns(int connections) {
        this(connections, System::nanoTime);
    }

    Turns(int connections, LongSupplier nanoTime) {
        // More than connections, because a request does not use its connection all the time.
        this.maxAlone = 2 * connections;
        this.maxBesideOthers = Math.max(1, connections / 2);
        this.nanoTime = nanoTime;
        this.lastNanos = nanoTime.getAsLong() - RECENT_NANOS;
        this.lastOfOthersNanos = lastNanos;
    }

    /** Completes when a request of the organisation may run. Each call needs one call of {@link #end}. */
    synchronized CompletableFuture<Void> begin(UUID organizationId) {
        see(organizationId);
        var organization = organizations.computeIfAbsent(organizationId, id -> new Organization());
        var turn = new CompletableFuture<Void>();
        organization.waiting.add(turn);
        if (organization.waiting.size() == 1 && mayRun(organizationId, organization)) {
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
        }
        if (organization.running == 0 && organization.waiting.isEmpty()) {
            organizations.remove(organizationId);
        }
        return next();
    }

    /** The next request that may run. */
    private synchronized @Nullable CompletableFuture<Void> next() {
        for (var entry : organizations.entrySet()) {
            var organization = entry.getValue();
            if (!organization.waiting.isEmpty() && mayRun(entry.getKey(), organization)) {
                return run(organization);
            }
        }
        return null;
    }

    private static CompletableFuture<Void> run(Organization organization) {
        organization.running++;
        return organization.waiting.remove();
    }

    private void see(UUID organizationId) {
        if (!organizationId.equals(last)) {
            last = organizationId;
            lastOfOthersNanos = lastNanos;
        }
        lastNanos = nanoTime.getAsLong();
    }

    private boolean mayRun(UUID organizationId, Organization organization) {
        long others = organizationId.equals(last) ? lastOfOthersNanos : lastNanos;
        boolean isAlone = nanoTime.getAsLong() - others >= RECENT_NANOS;
        return organization.running < (isAlone ? maxAlone : maxBesideOthers);
    }
}
