package dev.okr.webhooks;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Resolves host names. */
interface Resolver {
    /**
     * All addresses of a name, at least one.
     *
     * @throws UnknownHostException if the name has no address, or the lookup timed out
     */
    List<InetAddress> resolve(String name) throws UnknownHostException;

    /** Resolves a name for an organisation, which may have a share of the lookups. Null for none. */
    default List<InetAddress> resolve(String name, @Nullable UUID organizationId) throws UnknownHostException {
        return resolve(name);
    }
}
