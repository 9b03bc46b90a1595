package dev.okr.access.limits;

import io.netty.channel.Channel;
import io.netty.handler.ipfilter.IpFilterRule;
import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
     * <p>In the worst case, 9,000 addresses have one connection each. A head counts double, so each address can keep
     * 4 KiB in buffers. These are 35 of the 64 MiB of direct memory. With a larger value, Netty would round each buffer
     * up to 8 KiB. If the heads have short lines, they use 70 MiB of the heap.
     */
    private static final int MIN_BYTES_FOR_ADDRESS = 6 << 10;

    /** One in ten connections is left for proxies, and for connections that are about to end. */
    private static final int PART_LEFT = 10;

    /** A connection that is older and has never sent a request may be closed in favour of another one. */
    private static final Duration MAX_IDLE = Duration.ofSeconds(1);

    private final int perAddress;
    private final int max;
    private final List<? extends IpFilterRule> proxies;
    private final Budget<String> memory;

    /** The connections of each network, oldest first. Guarded by this, like {@link #idle} and {@link #used}. */
    private final Map<String, Set<Channel>> connections = new HashMap<>();

    /** The connections that have not sent a request, oldest first. */
    private final Map<Channel, Idle> idle = new LinkedHashMap<>();

    private int used;

    private record Idle(String network, long sinceNanos) {}

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
     * Counts an accepted connection until it is closed. If there are too many in all, one must end. This is the oldest
     * one that is older than a second and has never sent a request. If there is none, it is the oldest one of the
     * address with the most.
     *
     * @return false if the address has too many, or if the accepted connection itself must end
     */
    boolean admit(Channel connection) {
        var network = network(connection);
        if (network.isEmpty()) {
            return true;
        }
        if (!add(network.get(), connection)) {
            return false;
        }
        connection.closeFuture().addListener(closed -> remove(network.get(), connection));
        var excess = excess();
        if (excess.filter(connection::equals).isPresent()) {
            remove(network.get(), connection);
            return false;
        }
        excess.ifPresent(Channel::close);
        return true;
    }

    private synchronized boolean add(String network, Channel connection) {
        var others = connections.computeIfAbsent(network, key -> new LinkedHashSet<>());
        if (perAddress > 0 && others.size() >= perAddress) {
            return false;
        }
        used++;
        idle.put(connection, new Idle(network, System.nanoTime()));
        return others.add(connection);
    }

    /** Called when the head of the first request of a connection has arrived. */
    synchronized void begins(Channel connection) {
        idle.remove(connection);
    }

    private synchronized void remove(String network, Channel connection) {
        idle.remove(connection);
        var others = connections.get(network);
        if (others == null) {
            return;
        }
        // The connection may have been removed because there were too many.
        if (others.remove(connection)) {
            used--;
        }
        if (others.isEmpty()) {
            connections.remove(network);
        }
    }

    /** Removes the connection that must end, if there are too many. */
    private synchronized Optional<Channel> excess() {
        if (used <= max) {
            return Optional.empty();
        }
        var longestIdle = idle.entrySet().stream()
                .findFirst()
                .filter(each -> System.nanoTime() - each.getValue().sinceNanos() > MAX_IDLE.toNanos());
        if (longestIdle.isPresent()) {
            var connection = longestIdle.get().getKey();
            remove(longestIdle.get().getValue().network(), connection);
            return Optional.of(connection);
        }
        used--;
        var most = Collections.max(connections.values(), Comparator.comparingInt(Set::size));
        var oldest = most.iterator().next();
        most.remove(oldest);
        idle.remove(oldest);
        return Optional.of(oldest);
    }

    /** The address whose memory a connection uses. Each connection of a trusted proxy counts alone. */
    String holder(Channel connection) {
        return network(connection).orElseGet(() -> connection.id().asLongText());
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
