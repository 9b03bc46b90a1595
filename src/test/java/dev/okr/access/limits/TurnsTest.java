package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final UUID GREEDY = UUID.randomUUID();
    private static final UUID OTHER = UUID.randomUUID();

    private long nanos = 1;
    private final Turns turns = new Turns(8, () -> nanos);

    @Test
    void an_organisation_alone_may_use_all_connections() {
        assertThat(begin(GREEDY, 17).stream().filter(CompletableFuture::isDone)).hasSize(16);
    }

    @Test
    void another_organisation_does_not_wait() {
        begin(GREEDY, 100);
        assertThat(begin(OTHER, 4)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void beside_others_an_organisation_keeps_half() {
        var greedy = begin(GREEDY, 20);
        var other = begin(OTHER, 1).getFirst();
        for (int i = 0; i < 12; i++) {
            turns.end(GREEDY, greedy.get(i));
        }
        assertThat(greedy.stream().filter(CompletableFuture::isDone)).hasSize(16);
        turns.end(GREEDY, greedy.get(12));
        assertThat(greedy.stream().filter(CompletableFuture::isDone)).hasSize(17);
        turns.end(OTHER, other);
        assertThat(greedy.get(17)).isNotDone();
        nanos += Duration.ofSeconds(1).toNanos();
        turns.end(GREEDY, greedy.get(13));
        assertThat(greedy).allMatch(CompletableFuture::isDone);
    }

    @Test
    void a_short_pause_of_the_others_does_not_free_their_connections() {
        turns.end(OTHER, begin(OTHER, 1).getFirst());
        nanos += Duration.ofMillis(900).toNanos();
        assertThat(begin(GREEDY, 20).stream().filter(CompletableFuture::isDone)).hasSize(4);
    }

    @Test
    void a_request_that_ends_while_it_waits_takes_no_turn() {
        var greedy = begin(GREEDY, 18);
        turns.end(GREEDY, greedy.get(16));
        turns.end(GREEDY, greedy.get(0));
        assertThat(greedy.get(16)).isNotDone();
        assertThat(greedy.get(17)).isDone();
    }

    private List<CompletableFuture<Void>> begin(UUID organization, int count) {
        var begun = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < count; i++) {
            begun.add(turns.begin(organization));
        }
        return begun;
    }
}
