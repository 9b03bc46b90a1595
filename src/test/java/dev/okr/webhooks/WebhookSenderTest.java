package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.time.UtcClock;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.ScriptedNames;
import dev.okr.testing.TestCertificate;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.tls.BaseTlsConfiguration;
import io.quarkus.tls.CertificateUpdatedEvent;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.quarkus.tls.runtime.config.TrustStoreConfig.CertificateExpiryPolicy;
import io.quarkus.tls.runtime.keystores.ExpiryTrustOptions;
import io.vertx.core.Vertx;
import io.vertx.core.net.SSLOptions;
import io.vertx.core.net.TrustOptions;
import jakarta.inject.Inject;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@Timeout(60)
@Tag("waits")
class WebhookSenderTest extends HttpTest {
    private static final String BODY = "{\"id\":\"evt_1\",\"data\":{\"title\":\"Größer  😀\"}}";
    private static final String PUBLIC = "93.184.215.14";
    private static final String PRIVATE = "127.0.0.2";
    private static final int MAX_CONCURRENCY = 100;
    private static final byte[] OK_AND_CLOSE =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";

    @Inject
    WebhookSender sender;

    @Inject
    Targets targets;

    @Inject
    Vertx vertx;

    @Inject
    UtcClock clock;

    @Inject
    TlsConfigurationRegistry tls;

    @ConfigProperty(name = "quarkus.application.version")
    String version;

    private static OutgoingAttempt attempt(String url) {
        return attempt(new UUID(0, 1), url);
    }

    private static OutgoingAttempt attempt(UUID organizationId, String url) {
        return new OutgoingAttempt(
                organizationId, url, "evt_1", 1_800_000_000, "v1,c2ln v1,bmF0", BODY.getBytes(StandardCharsets.UTF_8));
    }

    private AttemptOutcome send(String url) {
        return sender.send(attempt(url));
    }

    private AttemptOutcome sendFor(UUID organizationId, String url) {
        return sendFor(sender, organizationId, url);
    }

    private static AttemptOutcome sendFor(WebhookSender sender, UUID organizationId, String url) {
        return sender.send(attempt(organizationId, url));
    }

    private AttemptOutcome sendWithin(Duration requestTimeout, String url) {
        return sendWith(requestTimeout, null, null, url);
    }

    private AttemptOutcome sendWith(Duration requestTimeout, String proxy, String tlsConfiguration, String url) {
        var other = sender(requestTimeout, proxy, tlsConfiguration);
        try {
            return other.send(attempt(url));
        } finally {
            other.close();
        }
    }

    private WebhookSender sender(Duration requestTimeout, String proxy, String tlsConfiguration) {
        var settings = new SenderSettings(
                requestTimeout,
                MAX_CONCURRENCY,
                Optional.ofNullable(proxy),
                Optional.ofNullable(tlsConfiguration),
                "okr",
                "1");
        return new WebhookSender(targets, vertx, clock, tls, settings);
    }

    @Test
    void an_attempt_is_sent_byte_for_byte() {
        try (var receiver = Receiver.start()) {
            var target = "/a//b/%7Bid%7D/%C3%BC;x=1/../c?q=%20+&&x[]=%2F&y";
            var outcome = send(receiver.url(target));
            assertThat(outcome.succeeded()).isTrue();
            assertThat(outcome.error()).isNull();
            var request = receiver.onlyRequest();
            assertThat(request.method()).isEqualTo("POST");
            assertThat(request.target()).isEqualTo(target);
            assertThat(request.text()).isEqualTo(BODY);
            assertThat(request.header("webhook-id")).contains("evt_1");
            assertThat(request.header("webhook-timestamp")).contains("1800000000");
            assertThat(request.header("webhook-signature")).contains("v1,c2ln v1,bmF0");
            assertThat(request.header("Content-Type")).contains("application/json");
            assertThat(request.header("User-Agent")).contains("okr-service/" + version);
            assertThat(request.header("Host")).contains("127.0.0.1:" + receiver.port());
            assertThat(request.header("Accept-Encoding")).isEmpty();
            assertThat(request.headers().keySet())
                    .containsExactlyInAnyOrder(
                            "Content-Length",
                            "Content-Type",
                            "Host",
                            "User-Agent",
                            "webhook-id",
                            "webhook-signature",
                            "webhook-timestamp");
        }
    }

    @Test
    void a_url_without_a_path_requests_the_root() {
        try (var receiver = Receiver.start();
                var receiver6 = Receiver.start("::1")) {
            send(receiver.url(""));
            send(receiver.url("localhost", "?a=b"));
            assertThat(receiver.received())
                    .extracting(Receiver.Received::target)
                    .containsExactly("/", "/?a=b");
            assertThat(send(receiver6.url("[::1]", "/six")).succeeded()).isTrue();
            assertThat(receiver6.onlyRequest().target()).isEqualTo("/six");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 204, 299})
    void any_2xx_is_success(int status) {
        try (var receiver = Receiver.start().answer(Reply.status(status))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.statusCode()).isEqualTo(status);
            assertThat(outcome.succeeded()).isTrue();
            assertThat(outcome.gone()).isFalse();
            assertThat(outcome.response()).isNull();
            assertThat(outcome.retryAfter()).isNull();
            assertThat(outcome.duration()).isBetween(Duration.ZERO, Duration.ofSeconds(5));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 304, 400, 401, 404, 410, 429, 500, 503, 599})
    void any_other_status_is_a_failure_with_that_status(int status) {
        try (var receiver = Receiver.start().answer(Reply.status(status).body("because"))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.statusCode()).isEqualTo(status);
            assertThat(outcome.error()).isNull();
            assertThat(outcome.succeeded()).isFalse();
            assertThat(outcome.gone()).isEqualTo(status == 410);
            assertThat(outcome.response()).isEqualTo(status == 304 ? null : "because");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void a_redirect_is_not_followed(int status) {
        try (var elsewhere = Receiver.start();
                var receiver =
                        Receiver.start().answer(Reply.status(status).header("Location", elsewhere.url("/elsewhere")))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.statusCode()).isEqualTo(status);
            assertThat(outcome.succeeded()).isFalse();
            assertThat(elsewhere.connections()).isZero();
            assertThat(receiver.received()).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"120, 120", "0, 0", "86401, 86400", "99999999999999999999, 86400"})
    void retry_after_is_read_in_seconds(String value, long seconds) {
        try (var receiver = Receiver.start().answer(Reply.status(503).header("Retry-After", value))) {
            assertThat(send(receiver.url("/")).retryAfter()).isEqualTo(Duration.ofSeconds(seconds));
        }
    }

    @Test
    void retry_after_is_read_as_a_date() {
        var inAnHour = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.now().plusSeconds(3_600).atOffset(ZoneOffset.UTC));
        try (var receiver = Receiver.start().answer(Reply.status(429).header("Retry-After", inAnHour))) {
            assertThat(send(receiver.url("/")).retryAfter())
                    .isBetween(Duration.ofSeconds(3_590), Duration.ofSeconds(3_600));
        }
    }

    @Test
    void the_first_kibibyte_of_a_response_is_stored_as_text() {
        var body = "a\0b\u001b\u0085\n\t" + "x".repeat(1_015) + "ü" + "y".repeat(1_000);
        try (var receiver = Receiver.start().answer(Reply.status(500).body(body))) {
            assertThat(send(receiver.url("/")).response()).isEqualTo("a\uFFFDb\uFFFD\uFFFD\n\t" + "x".repeat(1_015));
        }
    }

    @Test
    void a_long_response_is_read_up_to_16_kibibytes_and_the_connection_is_closed() {
        try (var receiver = Receiver.start()
                .answer(
                        Reply.endless(CHUNKED + "\r\n", "400\r\n" + "z".repeat(1_024) + "\r\n", Duration.ZERO),
                        Reply.endless("HTTP/1.1 500 No\r\n\r\n", "z".repeat(1_024), Duration.ZERO),
                        Reply.endless(
                                CHUNKED + "\r\n", "400\r\n" + "z".repeat(1_024) + "\r\n", Duration.ofMillis(50)))) {
            for (int requests = 1; requests <= 3; requests++) {
                var outcome = send(receiver.url("/"));
                assertThat(outcome.statusCode()).isEqualTo(requests == 2 ? 500 : 200);
                assertThat(outcome.response()).isEqualTo("z".repeat(1_024));
                assertThat(outcome.duration()).isLessThan(Duration.ofSeconds(5));
                receiver.awaitAbandoned(requests);
            }
        }
    }

    /** Otherwise a subscriber could use much processor time with few bytes. */
    @ParameterizedTest
    @CsvSource({"'1\r\nz\r\n', 200", "'HTTP/1.1 103 Early Hints\r\n\r\n',"})
    void a_response_in_many_small_parts_ends_the_connection(String part, @Nullable Integer status) {
        var written = new AtomicLong();
        var head = status == null ? "" : CHUNKED + "\r\n";
        Reply endless = connection -> {
            connection.write(head);
            while (true) {
                connection.write(part.repeat(100));
                written.addAndGet(100);
                Thread.sleep(10);
            }
        };
        try (var receiver = Receiver.start().answer(endless)) {
            assertThat(send(receiver.url("/")).statusCode()).isEqualTo(status);
            receiver.awaitAbandoned(1);
            assertThat(written.get()).isLessThan(3_000L);
        }
    }

    @Test
    void the_rest_of_a_long_response_is_not_read() {
        var written = new AtomicLong();
        var block = new byte[65_536];
        Reply endless = connection -> {
            connection.write("HTTP/1.1 200 OK\r\n\r\n");
            while (true) {
                connection.write(block);
                written.addAndGet(block.length);
            }
        };
        try (var receiver = Receiver.start().answer(endless)) {
            assertThat(send(receiver.url("/")).succeeded()).isTrue();
            receiver.awaitAbandoned(1);
            // Socket buffers hold part of the response.
            assertThat(written.get()).isLessThan(20_000_000);
        }
    }

    @Test
    void a_long_response_that_has_arrived_does_not_affect_the_next_request() throws Exception {
        var reply = Reply.status(200).body("z".repeat(40_000));
        // On a busy machine, 400 requests at once can take longer than the timeout of the other tests.
        var patient = sender(Duration.ofSeconds(30), null, null);
        try (var receiver = Receiver.start().answer(reply);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var outcomes = IntStream.range(0, 400)
                    .mapToObj(i -> threads.submit(() -> patient.send(attempt(receiver.url("/" + i)))))
                    .toList();
            for (var outcome : outcomes) {
                assertThat(outcome.get(30, TimeUnit.SECONDS).error()).isNull();
            }
            assertThat(receiver.received()).hasSize(400);
        } finally {
            patient.close();
        }
    }

    @Test
    void a_multipart_response_is_read_like_any_other() {
        var head = CHUNKED + "Content-Type: Multipart/Form-Data; boundary=b\r\n\r\n";
        var part = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + "z".repeat(1_000) + "\r\n";
        var chunk = Integer.toHexString(part.length()) + "\r\n" + part + "\r\n";
        try (var receiver = Receiver.start().answer(Reply.endless(head, chunk, Duration.ZERO))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.statusCode()).isEqualTo(200);
            assertThat(outcome.response()).startsWith("--b");
            assertThat(outcome.duration()).isLessThan(Duration.ofSeconds(5));
            receiver.awaitAbandoned(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\nX: ",
                "HTTP/1.1 500 No\r\nX: ",
                "HTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n",
            })
    void a_response_that_trickles_ends_at_the_deadline(String start) {
        try (var receiver = Receiver.start().answer(Reply.endless(start, " ", Duration.ofMillis(100)))) {
            var outcome = sendWithin(SHORT, receiver.url("/"));
            assertThat(outcome.error()).isEqualTo("timeout");
            assertThat(outcome.statusCode()).isNull();
            assertThat(outcome.succeeded()).isFalse();
            assertThat(outcome.duration()).isBetween(SHORT.minusMillis(50), SHORT.plusSeconds(1));
            receiver.awaitAbandoned(1);
        }
    }

    @Test
    void endless_interim_responses_end_at_the_deadline() {
        var interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        try (var receiver = Receiver.start().answer(Reply.endless("", interim, Duration.ofMillis(200)))) {
            assertThat(sendWithin(SHORT, receiver.url("/")).error()).isEqualTo("timeout");
            receiver.awaitAbandoned(1);
        }
    }

    @Test
    void a_connection_is_closed_after_too_many_interim_responses() {
        var interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        var last = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        try (var receiver =
                Receiver.start().answer(Reply.raw(interim.repeat(16) + last), Reply.raw(interim.repeat(17) + last))) {
            assertThat(send(receiver.url("/")).statusCode()).isEqualTo(200);
            var outcome = send(receiver.url("/"));
            assertThat(outcome.error()).isEqualTo("connection_closed");
            assertThat(outcome.duration()).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void a_failure_keeps_its_status_if_its_body_hangs_or_is_cut() {
        var hanging = Reply.endless("HTTP/1.1 410 Gone\r\nContent-Length: 99\r\n\r\ngo", "", Duration.ofMillis(100));
        var cut = Reply.raw("HTTP/1.1 503 No\r\nContent-Length: 99\r\nRetry-After: 7\r\n\r\nno");
        try (var receiver = Receiver.start().answer(hanging, cut)) {
            var outcome = sendWithin(SHORT, receiver.url("/"));
            assertThat(outcome.gone()).isTrue();
            assertThat(outcome.error()).isNull();
            assertThat(outcome.response()).isEqualTo("go");
            outcome = send(receiver.url("/"));
            assertThat(outcome.statusCode()).isEqualTo(503);
            assertThat(outcome.retryAfter()).isEqualTo(Duration.ofSeconds(7));
        }
    }

    @Test
    void a_success_with_an_incomplete_body_is_a_failure() {
        try (var receiver = Receiver.start().answer(Reply.raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.statusCode()).isNull();
            assertThat(outcome.error()).isEqualTo("connection_closed");
        }
    }

    @Test
    void a_receiver_that_does_not_answer_times_out() {
        try (var receiver = Receiver.start().answer(Reply.hang())) {
            var outcome = sendWithin(SHORT, receiver.url("/"));
            assertThat(outcome.error()).isEqualTo("timeout");
            receiver.awaitAbandoned(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"https, ", "https, http", "http, socks5"})
    void a_handshake_that_hangs_ends_at_the_deadline(String scheme, String proxyScheme) throws IOException {
        // The operating system accepts the connection, but nothing reads from it.
        try (var mute = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            var proxy = proxyScheme == null ? null : proxyScheme + "://127.0.0.1:" + mute.getLocalPort();
            var outcome = sendWith(SHORT, proxy, null, scheme + "://127.0.0.1:" + mute.getLocalPort() + "/");
            assertThat(outcome.error()).isEqualTo("timeout");
            assertThat(outcome.duration()).isBetween(SHORT.minusMillis(50), SHORT.plusMillis(500));
        }
    }

    /** Java copies the unfinished message for each record. So many small records would use much processor time. */
    @Test
    void a_handshake_in_many_small_records_ends_the_connection() throws Exception {
        try (var server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var isClosed = threads.submit(() -> {
                try (var socket = server.accept()) {
                    socket.setSoTimeout(2_000);
                    // The start of a ServerHello with 32,000 bytes.
                    byte[] message = {2, 0, 125, 0};
                    for (int i = 0; i < 300; i++) {
                        byte[] record = {22, 3, 3, 0, 1, i < message.length ? message[i] : 0};
                        socket.getOutputStream().write(record);
                    }
                    socket.getInputStream().readAllBytes();
                    return true;
                } catch (SocketTimeoutException e) {
                    return false;
                } catch (SocketException reset) {
                    return true;
                }
            });
            var outcome = send("https://127.0.0.1:" + server.getLocalPort() + "/");
            assertThat(outcome.error()).isEqualTo("tls_failed");
            assertThat(isClosed.get(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** For each update, Java derives new keys. So many of them would use much processor time. */
    @Test
    void a_receiver_that_updates_its_keys_again_and_again_is_disconnected() throws Exception {
        var certificate = TestCertificate.make("ip:127.0.0.1");
        assertThat(sendToTls(certificate, 20).statusCode()).isEqualTo(200);
        assertThat(sendToTls(certificate, 300).error()).isEqualTo("connection_closed");
    }

    /** With a large finite field or a large curve, the key exchange would use much time of the event loop. */
    @ParameterizedTest
    @CsvSource({"TLSv1.2, ffdhe2048", "TLSv1.3, ffdhe2048", "TLSv1.2, secp521r1", "TLSv1.3, secp521r1"})
    void a_receiver_can_only_use_fast_key_exchanges(String protocol, String group) throws Exception {
        var certificate = TestCertificate.make("ip:127.0.0.1", "RSA");
        var parameters = of(protocol);
        assertThat(sendToTls(certificate, 0, parameters).statusCode()).isEqualTo(200);
        parameters.setNamedGroups(new String[] {group});
        assertThat(sendToTls(certificate, 0, parameters).error()).isEqualTo("tls_failed");
    }

    /** Java would keep all tickets of a connection in memory until it ends. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void session_tickets_are_ignored(String protocol) throws Exception {
        var context = trusted("ticketing");
        var one = sender(SHORT.multipliedBy(5), null, "ticketing");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            var created = new ArrayList<Long>();
            for (int i = 0; i < 3; i++) {
                var session = threads.submit(() -> serve(server, context, of(protocol), 0));
                one.send(attempt("https://127.0.0.1:" + server.getLocalPort() + "/"));
                created.add(session.get(5, TimeUnit.SECONDS).getCreationTime());
                Thread.sleep(10);
            }
            // A resumed session keeps its time.
            assertThat(created).doesNotHaveDuplicates();
        } finally {
            one.close();
        }
    }

    /** A receiver can pack thousands of key updates into one record. */
    @Test
    void an_organisation_has_little_time_for_the_key_updates_of_its_receivers() throws Exception {
        var context = trusted("updating");
        var one = sender(SHORT.multipliedBy(5), null, "updating");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            var url = "https://127.0.0.1:" + server.getLocalPort() + "/";
            var errors = new ArrayList<@Nullable String>();
            do {
                threads.submit(() -> serve(server, context, of("TLSv1.3"), 100));
                errors.add(one.send(attempt(url)).error());
            } while (errors.getLast() == null && errors.size() < 1_000);
            assertThat(errors).hasSizeGreaterThan(1).last().isEqualTo("connection_closed");
            threads.submit(() -> serve(server, context, of("TLSv1.3"), 0));
            assertThat(one.send(attempt(UUID.randomUUID(), url)).succeeded()).isTrue();
        } finally {
            one.close();
        }
    }

    private static SSLParameters of(String protocol) {
        return new SSLParameters(null, new String[] {protocol});
    }

    private SSLContext trusted(String configuration) {
        var certificate = TestCertificate.make("ip:127.0.0.1");
        tls.register(configuration, new Trusting(certificate.trustStore()));
        return certificate.serverContext();
    }

    private static SSLSession serve(ServerSocket server, SSLContext context, SSLParameters parameters, int keyUpdates)
            throws IOException {
        try (var connection = server.accept();
                var secure = (SSLSocket) context.getSocketFactory().createSocket(connection, null, true)) {
            secure.setSSLParameters(parameters);
            secure.getInputStream().read();
            for (int i = 0; i < keyUpdates; i++) {
                // In TLS 1.3, this is an update of the keys.
                secure.startHandshake();
            }
            secure.getOutputStream().write(OK_AND_CLOSE);
            return secure.getSession();
        }
    }

    /** Java keeps the certificates with the connection, and each name needs about 100 bytes. */
    @Test
    void a_trusted_certificate_with_very_many_names_is_refused() throws Exception {
        var names = "ip:127.0.0.1" + ",dns:a".repeat(250);
        assertThat(sendToTls(TestCertificate.make(names), 0).statusCode()).isEqualTo(200);
        assertThat(sendToTls(TestCertificate.make(names + ",dns:a".repeat(350)), 0)
                        .error())
                .isEqualTo("tls_failed");
    }

    @Test
    void a_handshake_has_at_most_16_kib() throws Exception {
        assertThat(sendToTls(TestCertificate.make(names(150)), 0).statusCode()).isEqualTo(200);
        assertThat(sendToTls(TestCertificate.make(names(280)), 0).error()).isEqualTo("tls_failed");
    }

    /** Java caches the certificates, also those that are refused. */
    @Test
    void large_handshakes_that_fail_are_limited_for_their_organisation() {
        var trusted = TestCertificate.make(names(150));
        var untrusted = TestCertificate.make(names(150));
        tls.register("large-authority", new Trusting(trusted.trustStore()));
        var trusting = sender(SHORT.multipliedBy(5), null, "large-authority");
        var acme = UUID.randomUUID();
        try {
            await(
                    () -> {
                        for (int i = 0; i < 15; i++) {
                            sendOnce(trusting, acme, untrusted);
                        }
                        return !sendOnce(trusting, acme, trusted).succeeded();
                    },
                    () -> "a refused handshake");
            var other = UUID.randomUUID();
            for (int i = 0; i < 20; i++) {
                assertThat(sendOnce(trusting, other, trusted).succeeded()).isTrue();
            }
        } finally {
            trusting.close();
        }
    }

    /** Each receiver has another port, because Java would resume the TLS session and not get the certificate again. */
    private static AttemptOutcome sendOnce(WebhookSender sender, UUID organizationId, TestCertificate certificate) {
        try (var receiver = Receiver.start(certificate.serverContext())) {
            return sendFor(sender, organizationId, receiver.url("/"));
        }
    }

    /** @param count the number of names, of 64 bytes each */
    private static String names(int count) {
        return "ip:127.0.0.1" + (",dns:" + "a".repeat(60)).repeat(count);
    }

    /** @param keyUpdates how often the receiver updates its keys before it responds */
    private AttemptOutcome sendToTls(TestCertificate certificate, int keyUpdates) throws Exception {
        return sendToTls(certificate, keyUpdates, new SSLParameters());
    }

    private AttemptOutcome sendToTls(TestCertificate certificate, int keyUpdates, SSLParameters parameters)
            throws Exception {
        tls.register("receiver", new Trusting(certificate.trustStore()));
        var trusting = sender(SHORT.multipliedBy(5), null, "receiver");
        try (var server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.submit(() -> serve(server, certificate.serverContext(), parameters, keyUpdates));
            return trusting.send(attempt("https://127.0.0.1:" + server.getLocalPort() + "/"));
        } finally {
            trusting.close();
        }
    }

    /** The request can end during the handshake. Vert.x skips any number of empty lines before a response. */
    @Test
    void a_connection_whose_request_has_ended_is_closed_after_too_many_bytes() throws Exception {
        var certificate = TestCertificate.make("ip:127.0.0.1");
        tls.register("late-authority", new Trusting(certificate.trustStore()));
        var patient = sender(Duration.ofSeconds(30), null, "late-authority");
        var lines = "\r\n".repeat(512).getBytes(StandardCharsets.US_ASCII);
        try (var server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            var url = "https://127.0.0.1:" + server.getLocalPort() + "/";
            var sending = Thread.ofVirtual().start(() -> patient.send(attempt(url)));
            try (var connection = server.accept();
                    var secure = certificate.serverContext().getSocketFactory().createSocket(connection, null, true)) {
                sending.interrupt();
                sending.join();
                var out = secure.getOutputStream();
                out.write(lines);
                assertThatThrownBy(() -> {
                            // Socket buffers can hold only a part of these 64 MiB.
                            for (int i = 0; i < 65_536; i++) {
                                out.write(lines);
                            }
                        })
                        .isInstanceOf(SocketException.class);
            }
        } finally {
            patient.close();
        }
    }

    @Test
    void a_closed_port_is_a_refused_connection() throws IOException {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        var outcome = send("http://127.0.0.1:" + port + "/");
        assertThat(outcome.error()).isEqualTo("connection_refused");
        assertThat(outcome.statusCode()).isNull();
        assertThat(outcome.response()).isNull();
        assertThat(outcome.succeeded()).isFalse();
    }

    @Test
    void a_connection_that_closes_without_a_response_is_a_failure() {
        try (var receiver = Receiver.start().answer(Reply.close())) {
            assertThat(send(receiver.url("/")).error()).isEqualTo("connection_closed");
            assertThat(receiver.received()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.9\r\n",
                "garbage\r\n\r\n",
                "HTTP/9.9 200 OK\r\n\r\n",
                "HTTP/1.1 abc OK\r\n\r\n",
                "HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 1000 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 2147483647 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            })
    void a_response_that_is_not_http_is_invalid(String garbage) {
        try (var receiver = Receiver.start().answer(Reply.raw(garbage))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.error()).isEqualTo("invalid_response");
            assertThat(outcome.duration()).isLessThan(Duration.ofSeconds(5));
        }
    }

    /** The limit of the decoder counts two bytes for such a header. */
    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 200 OK\r\n", CHUNKED + "\r\n0\r\n"})
    void a_receiver_that_sends_very_many_headers_is_disconnected(String start) {
        var headers = "a:\r\n";
        try (var receiver = Receiver.start().answer(Reply.raw(start + headers.repeat(100) + "\r\n"))) {
            assertThat(send(receiver.url("/")).statusCode()).isEqualTo(200);
        }
        var hanging = Reply.endless(start + headers.repeat(300), "", Duration.ofSeconds(20));
        try (var receiver = Receiver.start().answer(hanging)) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.error()).isIn("connection_closed", "invalid_response");
            assertThat(outcome.duration()).isLessThan(Duration.ofSeconds(5));
        }
    }

    /** The service reads these headers together with the end of the handshake, and only then it sends the request. */
    @Test
    void headers_before_the_request_are_limited() throws Exception {
        var certificate = TestCertificate.make("ip:127.0.0.1");
        tls.register("early-authority", new Trusting(certificate.trustStore()));
        var other = sender(SHORT.multipliedBy(5), null, "early-authority");
        try (var server = new HoldingServer();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.submit(() -> {
                try (var connection = server.accept();
                        var secure = (SSLSocket)
                                certificate.serverContext().getSocketFactory().createSocket(connection, null, true)) {
                    secure.setEnabledProtocols(new String[] {"TLSv1.2"});
                    secure.startHandshake();
                    var headers = "HTTP/1.1 200 OK\r\n" + "a:\r\n".repeat(300);
                    secure.getOutputStream().write(headers.getBytes(StandardCharsets.US_ASCII));
                    server.release();
                    return secure.getInputStream().readAllBytes();
                }
            });
            var outcome = other.send(attempt("https://127.0.0.1:" + server.getLocalPort() + "/"));
            assertThat(outcome.error()).isIn("connection_closed", "invalid_response");
        } finally {
            other.close();
        }
    }

    @Test
    void a_response_with_many_lines_is_read() {
        var body = "x\n".repeat(8_000);
        try (var receiver = Receiver.start().answer(Reply.status(200).body(body))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.statusCode()).isEqualTo(200);
            assertThat(body).startsWith(outcome.response());
        }
    }

    @Test
    void endless_headers_are_an_invalid_response() {
        var header = "X-Filler: " + "x".repeat(1_000) + "\r\n";
        try (var receiver = Receiver.start().answer(Reply.endless("HTTP/1.1 200 OK\r\n", header, Duration.ZERO))) {
            assertThat(send(receiver.url("/")).error()).isEqualTo("invalid_response");
            receiver.awaitAbandoned(1);
        }
    }

    @Test
    void an_untrusted_certificate_fails() {
        var certificate = TestCertificate.make("ip:127.0.0.1,dns:localhost");
        try (var receiver = Receiver.start(certificate.serverContext())) {
            assertThat(send(receiver.url("/")).error()).isEqualTo("tls_failed");
            assertThat(send(receiver.url("localhost", "/")).error()).isEqualTo("tls_failed");
            assertThat(receiver.received()).isEmpty();
        }
        try (var plain = Receiver.start().answer(Reply.raw("no TLS here"))) {
            assertThat(send("https://127.0.0.1:" + plain.port() + "/").error()).isEqualTo("tls_failed");
        }
    }

    @Test
    void a_private_certificate_authority_can_be_trusted() {
        var certificate = TestCertificate.make("dns:localhost");
        tls.register("private-authority", new Trusting(certificate.trustStore()));
        try (var receiver = Receiver.start(certificate.serverContext());
                var plain = Receiver.start()) {
            var name = receiver.url("localhost", "/secret");
            var address = receiver.url("/secret");
            var limit = Duration.ofSeconds(10);
            assertThat(sendWith(limit, null, "private-authority", name).succeeded())
                    .isTrue();
            assertThat(receiver.onlyRequest().target()).isEqualTo("/secret");
            assertThat(sendWith(limit, null, "private-authority", address).error())
                    .isEqualTo("tls_failed");
            assertThat(sendWith(limit, null, "private-authority", plain.url("/"))
                            .succeeded())
                    .isTrue();
            assertThat(receiver.received()).hasSize(1);
        }
        assertThatThrownBy(() -> sender(SHORT, null, "unknown"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("okr.webhooks.tls-configuration-name: unknown TLS configuration \"unknown\"");
    }

    @Test
    void certificates_that_are_loaded_again_are_used() {
        var before = TestCertificate.make("dns:localhost");
        var after = TestCertificate.make("dns:localhost");
        tls.register("renewed-authority", new Trusting(before.trustStore()));
        var one = sender(Duration.ofSeconds(10), null, "renewed-authority");
        try (var receiver = Receiver.start(after.serverContext())) {
            var target = attempt(receiver.url("localhost", "/"));
            var updated = new Trusting(after.trustStore());
            one.updateCertificates(new CertificateUpdatedEvent("another", updated));
            assertThat(one.send(target).error()).isEqualTo("tls_failed");
            one.updateCertificates(new CertificateUpdatedEvent("renewed-authority", updated));
            assertThat(one.send(target).succeeded()).isTrue();
        } finally {
            one.close();
        }
    }

    @Test
    void a_checked_address_is_asked_for_the_certificate_of_the_host() {
        var name = ScriptedNames.name("127.0.0.1", PRIVATE);
        var certificate = TestCertificate.make("dns:" + name);
        tls.register("named-authority", new Trusting(certificate.trustStore()));
        try (var receiver = Receiver.start(certificate.serverContext())) {
            var url = receiver.url(name, "/");
            assertThat(sendWith(Duration.ofSeconds(10), null, "named-authority", url)
                            .succeeded())
                    .isTrue();
            assertThat(receiver.onlyRequest().header("Host")).contains(name + ':' + receiver.port());
            assertThat(receiver.serverNames()).containsExactly(name);
        }
    }

    @Test
    void a_connection_is_reused() {
        try (var receiver = Receiver.start().answer(Reply.status(200).body("ok"))) {
            for (int i = 0; i < 20; i++) {
                assertThat(send(receiver.url("/" + i)).succeeded()).isTrue();
            }
            assertThat(receiver.received()).hasSize(20);
            // The next request can be faster than the thread that frees the connection.
            assertThat(receiver.connections()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void webhooks_at_one_host_do_not_block_each_other() {
        int hanging = MAX_CONCURRENCY - 1;
        var one = sender(Duration.ofSeconds(4), null, null);
        try (var receiver = Receiver.start()
                        .answer(request -> request.target().equals("/slow") ? Reply.hang() : Reply.status(200));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var slow = IntStream.range(0, hanging)
                    .mapToObj(
                            i -> CompletableFuture.supplyAsync(() -> one.send(attempt(receiver.url("/slow"))), threads))
                    .toList();
            receiver.await(hanging);
            for (int i = 0; i < 5; i++) {
                var outcome = one.send(attempt(receiver.url("/fast")));
                assertThat(outcome.succeeded()).isTrue();
                assertThat(outcome.duration()).isLessThan(Duration.ofSeconds(2));
            }
            assertThat(slow).allMatch(attempt -> "timeout".equals(attempt.join().error()));
            assertThat(receiver.connections()).isEqualTo(MAX_CONCURRENCY);
        } finally {
            one.close();
        }
    }

    @Test
    void organisations_use_different_connections_to_a_subscriber() {
        var acme = UUID.randomUUID();
        try (var receiver = Receiver.start()) {
            for (var organization : List.of(acme, UUID.randomUUID(), acme)) {
                assertThat(sendFor(organization, receiver.url("/")).succeeded()).isTrue();
            }
            assertThat(receiver.connections()).isEqualTo(2);
        }
    }

    @Test
    void unused_connections_are_limited() {
        var other = sender(SHORT.multipliedBy(5), null, null);
        try (var receiver = Receiver.start();
                var after = Receiver.start()) {
            for (int i = 0; i < MAX_CONCURRENCY + 9; i++) {
                assertThat(sendFor(other, new UUID(1, i), receiver.url("/")).succeeded())
                        .isTrue();
            }
            assertThat(receiver.received())
                    .filteredOn(request ->
                            request.header("connection").filter("close"::equals).isEmpty())
                    .hasSize(MAX_CONCURRENCY + 1);
            receiver.close();
            await(
                    () -> {
                        sendFor(other, UUID.randomUUID(), after.url("/"));
                        return after.received().getLast().header("connection").isEmpty();
                    },
                    () -> "a connection that is kept");
        } finally {
            other.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 102, 103, 104, 199})
    void the_response_after_an_interim_response_counts(int status) {
        var interim = "HTTP/1.1 " + status + " Wait\r\nLink: </a>\r\n\r\n";
        try (var receiver = Receiver.start()
                .answer(Reply.raw(interim + interim + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.statusCode()).isEqualTo(200);
            assertThat(outcome.response()).isEqualTo("ok");
        }
    }

    @Test
    void a_response_that_switches_the_protocol_ends_the_connection() {
        var switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n";
        try (var receiver = Receiver.start().answer(Reply.endless(switching, " ", Duration.ofMillis(100)))) {
            var outcome = send(receiver.url("/"));
            assertThat(outcome.error()).isEqualTo("connection_closed");
            assertThat(outcome.duration()).isLessThan(Duration.ofSeconds(5));
            receiver.awaitAbandoned(1);
        }
    }

    @Test
    void a_request_goes_to_the_address_that_was_checked() {
        try (var allowed = Receiver.start();
                var forbidden = Receiver.start(PRIVATE, allowed.port())) {
            // A second lookup would lead to the other address.
            var url = allowed.url(ScriptedNames.name("127.0.0.1", PRIVATE), "/");
            assertThat(send(url).succeeded()).isTrue();
            assertThat(allowed.received()).hasSize(1);
            assertThat(forbidden.connections()).isZero();
        }
    }

    @Test
    void a_name_that_becomes_private_is_refused_despite_an_open_connection() {
        var name = ScriptedNames.name("127.0.0.1", PRIVATE, "127.0.0.1");
        try (var allowed = Receiver.start();
                var forbidden = Receiver.start(PRIVATE, allowed.port())) {
            var url = allowed.url(name, "/");
            assertThat(send(url).succeeded()).isTrue();
            assertThat(send(url).error()).isEqualTo("address_not_allowed");
            assertThat(forbidden.connections()).isZero();
            assertThat(send(url).succeeded()).isTrue();
            assertThat(allowed.connections()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.2:9/, address_not_allowed",
        "http://10.0.0.1/, address_not_allowed",
        "https://169.254.169.254/latest/meta-data, address_not_allowed",
        "https://does-not-exist.invalid/, unresolvable_host",
        "https://2130706433/, host_not_allowed",
        "ftp://127.0.0.1/, scheme_not_allowed",
        "nonsense, invalid_format",
    })
    void the_sender_does_not_connect_to_a_target_that_is_no_longer_allowed(String url, String code) {
        var outcome = send(url);
        assertThat(outcome.error()).isEqualTo(code);
        assertThat(outcome.statusCode()).isNull();
    }

    @Test
    void a_proxy_is_used_for_plain_requests() {
        try (var proxy = Receiver.start(PRIVATE).answer(Reply.status(200).body("by proxy"));
                var receiver = Receiver.start()) {
            var outcome = sendWith(
                    Duration.ofSeconds(10),
                    "http://us%40er:pass%3Aw%2Brd@127.0.0.2:" + proxy.port(),
                    null,
                    receiver.url("/a//b?c=%20"));
            assertThat(outcome.response()).isEqualTo("by proxy");
            var request = proxy.onlyRequest();
            assertThat(request.target()).isEqualTo(receiver.url("/a//b?c=%20"));
            assertThat(request.header("Host")).contains("127.0.0.1:" + receiver.port());
            assertThat(request.header("Proxy-Authorization"))
                    .contains("Basic "
                            + Base64.getEncoder().encodeToString("us@er:pass:w+rd".getBytes(StandardCharsets.UTF_8)));
            assertThat(request.text()).isEqualTo(BODY);
            assertThat(receiver.connections()).isZero();
        }
    }

    @Test
    void a_socks_proxy_gets_the_host_name() throws Exception {
        try (var proxy = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var target = threads.submit(() -> serveAsSocksProxy(proxy));
            var name = ScriptedNames.name("127.0.0.1", PRIVATE);
            var outcome = sendWith(
                    Duration.ofSeconds(10),
                    "socks5://127.0.0.1:" + proxy.getLocalPort(),
                    null,
                    "http://" + name + ":8080/");
            assertThat(outcome.statusCode()).isEqualTo(200);
            assertThat(target.get(10, TimeUnit.SECONDS)).isEqualTo(name + ":8080");
        }
    }

    /** RFC 1928. Answers one request and returns its target. */
    private static String serveAsSocksProxy(ServerSocket proxy) throws IOException {
        try (var connection = proxy.accept()) {
            var in = new DataInputStream(connection.getInputStream());
            var out = connection.getOutputStream();
            in.readByte();
            in.readNBytes(in.readByte());
            out.write(new byte[] {5, 0});
            assertThat(in.readNBytes(4)).containsExactly(5, 1, 0, 3);
            var host = new String(in.readNBytes(in.readByte()), StandardCharsets.US_ASCII);
            int port = in.readUnsignedShort();
            out.write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
            in.readByte();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            in.readNBytes(BODY.length());
            return host + ':' + port;
        }
    }

    @Test
    void targets_are_checked_before_a_proxy_opens_a_tunnel() {
        try (var proxy = Receiver.start(PRIVATE).answer(Reply.status(403))) {
            var url = "http://127.0.0.2:" + proxy.port();
            assertThat(sendWith(SHORT, url, null, "https://10.0.0.1/").error()).isEqualTo("address_not_allowed");
            assertThat(proxy.connections()).isZero();
            assertThat(sendWith(SHORT, url, null, "https://127.0.0.1:8443/x").error())
                    .isEqualTo("connection_failed");
            assertThat(proxy.onlyRequest().method()).isEqualTo("CONNECT");
            assertThat(proxy.onlyRequest().target()).isEqualTo("127.0.0.1:8443");
        }
    }

    @Test
    void the_proxy_of_the_jvm_is_not_used() {
        try (var proxy = Receiver.start();
                var receiver = Receiver.start()) {
            System.setProperty("http.proxyHost", "127.0.0.1");
            System.setProperty("http.proxyPort", String.valueOf(proxy.port()));
            System.setProperty("http.nonProxyHosts", "");
            try {
                assertThat(sendWithin(SHORT, receiver.url("/")).succeeded()).isTrue();
            } finally {
                List.of("http.proxyHost", "http.proxyPort", "http.nonProxyHosts")
                        .forEach(System::clearProperty);
            }
            assertThat(proxy.connections()).isZero();
        }
    }

    @Test
    void metrics_do_not_name_subscribers() throws Exception {
        try (var receiver = Receiver.start()) {
            send(receiver.url("localhost", "/concealed-path?token=concealed"));
            send(receiver.url("/concealed-path?token=concealed"));
        }
        try (var http = HttpClient.newHttpClient()) {
            stranger().get("/v1/webhooks").is(401);
            var request = HttpRequest.newBuilder(service.resolve("/q/metrics")).build();
            assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).body())
                    .contains("http_server_requests")
                    .doesNotContain("concealed", "http_client", "127.0.0.1", "clientName=\"localhost");
        }
    }

    /** Accepts one connection. Holds the end of its TLS 1.2 handshake and what follows, to send them in one piece. */
    private static final class HoldingServer extends ServerSocket {
        private static final int CHANGE_CIPHER_SPEC = 20;

        private final ByteArrayOutputStream held = new ByteArrayOutputStream();
        private @Nullable OutputStream out;

        HoldingServer() throws IOException {
            super(0, 8, InetAddress.getLoopbackAddress());
        }

        @Override
        public Socket accept() throws IOException {
            var connection = new Socket() {
                @Override
                public OutputStream getOutputStream() throws IOException {
                    out = super.getOutputStream();
                    return new FilterOutputStream(out) {
                        @Override
                        public void write(byte[] bytes, int offset, int length) throws IOException {
                            boolean holds = held.size() > 0 || bytes[offset] == CHANGE_CIPHER_SPEC;
                            (holds ? held : out).write(bytes, offset, length);
                        }
                    };
                }
            };
            implAccept(connection);
            return connection;
        }

        void release() throws IOException {
            held.writeTo(out);
        }
    }

    /** A TLS configuration that trusts one certificate. */
    private static final class Trusting extends BaseTlsConfiguration {
        private final KeyStore trusted;

        Trusting(KeyStore trusted) {
            this.trusted = trusted;
        }

        @Override
        public KeyStore getTrustStore() {
            return trusted;
        }

        @Override
        public SSLOptions getSSLOptions() {
            return new SSLOptions().setTrustOptions(getTrustStoreOptions());
        }

        @Override
        public TrustOptions getTrustStoreOptions() {
            try {
                var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                trust.init(trusted);
                // Quarkus does the same with the trust stores of its configuration.
                return new ExpiryTrustOptions(
                        TrustOptions.wrap(trust.getTrustManagers()[0]), CertificateExpiryPolicy.WARN);
            } catch (java.security.GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String getName() {
            return "private-authority";
        }
    }
}
