package dev.okr.access.limits;

import io.netty.channel.Channel;
import io.netty.handler.ipfilter.IpFilterRule;
import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits the connections of a client address and in all, and the memory for requests that have arrived only in part. A
 * trusted proxy has no limit on connections, because they belong to its clients. Their requests count for their own
 * addresses.
 */
final class ConnectionLimit {
    private static final int PART_OF_HEAP = 8;
    private static final int PART_FOR_ADDRESS = 16;

    /**
     * Memory that an address can always use, even if others use up the limit. Each connection also has its free memory
     * ({@code Pipelining.FREE_MEMORY}). Together they allow reads of 4 KiB for three bodies, or one head of 3 KB.
     *
     * <p>In the worst case, 3,600 addresses have one connection each. A head counts double, so each address can keep
     * 4 KiB in buffers. These are 14 of the 64 MiB of direct memory. With a larger value, Netty would round each buffer
     * up to 8 KiB. If the heads have short lines, they use 28 MiB of the heap.
     */
    private static final int MIN_BYTES_FOR_ADDRESS = 6 << 10;

    /** One in ten connections is left for proxies, and for connections that are about to end. */
    private static final int PART_LEFT = 10;

    /**
     * A connection that has been idle for longer than this may be closed for a new one. A connection is idle while it
     * has no running request.
     */
    private static final Duration MAX_IDLE = Duration.ofSeconds(1);

    /** The number of longest idle connections that are compared. The one of the largest address ends. */
    private static final int COMPARED = 16;

    private static final AttributeKey<Connection> KEY = AttributeKey.valueOf(ConnectionLimit.class, "connection");

    private final int perAddress;
    private final int max;
    private final List<? extends IpFilterRule> proxies;
    private final Budget<String> memory;

    /** The connections of each network, oldest first. Guarded by this, like {@link #idle} and {@link #used}. */
    private final Map<String, Set<Connection>> connections = new HashMap<>();

    /** The connections without a running request, in the order in which they became idle. */
    private final Set<Connection> idle = new LinkedHashSet<>();

    private final Map<EventExecutor, NetworkTurns> turns = new ConcurrentHashMap<>();

    private int used;

    private static final class Connection {
        final Channel channel;
        final String network;

        // Guarded by the lock of the ConnectionLimit.
        long idleSinceNanos = System.nanoTime();
        boolean isCounted = true;

        Connection(Channel channel, String network) {
            this.channel = channel;
            this.network = network;
        }
    }

    /**
     * @param perAddress 0 means no limit
     * @param max the maximum number of connections of all clients
     * @param proxies addresses and networks; names are ignored
     */
    ConnectionLimit(int perAddress, int max, List<String> proxies) {
        this.perAddress = perAddress;
        this.max = max - max / PART_LEFT;
        this.proxies = proxies.stream().flatMap(proxy -> rule(proxy).stream()).toList();
        long maxBytes = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
        this.memory = new Budget<>(maxBytes / PART_FOR_ADDRESS, maxBytes, MIN_BYTES_FOR_ADDRESS);
    }

    /**
     * Counts an accepted connection until it is closed. If there are too many in all, one must end. It is an idle one
     * if it has been idle for longer than {@link #MAX_IDLE}, or if more than half of all are idle. Otherwise, it is the
     * oldest connection of the address with the most connections.
     *
     * @return false if the address has too many, or if the accepted connection itself must end
     */
    boolean admit(Channel channel) {
        var network = network(channel);
        if (network.isEmpty()) {
            return true;
        }
        var connection = new Connection(channel, network.get());
        if (!add(connection)) {
            return false;
        }
        channel.attr(KEY).set(connection);
        channel.closeFuture().addListener(closed -> remove(connection));
        var excess = removeExcess();
        if (excess.filter(connection::equals).isPresent()) {
            return false;
        }
        excess.ifPresent(ended -> ended.channel.close());
        return true;
    }

    private synchronized boolean add(Connection connection) {
        var others = connections.computeIfAbsent(connection.network, key -> new LinkedHashSet<>());
        if (perAddress > 0 && others.size() >= perAddress) {
            return false;
        }
        used++;
        idle.add(connection);
        return others.add(connection);
    }

    /** Call this when a request begins on an idle connection. */
    void markBusy(Channel channel) {
        var connection = channel.attr(KEY).get();
        if (connection != null) {
            synchronized (this) {
                idle.remove(connection);
            }
        }
    }

    /** Call this when a connection has no running request any more. */
    void markIdle(Channel channel) {
        var connection = channel.attr(KEY).get();
        if (connection != null) {
            long nowNanos = System.nanoTime();
            synchronized (this) {
                if (connection.isCounted && idle.add(connection)) {
                    connection.idleSinceNanos = nowNanos;
                }
            }
        }
    }

    private synchronized void remove(Connection connection) {
        // The connection may have been removed because there were too many.
        if (!connection.isCounted) {
            return;
        }
        connection.isCounted = false;
        used--;
        idle.remove(connection);
        connections.computeIfPresent(connection.network, (network, others) -> {
            others.remove(connection);
            return others.isEmpty() ? null : others;
        });
    }

    /** Removes the connection that must end, if there are too many. */
    private synchronized Optional<Connection> removeExcess() {
        if (used <= max) {
            return Optional.empty();
        }
        var excess = longestIdle()
                .orElseGet(() -> Collections.max(connections.values(), Comparator.comparingInt(Set::size))
                        .iterator()
                        .next());
        remove(excess);
        return Optional.of(excess);
    }

    /** One of the longest idle connections. Its address has the most connections. */
    private Optional<Connection> longestIdle() {
        boolean areMostIdle = idle.size() > max / 2;
        return idle.stream()
                .limit(COMPARED)
                .filter(first -> areMostIdle || System.nanoTime() - first.idleSinceNanos > MAX_IDLE.toNanos())
                .max(Comparator.comparingInt(
                        each -> connections.getOrDefault(each.network, Set.of()).size()));
    }

    /** The address whose memory a connection uses. Each connection of a trusted proxy counts alone. */
    String holder(Channel connection) {
        return network(connection).orElseGet(() -> connection.id().asLongText());
    }

    /** The turns of the networks on an event loop. */
    NetworkTurns turns(EventExecutor loop) {
        return turns.computeIfAbsent(loop, NetworkTurns::new);
    }

    /** Takes memory for requests that have not arrived completely. False if the holder or all have too much. */
    boolean take(String holder, long bytes) {
        return memory.take(holder, bytes);
    }

    void release(String holder, long bytes) {
        memory.release(holder, bytes);
    }

    /** The network of a client. Empty for a trusted proxy. */
    private Optional<String> network(Channel connection) {
        if (!(connection.remoteAddress() instanceof InetSocketAddress peer)
                || peer.getAddress() == null
                || proxies.stream().anyMatch(proxy -> proxy.matches(peer))) {
            return Optional.empty();
        }
        return Optional.of(ClientNetwork.ofAddress(peer.getAddress()));
    }

    private static Optional<IpFilterRule> rule(String proxy) {
        int slash = proxy.indexOf('/');
        try {
            var address = InetAddress.ofLiteral(slash < 0 ? proxy : proxy.substring(0, slash));
            int bits =
                    slash < 0 ? address.getAddress().length * Byte.SIZE : Integer.parseInt(proxy.substring(slash + 1));
            return Optional.of(new IpSubnetFilterRule(address, bits, IpFilterRuleType.ACCEPT));
        } catch (IllegalArgumentException name) {
            return Optional.empty();
        }
    }
}
