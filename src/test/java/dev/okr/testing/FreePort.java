package dev.okr.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports for processes. */
public final class FreePort {
    // Below the range of client ports, so that no client takes the port before the process uses it.
    private static final int LEAST = 10_000;
    private static final int BOUND = 32_768;
    private static final int MAX_ATTEMPTS = 100;

    private FreePort() {}

    /** A free port of the loopback address. */
    public static int find() {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LEAST, BOUND);
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // Try another port.
            }
        }
        throw new IllegalStateException("There is no free port.");
    }
}
