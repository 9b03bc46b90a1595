package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.transactions.Sql;
import dev.okr.testing.TestDatabase;
import dev.okr.webhooks.delivery.TestClock;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long the service remembers that a session has ended. */
@QuarkusTest
@WithTestResource(value = TestDatabase.class, scope = TestResourceScope.GLOBAL)
class EndedSessionsTest {
    @Inject
    TestClock clock;

    @Inject
    EndedSessions sessions;

    @Inject
    AgroalDataSource database;

    @AfterEach
    void resetClock() {
        clock.reset();
    }

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "P-40D"})
    void a_replica_whose_clock_is_wrong_forgets_sessions_by_the_clock_of_the_database(Duration error)
            throws SQLException {
        // Copied cookies of a session can be valid for 30 days after its ID token.
        var kept = token(Instant.now().minus(Duration.ofDays(29)));
        var old = token(Instant.now().minus(Duration.ofDays(31)));
        sessions.add(kept);
        sessions.add(old);
        clock.err(error);
        sessions.add(token(Instant.now()));
        assertThat(contains(kept)).isTrue();
        assertThat(contains(old)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {300_000_000_000_000L, Long.MAX_VALUE})
    void a_session_whose_token_expires_after_all_dates_can_end(long expiration) throws SQLException {
        var endless = token(expiration);
        sessions.add(endless);
        assertThat(contains(endless)).isTrue();
    }

    private boolean contains(JsonWebToken token) throws SQLException {
        return Sql.transaction(database, sql -> EndedSessions.contains(token, sql));
    }

    private static JsonWebToken token(Instant expiresAt) {
        return token(expiresAt.getEpochSecond());
    }

    /** The token of another sign-in. */
    private static JsonWebToken token(long expiration) {
        var claims = Map.<String, Object>of(
                "iss", "https://idp.example", "sub", "user", "sid", UUID.randomUUID(), "exp", expiration);
        return new JsonWebToken() {
            @Override
            public String getName() {
                return "user";
            }

            @Override
            public Set<String> getClaimNames() {
                return claims.keySet();
            }

            @Override
            @SuppressWarnings("unchecked")
            public <T> T getClaim(String name) {
                return (T) claims.get(name);
            }
        };
    }
}
