package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimsFilterTest {
    private static final String CLAIMS = "The claims are claims->{\"email\":\"ada@acme.test\"}";

    private final ClaimsFilter filter = new ClaimsFilter();

    @Test
    void claims_in_a_message_are_removed() {
        var record = record("io.quarkus.oidc.runtime.OidcProvider", CLAIMS);
        assertThat(filter.isLoggable(record)).isTrue();
        assertThat(record.getMessage()).isEqualTo("The claims are {…}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.quarkus.oidc.runtime.OidcProvider",
                "io.quarkus.vertx.http.runtime.security.AbstractHttpAuthorizer",
                "dev.okr.platform.http.Problems"
            })
    void an_exception_with_claims_is_removed(String logger) {
        var record = record(logger, "The token is not valid");
        record.setThrown(new IllegalStateException("Rejected", new IllegalArgumentException(CLAIMS)));
        assertThat(filter.isLoggable(record)).isTrue();
        assertThat(record.getThrown()).isNull();
        assertThat(record.getMessage()).isEqualTo("The token is not valid");
    }

    @Test
    void other_messages_stay() {
        var record = record("dev.okr.console", CLAIMS);
        record.setThrown(new IllegalStateException("{a=b}"));
        assertThat(filter.isLoggable(record)).isTrue();
        assertThat(record.getMessage()).isEqualTo(CLAIMS);
        assertThat(record.getThrown()).isNotNull();
    }

    private static ExtLogRecord record(String logger, String message) {
        var record = new ExtLogRecord(Level.SEVERE, message, ClaimsFilterTest.class.getName());
        record.setLoggerName(logger);
        return record;
    }
}
