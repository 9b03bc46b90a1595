package dev.okr.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients that only hold connections. Half of the idle clients never send a request, and half send one. The slow
 * clients send one byte of an endless header each second. Clients reconnect when their connection is closed. All run on
 * one thread, to use little processor time.
 */
final class Crowd implements AutoCloseable {
    private static final byte[] REQUEST =
            "GET /q/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BEGINNING =
            "GET /v1/users/me HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII);

    private final InetSocketAddress address;
    private final int idle;
    private final List<SocketChannel> clients = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(16 * 1024);
    private final Thread thread = new Thread(this::run, "crowd");
    private volatile boolean closed;
    private volatile long sentAway;

    /** Connects all clients. */
    Crowd(int port, int idle, int slow) throws IOException {
        this.address = new InetSocketAddress("127.0.0.1", port);
        this.idle = idle;
        for (int i = 0; i < idle + slow; i++) {
            clients.add(open(i));
        }
        thread.setDaemon(true);
        thread.start();
    }

    /** The number of lost connections. */
    long sentAway() {
        return sentAway;
    }

    private SocketChannel open(int number) throws IOException {
        var channel = SocketChannel.open(address);
        channel.configureBlocking(false);
        if (number >= idle) {
            channel.write(ByteBuffer.wrap(BEGINNING));
        } else if (number % 2 == 0) {
            channel.write(ByteBuffer.wrap(REQUEST));
        }
        return channel;
    }

    private void run() {
        while (!closed) {
            for (int i = 0; i < clients.size() && !closed; i++) {
                if (!isThere(i)) {
                    sentAway++;
                    comeBack(i);
                }
            }
            Commands.sleep(1);
        }
    }

    private boolean isThere(int number) {
        try {
            var channel = clients.get(number);
            if (!channel.isOpen() || channel.read(buffer.clear()) < 0) {
                return false;
            }
            if (number >= idle) {
                channel.write(ByteBuffer.wrap(new byte[] {'a'}));
            }
            return true;
        } catch (IOException gone) {
            return false;
        }
    }

    private void comeBack(int number) {
        try {
            clients.get(number).close();
            clients.set(number, open(number));
        } catch (IOException refused) {
            // The client retries in a second.
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
        for (var client : clients) {
            client.close();
        }
    }
}
