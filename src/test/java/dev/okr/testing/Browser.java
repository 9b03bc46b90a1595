package dev.okr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * A browser without scripts, for the pages of the console. It stores the cookies of the service, follows redirects and
 * sends forms. It signs in with the provider that Quarkus has for development and tests.
 */
public final class Browser {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int MAX_REDIRECTS = 12;
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    /** The value can have single or double quotes. */
    private static final Pattern HIDDEN_INPUT =
            Pattern.compile("<input type=['\"]hidden['\"] name=['\"]([^'\"]+)['\"] value=['\"]([^'\"]*)['\"]>");

    private final URI service;
    private final Map<String, String> cookies = new LinkedHashMap<>();

    private Browser(URI service) {
        this.service = service;
    }

    /** A browser that has not signed in. */
    public static Browser of(URI service) {
        return new Browser(service);
    }

    /** A browser of a person who has signed in. */
    public static Browser signedIn(URI service, String email) {
        var browser = of(service);
        browser.signIn(email);
        return browser;
    }

    /** Another browser with a copy of the cookies. */
    public Browser copy() {
        var copy = of(service);
        copy.cookies.putAll(cookies);
        return copy;
    }

    /** The same for another replica. */
    public Browser copyAt(URI replica) {
        var copy = of(replica);
        copy.cookies.putAll(cookies);
        return copy;
    }

    /** Stores a cookie that the service has not sent. */
    public Browser withCookie(String name, String value) {
        cookies.put(name, value);
        return this;
    }

    /** A page: the last response after redirects, and its URL. */
    public record Page(URI address, int status, String html, HttpResponse<byte[]> response) {

        public Page is(int expected) {
            assertThat(status).as(() -> address + "\n" + html).isEqualTo(expected);
            return this;
        }

        public Page shows(String... texts) {
            assertThat(html).as(address::toString).contains(texts);
            return this;
        }

        public Page hides(String... texts) {
            assertThat(html).as(address::toString).doesNotContain(texts);
            return this;
        }

        /** The size of the response, after compression. */
        public int bytes() {
            return response.body().length;
        }

        /** The value of a header, empty for none. */
        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        /** The first text that a pattern's group matches. */
        public String find(String pattern) {
            var match = Pattern.compile(pattern).matcher(html);
            assertThat(match.find()).as(() -> pattern + " in " + html).isTrue();
            return match.group(1);
        }

        /** The token that the forms of the page carry. */
        public String formToken() {
            return find("name=\"form_token\" value=\"([^\"]+)\"");
        }
    }

    /** Signs in and returns the first page of the console. */
    public Page signIn(String email) {
        return signIn(get("/settings"), email);
    }

    /** Signs in at the provider after a redirect, and returns the page after the redirect back. */
    public Page signIn(Page login, String email) {
        var fields = hidden(login.html());
        fields.put("name", email);
        fields.put("roles", "");
        return follow(request(login.address().resolve("/login")).POST(form(fields)));
    }

    public Page get(String path) {
        return follow(request(service.resolve(path)).GET());
    }

    /** The response itself, even if it is a redirect. */
    public Page getOnly(String path) {
        return exchange(request(service.resolve(path)).GET().build());
    }

    /** The bytes of the page and of its style sheet and script. */
    public int bytesOfFirstLoad(Page page) {
        return page.bytes()
                + Stream.of("href", "src")
                        .map(attribute -> page.find(attribute + "=\"(/settings/assets/[^\"]+)\""))
                        .mapToInt(asset -> getOnly(asset).is(200).bytes())
                        .sum();
    }

    /** Sends a form that the page with this address has, with its hidden fields. */
    public Page submit(String pageWithForm, String path, String... fields) {
        var hidden = hidden(get(pageWithForm).is(200).html()).entrySet().stream()
                .flatMap(field -> Stream.of(field.getKey(), field.getValue()));
        return post(path, Stream.concat(hidden, Stream.of(fields)).toArray(String[]::new));
    }

    /** Sends fields as alternating names and values. A name can occur more than once. */
    public Page post(String path, String... fields) {
        return follow(request(service.resolve(path)).POST(form(pairs(fields))));
    }

    /** The same, but returns the response itself, even if it is a redirect. */
    public Page postOnly(String path, String... fields) {
        return exchange(request(service.resolve(path)).POST(form(pairs(fields))).build());
    }

    /** Sends a form as the script of the console does, which replaces only a part of the page. */
    public Page postPart(String path, String... fields) {
        return exchange(request(service.resolve(path))
                .setHeader("X-Okr-Part", "true")
                .POST(form(pairs(fields)))
                .build());
    }

    /** Sends a body of another type than a form, and follows redirects. */
    public Page postBody(String path, String contentType, String body, String... headers) {
        return postBody(path, contentType, HttpRequest.BodyPublishers.ofString(body), headers);
    }

    /** The same without a Content-Length. */
    public Page postChunked(String path, String contentType, String body, String... headers) {
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        var chunked = HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes));
        return postBody(path, contentType, chunked, headers);
    }

    private Page postBody(String path, String contentType, HttpRequest.BodyPublisher body, String... headers) {
        var request = request(service.resolve(path)).setHeader("Content-Type", contentType);
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return follow(request.POST(body));
    }

    private Page follow(HttpRequest.Builder request) {
        var page = exchange(request.build());
        for (int redirects = 0; page.status() / 100 == 3; redirects++) {
            assertThat(redirects).as(page.address()::toString).isLessThan(MAX_REDIRECTS);
            page = exchange(request(page.address().resolve(page.header("Location")))
                    .GET()
                    .build());
        }
        return page;
    }

    private HttpRequest.Builder request(URI address) {
        var request = HttpRequest.newBuilder(address)
                .timeout(TIMEOUT)
                .setHeader("Accept", "text/html")
                .setHeader("Accept-Encoding", "gzip")
                .setHeader("Content-Type", "application/x-www-form-urlencoded");
        if (isService(address) && !cookies.isEmpty()) {
            request.setHeader("Cookie", cookies());
        }
        return request;
    }

    /** The value of the {@code Cookie} header. */
    public String cookies() {
        return cookies.entrySet().stream()
                .map(cookie -> cookie.getKey() + '=' + cookie.getValue())
                .collect(Collectors.joining("; "));
    }

    private Page exchange(HttpRequest request) {
        try {
            var response = HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
            if (isService(request.uri())) {
                response.headers().allValues("Set-Cookie").forEach(this::keep);
            }
            return new Page(
                    request.uri(),
                    response.statusCode(),
                    new String(decoded(response), StandardCharsets.UTF_8),
                    response);
        } catch (IOException e) {
            throw new UncheckedIOException(request.method() + ' ' + request.uri(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static byte[] decoded(HttpResponse<byte[]> response) throws IOException {
        if (response.body().length == 0
                || response.headers().firstValue("Content-Encoding").isEmpty()) {
            return response.body();
        }
        try (var gzip = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
            return gzip.readAllBytes();
        }
    }

    private void keep(String header) {
        assertThat(header).containsIgnoringCase("Path=/settings");
        // Only Max-Age=0 matters. It deletes the cookie.
        var pair = header.substring(0, header.indexOf(';')).split("=", 2);
        if (header.matches("(?i).*;\\s*max-age=0(;.*|$)")) {
            cookies.remove(pair[0]);
        } else {
            assertThat(header).containsIgnoringCase("HttpOnly").containsIgnoringCase("SameSite=Lax");
            cookies.put(pair[0], pair[1]);
        }
    }

    private boolean isService(URI address) {
        return address.getPort() == service.getPort();
    }

    private static Map<String, String> hidden(String html) {
        var fields = new LinkedHashMap<String, String>();
        var matcher = HIDDEN_INPUT.matcher(html);
        while (matcher.find()) {
            fields.put(matcher.group(1), matcher.group(2));
        }
        return fields;
    }

    private static String pairs(String... fields) {
        var pairs = new StringBuilder();
        for (int i = 0; i < fields.length; i += 2) {
            pairs.append(i == 0 ? "" : "&")
                    .append(encode(fields[i]))
                    .append('=')
                    .append(encode(fields[i + 1]));
        }
        return pairs.toString();
    }

    private static HttpRequest.BodyPublisher form(Map<String, String> fields) {
        return form(fields.entrySet().stream()
                .map(field -> encode(field.getKey()) + '=' + encode(field.getValue()))
                .collect(Collectors.joining("&")));
    }

    private static HttpRequest.BodyPublisher form(String encoded) {
        return HttpRequest.BodyPublishers.ofString(encoded);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
