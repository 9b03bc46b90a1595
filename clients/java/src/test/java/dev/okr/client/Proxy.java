package dev.okr.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** A proxy of the service. For one test, it first limits the client and then loses a response. */
public class Proxy implements QuarkusTestResourceLifecycleManager {
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();
    private HttpServer server;
    private volatile boolean disturbing;

    @Override
    public Map<String, String> start() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", this::pass);
        server.start();
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        return Map.of("quarkus.rest-client.okr.url", address);
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(this, new TestInjector.MatchesType(Proxy.class));
    }

    @Override
    public void stop() {
        server.stop(0);
    }

    /** Forgets the requests, and disturbs the next two. */
    void disturb() {
        keys.clear();
        disturbing = true;
    }

    /** The idempotency keys of the requests since {@link #disturb}. Then, requests pass undisturbed. */
    List<String> keys() {
        disturbing = false;
        return List.copyOf(keys);
    }

    private void pass(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            int disturbed = 3;
            if (disturbing) {
                keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
                disturbed = keys.size();
            }
            if (disturbed == 1) {
                exchange.getResponseHeaders().set("Retry-After", "1");
                exchange.sendResponseHeaders(429, -1);
                return;
            }
            var request = HttpRequest.newBuilder(URI.create(System.getenv("OKR_BASE_URL") + exchange.getRequestURI()));
            for (String name : List.of("Authorization", "Content-Type", "Accept", "Idempotency-Key")) {
                String value = exchange.getRequestHeaders().getFirst(name);
                if (value != null) {
                    request.header(name, value);
                }
            }
            request.method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
            var response = client.send(request.build(), BodyHandlers.ofByteArray());
            if (disturbed == 2) {
                // Closing the exchange without a response closes the connection.
                return;
            }
            response.headers().firstValue("Content-Type")
                    .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
            exchange.sendResponseHeaders(response.statusCode(), response.body().length);
            exchange.getResponseBody().write(response.body());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
