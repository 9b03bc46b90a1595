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
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Checks the targets of webhooks. The check runs when a URL is set and again for each attempt, because the owner of a
 * name can change its addresses.
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

    /** A URL that was checked, and the first of the addresses of its host. */
    record Checked(TargetUrl url, InetAddress address) {}

    /** Creates this bean at startup, so that a malformed network stops the service. */
    void start(@Observes StartupEvent started) {}

    /** The error in a target URL, if any. The check may need a DNS lookup, so never call it inside a transaction. */
    Optional<FieldError> refusal(String url, UUID organizationId) {
        try {
            check(url, organizationId);
            return Optional.empty();
        } catch (RefusedTarget refused) {
            return Optional.of(new FieldError("/url", refused.code(), refused.detail()));
        }
    }

    /**
     * Checks a URL and all current addresses of its host before a request is sent. This may need a DNS lookup.
     *
     * @param organizationId the organisation whose share of the lookups it uses
     * @return the URL, and the address to which the request must go
     */
    Checked check(String url, UUID organizationId) throws RefusedTarget {
        var target = TargetUrl.parse(url, httpAllowed);
        boolean localhost = target.host().isLocalhost();
        if (localhost && !rules.exemptsAny()) {
            throw RefusedTarget.localhost();
        }
        var addresses = resolve(target.host(), organizationId);
        for (var address : addresses) {
            if (localhost && !rules.exempts(address)) {
                throw RefusedTarget.localhost();
            }
            if (!rules.allows(address)) {
                throw RefusedTarget.address();
            }
        }
        return new Checked(target, addresses.getFirst());
    }

    private List<InetAddress> resolve(TargetHost host, UUID organizationId) throws RefusedTarget {
        if (host.address() != null) {
            return List.of(host.address());
        }
        try {
            return resolver.resolve(host.name(), organizationId);
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
            // The cause is omitted, because the message says everything that the operator needs.
            throw new ConfigurationException(ALLOWED_NETWORKS + ": " + e.getMessage());
        }
    }
}
