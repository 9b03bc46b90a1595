package dev.okr.webhooks;

import java.util.regex.Pattern;

/** A block of IP addresses in CIDR notation. */
final class Network {
    private static final Pattern CIDR = Pattern.compile("([0-9A-Fa-f.:]+)/([0-9]{1,3})");

    private final byte[] start;
    private final int prefixBits;

    private Network(byte[] start, int prefixBits) {
        this.start = start;
        this.prefixBits = prefixBits;
    }

    /** @throws IllegalArgumentException if the text is not a network; the message quotes it and explains the error */
    static Network parse(String text) {
        var cidr = CIDR.matcher(text);
        var host = cidr.matches() ? TargetHost.literal(cidr.group(1)) : null;
        int prefixBits = host == null ? 0 : Integer.parseInt(cidr.group(2));
        if (host == null || prefixBits > host.getAddress().length * Byte.SIZE) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a network. Use one like 10.0.0.0/8 or fd00::/8");
        }
        var network = new Network(host.getAddress(), prefixBits);
        for (int bit = prefixBits; bit < network.start.length * Byte.SIZE; bit++) {
            if (bit(network.start, bit)) {
                throw new IllegalArgumentException("\"" + text + "\" must start with the network's first address");
            }
        }
        return network;
    }

    /** @param address 4 or 16 bytes; a network contains only addresses of its own IP version */
    boolean contains(byte[] address) {
        if (address.length != start.length) {
            return false;
        }
        for (int bit = 0; bit < prefixBits; bit++) {
            if (bit(address, bit) != bit(start, bit)) {
                return false;
            }
        }
        return true;
    }

    private static boolean bit(byte[] bytes, int index) {
        return (bytes[index / Byte.SIZE] & (0x80 >> (index % Byte.SIZE))) != 0;
    }
}
