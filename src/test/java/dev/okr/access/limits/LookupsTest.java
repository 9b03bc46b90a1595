package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LookupsTest {
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);
    private static final int OF_NETWORK = 32;

    private final Lookups lookups = new Lookups(1, MAX_WAIT);

    private CompletableFuture<Runnable> begin(String network) {
        return lookups.begin(
                new Place(network, Deadline.begin(MAX_WAIT)), () -> Failure.unavailable("too many", Duration.ZERO));
    }

    @Test
    void a_network_has_a_share_of_the_lookups_and_many_networks_do_not_refuse_another_one() {
        for (int network = 0; network < 100; network++) {
            for (int i = 0; i < OF_NETWORK; i++) {
                assertThat(begin("203.0.113." + network)).isNotCompletedExceptionally();
            }
        }
        assertThat(begin("203.0.113.0")).isCompletedExceptionally();
        assertThat(begin("198.51.100.1")).isNotCompletedExceptionally();
    }

    @Test
    void lookups_of_unknown_keys_do_not_delay_those_of_known_keys() {
        begin("203.0.113.1");
        assertThat(begin("203.0.113.2")).isNotDone();
        assertThat(lookups.beginForKnownKey(UUID.randomUUID())).isCompleted();
    }

    @Test
    void organisations_take_turns_at_the_lookups_of_known_keys() {
        var greedy = UUID.randomUUID();
        var first = lookups.beginForKnownKey(greedy);
        var second = lookups.beginForKnownKey(greedy);
        var other = lookups.beginForKnownKey(UUID.randomUUID());
        assertThat(second).isNotDone();
        assertThat(other).isNotDone();
        first.join().run();
        assertThat(second).isNotDone();
        assertThat(other).isCompleted();
        other.join().run();
        assertThat(second).isCompleted();
    }

    @Test
    void a_lookup_of_a_known_key_fails_after_two_seconds_and_leaves_the_queue() {
        var running = lookups.beginForKnownKey(UUID.randomUUID());
        var late = lookups.beginForKnownKey(UUID.randomUUID());
        assertThat(late).failsWithin(MAX_WAIT.dividedBy(2)).withThrowableThat().withCauseInstanceOf(Failure.class);
        var next = lookups.beginForKnownKey(UUID.randomUUID());
        running.join().run();
        assertThat(next).isCompleted();
    }
}
