package dev.okr.platform.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.ServerErrors;
import jakarta.transaction.RollbackException;
import java.io.InterruptedIOException;
import java.sql.SQLException;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlFailuresTest {

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01", "23503", "23505"})
    void a_failure_caused_by_another_transaction_is_a_conflict(String state) {
        assertThat(SqlFailures.isConflict(wrapped(state))).isTrue();
        assertThat(SqlFailures.isUnavailable(wrapped(state))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "08006", "08001", "57P01", "57P02", "57P03", "57P05", "57014", "55P03", "25P03", "25P04", "53000",
                "53300", "53100", "53200", "53400", "58030", "25006"
            })
    void a_database_that_is_unreachable_or_full_is_unavailable(String state) {
        assertThat(SqlFailures.isUnavailable(wrapped(state))).isTrue();
        assertThat(SqlFailures.isConflict(wrapped(state))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"57014", "55P03", "25P03", "25P04"})
    void timeouts_are_recognised(String state) {
        assertThat(SqlFailures.isTimeout(wrapped(state))).isTrue();
        assertThat(SqlFailures.isTimeout(wrapped("57P01"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"22P05", "23514", "42P01"})
    void an_error_in_a_statement_is_neither_a_conflict_nor_unavailability(String state) {
        assertThat(SqlFailures.isUnavailable(wrapped(state))).isFalse();
        assertThat(SqlFailures.isConflict(wrapped(state))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Sorry, acquisition timeout!", "Acquisition timeout while waiting for new connection"})
    void an_exhausted_pool_is_unavailable(String message) {
        assertThat(SqlFailures.isUnavailable(new SQLException(message))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "08001", "53300", "57014"})
    void the_coordinator_reports_an_unreachable_or_slow_worker(String state) {
        var failure = new IllegalStateException(ServerErrors.of(state));
        assertThat(SqlFailures.mayBeOfWorker(failure)).isTrue();
    }

    @Test
    void the_worker_may_be_the_cause_if_the_coordinator_does_not_respond() {
        var failure = new SQLException("I/O", "08006", new InterruptedIOException());
        assertThat(SqlFailures.mayBeOfWorker(failure)).isTrue();
    }

    @Test
    void other_failures_are_not_of_a_worker() {
        assertThat(SqlFailures.mayBeOfWorker(new SQLException("Acquisition timeout while waiting")))
                .isFalse();
        assertThat(SqlFailures.mayBeOfWorker(new SQLException("connection refused", "08001")))
                .isFalse();
        assertThat(SqlFailures.mayBeOfWorker(ServerErrors.of("55P03"))).isFalse();
        assertThat(SqlFailures.mayBeOfWorker(ServerErrors.of("57P01"))).isFalse();
    }

    @Test
    void suppressed_exceptions_are_examined() {
        var failure = new IllegalStateException("rolled back");
        failure.addSuppressed(new SQLException("deadlock", "40P01"));
        assertThat(SqlFailures.isConflict(failure)).isTrue();
    }

    @Test
    void a_connection_lost_during_the_commit_is_unavailability() {
        var commit = new RollbackException("could not commit");
        commit.addSuppressed(new XAException("error trying to commit"));
        commit.getSuppressed()[0].initCause(new SQLException("terminating connection", "57P01"));
        assertThat(SqlFailures.isUnavailable(new IllegalStateException(commit))).isTrue();
    }

    @Test
    void a_cycle_of_causes_ends() {
        var first = new IllegalStateException("a");
        var second = new IllegalStateException("b", first);
        first.initCause(second);
        assertThat(SqlFailures.isConflict(second)).isFalse();
    }

    private static Throwable wrapped(String state) {
        return new IllegalStateException("outer", new RuntimeException("inner", new SQLException("cause", state)));
    }

    @Test
    void a_connection_attempt_that_the_pool_interrupted_is_unavailability() {
        var unusual = "Something unusual has occurred to cause the driver to fail.";
        var interrupted = new RuntimeException("Interrupted while attempting to connect.");
        assertThat(SqlFailures.isUnavailable(new SQLException(unusual, "99999", interrupted)))
                .isTrue();
        assertThat(SqlFailures.isUnavailable(new SQLException(unusual, "99999", new IllegalStateException())))
                .isFalse();
    }
}
