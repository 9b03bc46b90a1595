package dev.okr.access.limits;

import io.netty.channel.Channel;
import io.netty.handler.ipfilter.IpFilterRule;
import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Limits the connections of a client address, and the memory for requests that have arrived only in part. A trusted
 * proxy has no limit on connections, because they belong to its clients. Their requests count for their own addresses.
 */
final class ConnectionLimit {
    private static final int PART_OF_HEAP = 8;
    private static final int PART_FOR_ADDRESS = 8;

    private final int perAddress;
    private final List<? extends IpFilterRule> proxies;
    private final Shares<String> connections = new Shares<>();
    private final Budget<String> memory;

    /**
     * @param perAddress 0 means no limit
     * @param proxies addresses and networks; names are ignored
     */
    ConnectionLimit(int perAddress, List<String> proxies) {
        this.perAddress = perAddress;
        this.proxies = proxies.stream().flatMap(proxy -> rule(proxy).stream()).toList();
        long maxBytes = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
        this.memory = new Budget<>(maxBytes / PART_FOR_ADDRESS, maxBytes);
    }

    /** Counts a connection until it is closed. False if the address has too many. */
    boolean admit(Channel connection) {
        var network = network(connection);
        if (network.isEmpty()) {
            return true;
        }
        if (!connections.take(network.get(), 1, perAddress)) {
            return false;
        }
        connection.closeFuture().addListener(closed -> connections.release(network.get(), 1));
        return true;
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
