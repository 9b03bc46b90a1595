package dev.okr.testing;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The resolver of the test's JVM. A name below {@link #DOMAIN} resolves to the addresses in its labels, one after the
 * other, like names of an attacker. A name below {@link #SLOW_DOMAIN} has no address, and its lookup is slow. Other names
 * resolve normally. Java finds it through {@code META-INF/services}.
 */
public final class ScriptedNames extends InetAddressResolverProvider {
    private static final String DOMAIN = ".rebind.test";
    private static final String SLOW_DOMAIN = ".slow.test";

    /** Shorter than the time that the service waits for a lookup. */
    private static final Duration SLOW = Duration.ofMillis(1_800);

    private final Map<String, Integer> lookups = new ConcurrentHashMap<>();

    /** A new name that resolves to each IPv4 address once, in order. The last one is repeated. */
    public static String name(String... addresses) {
        return Stream.concat(Stream.of(addresses).map(address -> address.replace('.', '-')), Stream.of(unique()))
                        .reduce((left, right) -> left + '.' + right)
                        .orElseThrow()
                + DOMAIN;
    }

    /** A new name without an address, whose name server is slow. */
    public static String slowName() {
        return unique() + SLOW_DOMAIN;
    }

    /** The number of slow names that are being resolved. */
    public static long slowLookups() {
        return Thread.getAllStackTraces().values().stream()
                .filter(trace -> Stream.of(trace)
                        .anyMatch(frame -> frame.getMethodName().equals("failSlowly")
                                && frame.getClassName().equals(ScriptedNames.class.getName())))
                .count();
    }

    @Override
    public InetAddressResolver get(Configuration configuration) {
        var builtin = configuration.builtinResolver();
        return new InetAddressResolver() {
            @Override
            public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
                if (host.endsWith(SLOW_DOMAIN)) {
                    throw failSlowly(host);
                }
                return host.endsWith(DOMAIN) ? Stream.of(next(host)) : builtin.lookupByName(host, policy);
            }

            @Override
            public String lookupByAddress(byte[] address) throws UnknownHostException {
                return builtin.lookupByAddress(address);
            }
        };
    }

    @Override
    public String name() {
        return "scripted names";
    }

    private static UnknownHostException failSlowly(String host) {
        LockSupport.parkNanos(SLOW.toNanos());
        return new UnknownHostException(host);
    }

    private InetAddress next(String host) {
        var labels = List.of(host.substring(0, host.length() - DOMAIN.length()).split("\\."));
        var addresses = labels.subList(0, labels.size() - 1);
        int lookup = lookups.merge(host, 1, Integer::sum);
        var label = addresses.get(Math.min(lookup, addresses.size()) - 1);
        return InetAddress.ofLiteral(label.replace('-', '.'));
    }

    private static String unique() {
        return "x" + UUID.randomUUID().toString().substring(0, 8);
    }
}
