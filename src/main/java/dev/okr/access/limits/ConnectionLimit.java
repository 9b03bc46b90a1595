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
 * The limit on the connections of a client address. A trusted proxy has none, because its connections belong to its
 * clients. Their requests count for their own addresses.
 */
final class ConnectionLimit {
    private final int perAddress;
    private final List<? extends IpFilterRule> proxies;
    private final Shares<String> connections = new Shares<>();

    /**
     * @param perAddress 0 means no limit
     * @param proxies addresses and networks; names are ignored
     */
    ConnectionLimit(int perAddress, List<String> proxies) {
        this.perAddress = perAddress;
        this.proxies = proxies.stream().flatMap(proxy -> rule(proxy).stream()).toList();
    }

    /** Counts a connection until it is closed. False if the address has too many. */
    boolean admit(Channel connection) {
        if (!(connection.remoteAddress() instanceof InetSocketAddress peer)
                || peer.getAddress() == null
                || proxies.stream().anyMatch(proxy -> proxy.matches(peer))) {
            return true;
        }
        var network = ClientNetwork.ofAddress(peer.getAddress());
        if (!connections.take(network, 1, perAddress)) {
            return false;
        }
        connection.closeFuture().addListener(closed -> connections.release(network, 1));
        return true;
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
