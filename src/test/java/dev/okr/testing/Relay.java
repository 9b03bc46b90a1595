package dev.okr.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP proxy between the service and its database that can close or freeze all connections. */
public final class Relay implements AutoCloseable {
    private static final int BUFFER_BYTES = 8 * 1024;

    private final InetSocketAddress target;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Object gate = new Object();
    private boolean frozen;
    private ServerSocket server;

    private Relay(InetSocketAddress target) throws IOException {
        this.target = target;
        this.server = listen(0);
        this.port = server.getLocalPort();
    }

    public static Relay to(String host, int port) throws IOException {
        return new Relay(new InetSocketAddress(host, port));
    }

    public int port() {
        return port;
    }

    /** Closes every connection and refuses new ones. */
    public void cut() throws IOException {
        server.close();
        closeAll();
    }

    /** Ends a {@link #cut}. */
    public void restore() throws IOException {
        server = listen(port);
    }

    /** Keeps all connections open and forwards nothing. */
    public void freeze() {
        synchronized (gate) {
            frozen = true;
        }
    }

    /** Ends a {@link #freeze}. */
    public void thaw() {
        synchronized (gate) {
            frozen = false;
            gate.notifyAll();
        }
    }

    @Override
    public void close() throws IOException {
        thaw();
        cut();
    }

    private ServerSocket listen(int onPort) throws IOException {
        var listening = new ServerSocket();
        listening.setReuseAddress(true);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort));
        Thread.ofVirtual().start(() -> accept(listening));
        return listening;
    }

    private void accept(ServerSocket listening) {
        while (!listening.isClosed()) {
            try {
                var client = listening.accept();
                var upstream = new Socket();
                sockets.add(client);
                sockets.add(upstream);
                upstream.connect(target);
                Thread.ofVirtual().start(() -> pump(client, upstream));
                Thread.ofVirtual().start(() -> pump(upstream, client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void pump(Socket from, Socket to) {
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            var buffer = new byte[BUFFER_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                awaitThaw();
                out.write(buffer, 0, read);
            }
        } catch (IOException closed) {
            // Both sides are closed together.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void awaitThaw() {
        synchronized (gate) {
            while (frozen) {
                try {
                    gate.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private void closeAll() {
        sockets.forEach(socket -> {
            try {
                socket.close();
            } catch (IOException closed) {
                // It was closed on purpose.
            }
        });
    }
}
