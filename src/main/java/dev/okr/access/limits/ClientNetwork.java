package dev.okr.access.limits;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The network that counts as one client: an IPv4 address, or the /64 network of an IPv6 address. */
final class ClientNetwork {
    private static final int PREFIX_BYTES = 8;
    private static final int MAX_LENGTH = 64;

    private ClientNetwork() {}

    static String of(@Nullable String address) {
        if (address == null) {
            return "";
        }
        int zone = address.indexOf('%');
        try {
            var literal = InetAddress.ofLiteral(zone < 0 ? address : address.substring(0, zone));
            return literal instanceof Inet6Address
                    ? HexFormat.of().formatHex(Arrays.copyOf(literal.getAddress(), PREFIX_BYTES))
                    : literal.getHostAddress();
        } catch (IllegalArgumentException e) {
            // A trusted proxy may send an obfuscated name or "unknown" in place of an address.
            return address.substring(0, Math.min(address.length(), MAX_LENGTH));
        }
    }
}
