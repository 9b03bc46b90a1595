package dev.okr.webhooks;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a name. */
interface Resolver {
    /**
     * All addresses of a name, at least one.
     *
     * @throws UnknownHostException when the name has none, or none could be found in time
     */
    List<InetAddress> resolve(String name) throws UnknownHostException;
}
