package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.transactions.Deadline;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients do not read their responses, which are larger than the buffers of their sockets. */
class AnonymousPlacesTest {
    private static final int SEND_BUFFER_BYTES = 64 * 1_024;
    private static final int RESPONSE_BYTES = 8 * 1_024 * 1_024;
    private static final int MAX_WAIT_MILLIS = 20_000;
    private static final int MOST_AT_ONCE = 4;
    private static final int CHECKS = 40;
    private static final int CHECK_MILLIS = 20;
    private static final int DOCUMENTS_OF_NETWORK = 8;
    private static final String ADMITTED = "HTTP/1.1 200";
    private static final String REFUSED = "HTTP/1.1 503";

    private final Vertx vertx = Vertx.vertx();
    private final AnonymousPlaces places = new AnonymousPlaces(Duration.ofMillis(MAX_WAIT_MILLIS));
    private final List<Socket> sockets = new ArrayList<>();
    private final ConnectionLimit connections = new ConnectionLimit(0, Integer.MAX_VALUE, List.of());

    private HttpServer server;

    @AfterEach
    void close() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void unread_responses_to_probes_hold_no_turns() throws IOException {
        start(this::entersAtOnce);
        for (int i = 0; i <= MOST_AT_ONCE; i++) {
            assertThat(status(get("/q/health/ready", "a"))).isEqualTo(ADMITTED);
        }
    }

    @ParameterizedTest
    @CsvSource({"/q/health/live, 4", "/q/health/ready, 2"})
    void checks_above_the_limit_wait_and_then_succeed(String path, int atOnce) throws IOException {
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        serve((context, place) -> places.enter(context, place).thenAccept(isAdmitted -> {
            if (isAdmitted) {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                vertx.setTimer(CHECK_MILLIS, checked -> {
                    running.decrementAndGet();
                    context.response().end();
                });
            }
        }));
        for (int i = 0; i < CHECKS; i++) {
            get(path, String.valueOf(i));
        }
        // Clients that disconnect keep no permit, whether their checks run or wait.
        for (int i = 0; i < CHECKS / 2; i++) {
            sockets.remove(i).close();
        }
        for (var socket : sockets) {
            assertThat(status(socket)).isEqualTo(ADMITTED);
        }
        assertThat(most).hasValue(atOnce);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/q/openapi", "/settings/assets/1/console.css", "/guides/api.html", "/llms.txt"})
    void a_document_that_is_not_read_keeps_its_place(String path) throws IOException {
        start(this::entersAtOnce);
        for (int i = 0; i < DOCUMENTS_OF_NETWORK; i++) {
            assertThat(status(get(path, "a"))).isEqualTo(ADMITTED);
        }
        assertThat(status(get(path, "a"))).isEqualTo(REFUSED);
    }

    @Test
    void a_request_ends_the_oldest_unread_response_of_the_network_with_the_most_places() throws IOException {
        start(new UntakenResponses(2, 3)::enter);
        var clients = new ArrayList<Socket>();
        for (var network : List.of("a", "b", "b", "c")) {
            var client = get("/", network);
            assertThat(status(client)).isEqualTo(ADMITTED);
            clients.add(client);
        }
        assertThat(clients).extracting(AnonymousPlacesTest::isComplete).containsExactly(true, false, true, true);
    }

    @Test
    void a_network_without_a_place_left_ends_no_response() throws IOException {
        start(new UntakenResponses(2, 3)::enter);
        var clients = List.of(get("/", "a"), get("/", "a"));
        for (var client : clients) {
            assertThat(status(client)).isEqualTo(ADMITTED);
        }
        assertThat(status(get("/", "a"))).isEqualTo(REFUSED);
        assertThat(clients).allMatch(AnonymousPlacesTest::isComplete);
    }

    private boolean entersAtOnce(RoutingContext context, Place place) {
        return places.enter(context, place).getNow(false);
    }

    /** @param enter gives a request its place, or returns false */
    private void start(BiPredicate<RoutingContext, Place> enter) {
        var response = Buffer.buffer(new byte[RESPONSE_BYTES]);
        serve((context, place) -> {
            if (enter.test(context, place)) {
                context.response().end(response);
            } else {
                context.response().setStatusCode(503).end();
            }
        });
    }

    private void serve(BiConsumer<RoutingContext, Place> handler) {
        var router = Router.router(vertx);
        router.route().handler(context -> {
            var network = context.request().getHeader("Host");
            var place = new Place(network, Deadline.begin(Duration.ofMillis(MAX_WAIT_MILLIS)));
            ClientWatch.whenAnswered(context, place::leave);
            handler.accept(context, place);
        });
        server = vertx.createHttpServer(new HttpServerOptions().setSendBufferSize(SEND_BUFFER_BYTES))
                .connectionHandler(connection -> Pipelining.install(
                        ((ConnectionBase) connection).channel(), connections, Duration.ofSeconds(10)))
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private Socket get(String path, String network) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
        sockets.add(socket);
        socket.setSoTimeout(MAX_WAIT_MILLIS);
        var request = "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(path, network);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /** Reads only the start of the response. */
    private static String status(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(ADMITTED.length()), StandardCharsets.US_ASCII);
    }

    private static boolean isComplete(Socket socket) {
        try {
            return socket.getInputStream().readNBytes(RESPONSE_BYTES).length == RESPONSE_BYTES;
        } catch (IOException reset) {
            return false;
        }
    }
}
