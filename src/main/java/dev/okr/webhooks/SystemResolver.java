package dev.okr.webhooks;

import dev.okr.platform.errors.Failure;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
 * limited, and a name has at most one lookup at a time.
 */
@ApplicationScoped
class SystemResolver implements Resolver {
    static final Duration LIMIT = Duration.ofSeconds(2);
    static final int MAX_LOOKUPS = 256;

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final ExecutorService executor;
    private final Resolver system;
    private final Map<String, CompletableFuture<List<InetAddress>>> lookups = new ConcurrentHashMap<>();

    SystemResolver() {
        this(platformThreads(), name -> List.of(InetAddress.getAllByName(name)));
    }

    SystemResolver(ExecutorService executor, Resolver system) {
        this.executor = executor;
        this.system = system;
    }

    /** A lookup is native code, which would pin the carrier thread of a virtual thread. */
    private static ExecutorService platformThreads() {
        return Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().daemon().name("okr-resolver-", 0).factory());
    }

    /** @throws dev.okr.platform.errors.Failure if too many lookups are running */
    @Override
    public List<InetAddress> resolve(String name) throws UnknownHostException {
        try {
            return lookUp(name).get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new UnknownHostException(name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnknownHostException(name);
        }
    }

    private CompletableFuture<List<InetAddress>> lookUp(String name) {
        var lookup = new CompletableFuture<List<InetAddress>>();
        var running = lookups.putIfAbsent(name, lookup);
        if (running != null) {
            return running;
        }
        if (lookups.size() > MAX_LOOKUPS) {
            lookups.remove(name);
            throw Failure.unavailable("Too many host names are being resolved. Try again shortly.", RETRY_AFTER);
        }
        executor.execute(() -> complete(name, lookup));
        return lookup;
    }

    private void complete(String name, CompletableFuture<List<InetAddress>> lookup) {
        try {
            lookup.complete(system.resolve(name));
        } catch (UnknownHostException | RuntimeException e) {
            lookup.completeExceptionally(e);
        } finally {
            lookups.remove(name);
        }
    }
}
