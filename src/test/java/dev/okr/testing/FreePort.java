package dev.okr.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for processes that must be told theirs. */
public final class FreePort {
    // Below those that the system gives to clients: nobody takes the port before the process that it is meant for does.
    private static final int LEAST = 10_000;
    private static final int BOUND = 32_768;
    private static final int MAX_ATTEMPTS = 100;

    private FreePort() {}

    /** A port of the loopback address that nobody listens on. */
    public static int find() {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LEAST, BOUND);
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // Another one then.
            }
        }
        throw new IllegalStateException("no port is free");
    }
}
