package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.errors.Failure;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SystemResolverTest {
    private static final UUID ORGANIZATION = UUID.randomUUID();
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("93.184.215.14");

    private final CountDownLatch answered = new CountDownLatch(1);
    private final AtomicInteger lookups = new AtomicInteger();

    @AfterEach
    void answer() {
        answered.countDown();
    }

    @Test
    void localhost_resolves() throws UnknownHostException {
        var resolver = new SystemResolver();
        assertThat(resolver.resolve("localhost", ORGANIZATION)).isNotEmpty().allMatch(InetAddress::isLoopbackAddress);
    }

    @Test
    void a_name_without_addresses_is_unknown() {
        var resolver = resolver(name -> {
            throw new UnknownHostException(name);
        });
        assertThatThrownBy(() -> resolver.resolve("nowhere.example", ORGANIZATION))
                .isInstanceOf(UnknownHostException.class);
    }

    @Test
    void a_hanging_lookup_times_out_after_two_seconds_and_is_not_repeated() {
        var resolver = resolver(this::hang);
        long startedNanos = System.nanoTime();
        assertThatThrownBy(() -> resolver.resolve("slow.example", ORGANIZATION))
                .isInstanceOf(UnknownHostException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - startedNanos))
                .isBetween(Duration.ofMillis(1_900), Duration.ofSeconds(5));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> resolver.resolve("slow.example", ORGANIZATION))
                .isInstanceOf(UnknownHostException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lookups).hasValue(1);
    }

    @Test
    void each_call_gets_the_current_addresses() throws UnknownHostException {
        var resolver = resolver(name -> List.of(InetAddress.ofLiteral("93.184.0." + lookups.incrementAndGet() % 256)));
        for (int i = 1; i <= 2_000; i++) {
            assertThat(resolver.resolve("changing.example", ORGANIZATION))
                    .containsExactly(InetAddress.ofLiteral("93.184.0." + i % 256));
        }
    }

    @Test
    void a_lookup_is_rejected_when_too_many_hang() throws UnknownHostException, InterruptedException {
        var resolver = resolver(name -> name.startsWith("slow") ? hang(name) : List.of(ADDRESS));
        for (int i = 0; i < SystemResolver.MAX_LOOKUPS; i++) {
            var name = "slow" + i + ".example";
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> resolver.resolve(name, UUID.randomUUID()))
                    .isInstanceOf(UnknownHostException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThatThrownBy(() -> resolver.resolve("quick.example", ORGANIZATION))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith("unavailable");
        answered.countDown();
        assertThat(eventually(resolver)).containsExactly(ADDRESS);
    }

    @Test
    void an_organisation_has_a_share_of_the_lookups() throws UnknownHostException {
        var resolver = resolver(name -> name.startsWith("slow") ? hang(name) : List.of(ADDRESS));
        var greedy = startHanging(resolver);
        assertThatThrownBy(() -> resolver.resolve("quick.example", greedy)).isInstanceOf(Failure.class);
        assertThat(resolver.resolve("quick.example", UUID.randomUUID())).containsExactly(ADDRESS);
    }

    @Test
    void a_lookup_waits_for_the_share_of_its_organisation() throws Exception {
        var resolver = resolver(name -> name.startsWith("slow") ? hang(name) : List.of(ADDRESS));
        var greedy = startHanging(resolver);
        var waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return resolver.resolve("quick.example", greedy);
            } catch (UnknownHostException e) {
                throw new AssertionError(e);
            }
        });
        assertThatThrownBy(() -> waiting.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        answered.countDown();
        assertThat(waiting.get()).containsExactly(ADDRESS);
    }

    /** A lookup with thousands of addresses takes a quarter of a second of processor time. */
    @Test
    void names_with_thousands_of_addresses_are_looked_up_rarely() throws UnknownHostException {
        var resolver = resolver(name -> {
            lookups.incrementAndGet();
            // As long as with the resolver of a Linux system.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(250));
            return Collections.nCopies(6_000, ADDRESS);
        });
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 20; i++) {
                        resolver.resolve("large" + i + ".example", ORGANIZATION);
                    }
                })
                .isInstanceOf(Failure.class);
        assertThat(lookups).hasValueBetween(2, 5);
        resolver.resolve("other.example", UUID.randomUUID());
    }

    /** Java keeps addresses for 30 s. */
    @Test
    void cached_names_with_many_addresses_are_resolved_at_any_rate() throws UnknownHostException {
        var addresses = Collections.nCopies(100, ADDRESS);
        var resolver = resolver(name -> addresses);
        for (int i = 0; i < 1_000; i++) {
            assertThat(resolver.resolve("cached.example", ORGANIZATION)).isEqualTo(addresses);
        }
    }

    /** Returns an organisation with all the lookups that it may have. */
    private static UUID startHanging(Resolver resolver) {
        var organizationId = UUID.randomUUID();
        for (int i = 0; i < SystemResolver.MAX_LOOKUPS_OF_ORGANIZATION; i++) {
            var name = "slow" + i + ".example";
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> resolver.resolve(name, organizationId)).isInstanceOf(UnknownHostException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
        return organizationId;
    }

    @Test
    void an_error_during_a_lookup_does_not_keep_its_place() throws UnknownHostException, InterruptedException {
        var resolver = resolver(name -> {
            if (name.startsWith("bad")) {
                throw new OutOfMemoryError("a test");
            }
            return List.of(ADDRESS);
        });
        for (int i = 0; i < SystemResolver.MAX_LOOKUPS; i++) {
            var name = "bad" + i + ".example";
            assertThatThrownBy(() -> resolver.resolve(name, ORGANIZATION)).isInstanceOf(UnknownHostException.class);
        }
        assertThat(eventually(resolver)).containsExactly(ADDRESS);
    }

    @Test
    void a_lookup_that_cannot_start_does_not_keep_its_place() {
        var executor = Executors.newCachedThreadPool();
        executor.shutdown();
        var resolver = new SystemResolver(executor, name -> List.of(ADDRESS));
        for (int i = 0; i <= SystemResolver.MAX_LOOKUPS; i++) {
            assertThatThrownBy(() -> resolver.resolve("some.example", ORGANIZATION))
                    .isInstanceOf(UnknownHostException.class);
        }
    }

    private static List<InetAddress> eventually(Resolver resolver) throws UnknownHostException, InterruptedException {
        for (int attempts = 1; ; attempts++) {
            try {
                return resolver.resolve("quick.example", ORGANIZATION);
            } catch (Failure tooMany) {
                assertThat(attempts).isLessThan(1_000);
                Thread.sleep(5);
            }
        }
    }

    private List<InetAddress> hang(String name) throws UnknownHostException {
        lookups.incrementAndGet();
        try {
            answered.await();
        } catch (InterruptedException e) {
            throw new UnknownHostException(name);
        }
        return List.of(ADDRESS);
    }

    private static Resolver resolver(SystemResolver.Lookup system) {
        return new SystemResolver(Executors.newVirtualThreadPerTaskExecutor(), system);
    }
}
