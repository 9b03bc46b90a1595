package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final UUID GREEDY = UUID.randomUUID();
    private static final UUID OTHER = UUID.randomUUID();
    private static final UUID THIRD = UUID.randomUUID();
    private static final UUID FOURTH = UUID.randomUUID();
    private static final UUID FIFTH = UUID.randomUUID();
    private static final UUID SIXTH = UUID.randomUUID();
    private static final UUID SEVENTH = UUID.randomUUID();

    private static final int WAITING = 10_000;

    private long nanos = 1;
    private final Turns<UUID> turns = new Turns<>(7, () -> nanos);

    @Test
    void an_organisation_leaves_turns_free_while_no_other_is_active() {
        assertThat(running(begin(GREEDY, 17))).isEqualTo(5);
        assertThat(begin(OTHER, 1)).allMatch(CompletableFuture::isDone);
        assertThat(begin(THIRD, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void an_organisation_uses_half_of_the_turns_while_others_are_active() {
        makeShort(GREEDY);
        var greedy = begin(GREEDY, 20);
        var other = begin(OTHER, 1).getFirst();
        assertThat(other).isDone();
        turns.end(GREEDY, greedy.get(0));
        turns.end(GREEDY, greedy.get(1));
        assertThat(running(greedy)).isEqualTo(5);
        turns.end(GREEDY, greedy.get(2));
        assertThat(running(greedy)).isEqualTo(6);
        turns.end(OTHER, other);
        nanos += Duration.ofSeconds(1).toNanos();
        turns.end(GREEDY, greedy.get(3));
        assertThat(running(greedy)).isEqualTo(9);
    }

    @Test
    void turns_are_active_until_a_second_after_the_last_request() {
        assertThat(turns.isActive()).isFalse();
        var request = begin(OTHER, 1).getFirst();
        nanos += Duration.ofSeconds(5).toNanos();
        assertThat(turns.isActive()).isTrue();
        turns.end(OTHER, request);
        nanos += Duration.ofMillis(999).toNanos();
        assertThat(turns.isActive()).isTrue();
        nanos += Duration.ofMillis(1).toNanos();
        assertThat(turns.isActive()).isFalse();
    }

    @Test
    void heavy_requests_of_one_organisation_take_only_one_of_the_last_two_turns() {
        turns.end(THIRD, begin(THIRD, 1).getFirst());
        takeAllTurnsButTheLastThird();
        assertThat(running(begin(THIRD, 2))).isEqualTo(1);
        assertThat(begin(FOURTH, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void an_organisation_with_long_requests_loses_the_kept_turns() {
        takeAllTurnsButTheLastThird();
        runInKeptTurn(THIRD, Duration.ofMillis(3_400));
        pass(Duration.ofSeconds(30));
        var again = begin(THIRD, 1).getFirst();
        assertThat(again).isNotDone();
        assertThat(begin(FOURTH, 1)).allMatch(CompletableFuture::isDone);
        turns.end(THIRD, again);
        pass(Duration.ofSeconds(10));
        assertThat(begin(THIRD, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void an_organisation_that_waits_after_long_requests_does_not_keep_others_from_the_kept_turns() {
        takeAllTurnsButTheLastThird();
        runInKeptTurn(THIRD, Duration.ofMillis(3_400));
        pass(Duration.ofSeconds(30));
        // Now the load of this organisation is the larger one.
        for (int i = 0; i < 5; i++) {
            runInKeptTurn(SIXTH, Duration.ofMillis(90));
        }
        begin(THIRD, 1);
        var kept = List.of(begin(FOURTH, 1).getFirst(), begin(FIFTH, 1).getFirst());
        var other = begin(SIXTH, 1).getFirst();
        assertThat(other).isNotDone();
        turns.end(FOURTH, kept.getFirst());
        assertThat(other).isDone();
    }

    @Test
    void an_organisation_with_few_long_requests_has_the_kept_turns() {
        takeAllTurnsButTheLastThird();
        for (int i = 0; i < 20; i++) {
            runInKeptTurn(THIRD, Duration.ofMillis(700));
            pass(Duration.ofSeconds(10));
        }
    }

    @Test
    void a_turn_that_ends_twice_ends_once() {
        var greedy = begin(GREEDY, 7);
        turns.end(GREEDY, greedy.getFirst());
        turns.end(GREEDY, greedy.getFirst());
        assertThat(running(greedy)).isEqualTo(6);
    }

    @Test
    void an_organisation_that_pauses_between_long_requests_is_not_before_one_with_short_requests() {
        var one = new Turns<UUID>(1, () -> nanos);
        one.end(OTHER, one.begin(OTHER));
        var slow = one.begin(THIRD);
        pass(Duration.ofSeconds(3));
        one.end(THIRD, slow);
        pass(Duration.ofMillis(1_200));
        var running = one.begin(GREEDY);
        var slowAgain = one.begin(THIRD);
        var other = one.begin(OTHER);
        one.end(GREEDY, running);
        assertThat(other).isDone();
        assertThat(slowAgain).isNotDone();
    }

    @Test
    void organisations_with_short_requests_are_before_one_with_many_others() {
        makeShort(THIRD);
        makeShort(OTHER);
        var greedy = begin(GREEDY, 6);
        var third = begin(THIRD, 2);
        var other = begin(OTHER, 2);
        greedy.subList(0, 3).forEach(turn -> turns.end(GREEDY, turn));
        assertThat(greedy.get(5)).isNotDone();
        assertThat(running(third) + running(other)).isEqualTo(4);
    }

    @Test
    void an_organisation_with_many_requests_does_not_keep_others_waiting() {
        var one = new Turns<UUID>(1, () -> nanos);
        var first = one.begin(THIRD);
        var greedy = List.of(one.begin(GREEDY), one.begin(GREEDY));
        var other = one.begin(OTHER);
        one.end(THIRD, first);
        one.end(GREEDY, greedy.get(0));
        assertThat(other).isDone();
        assertThat(greedy.get(1)).isNotDone();
    }

    @Test
    void thousands_of_waiting_organisations_get_their_turns_in_order() {
        var one = new Turns<Integer>(1, () -> nanos);
        var turns = new ArrayList<CompletableFuture<Void>>();
        for (int id = 0; id < WAITING; id++) {
            turns.add(one.begin(id));
        }
        for (int id = 0; id < WAITING; id++) {
            assertThat(turns.get(id)).isDone();
            one.end(id, turns.get(id));
        }
    }

    @Test
    void an_organisation_that_has_used_less_time_is_first() {
        var one = new Turns<UUID>(1, () -> nanos);
        var slow = one.begin(THIRD);
        var greedy = one.begin(GREEDY);
        nanos += Duration.ofSeconds(1).toNanos();
        one.end(THIRD, slow);
        var slowAgain = one.begin(THIRD);
        var other = one.begin(OTHER);
        nanos += Duration.ofMillis(100).toNanos();
        one.end(GREEDY, greedy);
        assertThat(other).isDone();
        assertThat(slowAgain).isNotDone();
    }

    @Test
    void a_short_pause_of_the_others_does_not_free_their_turns() {
        turns.end(OTHER, begin(OTHER, 1).getFirst());
        nanos += Duration.ofMillis(900).toNanos();
        assertThat(running(begin(GREEDY, 20))).isEqualTo(3);
    }

    @Test
    void a_request_that_ends_while_it_waits_takes_no_turn() {
        var greedy = begin(GREEDY, 7);
        turns.end(GREEDY, greedy.get(5));
        turns.end(GREEDY, greedy.get(0));
        assertThat(greedy.get(5)).isNotDone();
        assertThat(greedy.get(6)).isDone();
    }

    @Test
    void only_requests_that_wait_too_long_fail() {
        var early = begin(GREEDY, 6);
        nanos += Duration.ofSeconds(6).toNanos();
        var late = begin(GREEDY, 1).getFirst();
        nanos += Duration.ofSeconds(4).toNanos();
        turns.expire(Duration.ofSeconds(10));
        assertThat(early.subList(0, 5)).allMatch(turn -> !turn.isCompletedExceptionally());
        assertThat(early.get(5)).isCompletedExceptionally();
        assertThat(late).isNotDone();
    }

    @Test
    void a_request_that_has_waited_for_something_else_is_the_next_of_its_organisation() {
        var greedy = begin(GREEDY, 7);
        var next = turns.beginNext(GREEDY, null, false);
        turns.end(GREEDY, greedy.get(0));
        assertThat(next).isDone();
        assertThat(greedy.get(5)).isNotDone();
    }

    @Test
    void constant_searches_do_not_take_the_kept_turns_from_the_short_requests_of_an_organisation() {
        takeFourTurns();
        for (int i = 0; i < 20; i++) {
            var search = turns.begin(THIRD, null, true);
            assertThat(search).isDone();
            runInKeptTurn(THIRD, Duration.ofMillis(5));
            pass(Duration.ofSeconds(1));
            turns.end(THIRD, search);
        }
    }

    @Test
    void only_the_first_request_that_is_expected_to_be_slow_gets_a_kept_turn() {
        takeAllTurnsButTheLastThird();
        assertThat(turns.begin(THIRD, null, true)).isDone();
        assertThat(turns.begin(FOURTH, null, true)).isNotDone();
        assertThat(turns.begin(FOURTH, null, false)).isDone();
    }

    @Test
    void slow_requests_of_one_organisation_leave_a_turn_for_those_of_another() {
        var slow = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < 10; i++) {
            slow.add(turns.begin(GREEDY, null, true));
        }
        assertThat(running(slow)).isEqualTo(4);
        assertThat(turns.begin(OTHER, null, true)).isDone();
        assertThat(turns.begin(THIRD, null, false)).isDone();
    }

    @Test
    void a_slow_request_that_has_waited_for_something_else_is_not_limited_by_the_number_of_slow_requests() {
        begin(OTHER, 1).forEach(turn -> turns.end(OTHER, turn));
        var slow = turns.begin(GREEDY, null, true);
        turns.begin(THIRD, null, true);
        turns.begin(FOURTH, null, true);
        assertThat(turns.begin(GREEDY, null, true)).isNotDone();
        assertThat(turns.beginNext(GREEDY, null, true)).isDone();
        turns.end(GREEDY, slow);
    }

    @Test
    void requests_that_are_expected_to_be_slow_use_at_most_a_third_of_the_turns() {
        var slow = new ArrayList<CompletableFuture<Void>>();
        begin(THIRD, 1).forEach(turn -> turns.end(THIRD, turn));
        for (int i = 0; i < 3; i++) {
            slow.add(turns.begin(GREEDY, null, true));
            slow.add(turns.begin(OTHER, null, true));
        }
        assertThat(running(slow)).isEqualTo(2);
        assertThat(begin(THIRD, 1)).allMatch(CompletableFuture::isDone);
        turns.end(GREEDY, slow.getFirst());
        assertThat(running(slow)).isEqualTo(3);
    }

    @Test
    void a_request_that_is_expected_to_be_slow_does_not_keep_others_from_the_kept_turns() {
        takeAllTurnsButTheLastThird();
        // So the slow request that waits has the smaller load.
        runInKeptTurn(SIXTH, Duration.ofMillis(90));
        turns.begin(FOURTH, null, true);
        var kept = begin(FIFTH, 1).getFirst();
        var slow = turns.begin(THIRD, null, true);
        var quick = turns.begin(SIXTH, null, false);
        turns.end(FIFTH, kept);
        assertThat(quick).isDone();
        assertThat(slow).isNotDone();
    }

    @Test
    void long_operations_do_not_take_the_kept_turns_from_the_other_requests_of_an_organisation() {
        runLong(THIRD, "roll up", false);
        runLong(THIRD, "roll up", false);
        takeFourTurns();
        for (int i = 0; i < 10; i++) {
            var rollUp = turns.begin(THIRD, "roll up", false);
            runInKeptTurn(THIRD, Duration.ofMillis(5));
            pass(Duration.ofSeconds(1));
            turns.end(THIRD, rollUp);
            turns.end(THIRD, turns.begin(THIRD, "roll up", false));
        }
        turns.begin(FOURTH, null, true);
        assertThat(turns.begin(THIRD, "roll up", false)).isNotDone();
        assertThat(turns.begin(THIRD, "read", false)).isDone();
    }

    @Test
    void an_operation_without_long_requests_has_the_kept_turns_again() {
        runLong(THIRD, "roll up", false);
        runLong(THIRD, "roll up", false);
        pass(Duration.ofSeconds(21));
        takeAllTurnsButTheLastThird();
        turns.begin(FOURTH, null, true);
        assertThat(turns.begin(THIRD, "roll up", false)).isDone();
    }

    @Test
    void one_stall_of_the_database_makes_no_operation_slow() {
        var stalled = List.of(turns.begin(THIRD, "read", false), turns.begin(THIRD, "read", false));
        pass(Duration.ofSeconds(1));
        stalled.forEach(turn -> turns.end(THIRD, turn));
        takeAllTurnsButTheLastThird();
        assertThat(turns.begin(THIRD, "read", false)).isDone();
    }

    @Test
    void searches_and_other_requests_of_an_organisation_share_the_turns_of_one() {
        var search = turns.begin(GREEDY, null, true);
        assertThat(running(begin(GREEDY, 20))).isEqualTo(4);
        turns.end(GREEDY, search);
        assertThat(turns.begin(GREEDY, null, true)).isNotDone();
        assertThat(begin(OTHER, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void searches_and_other_requests_of_an_organisation_use_half_of_the_turns_while_others_are_active() {
        turns.end(OTHER, begin(OTHER, 1).getFirst());
        var searches = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < 20; i++) {
            searches.add(turns.begin(GREEDY, null, true));
        }
        var others = begin(GREEDY, 20);
        assertThat(running(searches) + running(others)).isEqualTo(3);
        // The waiting organisation that has its maximum does not delay those after it.
        var busy = begin(OTHER, 20);
        assertThat(running(busy)).isEqualTo(1);
        turns.end(GREEDY, searches.getFirst());
        assertThat(running(searches) + running(others) + running(busy)).isEqualTo(5);
        assertThat(begin(THIRD, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void an_organisation_with_short_requests_has_a_second_turn_beside_long_ones() {
        makeShort(THIRD);
        List.of(GREEDY, GREEDY, OTHER, FOURTH).forEach(each -> turns.begin(each, null, true));
        assertThat(running(begin(THIRD, 20))).isEqualTo(2);
        assertThat(running(begin(FIFTH, 20))).isEqualTo(1);
    }

    @Test
    void a_second_short_request_does_not_take_the_last_turn() {
        List.of(GREEDY, OTHER, THIRD).forEach(this::makeShort);
        assertThat(running(begin(GREEDY, 20)) + running(begin(OTHER, 20)) + running(begin(THIRD, 20)))
                .isEqualTo(6);
        assertThat(begin(FOURTH, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void slow_and_short_requests_of_three_organisations_do_not_take_the_last_turn() {
        List.of(GREEDY, OTHER, THIRD).forEach(this::makeShort);
        begin(OTHER, 1);
        turns.begin(THIRD, null, true);
        begin(GREEDY, 3);
        assertThat(begin(OTHER, 1)).allMatch(CompletableFuture::isDone);
        assertThat(begin(THIRD, 1).getFirst()).isNotDone();
        assertThat(begin(FOURTH, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void two_organisations_take_five_turns() {
        makeShort(GREEDY);
        makeShort(OTHER);
        assertThat(running(begin(GREEDY, 20)) + running(begin(OTHER, 20))).isEqualTo(5);
        assertThat(turns.begin(OTHER, null, true)).isNotDone();
        assertThat(turns.beginNext(OTHER, null, false)).isNotDone();
        assertThat(begin(THIRD, 1)).allMatch(CompletableFuture::isDone);
        assertThat(begin(FOURTH, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void requests_that_have_waited_for_something_else_do_not_take_the_last_turn() {
        for (var each : List.of(GREEDY, OTHER, THIRD)) {
            begin(each, 1);
            turns.beginNext(each, null, false);
        }
        assertThat(turns.beginNext(GREEDY, null, false)).isNotDone();
        assertThat(begin(FOURTH, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void a_request_that_has_waited_for_something_else_begins_beside_many_short_ones() {
        makeShort(GREEDY);
        makeShort(OTHER);
        var slow = List.of(turns.begin(THIRD, null, true), turns.begin(FOURTH, null, true));
        assertThat(slow).allMatch(CompletableFuture::isDone);
        turns.begin(THIRD, null, true);
        begin(GREEDY, 2);
        begin(OTHER, 1);
        assertThat(turns.begin(FOURTH, null, true)).isNotDone();
        assertThat(turns.beginNext(FOURTH, null, true)).isDone();
    }

    @Test
    void a_request_that_became_long_is_heavy() {
        begin(GREEDY, 1);
        begin(OTHER, 1);
        begin(THIRD, 1);
        pass(Duration.ofSeconds(1));
        // Three requests are heavy because they are long. So only organisations that run nothing may begin.
        assertThat(turns.begin(GREEDY, null, false)).isNotDone();
        assertThat(begin(FOURTH, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void long_requests_at_the_same_time_count_once() {
        makeShort(THIRD);
        List.of(GREEDY, GREEDY, OTHER).forEach(each -> turns.begin(each, null, true));
        var stalled = begin(THIRD, 2);
        assertThat(stalled).allMatch(CompletableFuture::isDone);
        pass(Duration.ofSeconds(2));
        stalled.forEach(turn -> turns.end(THIRD, turn));
        begin(FOURTH, 1);
        begin(FIFTH, 1);
        assertThat(begin(THIRD, 1)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void a_queue_that_may_not_begin_does_not_keep_those_after_it_waiting() {
        begin(THIRD, 1);
        pass(Duration.ofMillis(1));
        for (int i = 0; i < 3; i++) {
            turns.begin(GREEDY, null, true);
        }
        // It runs something, so it may not begin another heavy request. Its slow queue has the smallest load.
        var waiting = turns.begin(THIRD, null, true);
        assertThat(waiting).isNotDone();
        begin(FOURTH, 1);
        begin(SIXTH, 1);
        var first = turns.begin(FIFTH, null, true);
        assertThat(first).isNotDone();
        turns.end(FOURTH);
        assertThat(waiting).isNotDone();
        assertThat(first).isDone();
    }

    @Test
    void the_last_permit_is_only_for_a_holder_with_a_small_load() {
        var permits = new Turns<UUID>(2, 1, 1, () -> nanos);
        permits.begin(OTHER);
        pass(Duration.ofSeconds(9));
        permits.end(OTHER);
        assertThat(permits.begin(GREEDY)).isDone();
        assertThat(permits.begin(OTHER)).isNotDone();
        assertThat(permits.begin(THIRD)).isDone();
    }

    private void makeShort(UUID organization) {
        for (int i = 0; i < 30; i++) {
            runInKeptTurn(organization, Duration.ofMillis(20));
        }
    }

    private void takeAllTurnsButTheLastThird() {
        takeFourTurns();
        assertThat(begin(SEVENTH, 1)).allMatch(CompletableFuture::isDone);
    }

    private void takeFourTurns() {
        begin(THIRD, 1).forEach(turn -> turns.end(THIRD, turn));
        assertThat(running(begin(GREEDY, 20)) + running(begin(OTHER, 20))).isEqualTo(4);
    }

    private void runInKeptTurn(UUID organization, Duration time) {
        var turn = begin(organization, 1).getFirst();
        assertThat(turn).isDone();
        pass(time);
        turns.end(organization, turn);
    }

    private void runLong(UUID organization, @Nullable String operation, boolean isSlow) {
        var turn = turns.begin(organization, operation, isSlow);
        pass(Duration.ofSeconds(1));
        turns.end(organization, turn);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private static long running(List<CompletableFuture<Void>> turns) {
        return turns.stream().filter(CompletableFuture::isDone).count();
    }

    private List<CompletableFuture<Void>> begin(UUID organization, int count) {
        var begun = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < count; i++) {
            begun.add(turns.begin(organization));
        }
        return begun;
    }
}
