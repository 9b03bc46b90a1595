package dev.okr.webhooks;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Decides which addresses a webhook may reach. It allows the public internet and the networks of the operator.
 *
 * <p>An address is not public if IANA's special-purpose registries (as of October 2025) list it as not globally
 * reachable. Multicast addresses are not public either, nor are IPv6 addresses outside the range for global unicast. An
 * IPv6 address that embeds an IPv4 address is routed to that address. The embedded address therefore decides.
 */
final class TargetAddresses {
    private static final int IPV6_BYTES = 16;
    private static final int IPV4_BYTES = 4;

    /** Globally reachable networks inside networks that are not globally reachable. */
    private final List<Network> reachable = networks(
            "192.0.0.9/32", // Port Control Protocol anycast
            "192.0.0.10/32", // TURN anycast
            "2001:1::1/128", // Port Control Protocol anycast
            "2001:1::2/128", // TURN anycast
            "2001:1::3/128", // DNS-SD service registration anycast
            "2001:3::/32", // automatic multicast tunnelling
            "2001:4:112::/48", // AS112
            "2001:20::/28", // ORCHIDv2
            "2001:30::/28"); // drone remote identification

    private final List<Network> unreachable = networks(
            "0.0.0.0/8", // this network
            "10.0.0.0/8", // private use
            "100.64.0.0/10", // carrier-grade NAT
            "127.0.0.0/8", // loopback
            "169.254.0.0/16", // link local, where clouds keep their metadata
            "172.16.0.0/12", // private use
            "192.0.0.0/24", // protocol assignments
            "192.0.2.0/24", // documentation
            "192.88.99.0/24", // 6to4 relays, withdrawn
            "192.168.0.0/16", // private use
            "198.18.0.0/15", // benchmarks
            "198.51.100.0/24", // documentation
            "203.0.113.0/24", // documentation
            "224.0.0.0/4", // multicast
            "240.0.0.0/4", // reserved, and the limited broadcast
            "2001::/23", // protocol assignments, including benchmarks and the first ORCHID
            "2001:db8::/32", // documentation
            "3fff::/20"); // documentation

    /**
     * All IPv6 addresses that IANA allocates for global unicast. This excludes loopback, IPv4-compatible and local-use
     * NAT64 addresses, discard and dummy prefixes, segment routing, unique local, link local, site local and multicast.
     */
    private final Network globalUnicast = Network.parse("2000::/3");

    // Java returns IPv4-mapped addresses (::ffff:0:0/96) as IPv4 addresses.
    private final Network nat64 = Network.parse("64:ff9b::/96");
    private final Network sixToFour = Network.parse("2002::/16");
    private final Network teredo = Network.parse("2001::/32");

    private final List<Network> exempt;

    /** @param exempt the operator's own networks, whose addresses are always allowed */
    TargetAddresses(List<Network> exempt) {
        this.exempt = List.copyOf(exempt);
    }

    boolean allows(InetAddress address) {
        return exempts(address) || isPublic(address.getAddress());
    }

    /** Whether the address is in a network that the operator allowed. An embedded address does not count. */
    boolean exempts(InetAddress address) {
        return contain(exempt, address.getAddress());
    }

    boolean exemptsAny() {
        return !exempt.isEmpty();
    }

    private boolean isPublic(byte[] address) {
        var embedded = embeddedIn(address);
        if (!embedded.isEmpty()) {
            return embedded.stream().allMatch(this::isPublic);
        }
        return contain(reachable, address)
                || ((address.length != IPV6_BYTES || globalUnicast.contains(address))
                        && !contain(unreachable, address));
    }

    /** The IPv4 addresses that are embedded in an IPv6 address. */
    private List<byte[]> embeddedIn(byte[] address) {
        if (nat64.contains(address)) {
            return List.of(quad(address, 12));
        }
        if (sixToFour.contains(address)) {
            return List.of(quad(address, 2));
        }
        if (teredo.contains(address)) {
            // The server address is plain. The client address has every bit inverted (RFC 4380, section 4).
            return List.of(quad(address, 4), inverted(quad(address, 12)));
        }
        return List.of();
    }

    private static byte[] quad(byte[] address, int offset) {
        return Arrays.copyOfRange(address, offset, offset + IPV4_BYTES);
    }

    private static byte[] inverted(byte[] address) {
        var inverted = new byte[address.length];
        for (int i = 0; i < address.length; i++) {
            inverted[i] = (byte) ~address[i];
        }
        return inverted;
    }

    private static boolean contain(List<Network> networks, byte[] address) {
        return networks.stream().anyMatch(network -> network.contains(address));
    }

    private static List<Network> networks(String... cidrs) {
        return Stream.of(cidrs).map(Network::parse).toList();
    }
}
