package dev.okr.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients that want nothing: half of the idle ones have never asked for anything, half have once; the slow ones send a
 * byte of a header each second that never ends. Who is sent away comes back. On one thread, so as to cost little.
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

    /** Returns when all are there. */
    Crowd(int port, int idle, int slow) throws IOException {
        this.address = new InetSocketAddress("127.0.0.1", port);
        this.idle = idle;
        for (int i = 0; i < idle + slow; i++) {
            clients.add(open(i));
        }
        thread.setDaemon(true);
        thread.start();
    }

    /** How often a client lost its connection. */
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
            // It tries again in a second.
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
