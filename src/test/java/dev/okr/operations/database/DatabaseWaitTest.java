package dev.okr.operations.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class DatabaseWaitTest {
    private final AtomicInteger attempts = new AtomicInteger();

    @Test
    void a_start_retries_until_the_database_accepts_a_connection() {
        DatabaseWait.await(database(new SQLException("too many clients", "53300"), 2), Duration.ofSeconds(30));

        assertThat(attempts).hasValue(3);
    }

    @Test
    void a_start_gives_up_when_the_wait_is_over() {
        DatabaseWait.await(database(new SQLException("starting up", "57P03"), Integer.MAX_VALUE), Duration.ofMillis(1));

        assertThat(attempts).hasValueBetween(1, 2);
    }

    @Test
    void a_wrong_password_is_not_retried() {
        DatabaseWait.await(
                database(new SQLException("password authentication failed", "28P01"), 2), Duration.ofSeconds(30));

        assertThat(attempts).hasValue(1);
    }

    @Test
    void a_refused_connection_is_temporary_and_an_unknown_host_is_not() {
        assertThat(DatabaseWait.isTemporary(failure(new ConnectException("refused"))))
                .isTrue();
        assertThat(DatabaseWait.isTemporary(failure(new UnknownHostException("nosuch"))))
                .isFalse();
        assertThat(DatabaseWait.isTemporary(new SQLException("no server is primary", "08001")))
                .isFalse();
    }

    private static SQLException failure(IOException cause) {
        return new SQLException("The connection attempt failed.", "08001", cause);
    }

    /** A database that fails some times and then returns connections. */
    private DataSource database(SQLException failure, int failures) {
        var connection = proxy(Connection.class, () -> null);
        return proxy(DataSource.class, () -> {
            if (attempts.incrementAndGet() <= failures) {
                throw failure;
            }
            return connection;
        });
    }

    private interface Answer {
        Object get() throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (object, method, arguments) -> answer.get()));
    }
}
