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
 * The resolver of the attacked service, in place of that of the system. Names below {@code test} have the address of the
 * receiver. The name servers of {@code slow.test} never answer. Then a lookup ends when that of the system would. The
 * service finds this class on its boot class path, so it may use only classes of Java.
 */
public final class ScriptedNames extends InetAddressResolverProvider implements InetAddressResolver {
    private static final String DOMAIN = ".test";
    private static final String SLOW_DOMAIN = ".slow.test";

    /** Set unless slow names should resolve too, because only such a name can be subscribed. */
    private static final String IS_SLOW = "bench.slow-names";

    /** The C library asks twice and waits five seconds each time. */
    private static final long LOOKUP_NANOS = TimeUnit.SECONDS.toNanos(10);

    private InetAddressResolver system;

    /** The options of a service with this resolver. Each delivery needs a lookup, because Java keeps no addresses. */
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
