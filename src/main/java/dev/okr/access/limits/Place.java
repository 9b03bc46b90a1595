package dev.okr.access.limits;

import java.util.ArrayList;
import java.util.List;

/** What a request has taken from the shares of its client. It returns all of it when its response has been written. */
final class Place {
    private final List<Runnable> returns = new ArrayList<>();
    private boolean closed;

    /** Takes a part of the shares of a holder. Returns false if the holder has none left. */
    synchronized <K> boolean take(Shares<K> shares, K holder, long amount, long max) {
        if (closed || !shares.take(holder, amount, max)) {
            return closed;
        }
        returns.add(() -> shares.release(holder, amount));
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
