package dev.okr.webhooks;

import java.net.IDN;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The host of a target URL: an IDNA name, a canonical dotted quad or a bracketed IPv6 address. The parser rejects texts
 * that some software reads as an address and other software reads as a name.
 *
 * @param name the name in ASCII and lower case, without a trailing dot, or the address as it was written
 * @param address the address in the URL; null for a name
 */
record TargetHost(String name, @Nullable InetAddress address) {
    private static final int MAX_NAME_CHARACTERS = 253;
    private static final String LOCALHOST = "localhost";

    private static final String OCTET = "(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
    private static final Pattern QUAD = Pattern.compile(OCTET + "(?:\\." + OCTET + "){3}");
    private static final Pattern GROUPS = Pattern.compile("(?:[0-9A-Fa-f]{0,4}:)+[0-9A-Fa-f]{0,4}");

    /** Browsers, resolvers and inet_aton read a name whose last label is a number as an IPv4 address. */
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");

    /** IDNA 2003, which Java implements, and IDNA 2008 map names with these characters to different hosts. */
    private static final Pattern DEVIATION = Pattern.compile("[\u00DF\u03C2\u200C\u200D]");

    static TargetHost parse(String text) throws RefusedTarget {
        // Before anything that fails for a long text. A name can end with a dot.
        if (text.length() > MAX_NAME_CHARACTERS + 1) {
            throw wrongLength();
        }
        if (text.startsWith("[") && text.endsWith("]")) {
            var bracketed = text.substring(1, text.length() - 1);
            var address = bracketed.contains(":") ? literal(bracketed) : null;
            if (address == null) {
                throw RefusedTarget.host("Brackets must contain an IPv6 address without a zone.");
            }
            return new TargetHost(bracketed, address);
        }
        return QUAD.matcher(text).matches() ? new TargetHost(text, InetAddress.ofLiteral(text)) : name(text);
    }

    /** An IPv4 address as a canonical dotted quad, or an IPv6 address without a zone. Null for any other text. */
    static @Nullable InetAddress literal(String text) {
        int tail = text.lastIndexOf(':') + 1;
        boolean dotted = text.indexOf('.') >= 0;
        boolean canonical = dotted
                ? QUAD.matcher(text.substring(tail)).matches()
                        && (tail == 0 || GROUPS.matcher(text.substring(0, tail)).matches())
                : GROUPS.matcher(text).matches();
        try {
            return canonical ? InetAddress.ofLiteral(text) : null;
        } catch (IllegalArgumentException wrongNumberOfGroups) {
            return null;
        }
    }

    /** Whether this is {@code localhost} or one of its subdomains. */
    boolean isLocalhost() {
        return name.equals(LOCALHOST) || name.endsWith('.' + LOCALHOST);
    }

    private static TargetHost name(String text) throws RefusedTarget {
        if (DEVIATION.matcher(text).find()) {
            throw RefusedTarget.host("Write this internationalised name in its xn-- form.");
        }
        var name = absolute(ascii(text));
        if (name.isEmpty() || name.length() > MAX_NAME_CHARACTERS) {
            throw wrongLength();
        }
        if (NUMBER.matcher(name.substring(name.lastIndexOf('.') + 1)).matches()) {
            throw RefusedTarget.host("Write an IPv4 address as four decimal numbers without leading zeros.");
        }
        return new TargetHost(name, null);
    }

    private static RefusedTarget wrongLength() {
        return RefusedTarget.host("A host name must have 1 to " + MAX_NAME_CHARACTERS + " characters.");
    }

    /** Converts the name to its ASCII form. This also maps full-width, circled and other compatibility characters. */
    private static String ascii(String text) throws RefusedTarget {
        try {
            return IDN.toASCII(text, IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            throw RefusedTarget.host("The host is not a valid DNS or IDNA name.");
        }
    }

    private static String absolute(String name) {
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }
}
