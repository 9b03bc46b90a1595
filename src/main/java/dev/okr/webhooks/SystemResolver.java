package dev.okr.webhooks;

import dev.okr.access.limits.Allowance;
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
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Resolves names with the system's resolver and waits at most {@link #LIMIT}. A system lookup has no time limit and
 * cannot be interrupted. It therefore runs on its own thread and continues after the wait. The number of lookups is
 * limited, and a name has at most one lookup at a time. The name servers of an organisation can be slow, or return many
 * addresses. So each organisation has its own limit. It also never has more lookups than are free for others.
 */
@ApplicationScoped
class SystemResolver implements Resolver {
    static final Duration LIMIT = Duration.ofSeconds(2);
    static final int MAX_LOOKUPS = 256;
    static final int MAX_LOOKUPS_OF_ORGANIZATION = 16;

    /**
     * The most that is charged for each address. A lookup with 6,300 addresses took 0.25 s of processor time, most of it
     * for sorting and removing duplicates. Java also keeps the addresses in memory for 30 s.
     */
    private static final long MAX_NANOS_PER_ADDRESS = 40_000;

    /** An organisation may use 1/50 of a processor for addresses. */
    private static final int PART_FOR_ADDRESSES = 50;

    private static final Duration MAX_SAVED_FOR_ADDRESSES = Duration.ofMillis(500);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final ExecutorService executor;
    private final Lookup system;
    private final Map<String, CompletableFuture<List<InetAddress>>> lookups = new ConcurrentHashMap<>();

    private final Allowance<UUID> addressTime = new Allowance<>(PART_FOR_ADDRESSES, MAX_SAVED_FOR_ADDRESSES);

    private final Lock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();

    // Guarded by lock. Organisations without lookups are not stored.
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

    /**
     * Waits up to {@link #LIMIT} if the organisation, or all organisations together, have too many lookups. Then waits up
     * to {@link #LIMIT} for the lookup.
     *
     * @throws Failure if too many lookups are running, or if the names of the organisation have too many addresses
     */
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

    private CompletableFuture<List<InetAddress>> lookUp(String name, UUID organizationId) throws InterruptedException {
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
            executor.execute(() -> complete(name, organizationId, lookup));
        } catch (RuntimeException | Error e) {
            // For example, the process may start no more threads.
            lookup.completeExceptionally(e);
        }
        return ended;
    }

    private boolean takeShare(UUID organizationId) throws InterruptedException {
        long leftNanos = LIMIT.toNanos();
        lock.lock();
        try {
            while (shares.getOrDefault(organizationId, 0) >= maxOfOrganization()) {
                if (leftNanos <= 0) {
                    return false;
                }
                leftNanos = released.awaitNanos(leftNanos);
            }
            // After the wait, because lookups of this organisation may have ended meanwhile.
            if (addressTime.isUsedUp(organizationId, System.nanoTime())) {
                throw Failure.unavailable(
                        "The host names of your webhooks have too many addresses. Try again shortly.", RETRY_AFTER);
            }
            shares.merge(organizationId, 1, Integer::sum);
            used++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private int maxOfOrganization() {
        return Math.min(MAX_LOOKUPS_OF_ORGANIZATION, MAX_LOOKUPS - used);
    }

    private void releaseShare(UUID organizationId) {
        lock.lock();
        try {
            shares.computeIfPresent(organizationId, (id, before) -> before == 1 ? null : before - 1);
            used--;
            released.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void complete(String name, UUID organizationId, CompletableFuture<List<InetAddress>> lookup) {
        try {
            long startNanos = System.nanoTime();
            var addresses = system.addresses(name);
            charge(organizationId, addresses.size(), System.nanoTime() - startNanos);
            lookup.complete(addresses);
        } catch (UnknownHostException | RuntimeException | Error e) {
            // Otherwise an error would keep the name and the share until the process ends.
            lookup.completeExceptionally(e);
        }
    }

    /** Charges little for a name that Java has in its cache. */
    private void charge(UUID organizationId, int addresses, long nanos) {
        addressTime.use(organizationId, Math.min(nanos, addresses * MAX_NANOS_PER_ADDRESS), System.nanoTime());
    }
}
