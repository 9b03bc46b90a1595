package dev.okr.webhooks;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.UUID;

/** Resolves host names. */
interface Resolver {
    /**
     * All addresses of a name, at least one.
     *
     * @param organizationId the organisation whose share of the lookups is used
     * @throws UnknownHostException if the name has no address, or the lookup timed out
     */
    List<InetAddress> resolve(String name, UUID organizationId) throws UnknownHostException;
}
