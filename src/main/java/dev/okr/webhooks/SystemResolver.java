package dev.okr.webhooks;

import dev.okr.platform.errors.Failure;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Resolves names with the system's resolver and waits at most {@link #LIMIT}. A system lookup has no time limit and
 * cannot be interrupted. It therefore runs on its own thread and continues after the wait. The number of lookups is
 * limited, and a name has at most one lookup at a time. The name servers of an organisation can be slow, so it has at
 * most as many lookups as are free for others.
 */
@ApplicationScoped
class SystemResolver implements Resolver {
    static final Duration LIMIT = Duration.ofSeconds(2);
    static final int MAX_LOOKUPS = 256;

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final ExecutorService executor;
    private final Lookup system;
    private final Map<String, CompletableFuture<List<InetAddress>>> lookups = new ConcurrentHashMap<>();

    // Guarded by this. Organisations without lookups are not stored.
    private final Map<UUID, Integer> shares = new HashMap<>();
    private int used;

    /** A lookup without a time limit. */
    @FunctionalInterface
    interface Lookup {
        List<InetAddress> addresses(String name) throws UnknownHostException;
    }

    SystemResolver() {
        this(platformThreads(), name -> List.of(InetAddress.getAllByName(name)));
    }

    SystemResolver(ExecutorService executor, Lookup system) {
        this.executor = executor;
        this.system = system;
    }

    /** A lookup is native code, which would pin the carrier thread of a virtual thread. */
    private static ExecutorService platformThreads() {
        return Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().daemon().name("okr-resolver-", 0).factory());
    }

    /** @throws dev.okr.platform.errors.Failure if too many lookups are running, of the organisation or in all */
    @Override
    public List<InetAddress> resolve(String name, UUID organizationId) throws UnknownHostException {
        try {
            return lookUp(name, organizationId).get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new UnknownHostException(name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnknownHostException(name);
        }
    }

    private CompletableFuture<List<InetAddress>> lookUp(String name, UUID organizationId) {
        var running = lookups.get(name);
        if (running != null) {
            return running;
        }
        if (!takeShare(organizationId)) {
            throw Failure.unavailable("Too many host names are being resolved. Try again shortly.", RETRY_AFTER);
        }
        var lookup = new CompletableFuture<List<InetAddress>>();
        // Callers see the result only after the lookup was removed. A later call must not get an old result.
        var ended = lookup.whenComplete((addresses, failure) -> {
            lookups.remove(name);
            releaseShare(organizationId);
        });
        var other = lookups.putIfAbsent(name, ended);
        if (other != null) {
            releaseShare(organizationId);
            return other;
        }
        try {
            executor.execute(() -> complete(name, lookup));
        } catch (RuntimeException | Error e) {
            // For example, the process may start no more threads.
            lookup.completeExceptionally(e);
        }
        return ended;
    }

    private synchronized boolean takeShare(UUID organizationId) {
        int ofOrganization = shares.getOrDefault(organizationId, 0);
        if (ofOrganization >= MAX_LOOKUPS - used) {
            return false;
        }
        shares.put(organizationId, ofOrganization + 1);
        used++;
        return true;
    }

    private synchronized void releaseShare(UUID organizationId) {
        shares.computeIfPresent(organizationId, (id, before) -> before == 1 ? null : before - 1);
        used--;
    }

    private void complete(String name, CompletableFuture<List<InetAddress>> lookup) {
        try {
            lookup.complete(system.addresses(name));
        } catch (UnknownHostException | RuntimeException | Error e) {
            // Otherwise an error would keep the name and the share until the process ends.
            lookup.completeExceptionally(e);
        }
    }
}
