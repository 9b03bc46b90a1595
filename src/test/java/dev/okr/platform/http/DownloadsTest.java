package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.errors.Failure;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Organisations that repeat their downloads. */
class DownloadsTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final UUID A = UUID.randomUUID();
    private static final UUID B = UUID.randomUUID();
    private static final UUID C = UUID.randomUUID();

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<UUID, CompletableFuture<Void>> running = new ConcurrentHashMap<>();
    private final Map<UUID, InputStream> bodies = new HashMap<>();
    private HttpServer server;

    @BeforeEach
    void start() {
        var downloads = new Downloads(2, LONG, LONG);
        var router = Router.router(vertx);
        router.route().handler(context -> {
            var organization = UUID.fromString(context.request().path().substring(1));
            var end = new CompletableFuture<Void>();
            try {
                var content = downloads.start(organization, context, output -> {
                    context.response().setChunked(true).write("x");
                    end.join();
                });
                running.put(organization, end);
                Thread.ofVirtual().start(() -> {
                    write(content);
                    context.response().end();
                });
            } catch (Failure rejected) {
                context.response().setStatusCode(503).end();
            }
        });
        server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void stop() {
        running.values().forEach(end -> end.complete(null));
        client.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static void write(StreamingOutput content) {
        try {
            content.write(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Begins a download that goes on until {@link #end}. Returns its status. */
    private int begin(UUID organization) throws Exception {
        var uri = URI.create("http://127.0.0.1:" + server.actualPort() + '/' + organization);
        var response = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofInputStream());
        if (response.statusCode() == 200) {
            bodies.put(organization, response.body());
        }
        return response.statusCode();
    }

    private void end(UUID organization) throws Exception {
        running.get(organization).complete(null);
        // Waits for the end of the response. The place is free before that.
        bodies.get(organization).readAllBytes();
    }

    @Test
    void an_organisation_that_waits_goes_before_those_that_had_a_place() throws Exception {
        assertThat(begin(A)).isEqualTo(200);
        assertThat(begin(B)).isEqualTo(200);
        assertThat(begin(C)).isEqualTo(503);
        end(A);
        assertThat(begin(A)).isEqualTo(503);
        assertThat(begin(C)).isEqualTo(200);
        end(B);
        assertThat(begin(B)).isEqualTo(200);
    }

    @Test
    void a_download_can_be_repeated_while_nobody_waits() throws Exception {
        assertThat(begin(A)).isEqualTo(200);
        end(A);
        assertThat(begin(A)).isEqualTo(200);
    }

    @Test
    void an_organisation_whose_own_download_is_running_does_not_wait_for_a_place() throws Exception {
        assertThat(begin(A)).isEqualTo(200);
        end(A);
        assertThat(begin(C)).isEqualTo(200);
        assertThat(begin(C)).isEqualTo(503);
        assertThat(begin(A)).isEqualTo(200);
    }
}
