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
    private final long minPerHolder;
    private final long inAllWithMin;

    Budget(long perHolder, long inAll) {
        this(perHolder, inAll, 0);
    }

    /** @param minPerHolder the amount that each holder can always take, even if others use up {@code inAll} */
    Budget(long perHolder, long inAll, long minPerHolder) {
        this(perHolder, inAll, minPerHolder, Long.MAX_VALUE);
    }

    /**
     * @param minPerHolder the amount that each holder can take even if others use up {@code inAll}
     * @param inAllWithMin the maximum of all holders together for such an amount
     */
    Budget(long perHolder, long inAll, long minPerHolder, long inAllWithMin) {
        this.perHolder = perHolder;
        this.inAll = inAll;
        this.minPerHolder = minPerHolder;
        this.inAllWithMin = inAllWithMin;
    }

    long perHolder() {
        return perHolder;
    }

    boolean take(K holder, long amount) {
        if (!ofHolders.take(holder, amount, perHolder)) {
            return false;
        }
        if (!ofAll.take(EVERYBODY, amount, maxInAll(ofHolders.used(holder)))) {
            ofHolders.release(holder, amount);
            return false;
        }
        return true;
    }

    long used(K holder) {
        return ofHolders.used(holder);
    }

    /** The maximum of all holders together while a holder takes its last part. */
    long maxInAll(long usedByHolder) {
        return usedByHolder <= minPerHolder ? inAllWithMin : inAll;
    }

    long usedInAll() {
        return ofAll.used(EVERYBODY);
    }

    /** Takes an amount even above the maximum, for work that can no longer be rejected. */
    void force(K holder, long amount) {
        ofHolders.take(holder, amount, Long.MAX_VALUE);
        ofAll.take(EVERYBODY, amount, Long.MAX_VALUE);
    }

    /**
     * Whether work may begin that can {@link #force} its amount later. This amount must fit into the part of the holder.
     * For a holder that uses nothing, any amount fits. All holders together may use twice the maximum. So holders that use
     * up the maximum do not block the work of others.
     */
    boolean hasRoom(K holder, long amount) {
        long used = ofHolders.used(holder);
        return (used == 0 || used + amount <= perHolder) && usedInAll() + amount <= 2 * inAll;
    }

    /** Like {@link #hasRoom}, for a large amount. Without the amounts of others, any amount fits. */
    boolean hasRoomBesideOthers(K holder, long amount) {
        long used = usedInAll();
        return used == 0 || (hasRoom(holder, amount) && used + amount <= inAll);
    }

    void release(K holder, long amount) {
        ofHolders.release(holder, amount);
        ofAll.release(EVERYBODY, amount);
    }

    /** The part of one holder, for the body of a request. */
    Place.Memory of(K holder) {
        return new Place.Memory() {
            @Override
            public boolean take(long bytes) {
                return Budget.this.take(holder, bytes);
            }

            @Override
            public void release(long bytes) {
                Budget.this.release(holder, bytes);
            }
        };
    }
}
