package dev.okr.access.limits;

/**
 * Something of which there is a maximum amount, and a smaller maximum for each holder.
 *
 * @param <K> the holders
 */
final class Budget<K> {
    private static final String EVERYBODY = "";

    private final Shares<K> ofHolders = new Shares<>();
    private final Shares<String> ofAll = new Shares<>();
    private final long perHolder;
    private final long inAll;

    Budget(long perHolder, long inAll) {
        this.perHolder = perHolder;
        this.inAll = inAll;
    }

    boolean take(K holder, long amount) {
        if (!ofHolders.take(holder, amount, perHolder)) {
            return false;
        }
        if (!ofAll.take(EVERYBODY, amount, inAll)) {
            ofHolders.release(holder, amount);
            return false;
        }
        return true;
    }

    /**
     * Whether this amount fits into the part of the holder. For a holder that uses nothing, any amount fits. The maximum
     * for all holders is not checked.
     */
    boolean hasRoom(K holder, long amount) {
        long used = ofHolders.used(holder);
        return used == 0 || used + amount <= perHolder;
    }

    void release(K holder, long amount) {
        ofHolders.release(holder, amount);
        ofAll.release(EVERYBODY, amount);
    }
}
