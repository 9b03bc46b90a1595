package dev.okr.platform.ids;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * UUIDs of version 7 (RFC 9562, section 5.7), ordered by the microsecond and random below it: the 12 bits behind the
 * millisecond carry its fraction (section 6.2, method 3). The database's function {@code uuid_v7} makes the same.
 */
public final class UuidV7 {
    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private static volatile @Nullable SecureRandom random;

    private UuidV7() {}

    /** A new UUID for something that happened at this moment. */
    public static UUID at(Instant moment) {
        long low = VARIANT | (random().nextLong() >>> 2);
        return new UUID(high(moment), low);
    }

    /** Made when it is needed first: one made with the class would be seeded while a native image is built. */
    private static SecureRandom random() {
        var known = random;
        if (known == null) {
            known = new SecureRandom();
            random = known;
        }
        return known;
    }

    /** The least UUID of a moment: those of anything earlier are less, those of anything later are not. */
    public static UUID least(Instant moment) {
        // Time begins in 1970 for UUIDs: a moment before it would wrap around to the far future.
        return new UUID(high(moment.isBefore(Instant.EPOCH) ? Instant.EPOCH : moment), VARIANT);
    }

    private static long high(Instant moment) {
        long microsInMilli = moment.getNano() / 1_000 % 1_000;
        // 4,096 steps for 1,000 microseconds: each microsecond has a step of its own.
        return (moment.toEpochMilli() << 16) | VERSION | (microsInMilli * 4_096 / 1_000);
    }
}
