package dev.okr.console;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.eclipse.microprofile.jwt.JsonWebToken;

/**
 * The sessions whose users signed out. The framework keeps a session only in cookies, so a copy of them would work after
 * the sign-out.
 */
@ApplicationScoped
class EndedSessions {
    /** A refresh token in a copied cookie can be valid longer than the ID token. */
    private static final Duration KEPT = Duration.ofDays(30);

    private static final String ADD = """
            INSERT INTO ended_session (session_hash, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING
            """;
    private static final String PRUNE = "DELETE FROM ended_session WHERE expires_at < ?";
    private static final String FIND = "SELECT 1 FROM ended_session WHERE session_hash = ?";

    private final AgroalDataSource database;
    private final UtcClock clock;

    EndedSessions(AgroalDataSource database, UtcClock clock) {
        this.database = database;
        this.clock = clock;
    }

    void add(JsonWebToken token) {
        var now = clock.now();
        if (id(token).isEmpty() && now.getEpochSecond() <= token.getIssuedAtTime()) {
            // Without an id, the next sign-in within the same second would look like this session.
            return;
        }
        var expiresAt = Instant.ofEpochSecond(token.getExpirationTime()).plus(KEPT);
        run(sql -> {
            sql.update(PRUNE, now);
            return sql.update(ADD, hash(token), expiresAt);
        });
    }

    boolean contains(JsonWebToken token) {
        return run(sql -> sql.first(row -> true, FIND, (Object) hash(token)).isPresent());
    }

    private <T> T run(Sql.Work<T, SQLException> work) {
        try {
            return Sql.transaction(database, work);
        } catch (SQLException e) {
            throw new IllegalStateException("The ended sessions cannot be reached.", e);
        }
    }

    private static Optional<Object> id(JsonWebToken token) {
        return Optional.ofNullable(token.getClaim("sid"));
    }

    /**
     * The hash of the session's id at the provider. Without such an id, of the time of the sign-in, which a refreshed ID
     * token keeps (OpenID Connect Core 1.0, section 12.2). Without both, of the ID token.
     */
    private static byte[] hash(JsonWebToken token) {
        var session = id(token)
                // The framework gives a missing time the value 0.
                .or(() -> Optional.<Object>ofNullable(token.getClaim("auth_time"))
                        .filter(time -> !"0".equals(time.toString())))
                .map(Object::toString)
                .orElseGet(token::getRawToken);
        var text = String.join("\n", token.getIssuer(), token.getSubject(), session);
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
