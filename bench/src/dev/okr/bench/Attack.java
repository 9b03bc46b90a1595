package dev.okr.bench;

import dev.okr.platform.ids.IdKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One attack, from its own addresses. All connections run on one thread, to use little processor time. They connect again
 * when the service closes them.
 */
final class Attack implements AutoCloseable {
    private static final String NETWORK = "127.0.0.";

    /** Each kind has its own addresses, because an attack also uses up what its addresses may do afterwards. */
    private static final int FIRST_ADDRESS = 66;

    private static final int MAX_ADDRESSES = 4;

    /** The attacker has little room for answers and does not read them. */
    private static final int RECEIVE_BUFFER_BYTES = 4_096;

    private static final int CONNECT_TIMEOUT_MILLIS = 1_000;
    private static final int PIPELINED = 1_500;
    private static final int CHUNKS = 200_000;
    private static final int CREATIONS_PER_EVENT = 100;

    /** As many as fit into the maximum size of a head. */
    private static final int HEADERS = 3_900;

    private static final int QUICK_PART = 10;
    private static final double SECONDS_BETWEEN_LOOKS = 0.05;

    /**
     * Clients that do not read connect again after this time, because they do not notice the end of a connection. Idle
     * clients wait this long between two connection attempts. Otherwise the benchmark would measure how many connections
     * this machine can open.
     */
    private static final long RECONNECT_NANOS = 5_000_000_000L;

    private final Kind kind;
    private final InetSocketAddress service;
    private final String token;
    private final List<UUID> targets;
    private final byte[] request;
    private final List<Client> clients = new ArrayList<>();
    private final Thread thread;
    private volatile boolean stopped;
    private volatile long closed;

    /** What the attacker does, and how many connections it uses. */
    enum Kind {
        /** Requests the largest document many times on one connection. */
        PIPELINING(40, 4),
        /** Requests large pages without reading them. */
        SLOW_READERS(125),
        /** Requests large pages and disconnects at once. */
        DISCONNECTS(125),
        /** Requests metrics many times on one connection. */
        PROBES(100, 2),
        /** Sends bodies in chunks of one byte, without a key. */
        SMALL_CHUNKS(40, 2),
        /** Sends heads with many short headers that never end. */
        LONG_HEADS(800, 2),
        /** Requests with keys that do not exist. */
        UNKNOWN_KEYS(200, 2),
        /** Sends a head and one byte of the body. */
        SLOW_BODIES(270),
        /** Sends requests that the service must search a long chain for. */
        LONG_CHAIN(60),
        /** Sends nothing. */
        IDLE(10_050),
        /** Makes events for many webhooks whose endpoints never answer. */
        SILENT_ENDPOINTS(2),
        /** Tries to create webhooks whose host names do not resolve, and makes events for existing ones. */
        SLOW_NAMES(40),
        /** Makes events for very many webhooks, more than the limit allows. */
        MANY_WEBHOOKS(2),
        /** Requests pages of 100 objectives. Each has a long text and 100 key results. */
        LARGE_PAGES(8);

        final int connections;
        final int addresses;

        Kind(int connections) {
            this(connections, 1);
        }

        Kind(int connections, int addresses) {
            this.connections = connections;
            this.addresses = addresses;
        }

        /** Whether the client never reads a response. */
        boolean isUnread() {
            return switch (this) {
                case PIPELINING, SLOW_READERS, PROBES -> true;
                default -> false;
            };
        }
    }

    private static final class Client {
        private final String address;
        private SocketChannel channel;
        private ByteBuffer unsent;
        private long connectedNanos = System.nanoTime() - RECONNECT_NANOS;

        Client(String address) {
            this.address = address;
        }
    }

    /** @param targets ids of resources that the requests contain */
    Attack(Kind kind, int port, String token, boolean quick, List<UUID> targets) {
        this.kind = kind;
        this.service = new InetSocketAddress("127.0.0.1", port);
        this.token = token;
        this.targets = targets;
        this.request = request(kind, token, targets).getBytes(StandardCharsets.UTF_8);
        int connections = quick && kind == Kind.IDLE ? kind.connections / QUICK_PART : kind.connections;
        for (int i = 0; i < connections; i++) {
            clients.add(new Client(NETWORK + (FIRST_ADDRESS + kind.ordinal() * MAX_ADDRESSES + i % kind.addresses)));
        }
        this.thread = Thread.ofPlatform().daemon().start(this::run);
    }

    /** The number of connections that the service closed or refused. */
    long closed() {
        return closed;
    }

    private static String request(Kind kind, String token, List<UUID> targets) {
        var head = head(token);
        return switch (kind) {
            case PIPELINING -> "GET /q/openapi HTTP/1.1\r\nHost:a\r\n\r\n".repeat(PIPELINED);
            case SLOW_READERS, DISCONNECTS -> "GET /v1/objectives?per_page=100" + head + "\r\n";
            case LARGE_PAGES -> "GET /v1/objectives?include=key_results&per_page=100" + head + "\r\n";
            case PROBES -> "GET /q/metrics HTTP/1.1\r\nHost:a\r\n\r\n".repeat(PIPELINED);
            case SMALL_CHUNKS ->
                "POST /v1/cycles HTTP/1.1\r\nHost:a\r\nTransfer-Encoding: chunked\r\n\r\n" + "1\r\nx\r\n".repeat(CHUNKS);
            case LONG_HEADS -> "GET / HTTP/1.1\r\nHost:a\r\n" + "a:b\r\n".repeat(HEADERS);
            case SLOW_BODIES ->
                "POST /v1/cycles" + head + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
            case LONG_CHAIN ->
                post(
                        "/v1/alignments" + head,
                        "{\"parent_objective_id\":\"%s\",\"child_objective_id\":\"%s\",\"alignment_type\":\"supports\"}"
                                .formatted(
                                        IdKind.OBJECTIVE.format(targets.getLast()),
                                        IdKind.OBJECTIVE.format(targets.getFirst())));
            case SILENT_ENDPOINTS ->
                post(
                        "/v1/objectives" + head,
                        "{\"title\":\"O\",\"cycle_id\":\"%s\"}".formatted(IdKind.CYCLE.format(targets.getFirst())));
            case MANY_WEBHOOKS ->
                post(
                        "/v1/cycles" + head,
                        "{\"name\":\"C\",\"starts_at\":\"2030-01-01T00:00:00Z\",\"ends_at\":\"2031-01-01T00:00:00Z\"}");
            case IDLE, UNKNOWN_KEYS, SLOW_NAMES -> "";
        };
    }

    private static String head(String token) {
        return " HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer " + token + "\r\n";
    }

    private ByteBuffer request() {
        return ByteBuffer.wrap(
                switch (kind) {
                    case UNKNOWN_KEYS ->
                        "GET /v1/users/me HTTP/1.1\r\nHost:a\r\nAuthorization: Bearer %s\r\n\r\n"
                                .formatted(Service.newToken())
                                .getBytes(StandardCharsets.UTF_8);
                    case SLOW_NAMES -> slowName().getBytes(StandardCharsets.UTF_8);
                    default -> request;
                });
    }

    /** Creates a webhook with a new name, or makes an event for the webhooks with slow names. */
    private String slowName() {
        var random = ThreadLocalRandom.current();
        var head = head(token);
        if (random.nextInt(CREATIONS_PER_EVENT) > 0) {
            var url = "http://host%d.slow.test/".formatted(random.nextInt(Integer.MAX_VALUE));
            return post(
                    "/v1/webhooks" + head, "{\"url\":\"%s\",\"events\":[\"key_result.created\"]}".formatted(url));
        }
        var objective = IdKind.OBJECTIVE.format(targets.get(random.nextInt(targets.size())));
        return post(
                "/v1/objectives/%s/key-results".formatted(objective) + head,
                "{\"title\":\"K\",\"metric_type\":\"number\",\"start_value\":0,\"target_value\":1}");
    }

    private static String post(String pathAndHead, String body) {
        return "POST %sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(pathAndHead, body.length(), body);
    }

    private void run() {
        while (!stopped) {
            clients.forEach(this::look);
            Commands.sleep(SECONDS_BETWEEN_LOOKS);
        }
        clients.forEach(this::disconnect);
    }

    private void look(Client client) {
        try {
            if (client.channel == null) {
                if (kind == Kind.IDLE && isRecent(client)) {
                    return;
                }
                connect(client);
            }
            if (client.unsent.hasRemaining()) {
                client.channel.write(client.unsent);
                if (kind == Kind.DISCONNECTS && !client.unsent.hasRemaining()) {
                    disconnect(client);
                }
            } else if (!kind.isUnread()) {
                awaitAnswer(client);
            } else if (!isRecent(client)) {
                disconnect(client);
            }
        } catch (IOException refused) {
            closed++;
            disconnect(client);
        }
    }

    private static boolean isRecent(Client client) {
        return System.nanoTime() - client.connectedNanos < RECONNECT_NANOS;
    }

    private void connect(Client client) throws IOException {
        client.connectedNanos = System.nanoTime();
        client.channel = SocketChannel.open();
        client.channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
        client.channel.bind(new InetSocketAddress(client.address, 0));
        client.channel.socket().connect(service, CONNECT_TIMEOUT_MILLIS);
        client.channel.configureBlocking(false);
        client.unsent = request();
    }

    /** Sends the same request again after an answer. */
    private void awaitAnswer(Client client) throws IOException {
        int length = client.channel.read(ByteBuffer.allocate(RECEIVE_BUFFER_BYTES));
        if (length < 0) {
            throw new IOException("closed");
        }
        if (length > 0) {
            client.unsent = request();
        }
    }

    private void disconnect(Client client) {
        try {
            if (client.channel != null) {
                client.channel.close();
            }
        } catch (IOException gone) {
            // The connection is closed in any case.
        }
        client.channel = null;
        client.unsent = ByteBuffer.allocate(0);
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        thread.join();
    }
}
