package dev.okr.platform.transactions;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets to the database that one thread closes when an answer does not come in time. The driver's own
 * {@code socketTimeout} does the same with a timed read, for which a virtual thread wakes another thread at its beginning
 * and its end: a third of the processor time that a check-in cost the service.
 */
@RegisterForReflection
public final class WatchedSocketFactory extends SocketFactory {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
    private static final long NOT_READING = 0;

    private static final Set<WatchedSocket> OPEN = ConcurrentHashMap.newKeySet();

    private static @Nullable Thread watcher;

    private final long timeoutNanos;

    /** @param seconds how long a read may take: the driver's {@code socketFactoryArg}; 0 for as long as it takes */
    public WatchedSocketFactory(String seconds) {
        timeoutNanos = Duration.ofSeconds(Long.parseLong(seconds)).toNanos();
    }

    @Override
    public Socket createSocket() {
        var socket = new WatchedSocket(timeoutNanos);
        if (timeoutNanos > 0) {
            OPEN.add(socket);
            watch();
        }
        return socket;
    }

    private static synchronized void watch() {
        if (watcher == null) {
            watcher = Thread.ofPlatform().daemon().name("database-watcher").start(WatchedSocketFactory::look);
        }
    }

    private static void look() {
        while (true) {
            try {
                Thread.sleep(BETWEEN_LOOKS);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            OPEN.forEach(socket -> socket.closeIfLate(now));
        }
    }

    /** A socket that knows since when it waits for an answer. */
    private static final class WatchedSocket extends Socket {
        private final long timeoutNanos;
        private volatile long readingSinceNanos = NOT_READING;

        private WatchedSocket(long timeoutNanos) {
            this.timeoutNanos = timeoutNanos;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] buffer, int offset, int length) throws IOException {
                    // The clock may say 0, which would look like no read; a nanosecond does no harm.
                    readingSinceNanos = System.nanoTime() | 1;
                    try {
                        return in.read(buffer, offset, length);
                    } finally {
                        readingSinceNanos = NOT_READING;
                    }
                }
            };
        }

        private void closeIfLate(long now) {
            long since = readingSinceNanos;
            if (since != NOT_READING && now - since > timeoutNanos) {
                try {
                    close();
                } catch (IOException e) {
                    // Broken already, and no longer among the open ones.
                }
            }
        }

        @Override
        public void close() throws IOException {
            OPEN.remove(this);
            super.close();
        }
    }

    // The driver connects the socket itself, with a time-out of its own.

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException();
    }
}
