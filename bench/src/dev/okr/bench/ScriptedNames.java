package dev.okr.bench;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Replaces the resolver of the system in the attacked service. Names below {@code test} have the address of the receiver.
 * Lookups below {@code slow.test} fail after ten seconds, as if no name server answered. This class is on the boot class
 * path, so it may use only classes of the JDK.
 */
public final class ScriptedNames extends InetAddressResolverProvider implements InetAddressResolver {
    private static final String DOMAIN = ".test";
    private static final String SLOW_DOMAIN = ".slow.test";

    /** Whether lookups of slow names fail. False while the benchmark creates its webhooks, because they must resolve. */
    private static final String IS_SLOW = "bench.slow-names";

    /** By default, the C library asks a name server twice and waits five seconds each time. */
    private static final long LOOKUP_NANOS = TimeUnit.SECONDS.toNanos(10);

    private InetAddressResolver system;

    /** The JVM options of a service with this resolver. They turn off the cache of successful lookups. */
    static List<String> options(boolean isSlow) {
        var classes = System.getProperty("java.class.path").split(":")[0];
        return List.of(
                "-Xbootclasspath/a:" + classes + ":bench/src", "-D" + IS_SLOW + "=" + isSlow, "-Dsun.net.inetaddr.ttl=0");
    }

    @Override
    public String name() {
        return "scripted names";
    }

    @Override
    public InetAddressResolver get(Configuration configuration) {
        system = configuration.builtinResolver();
        return this;
    }

    @Override
    public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
        if (host.endsWith(SLOW_DOMAIN) && Boolean.getBoolean(IS_SLOW)) {
            LockSupport.parkNanos(LOOKUP_NANOS);
            throw new UnknownHostException(host);
        }
        return host.endsWith(DOMAIN)
                ? Stream.of(InetAddress.ofLiteral("127.0.0.1"))
                : system.lookupByName(host, policy);
    }

    @Override
    public String lookupByAddress(byte[] address) throws UnknownHostException {
        return system.lookupByAddress(address);
    }
}
