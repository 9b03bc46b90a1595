package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.errors.Failure;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Downloads that wait, and downloads that end for others. */
class DownloadsTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** Longer than the time between two checks of a download. */
    private static final Duration SOME_CHECKS = Duration.ofSeconds(3);

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final UUID A = UUID.randomUUID();
    private static final UUID B = UUID.randomUUID();
    private static final UUID C = UUID.randomUUID();
    private static final UUID D = UUID.randomUUID();

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<UUID, CompletableFuture<Void>> ends = new ConcurrentHashMap<>();
    private final Map<UUID, InputStream> bodies = new ConcurrentHashMap<>();
    private final Set<UUID> slowClients = ConcurrentHashMap.newKeySet();
    private final Set<UUID> disconnected = ConcurrentHashMap.newKeySet();
    private Downloads downloads = new Downloads(2, LONG, LONG);
    private HttpServer server;

    @BeforeEach
    void start() {
        var router = Router.router(vertx);
        router.route().handler(context -> Thread.ofVirtual().start(() -> handle(context)));
        server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void stop() {
        ends.values().forEach(end -> end.complete(null));
        client.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void handle(RoutingContext context) {
        var organization = UUID.fromString(context.request().path().substring(1));
        context.addEndHandler(ended -> {
            if (ended.failed()) {
                disconnected.add(organization);
            }
        });
        try {
            var content = downloads.start(organization, context, output -> produce(organization, output));
            // As in the framework, nothing is written to a client that has disconnected.
            if (!context.response().closed()) {
                content.write(response(organization, context));
                context.response().end();
            }
        } catch (Failure rejected) {
            context.response().setStatusCode(503).end();
        } catch (IOException | RuntimeException closed) {
            // The client has disconnected, or the test has ended.
        }
    }

    /** Writes until {@link #end} or until the connection is closed. */
    private void produce(UUID organization, OutputStream output) throws IOException {
        var end = ends.computeIfAbsent(organization, id -> new CompletableFuture<>());
        while (!end.isDone()) {
            output.write(new byte[] {'x'}, 0, 1);
            // The database takes this time, if the client does not.
            if (!slowClients.contains(organization)) {
                pause();
            }
        }
        ends.remove(organization);
    }

    private OutputStream response(UUID organization, RoutingContext context) {
        context.response().setChunked(true);
        return new OutputStream() {
            @Override
            public void write(int character) throws IOException {
                if (context.response().closed()) {
                    throw new IOException("The connection is closed.");
                }
                context.response().write(String.valueOf((char) character));
                if (slowClients.contains(organization)) {
                    pause();
                }
            }
        };
    }

    private static void pause() {
        try {
            Thread.sleep(Duration.ofMillis(20));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Begins a download that goes on until {@link #end}. Returns its status. */
    private int begin(UUID organization) throws Exception {
        return beginLater(organization).get(30, TimeUnit.SECONDS);
    }

    private CompletableFuture<Integer> beginLater(UUID organization) {
        var uri = URI.create("http://127.0.0.1:" + server.actualPort() + '/' + organization);
        return client.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofInputStream())
                .thenApply(response -> {
                    if (response.statusCode() == 200) {
                        bodies.put(organization, response.body());
                    }
                    return response.statusCode();
                });
    }

    private void end(UUID organization) throws Exception {
        ends.get(organization).complete(null);
        bodies.get(organization).readAllBytes();
    }

    private boolean isRunning(UUID organization) {
        return !disconnected.contains(organization);
    }

    @Test
    void a_download_waits_until_another_one_ends() throws Exception {
        assertThat(begin(A)).isEqualTo(200);
        assertThat(begin(B)).isEqualTo(200);
        var waiting = beginLater(C);
        Thread.sleep(SHORT);
        assertThat(waiting).isNotDone();
        end(A);
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(200);
        assertThat(isRunning(B)).isTrue();
    }

    @Test
    void a_download_that_waits_too_long_is_rejected() throws Exception {
        downloads = new Downloads(1, SHORT, LONG, LONG, LONG);
        assertThat(begin(A)).isEqualTo(200);
        assertThat(begin(B)).isEqualTo(503);
        end(A);
        assertThat(begin(B)).isEqualTo(200);
    }

    @Test
    void a_client_that_disconnects_while_it_waits_leaves_the_permit_to_others() throws Exception {
        downloads = new Downloads(1, Duration.ofSeconds(20), LONG, LONG, LONG);
        assertThat(begin(A)).isEqualTo(200);
        try (var leaving = new Socket("127.0.0.1", server.actualPort())) {
            leaving.getOutputStream()
                    .write("GET /%s HTTP/1.1\r\nHost: okr\r\n\r\n".formatted(C).getBytes(StandardCharsets.US_ASCII));
            Thread.sleep(SHORT);
        }
        Thread.sleep(SHORT);
        assertThat(isRunning(C)).isFalse();
        end(A);
        assertThat(begin(B)).isEqualTo(200);
        end(B);
        assertThat(begin(D)).isEqualTo(200);
    }

    @Test
    void a_request_for_the_head_needs_no_permit() throws Exception {
        downloads = new Downloads(1, SHORT, LONG, LONG, LONG);
        assertThat(begin(A)).isEqualTo(200);
        var uri = URI.create("http://127.0.0.1:" + server.actualPort() + '/' + B);
        ends.put(B, CompletableFuture.completedFuture(null));
        var head = client.send(HttpRequest.newBuilder(uri).HEAD().build(), BodyHandlers.discarding());
        assertThat(head.statusCode()).isEqualTo(200);
    }

    @Test
    void a_download_with_a_slow_client_ends_if_another_organisation_waits() throws Exception {
        downloads = new Downloads(2, Duration.ofSeconds(20), SHORT, LONG, LONG);
        slowClients.add(B);
        assertThat(begin(A)).isEqualTo(200);
        assertThat(begin(B)).isEqualTo(200);
        Thread.sleep(SOME_CHECKS);
        assertThat(isRunning(B)).isTrue();
        var start = Instant.now();
        assertThat(begin(C)).isEqualTo(200);
        assertThat(Duration.between(start, Instant.now())).isLessThan(SOME_CHECKS);
        assertThat(isRunning(B)).isFalse();
        // Its client is fast.
        assertThat(isRunning(A)).isTrue();
    }

    @Test
    void a_download_does_not_end_for_its_own_organisation() throws Exception {
        downloads = new Downloads(1, LONG, SHORT, LONG, LONG);
        slowClients.add(A);
        assertThat(begin(A)).isEqualTo(200);
        var waiting = beginLater(A);
        Thread.sleep(SOME_CHECKS);
        assertThat(waiting).isNotDone();
        assertThat(isRunning(A)).isTrue();
        end(A);
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(200);
    }

    @Test
    void a_slow_download_ends_even_if_nobody_waits() throws Exception {
        requireThatItEnds(new Downloads(1, SHORT, LONG, SHORT, LONG));
    }

    @Test
    void a_long_download_ends_even_if_nobody_waits() throws Exception {
        requireThatItEnds(new Downloads(1, SHORT, LONG, LONG, SHORT));
    }

    private void requireThatItEnds(Downloads limited) throws Exception {
        downloads = limited;
        assertThat(begin(A)).isEqualTo(200);
        Thread.sleep(SOME_CHECKS);
        assertThat(isRunning(A)).isFalse();
        assertThat(begin(B)).isEqualTo(200);
    }
}
