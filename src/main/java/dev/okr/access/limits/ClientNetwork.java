package dev.okr.access.limits;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The networks that count as one client. */
final class ClientNetwork {
    private static final int IPV6_NETWORK_BYTES = 8;
    private static final int MAX_NAME_LENGTH = 64;

    private ClientNetwork() {}

    /** An IPv4 address, or the /64 network of an IPv6 address. */
    static String ofAddress(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(address.getAddress(), 0, IPV6_NETWORK_BYTES)
                : address.getHostAddress();
    }

    /** @param address as the framework or a proxy gives it, or null if it is unknown */
    static String of(@Nullable String address) {
        if (address == null) {
            return "";
        }
        // Only IPv6 addresses need parsing. Other values are IPv4 addresses, or obfuscated names from a trusted proxy.
        return address.indexOf(':') < 0 ? shortened(address) : ofIpv6(address);
    }

    private static String ofIpv6(String address) {
        int zone = address.indexOf('%');
        try {
            return ofAddress(InetAddress.ofLiteral(zone < 0 ? address : address.substring(0, zone)));
        } catch (IllegalArgumentException e) {
            return shortened(address);
        }
    }

    private static String shortened(String name) {
        return name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
    }
}
