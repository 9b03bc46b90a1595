package dev.okr.access.limits;

import java.util.ArrayList;
import java.util.List;

/** What a request has taken from the shares of its client. It returns all of it when its response has been written. */
final class Place {
    private final String network;
    private final List<Runnable> returns = new ArrayList<>();
    private long bodyBytes;
    private boolean closed;

    /** @param network the network of the client */
    Place(String network) {
        this.network = network;
    }

    String network() {
        return network;
    }

    /** Takes a part of the shares of a holder. Returns false if the holder has none left. */
    synchronized <K> boolean take(Shares<K> shares, K holder, long amount, long max) {
        if (closed || !shares.take(holder, amount, max)) {
            return closed;
        }
        returns.add(() -> shares.release(holder, amount));
        return true;
    }

    /**
     * Takes memory for a part of the body. A body can arrive in a million parts, so the place only keeps their sum.
     *
     * @param max for all clients
     */
    synchronized boolean takeForBody(Shares<String> shares, long bytes, long maxOfNetwork, long max) {
        if (closed) {
            return true;
        }
        if (!shares.take(network, bytes, maxOfNetwork)) {
            return false;
        }
        if (!shares.take(RequestGate.EVERYBODY, bytes, max)) {
            shares.release(network, bytes);
            return false;
        }
        if (bodyBytes == 0) {
            returns.add(() -> {
                shares.release(network, bodyBytes);
                shares.release(RequestGate.EVERYBODY, bodyBytes);
            });
        }
        bodyBytes += bytes;
        return true;
    }

    /** Runs the action at once if everything was returned already. */
    synchronized void onReturn(Runnable action) {
        if (closed) {
            action.run();
        } else {
            returns.add(action);
        }
    }

    synchronized void close() {
        closed = true;
        returns.forEach(Runnable::run);
        returns.clear();
    }
}
