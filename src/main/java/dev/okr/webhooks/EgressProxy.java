package dev.okr.webhooks;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.ProxyType;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The operator's proxy for outgoing deliveries. */
record EgressProxy(
        ProxyType type,
        String host,
        int port,
        @Nullable String user,
        @Nullable String password) {
    private static final int MAX_PORT = 65_535;

    /**
     * Parses a URL such as {@code http://user:password@proxy.internal:3128} or {@code socks5://proxy.internal:1080}.
     *
     * @throws ConfigurationException if the URL is invalid; the message omits it, since it may contain a password
     */
    static EgressProxy parse(String url, String property) {
        try {
            var uri = new URI(url.strip());
            var type = type(String.valueOf(uri.getScheme()));
            boolean withoutPath = "".equals(uri.getRawPath()) || "/".equals(uri.getRawPath());
            boolean port = uri.getPort() > 0 && uri.getPort() <= MAX_PORT;
            if (type != null && uri.getHost() != null && port && withoutPath && uri.getRawQuery() == null) {
                return of(type, uri);
            }
        } catch (URISyntaxException | IllegalArgumentException quotesTheUrl) {
            // The exception below covers this case.
        }
        throw new ConfigurationException(property
                + " must be a URL like http://user:password@proxy.example:3128 or socks5://proxy.example:1080");
    }

    ProxyOptions options(Duration connectTimeout) {
        return new ProxyOptions()
                .setType(type)
                .setHost(host)
                .setPort(port)
                .setUsername(user)
                .setPassword(password)
                .setConnectTimeout(connectTimeout);
    }

    /** Keeps the password out of logs. */
    @Override
    public String toString() {
        return "EgressProxy " + host + ':' + port;
    }

    private static EgressProxy of(ProxyType type, URI uri) {
        var userInfo = uri.getRawUserInfo();
        if (userInfo == null) {
            return new EgressProxy(type, uri.getHost(), uri.getPort(), null, null);
        }
        int colon = userInfo.indexOf(':');
        if (colon < 1 || colon == userInfo.length() - 1) {
            throw new IllegalArgumentException("The user has no password.");
        }
        return new EgressProxy(
                type,
                uri.getHost(),
                uri.getPort(),
                decoded(userInfo.substring(0, colon)),
                decoded(userInfo.substring(colon + 1)));
    }

    private static @Nullable ProxyType type(String scheme) {
        return switch (scheme) {
            case "http" -> ProxyType.HTTP;
            case "socks5" -> ProxyType.SOCKS5;
            default -> null;
        };
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
