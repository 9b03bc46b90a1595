package dev.okr.webhooks;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The target URL of a webhook. The strict rules allow only one interpretation of a URL, so the sender connects to
 * exactly what was checked.
 *
 * @param secure whether the connection is encrypted
 * @param requestTarget path and query, as sent in the request
 */
record TargetUrl(boolean secure, TargetHost host, int port, String requestTarget) {
    static final int MAX_CHARACTERS = 2_048;

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final int MAX_PORT = 65_535;

    private static final Pattern URL =
            Pattern.compile("(?<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?<authority>[^/?#\\\\]*)(?<target>.*)");
    private static final Pattern AUTHORITY = Pattern.compile("(?<host>\\[[^\\[\\]]*\\]|[^:]*)(?::(?<port>.*))?");
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");

    static TargetUrl parse(String text, boolean httpAllowed) throws RefusedTarget {
        if (text.codePointCount(0, text.length()) > MAX_CHARACTERS) {
            throw RefusedTarget.tooLong(MAX_CHARACTERS);
        }
        var url = URL.matcher(text);
        if (!url.matches()) {
            throw RefusedTarget.malformed("This field must be an absolute URL, such as https://example.com/hooks.");
        }
        boolean secure = isSecure(url.group("scheme"), httpAllowed);
        var authority = authority(url.group("authority"));
        var target = requestTarget(url.group("target"));
        return new TargetUrl(secure, TargetHost.parse(authority.host()), port(authority.port(), secure), target);
    }

    private static boolean isSecure(String scheme, boolean httpAllowed) throws RefusedTarget {
        boolean secure = scheme.equalsIgnoreCase("https");
        if (!secure && !(httpAllowed && scheme.equalsIgnoreCase("http"))) {
            throw RefusedTarget.scheme(httpAllowed);
        }
        return secure;
    }

    private static Authority authority(String text) throws RefusedTarget {
        if (text.indexOf('@') >= 0) {
            throw RefusedTarget.malformed("A target URL must not contain a user name or password.");
        }
        var authority = AUTHORITY.matcher(text);
        if (!authority.matches()) {
            throw RefusedTarget.malformed("After // the URL must have a host and, optionally, a port.");
        }
        return new Authority(authority.group("host"), authority.group("port"));
    }

    private static int port(@Nullable String text, boolean secure) throws RefusedTarget {
        if (text == null) {
            return secure ? HTTPS_PORT : HTTP_PORT;
        }
        int port = PORT.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw RefusedTarget.malformed("The port must be a number from 1 to " + MAX_PORT + '.');
        }
        return port;
    }

    /** Path and query are sent unchanged, so they must be ASCII with everything else percent-encoded. */
    private static String requestTarget(String text) throws RefusedTarget {
        if (text.indexOf('#') >= 0) {
            throw RefusedTarget.malformed("A target URL must not have a fragment.");
        }
        var target = text.startsWith("/") ? text : '/' + text;
        try {
            if (StandardCharsets.US_ASCII.newEncoder().canEncode(target)) {
                new URI("https://host" + target);
                return target;
            }
        } catch (URISyntaxException notEncoded) {
            // The exception below covers this case.
        }
        throw RefusedTarget.malformed("Path and query must be percent-encoded.");
    }

    private record Authority(String host, @Nullable String port) {}
}
