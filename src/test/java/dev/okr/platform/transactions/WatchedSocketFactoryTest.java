package dev.okr.platform.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

class WatchedSocketFactoryTest {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(1);

    @Test
    @Timeout(20)
    void a_database_that_does_not_respond_ends_the_read_of_the_driver() throws IOException {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var database = new PGSimpleDataSource();
            database.setServerNames(new String[] {"127.0.0.1"});
            database.setPortNumbers(new int[] {silent.getLocalPort()});
            database.setSslMode("disable");
            database.setSocketFactory(WatchedSocketFactory.class.getName());
            database.setSocketFactoryArg(String.valueOf(READ_TIMEOUT.toSeconds()));

            var failure = catchThrowable(() -> database.getConnection("postgres", ""));

            assertThat(failure).hasStackTraceContaining("The database did not respond in time.");
            assertThat(SqlFailures.mayBeOfWorker(failure)).isTrue();
        }
    }
}
