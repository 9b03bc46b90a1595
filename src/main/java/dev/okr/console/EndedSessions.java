package dev.okr.console;

import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.eclipse.microprofile.jwt.JsonWebToken;

/**
 * The sessions whose users signed out. The framework keeps a session only in cookies, so copied cookies would still
 * work after the sign-out.
 */
@ApplicationScoped
class EndedSessions {
    /** A refresh token in a copied cookie can be valid longer than the ID token. */
    private static final Duration KEPT = Duration.ofDays(30);

    /** PostgreSQL cannot store all times that a token can contain. */
    private static final long LAST_EXPIRATION =
            Instant.parse("9999-12-31T00:00:00Z").getEpochSecond();

    private static final String ADD = """
            INSERT INTO ended_session (session_hash, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING
            """;
    private static final String PRUNE = "DELETE FROM ended_session WHERE expires_at < ?";
    private static final String FIND = "SELECT 1 FROM ended_session WHERE session_hash = ?";

    private final AgroalDataSource database;
    private final DatabaseClock clock;

    EndedSessions(AgroalDataSource database, DatabaseClock clock) {
        this.database = database;
        this.clock = clock;
    }

    void add(JsonWebToken token) {
        var expiresAt = Instant.ofEpochSecond(Math.min(token.getExpirationTime(), LAST_EXPIRATION))
                .plus(KEPT);
        run(sql -> {
            sql.update(PRUNE, clock.now(sql));
            return sql.update(ADD, hash(token), expiresAt);
        });
    }

    /** Whether a session has ended. Uses the connection of the caller, because each page asks this. */
    static boolean contains(JsonWebToken token, Sql sql) throws SQLException {
        return sql.first(row -> true, FIND, (Object) hash(token)).isPresent();
    }

    private <T> T run(Sql.Work<T, SQLException> work) {
        try {
            return Sql.transaction(database, work);
        } catch (SQLException e) {
            throw new IllegalStateException("The end of the session could not be stored.", e);
        }
    }

    /**
     * A hash that identifies the sign-in. It covers the id of the session at the provider and the time of the sign-in.
     * A refreshed ID token keeps both (OpenID Connect Core 1.0, section 12.2). The session at the provider can survive
     * the sign-out, but a new sign-in has a new time. If both claims are missing, the ID token itself is used.
     */
    private static byte[] hash(JsonWebToken token) {
        var session = claim(token, "sid");
        var time = claim(token, "auth_time");
        var signIn = session.isEmpty() && time.isEmpty() ? token.getRawToken() : session + '\n' + time;
        var text = String.join("\n", token.getIssuer(), token.getSubject(), signIn);
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    /** The text of a claim, empty for none. The framework gives a missing time the value 0. */
    private static String claim(JsonWebToken token, String name) {
        var value = Objects.toString(token.getClaim(name), "");
        return value.equals("0") ? "" : value;
    }
}
