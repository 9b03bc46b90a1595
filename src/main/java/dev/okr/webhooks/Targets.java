package dev.okr.webhooks;

import dev.okr.platform.errors.FieldError;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Judges where webhooks may lead (contract, section 4). The rules hold at creation and again for each connection,
 * because what a name resolves to is its owner's to change.
 */
@ApplicationScoped
class Targets {
    private static final String ALLOW_HTTP = "okr.webhooks.allow-http";
    private static final String ALLOWED_NETWORKS = "okr.webhooks.allowed-networks";

    private final boolean httpAllowed;
    private final TargetAddresses rules;
    private final Resolver resolver;

    Targets(
            @ConfigProperty(name = ALLOW_HTTP, defaultValue = "false") boolean httpAllowed,
            @ConfigProperty(name = ALLOWED_NETWORKS) Optional<List<String>> allowedNetworks,
            Resolver resolver) {
        this.httpAllowed = httpAllowed;
        this.rules = new TargetAddresses(networks(allowedNetworks.orElse(List.of())));
        this.resolver = resolver;
    }

    /** Reads the networks when the service starts, so that a malformed one stops it there. */
    void start(@Observes StartupEvent started) {}

    /** What is wrong with a URL as a target, if anything. It may resolve a name: never ask inside a transaction. */
    Optional<FieldError> refusal(String url) {
        try {
            require(url);
            return Optional.empty();
        } catch (RefusedTarget refused) {
            return Optional.of(new FieldError("/url", refused.code(), refused.detail()));
        }
    }

    /**
     * Judges a URL anew before something is sent to it. It may resolve the name.
     *
     * @return the one reading of the URL that was judged
     */
    TargetUrl require(String url) throws RefusedTarget {
        var target = TargetUrl.parse(url, httpAllowed);
        addresses(target);
        return target;
    }

    /** Whether an address may be connected to. */
    boolean allows(InetAddress address) {
        return rules.allows(address);
    }

    /** The addresses that a target leads to at this moment; each of them may be connected to. */
    List<InetAddress> addresses(TargetUrl target) throws RefusedTarget {
        boolean localhost = target.host().isLocalhost();
        if (localhost && !rules.exemptsAny()) {
            throw RefusedTarget.localhost();
        }
        var addresses = resolve(target.host());
        for (var address : addresses) {
            if (localhost && !rules.exempts(address)) {
                throw RefusedTarget.localhost();
            }
            if (!rules.allows(address)) {
                throw RefusedTarget.address();
            }
        }
        return addresses;
    }

    private List<InetAddress> resolve(TargetHost host) throws RefusedTarget {
        if (host.address() != null) {
            return List.of(host.address());
        }
        try {
            return resolver.resolve(host.name());
        } catch (UnknownHostException e) {
            throw RefusedTarget.unresolvable();
        }
    }

    private static List<Network> networks(List<String> cidrs) {
        try {
            return cidrs.stream()
                    .map(String::strip)
                    .filter(cidr -> !cidr.isEmpty())
                    .map(Network::parse)
                    .toList();
        } catch (IllegalArgumentException e) {
            // Without its cause: what the operator has to know is in this message.
            throw new ConfigurationException(ALLOWED_NETWORKS + ": " + e.getMessage());
        }
    }
}
