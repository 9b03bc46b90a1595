package dev.okr.platform.transactions;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes sockets to the database with a read timeout. One thread closes all sockets whose read has timed out. The
 * driver's own {@code socketTimeout} uses timed reads. In a virtual thread, each timed read wakes another thread twice.
 * That took a third of the processor time of a check-in.
 */
@RegisterForReflection
public final class WatchedSocketFactory extends SocketFactory {
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(250);
    private static final long NOT_READING = 0;

    private static final Set<WatchedSocket> OPEN = ConcurrentHashMap.newKeySet();

    private static @Nullable Thread watcher;

    private final long timeoutNanos;

    /** @param seconds the read timeout, from the driver's {@code socketFactoryArg}; 0 for none */
    public WatchedSocketFactory(String seconds) {
        timeoutNanos = Duration.ofSeconds(Long.parseLong(seconds)).toNanos();
    }

    @Override
    public Socket createSocket() {
        var socket = new WatchedSocket(timeoutNanos);
        if (timeoutNanos > 0) {
            OPEN.add(socket);
            startWatcher();
        }
        return socket;
    }

    private static synchronized void startWatcher() {
        if (watcher == null) {
            watcher =
                    Thread.ofPlatform().daemon().name("database-watcher").start(WatchedSocketFactory::closeLateSockets);
        }
    }

    private static void closeLateSockets() {
        while (true) {
            try {
                Thread.sleep(CHECK_INTERVAL);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            OPEN.forEach(socket -> socket.closeIfLate(now));
        }
    }

    /** A socket that records when its current read started. */
    private static final class WatchedSocket extends Socket {
        private final long timeoutNanos;
        private volatile long readingSinceNanos = NOT_READING;
        private volatile boolean late;

        private WatchedSocket(long timeoutNanos) {
            this.timeoutNanos = timeoutNanos;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] buffer, int offset, int length) throws IOException {
                    // Never 0, because 0 means that no read is active.
                    readingSinceNanos = System.nanoTime() | 1;
                    try {
                        return in.read(buffer, offset, length);
                    } catch (IOException e) {
                        // Not a SocketTimeoutException, because the driver would then read again.
                        throw late ? new InterruptedIOException("The database did not respond in time.") : e;
                    } finally {
                        readingSinceNanos = NOT_READING;
                    }
                }
            };
        }

        private void closeIfLate(long now) {
            long since = readingSinceNanos;
            if (since != NOT_READING && now - since > timeoutNanos) {
                late = true;
                try {
                    close();
                } catch (IOException e) {
                    // The socket is already broken and was removed from the open sockets.
                }
            }
        }

        @Override
        public void close() throws IOException {
            OPEN.remove(this);
            super.close();
        }
    }

    // The driver calls only createSocket(), and connects the socket itself.

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
