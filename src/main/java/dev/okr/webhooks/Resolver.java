package dev.okr.webhooks;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Resolves host names. */
interface Resolver {
    /**
     * All addresses of a name, at least one.
     *
     * @throws UnknownHostException if the name has no address, or the lookup timed out
     */
    List<InetAddress> resolve(String name) throws UnknownHostException;
}
