package dev.okr.platform.ids;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * UUIDs of version 7 (RFC 9562, section 5.7). The 12 bits after the millisecond contain its fraction (section 6.2,
 * method 3). So UUIDs sort by microsecond. The database function {@code uuid_v7} generates the same UUIDs.
 */
public final class UuidV7 {
    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    /** The number uses the first 24 of the 62 bits after the variant. */
    private static final int NUMBER_SHIFT = 38;

    private static volatile @Nullable SecureRandom random;

    private UuidV7() {}

    /** A new UUID with this time. */
    public static UUID at(Instant moment) {
        long low = VARIANT | (random().nextLong() >>> 2);
        return new UUID(high(moment), low);
    }

    /**
     * A new UUID with this time. UUIDs of one time sort by the number.
     *
     * @param number less than {@code 2^24}
     */
    public static UUID at(Instant moment, int number) {
        long low = VARIANT | ((long) number << NUMBER_SHIFT) | (random().nextLong() >>> Long.SIZE - NUMBER_SHIFT);
        return new UUID(high(moment), low);
    }

    /**
     * A UUID with the time of another UUID and the given bits.
     *
     * @param bits only the lower 62 bits are used
     */
    public static UUID withTimeOf(UUID other, long bits) {
        return new UUID(other.getMostSignificantBits() & ~0xF000L | VERSION, VARIANT | (bits << 2 >>> 2));
    }

    /** Lazy, because a native image would contain the seed of a static field. */
    private static SecureRandom random() {
        var known = random;
        if (known == null) {
            known = new SecureRandom();
            random = known;
        }
        return known;
    }

    /** The lowest UUID with this time. */
    public static UUID least(Instant moment) {
        // UUIDs have no times before 1970.
        return new UUID(high(moment.isBefore(Instant.EPOCH) ? Instant.EPOCH : moment), VARIANT);
    }

    private static long high(Instant moment) {
        long microsInMilli = moment.getNano() / 1_000 % 1_000;
        // 4,096 steps are enough for 1,000 microseconds.
        return (moment.toEpochMilli() << 16) | VERSION | (microsInMilli * 4_096 / 1_000);
    }
}
