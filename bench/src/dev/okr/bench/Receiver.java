package dev.okr.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All subscribers, on one thread and with little processor time, because they share the processors with the service.
 * Each has its own port. Connections stay open. The response is always the same, or there is none.
 */
final class Receiver implements AutoCloseable {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_REQUEST_BYTES = 64 * 1024;

    /** The text before the number of a change, wherever an event contains it. */
    static final String MARK = "bench-";

    static final int MARK_DIGITS = 10;

    private static final byte[] MARK_BYTES = MARK.getBytes(StandardCharsets.US_ASCII);

    private final Selector selector = Selector.open();
    private final List<ServerSocketChannel> servers = new CopyOnWriteArrayList<>();
    private final Thread thread = new Thread(this::run, "receiver");
    private volatile boolean closed;

    Receiver() throws IOException {
        thread.setDaemon(true);
        thread.start();
    }

    /** @param answers whether the subscriber responds; if not, it accepts requests and never responds */
    Endpoint open(boolean answers) throws IOException {
        var server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress("127.0.0.1", 0), 512);
        server.configureBlocking(false);
        var endpoint = new Endpoint(((InetSocketAddress) server.getLocalAddress()).getPort(), answers);
        selector.wakeup();
        server.register(selector, SelectionKey.OP_ACCEPT, endpoint);
        selector.wakeup();
        servers.add(server);
        return endpoint;
    }

    private static final class Client {
        private final Endpoint endpoint;
        private final ByteBuffer buffer = ByteBuffer.allocate(MAX_REQUEST_BYTES);

        Client(Endpoint endpoint) {
            this.endpoint = endpoint;
        }
    }

    private void run() {
        while (!closed) {
            try {
                selector.select(this::handle, 100);
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
    }

    private void handle(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept(key);
            } else {
                read(key);
            }
        } catch (IOException e) {
            // The client closed the connection.
            key.cancel();
            try {
                key.channel().close();
            } catch (IOException alsoGone) {
                // The connection is already closed.
            }
        }
    }

    private void accept(SelectionKey key) throws IOException {
        var channel = ((ServerSocketChannel) key.channel()).accept();
        if (channel != null) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.register(selector, SelectionKey.OP_READ, new Client((Endpoint) key.attachment()));
        }
    }

    private void read(SelectionKey key) throws IOException {
        var channel = (SocketChannel) key.channel();
        var client = (Client) key.attachment();
        if (channel.read(client.buffer) < 0) {
            throw new IOException("closed");
        }
        if (!client.endpoint.answers) {
            client.buffer.clear();
            return;
        }
        var now = Instant.now();
        long micros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        for (int end = take(client, micros); end > 0; end = take(client, micros)) {
            var answer = ByteBuffer.wrap(ANSWER);
            while (answer.hasRemaining()) {
                channel.write(answer);
            }
            client.buffer.flip().position(end);
            client.buffer.compact();
        }
    }

    /** Processes a request if it is complete. Returns its end. */
    private static int take(Client client, long micros) {
        var bytes = client.buffer.array();
        int length = client.buffer.position();
        int headEnd = indexOf(bytes, 0, length, "\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        if (headEnd < 0) {
            return 0;
        }
        var head = new String(bytes, 0, headEnd + 2, StandardCharsets.ISO_8859_1);
        int bodyStart = headEnd + 4;
        int end = bodyStart + Integer.parseInt(header(head, "content-length"));
        if (length < end) {
            return 0;
        }
        var endpoint = client.endpoint;
        int mark = indexOf(bytes, bodyStart, end, MARK_BYTES);
        var id = header(head, "webhook-id");
        if (mark >= 0) {
            int number = 0;
            for (int i = mark + MARK_BYTES.length; i < mark + MARK_BYTES.length + MARK_DIGITS; i++) {
                number = number * 10 + bytes[i] - '0';
            }
            endpoint.arrived(number, micros, happenedMicros(id));
        }
        if (endpoint.wantsSample()) {
            endpoint.keep(new Endpoint.Sample(
                    id,
                    header(head, "webhook-timestamp"),
                    header(head, "webhook-signature"),
                    Arrays.copyOfRange(bytes, bodyStart, end)));
        }
        return end;
    }

    private static String header(String head, String name) {
        int start = head.toLowerCase(Locale.ROOT).indexOf("\r\n" + name + ':');
        int value = start + name.length() + 3;
        return head.substring(value, head.indexOf("\r\n", value)).strip();
    }

    private static int indexOf(byte[] bytes, int from, int to, byte[] what) {
        for (int i = from; i <= to - what.length; i++) {
            if (Arrays.equals(bytes, i, i + what.length, what, 0, what.length)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * The time in an event's id, in microseconds. The id is a UUID of version 7 in base32. It contains the milliseconds
     * and a fraction of a millisecond.
     */
    static long happenedMicros(String eventId) {
        long millis = 0;
        int start = eventId.indexOf('_') + 1;
        for (int i = 0; i < 10; i++) {
            millis = millis << 5 | digit(eventId.charAt(start + i));
        }
        // Four bits of version, then twelve bits of fraction.
        long rest = 0;
        for (int i = 10; i < 14; i++) {
            rest = rest << 5 | digit(eventId.charAt(start + i));
        }
        long fraction = rest >> 4 & 0xFFF;
        return millis * 1_000 + (fraction * 1_000 + 4_095) / 4_096;
    }

    private static int digit(char character) {
        return "0123456789abcdefghjkmnpqrstvwxyz".indexOf(character);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        for (var server : servers) {
            server.close();
        }
    }
}
