package dev.okr.access.limits;

import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.AsciiString;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses heads of requests that the decoder accepts, but that the framework cannot handle well. Other handlers treat
 * such a request like one that the decoder refused.
 */
final class RequestHead {
    static final int MAX_HEADERS = 100;

    /** Of the values of {@code Accept} and {@code Content-Type} together. Those of browsers have about 200. */
    static final int MAX_CHARACTERS_OF_MEDIA_TYPES = 1_000;

    private static final AsciiString FORWARDED_SCHEME = AsciiString.cached("X-Forwarded-Proto");
    private static final AsciiString FORWARDED_HOST = AsciiString.cached("X-Forwarded-Host");

    private static final int HEX_DIGITS = 2;

    /** The first parameter {@code for} of the header Forwarded (RFC 7239, section 4). */
    private static final Pattern FORWARDED_FOR = Pattern.compile("(?i)for=\"?([^;,\"]*)");

    /** A scheme (RFC 3986, section 3.1), optionally followed by the values of further proxies. */
    private static final Pattern SCHEMES = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*(,.*)?");

    private RequestHead() {}

    static void check(HttpRequest request) {
        removeMalformedForwarding(request.headers());
        if (isTooLarge(request.headers())) {
            request.headers().clear();
            refuse(request, new TooLongHttpHeaderException("Too many headers, or too long media types"));
        } else if (!hasKnownTransferCoding(request)) {
            refuse(request, new IllegalArgumentException("The transfer coding is unknown"));
        } else if (request.headers().getAll(HttpHeaderNames.HOST).size() > 1) {
            refuse(request, new IllegalArgumentException("More than one host"));
        } else if (hasNoClientAddress(request)) {
            refuse(request, new IllegalArgumentException("The forwarded address is empty"));
        } else if (hasMalformedEscape(request.uri())
                || !isAddress(request.headers().get(HttpHeaderNames.HOST), request.uri())) {
            refuse(request, new IllegalArgumentException("The address cannot be decoded"));
        }
    }

    private static void refuse(HttpRequest request, Exception reason) {
        request.setDecoderResult(DecoderResult.failure(reason));
    }

    /**
     * Whether there are too many headers, or too long media types. The decoder limits only the bytes, and very short
     * headers need thirty times as much memory. The framework caches 200 media types with their parameters. One of 20 KB
     * needs about 470 KB.
     */
    private static boolean isTooLarge(HttpHeaders headers) {
        int count = 0;
        int charactersOfMediaTypes = 0;
        for (var all = headers.iteratorCharSequence(); all.hasNext(); count++) {
            var header = all.next();
            if (HttpHeaderNames.ACCEPT.contentEqualsIgnoreCase(header.getKey())
                    || HttpHeaderNames.CONTENT_TYPE.contentEqualsIgnoreCase(header.getKey())) {
                charactersOfMediaTypes += header.getValue().length();
            }
        }
        return count > MAX_HEADERS || charactersOfMediaTypes > MAX_CHARACTERS_OF_MEDIA_TYPES;
    }

    /**
     * For any coding other than {@code chunked}, the decoder assumes that there is no body. It would decode the body as
     * the next request (RFC 9112, section 6.3).
     */
    private static boolean hasKnownTransferCoding(HttpRequest request) {
        var codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        return codings.isEmpty()
                || codings.size() == 1 && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.getFirst());
    }

    /** If a trusted proxy sends an empty first address, the framework fails without a response. */
    private static boolean hasNoClientAddress(HttpRequest request) {
        var addresses = request.headers().get("X-Forwarded-For");
        if (addresses != null && isWithoutHost(addresses.split(",", 2)[0])) {
            return true;
        }
        var forwarded = request.headers().get("Forwarded");
        if (forwarded == null) {
            return false;
        }
        var client = FORWARDED_FOR.matcher(forwarded);
        return client.find() && isWithoutHost(client.group(1));
    }

    /**
     * Removes forwarding headers from which the framework cannot build the address of the request. Otherwise it responds
     * with 500.
     */
    private static void removeMalformedForwarding(HttpHeaders headers) {
        var scheme = headers.get(FORWARDED_SCHEME);
        if (scheme != null && !SCHEMES.matcher(scheme).matches()) {
            headers.remove(FORWARDED_SCHEME);
        }
        var host = headers.get(FORWARDED_HOST);
        if (host != null && !isHost(host.split(",", 2)[0])) {
            headers.remove(FORWARDED_HOST);
        }
    }

    private static boolean isWithoutHost(String address) {
        var stripped = address.strip();
        return stripped.isEmpty() || stripped.lastIndexOf(':') == 0;
    }

    /** If the framework cannot decode a path or a query, its response has no body. */
    private static boolean hasMalformedEscape(String uri) {
        for (int at = uri.indexOf('%'); at >= 0; at = uri.indexOf('%', at + 1)) {
            for (int digit = at + 1; digit <= at + HEX_DIGITS; digit++) {
                if (digit >= uri.length() || !HexFormat.isHexDigit(uri.charAt(digit))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the framework can decode the address. Otherwise its response to the request has no body, or is a 500. */
    private static boolean isAddress(@Nullable String host, String target) {
        try {
            new URI(target);
            return host == null || host.isEmpty() || isHost(host);
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static boolean isHost(String host) {
        try {
            return host.equals(new URI("http://" + host + "/").getRawAuthority());
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
