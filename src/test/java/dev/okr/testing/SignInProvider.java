package dev.okr.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * An OpenID Connect provider whose own session never ends. It returns the same session to every request, without a
 * question. Only {@code prompt=login} makes a new sign-in.
 */
public final class SignInProvider implements AutoCloseable {
    private static final String CLIENT = "okr";
    private static final String SESSION = "the-only-session";
    private static final int KEY_BITS = 2_048;
    private static final int HOUR_SECONDS = 3_600;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final HttpServer server;
    private final KeyPair key;
    private final String email;
    private final long firstSignIn = Instant.now().getEpochSecond() - HOUR_SECONDS;
    private final AtomicInteger newSignIns = new AtomicInteger();
    private final Map<String, String> nonces = new ConcurrentHashMap<>();
    private volatile boolean obedient = true;
    private volatile boolean withSession = true;
    private volatile String audience = CLIENT;

    private SignInProvider(HttpServer server, KeyPair key, String email) {
        this.server = server;
        this.key = key;
        this.email = email;
    }

    /** Starts a provider that signs everybody in with this address. */
    public static SignInProvider start(String email) {
        try {
            var generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(KEY_BITS);
            var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            var provider = new SignInProvider(server, generator.generateKeyPair(), email);
            server.createContext("/", provider::answer);
            server.start();
            return provider;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The settings of a service that uses the provider. */
    public Map<String, String> environment() {
        return Map.of(
                "QUARKUS_OIDC_AUTH_SERVER_URL",
                url(""),
                "QUARKUS_OIDC_CLIENT_ID",
                CLIENT,
                "QUARKUS_OIDC_CREDENTIALS_SECRET",
                "secret");
    }

    /** Ignores {@code prompt=login} from now on. */
    public void ignorePrompts() {
        obedient = false;
    }

    /** Sends no {@code sid} from now on. */
    public void hideSession() {
        withSession = false;
    }

    /** Makes ID tokens for another client from now on. */
    public void mistakeClient() {
        audience = "somebody-else";
    }

    public int newSignIns() {
        return newSignIns.get();
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private void answer(HttpExchange exchange) throws IOException {
        var query = fields(exchange.getRequestURI().getRawQuery());
        switch (exchange.getRequestURI().getPath()) {
            case "/.well-known/openid-configuration" -> send(exchange, JSON.valueToTree(metadata()));
            case "/keys" -> send(exchange, JSON.valueToTree(Map.of("keys", List.of(publicKey()))));
            case "/authorize" -> authorize(exchange, query);
            case "/token" -> {
                var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                var code = fields(body).get("code");
                if (nonces.containsKey(code)) {
                    send(exchange, token(code));
                } else {
                    send(exchange, 400, JSON.valueToTree(Map.of("error", "invalid_grant", "error_description", code)));
                }
            }
            case "/logout" -> redirect(exchange, query.get("post_logout_redirect_uri"));
            default -> exchange.sendResponseHeaders(404, -1);
        }
        exchange.close();
    }

    private Map<String, Object> metadata() {
        return Map.of(
                "issuer", url(""),
                "authorization_endpoint", url("/authorize"),
                "token_endpoint", url("/token"),
                "jwks_uri", url("/keys"),
                "end_session_endpoint", url("/logout"));
    }

    private Map<String, Object> publicKey() {
        var rsa = (RSAPublicKey) key.getPublic();
        return Map.of(
                "kty",
                "RSA",
                "use",
                "sig",
                "alg",
                "RS256",
                "kid",
                "1",
                "n",
                number(rsa.getModulus()),
                "e",
                number(rsa.getPublicExponent()));
    }

    private void authorize(HttpExchange exchange, Map<String, String> query) throws IOException {
        if (obedient && "login".equals(query.get("prompt"))) {
            newSignIns.incrementAndGet();
        }
        var code = "code" + nonces.size();
        nonces.put(code, query.getOrDefault("nonce", ""));
        redirect(exchange, query.get("redirect_uri") + "?code=" + code + "&state=" + query.get("state"));
    }

    private JsonNode token(String code) {
        var now = Instant.now().getEpochSecond();
        var claims = new HashMap<String, Object>(Map.of(
                "iss",
                url(""),
                "sub",
                email,
                "aud",
                audience,
                "iat",
                now,
                "exp",
                now + HOUR_SECONDS,
                "nonce",
                nonces.getOrDefault(code, ""),
                "email",
                email,
                "email_verified",
                true,
                "auth_time",
                firstSignIn + newSignIns.get()));
        if (withSession) {
            claims.put("sid", SESSION);
        }
        return JSON.valueToTree(Map.of(
                "id_token", sign(claims), "access_token", "none", "token_type", "Bearer", "expires_in", HOUR_SECONDS));
    }

    private String sign(Map<String, Object> claims) {
        try {
            var text = BASE64.encodeToString(JSON.writeValueAsBytes(Map.of("alg", "RS256", "kid", "1")))
                    + '.'
                    + BASE64.encodeToString(JSON.writeValueAsBytes(claims));
            var signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(key.getPrivate());
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return text + '.' + BASE64.encodeToString(signature.sign());
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String number(BigInteger value) {
        var bytes = value.toByteArray();
        // The first byte may hold only the sign.
        return BASE64.encodeToString(bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
    }

    private static void redirect(HttpExchange exchange, String address) throws IOException {
        exchange.getResponseHeaders().add("Location", URI.create(address).toString());
        exchange.sendResponseHeaders(302, -1);
    }

    private static void send(HttpExchange exchange, JsonNode body) throws IOException {
        send(exchange, 200, body);
    }

    private static void send(HttpExchange exchange, int status, JsonNode body) throws IOException {
        var bytes = JSON.writeValueAsBytes(body);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static Map<String, String> fields(String form) {
        return form == null
                ? Map.of()
                : Arrays.stream(form.split("&"))
                        .map(pair -> pair.split("=", 2))
                        .collect(Collectors.toMap(
                                pair -> pair[0],
                                pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8),
                                (first, second) -> first));
    }
}
