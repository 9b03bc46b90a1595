package dev.okr.console;

import dev.okr.platform.encryption.DerivedKey;
import dev.okr.platform.time.UtcClock;
import io.quarkus.arc.properties.UnlessBuildProperty;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Sign-in without a password as a person of the demonstration, to try the service on one's own machine. It needs the
 * embedded database and the demonstration, and no provider may be configured. It works on loopback connections only.
 * Native images are for production only, so they do not contain this class.
 */
@ApplicationScoped
@UnlessBuildProperty(name = "quarkus.native.enabled", stringValue = "true", enableIfMissing = true)
public class TrialSignIn {
    static final String PATH = ConsolePath.ROOT + "/trial";

    /** The identity of somebody who has not chosen a person yet, for the token of the form. */
    static final String NOBODY = "trial";

    private static final String DATABASE = "quarkus.datasource.jdbc.url";
    private static final String EMBEDDED = "embedded PostgreSQL";
    private static final String COOKIE = "okr_trial";
    private static final String PURPOSE = "okr trial sign-in";
    private static final Duration VALIDITY = Duration.ofHours(12);

    /** The names of this machine. A request with another name may come from a page of another site. */
    private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

    /** A proxy on this machine adds one of these headers to requests from elsewhere. */
    private static final List<String> HEADERS_OF_PROXIES =
            List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via");

    private final boolean providerConfigured;
    private final Optional<String> encryptionKey;
    private final UtcClock clock;
    private volatile @Nullable String organization;

    TrialSignIn(
            @ConfigProperty(name = SignInDefaults.ENABLED) boolean providerConfigured,
            @ConfigProperty(name = "okr.encryption-key") Optional<String> encryptionKey,
            UtcClock clock) {
        this.providerConfigured = providerConfigured;
        this.encryptionKey = encryptionKey;
        this.clock = clock;
    }

    /**
     * Lets people sign in as users of the demonstration. Does nothing with a provider or with another database.
     *
     * @param slug the slug of the demonstration
     * @return whether people can sign in
     */
    public boolean open(String slug) {
        var source = ConfigProvider.getConfig().getConfigValue(DATABASE).getSourceName();
        if (!providerConfigured && EMBEDDED.equals(source)) {
            organization = slug;
        }
        return isOpen();
    }

    boolean isOpen() {
        return organization != null;
    }

    /** The slug of the demonstration. */
    String organization() {
        return Optional.ofNullable(organization).orElseThrow();
    }

    /** Whether the request comes from this machine, and not through a proxy. */
    boolean isOpenFor(RoutingContext context) {
        var request = context.request();
        var host = request.getHeader("Host");
        return isOpen()
                && isLoopback(request.connection().remoteAddress().hostAddress())
                && HEADERS_OF_PROXIES.stream().noneMatch(request.headers()::contains)
                && host != null
                && LOCAL_NAMES.contains(host.replaceFirst(":\\d+$", ""))
                && isSameOrigin(request.getHeader("Origin"), host);
    }

    private static boolean isLoopback(@Nullable String address) {
        return address != null && new InetSocketAddress(address, 0).getAddress().isLoopbackAddress();
    }

    /** A proxy may add none of these headers. But browsers send the origin of the page with each form. */
    private static boolean isSameOrigin(@Nullable String origin, String host) {
        return origin == null || origin.equals("http://" + host);
    }

    /** The email address of the signed-in person, if any. */
    Optional<String> find(RoutingContext context) {
        var cookie = isOpenFor(context) ? context.request().getCookie(COOKIE) : null;
        return cookie == null ? Optional.empty() : read(cookie.getValue());
    }

    void signIn(RoutingContext context, String email) {
        long expiry = clock.now().plus(VALIDITY).getEpochSecond();
        var cookie = cookie(value(email, expiry)).setMaxAge(VALIDITY.toSeconds());
        context.response().addCookie(cookie);
    }

    void signOut(RoutingContext context) {
        context.response().addCookie(cookie("").setMaxAge(0));
    }

    private Optional<String> read(String value) {
        try {
            var parts = value.split("\\.", 3);
            var email = new String(Base64.getUrlDecoder().decode(parts[0]), StandardCharsets.UTF_8);
            long expiry = Long.parseLong(parts[1]);
            boolean valid = MessageDigest.isEqual(
                            value.getBytes(StandardCharsets.UTF_8),
                            value(email, expiry).getBytes(StandardCharsets.UTF_8))
                    && clock.now().isBefore(Instant.ofEpochSecond(expiry));
            return valid ? Optional.of(email) : Optional.empty();
        } catch (RuntimeException notOurs) {
            return Optional.empty();
        }
    }

    private String value(String email, long expiry) {
        var encoder = Base64.getUrlEncoder().withoutPadding();
        var code = DerivedKey.code(encryptionKey.orElseThrow(), PURPOSE, expiry + " " + email);
        return encoder.encodeToString(email.getBytes(StandardCharsets.UTF_8))
                + '.'
                + expiry
                + '.'
                + encoder.encodeToString(code);
    }

    /** The cookie is also sent without HTTPS, because the trial has no HTTPS. */
    private static Cookie cookie(String value) {
        return Cookie.cookie(COOKIE, value)
                .setPath(ConsolePath.ROOT)
                .setHttpOnly(true)
                .setSameSite(CookieSameSite.LAX);
    }
}
