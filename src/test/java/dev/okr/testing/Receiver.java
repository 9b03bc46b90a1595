package dev.okr.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A webhook receiver. It is a real server on the loopback interface, which records requests and sends configured
 * responses. It supports HTTP/1.1 with keep-alive, plain or TLS, and uses one thread per connection.
 *
 * <pre>{@code
 * try (var receiver = Receiver.start().answer(Reply.status(500), Reply.status(200))) {
 *     …  receiver.url("/hooks")  …
 *     receiver.await(2);
 *     assertThat(receiver.received().getFirst().header("webhook-id")).contains(…);
 * }
 * }</pre>
 */
public final class Receiver implements AutoCloseable {
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);
    private static final int BACKLOG = 1_024;
    private static final int MAX_LINE_BYTES = 65_536;
    private static final String LOOPBACK = "127.0.0.1";

    private final ServerSocket server;
    private final String scheme;
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final List<String> serverNames = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger abandoned = new AtomicInteger();

    private volatile Function<Received, Reply> script = request -> Reply.status(200);

    /**
     * A received request.
     *
     * @param number 1 for the first request of this receiver
     * @param connection 1 for the first connection of this receiver
     * @param target the path and the query
     * @param headers by case-insensitive name
     */
    public record Received(
            int number,
            int connection,
            Instant at,
            String method,
            String target,
            Map<String, List<String>> headers,
            byte[] body) {
        /** The only value of a header. */
        public Optional<String> header(String name) {
            var values = headers.getOrDefault(name, List.of());
            if (values.size() > 1) {
                throw new IllegalStateException(name + " came more than once: " + values);
            }
            return values.stream().findFirst();
        }

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** The response to a request. */
    @FunctionalInterface
    public interface Reply {
        /** @return whether the connection can carry another request */
        boolean write(Connection connection) throws IOException, InterruptedException;

        static Response status(int status) {
            return new Response(status, List.of(), new byte[0]);
        }

        /** Sends nothing until the sender or the test closes the connection. */
        static Reply hang() {
            return connection -> {
                connection.awaitClose();
                return false;
            };
        }

        /** Closes the connection without a response. */
        static Reply close() {
            return connection -> false;
        }

        /** Writes these bytes and closes the connection. */
        static Reply raw(String text) {
            return connection -> {
                connection.write(text);
                return false;
            };
        }

        /** Writes the first text, then repeats the second one with pauses until the sender closes the connection. */
        static Reply endless(String start, String again, Duration pause) {
            return connection -> {
                connection.write(start);
                while (true) {
                    Thread.sleep(pause);
                    connection.write(again);
                }
            };
        }

        default Reply after(Duration delay) {
            return connection -> {
                Thread.sleep(delay);
                return write(connection);
            };
        }
    }

    /** A valid HTTP response. Each method returns a changed copy. */
    public record Response(int status, List<String> headers, byte[] content) implements Reply {
        public Response header(String name, String value) {
            var more = new ArrayList<>(headers);
            more.add(name + ": " + value);
            return new Response(status, List.copyOf(more), content);
        }

        public Response body(String text) {
            return body(text.getBytes(StandardCharsets.UTF_8));
        }

        public Response body(byte[] bytes) {
            return new Response(status, headers, bytes.clone());
        }

        @Override
        public boolean write(Connection connection) throws IOException {
            var head = new StringBuilder("HTTP/1.1 " + status + " Status\r\n");
            headers.forEach(header -> head.append(header).append("\r\n"));
            boolean bodiless = status == 204 || status == 304 || status < 200;
            if (!bodiless) {
                head.append("Content-Length: ").append(content.length).append("\r\n");
            }
            connection.write(head.append("\r\n").toString());
            if (!bodiless) {
                connection.write(content);
            }
            return true;
        }
    }

    /** A connection from the sender. */
    public static final class Connection {
        private final InputStream in;
        private final OutputStream out;

        private Connection(Socket socket) throws IOException {
            this.in = new BufferedInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
        }

        public void write(String text) throws IOException {
            write(text.getBytes(StandardCharsets.UTF_8));
        }

        public void write(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        public void awaitClose() throws IOException {
            while (in.read() >= 0) {
                // Ignore the received bytes.
            }
            throw new IOException("The sender closed the connection.");
        }
    }

    private Receiver(ServerSocket server, String scheme) {
        this.server = server;
        this.scheme = scheme;
        Thread.ofVirtual().name("receiver").start(this::accept);
    }

    public static Receiver start() {
        return start(LOOPBACK);
    }

    public static Receiver start(String address) {
        return start(address, 0);
    }

    /** @param port 0 for any free port */
    public static Receiver start(String address, int port) {
        try {
            return new Receiver(new ServerSocket(port, BACKLOG, InetAddress.ofLiteral(address)), "http");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Receiver start(SSLContext tls) {
        try {
            var factory = tls.getServerSocketFactory();
            return new Receiver(factory.createServerSocket(0, BACKLOG, InetAddress.ofLiteral(LOOPBACK)), "https");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the next responses in order. The last one is repeated. */
    public Receiver answer(Reply... replies) {
        var next = new AtomicInteger();
        return answer(request -> replies[Math.min(next.getAndIncrement(), replies.length - 1)]);
    }

    public Receiver answer(Function<Received, Reply> script) {
        this.script = script;
        return this;
    }

    public int port() {
        return server.getLocalPort();
    }

    /** A URL with the address of this server. */
    public String url(String target) {
        return url(server.getInetAddress().getHostAddress(), target);
    }

    /** A URL with a host name for this server. */
    public String url(String host, String target) {
        return scheme + "://" + host + ':' + port() + target;
    }

    /** All requests so far, in order. */
    public List<Received> received() {
        return List.copyOf(received);
    }

    public Received onlyRequest() {
        var requests = received();
        if (requests.size() != 1) {
            throw new IllegalStateException("Expected one request, but there are " + requests);
        }
        return requests.getFirst();
    }

    /** The host names for which the senders of the requests asked in TLS handshakes (SNI). */
    public List<String> serverNames() {
        return List.copyOf(serverNames);
    }

    /** The number of connections so far. */
    public int connections() {
        return connections.get();
    }

    /** Waits for this number of requests and returns all requests. */
    public List<Received> await(int requests) {
        awaitThat(() -> received.size() >= requests, () -> requests + " requests, there are " + received.size());
        return received();
    }

    /** Waits for this number of connections. */
    public void awaitConnections(int count) {
        awaitThat(() -> connections.get() >= count, () -> count + " connections, there are " + connections.get());
    }

    /** Waits until the sender has closed this number of connections before the end of the response. */
    public void awaitAbandoned(int connections) {
        awaitThat(() -> abandoned.get() >= connections, () -> "abandoned connections, there are " + abandoned.get());
    }

    @Override
    public void close() {
        try {
            server.close();
            for (var socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                int number = connections.incrementAndGet();
                Thread.ofVirtual().name("receiver-" + number).start(() -> serve(socket, number));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket, int number) {
        open.add(socket);
        boolean answering = false;
        try (socket) {
            var connection = new Connection(socket);
            boolean goesOn = true;
            while (goesOn) {
                answering = false;
                var request = read(connection, number);
                if (request == null) {
                    return;
                }
                noteServerName(socket);
                answering = true;
                goesOn = script.apply(request).write(connection);
            }
        } catch (IOException e) {
            if (answering) {
                abandoned.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
        }
    }

    private void noteServerName(Socket socket) {
        if (socket instanceof SSLSocket tls && tls.getSession() instanceof ExtendedSSLSession session) {
            session.getRequestedServerNames()
                    .forEach(name -> serverNames.add(new String(name.getEncoded(), StandardCharsets.US_ASCII)));
        }
    }

    private Received read(Connection connection, int number) throws IOException {
        var first = line(connection.in);
        var words = first == null ? new String[0] : first.split(" ");
        if (words.length != 3) {
            return null;
        }
        var headers = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
        for (var line = line(connection.in); line != null && !line.isEmpty(); line = line(connection.in)) {
            var field = line.split(":", 2);
            headers.computeIfAbsent(field[0], name -> new ArrayList<>()).add(field[1].strip());
        }
        int length = Integer.parseInt(
                headers.getOrDefault("Content-Length", List.of("0")).getFirst());
        var body = connection.in.readNBytes(length);
        synchronized (received) {
            var request = new Received(received.size() + 1, number, Instant.now(), words[0], words[1], headers, body);
            received.add(request);
            return request;
        }
    }

    private static String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int octet = in.read(); octet != '\n'; octet = in.read()) {
            if (octet < 0 || line.size() > MAX_LINE_BYTES) {
                return null;
            }
            line.write(octet);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    private static void awaitThat(BooleanSupplier condition, Supplier<String> what) {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!condition.getAsBoolean()) {
            if (Instant.now().isAfter(deadline)) {
                throw new IllegalStateException("Timed out waiting for " + what.get());
            }
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }
}
