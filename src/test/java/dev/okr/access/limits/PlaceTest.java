package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PlaceTest {
    private static final String HOLDER = "holder";

    private final Shares<String> shares = new Shares<>();
    private final Budget<String> budget = new Budget<>(10, 15);
    private final AtomicInteger endedTurns = new AtomicInteger();
    private final Place place = new Place(HOLDER, Deadline.begin(Duration.ofSeconds(10)));

    @Test
    void a_holder_has_room_up_to_its_part() {
        assertThat(budget.hasRoom(HOLDER, 11)).isTrue();
        budget.take(HOLDER, 6);
        assertThat(budget.hasRoom(HOLDER, 4)).isTrue();
        assertThat(budget.hasRoom(HOLDER, 5)).isFalse();
    }

    @Test
    void all_holders_together_have_room_up_to_twice_the_maximum() {
        budget.force("other", 29);
        assertThat(budget.hasRoom(HOLDER, 1)).isTrue();
        assertThat(budget.hasRoom(HOLDER, 2)).isFalse();
        assertThat(budget.take(HOLDER, 1)).isFalse();
    }

    @Test
    void everything_is_returned_when_the_client_has_taken_the_response() {
        place.beginWork();
        takeAll();
        assertThat(place.leave(true)).isTrue();
        requireReturned();
    }

    @Test
    void a_client_that_disconnects_returns_nothing_before_the_work_ends() {
        place.beginWork();
        takeAll();
        assertThat(place.leave(false)).isFalse();
        assertThat(shares.used(HOLDER)).isEqualTo(3);
        assertThat(endedTurns).hasValue(0);
        place.endWork();
        requireReturned();
    }

    @Test
    void the_turn_ends_with_the_work_and_the_rest_with_the_response() {
        place.beginWork();
        takeAll();
        place.endWork();
        assertThat(endedTurns).hasValue(1);
        assertThat(shares.used(HOLDER)).isEqualTo(3);
        assertThat(place.leave(true)).isTrue();
        requireReturned();
    }

    @Test
    void what_a_request_waits_for_fails_when_its_client_disconnects() {
        var turn = new CompletableFuture<Void>();
        place.beginWork();
        place.await(turn);
        place.leave(false);
        assertThat(turn.exceptionNow()).isInstanceOf(Failure.class);
        var next = new CompletableFuture<Void>();
        place.await(next);
        assertThat(next).isCompletedExceptionally();
    }

    @Test
    void a_second_turn_is_refused_and_ends_at_once() {
        var endedSecondTurns = new AtomicInteger();
        place.holdTurn(endedTurns::incrementAndGet);
        assertThatThrownBy(() -> place.holdTurn(endedSecondTurns::incrementAndGet))
                .isInstanceOf(IllegalStateException.class);
        assertThat(endedSecondTurns).hasValue(1);
        assertThat(endedTurns).hasValue(0);
        place.endTurn();
        assertThat(endedTurns).hasValue(1);
    }

    @Test
    void an_action_runs_once_when_the_turn_ends() {
        var actions = new AtomicInteger();
        place.whenTurnEnds(actions::incrementAndGet);
        assertThat(actions).hasValue(1);
        place.holdTurn(endedTurns::incrementAndGet);
        place.whenTurnEnds(actions::incrementAndGet);
        assertThat(actions).hasValue(1);
        place.leave(false);
        place.endTurn();
        assertThat(actions).hasValue(2);
        assertThat(endedTurns).hasValue(1);
    }

    @Test
    void nothing_is_taken_after_the_end() {
        place.leave(true);
        takeAll();
        requireReturned();
    }

    @Test
    void a_budget_has_a_maximum_for_each_holder_and_in_all() {
        assertThat(budget.take(HOLDER, 8)).isTrue();
        assertThat(budget.take(HOLDER, 3)).isFalse();
        assertThat(budget.take("other", 8)).isFalse();
        assertThat(budget.take("other", 7)).isTrue();
        budget.release(HOLDER, 8);
        assertThat(budget.take("other", 3)).isTrue();
    }

    @Test
    void each_holder_can_take_the_minimum_up_to_the_higher_maximum() {
        var small = new Budget<String>(10, 10, 2, 13);
        assertThat(small.take(HOLDER, 10)).isTrue();
        assertThat(small.take("other", 2)).isTrue();
        assertThat(small.take("other", 1)).isFalse();
        assertThat(small.take("third", 2)).isFalse();
        assertThat(small.hasRoom("third", 2)).isTrue();
        small.release(HOLDER, 10);
        assertThat(small.take("other", 1)).isTrue();
    }

    private void takeAll() {
        place.take(shares, HOLDER, 3, 10);
        for (int i = 0; i < 9; i++) {
            place.takeForBody(budget.of(HOLDER), 1);
        }
        place.holdTurn(endedTurns::incrementAndGet);
    }

    private void requireReturned() {
        assertThat(shares.used(HOLDER)).isZero();
        assertThat(endedTurns).hasValue(1);
        assertThat(budget.take(HOLDER, 10)).isTrue();
    }
}
