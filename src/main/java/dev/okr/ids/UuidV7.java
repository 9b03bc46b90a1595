package dev.okr.ids;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.UUID;

/** UUIDs of version 7 (RFC 9562, section 5.7): ordered by the millisecond, random below it. */
public final class UuidV7 {
    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private UuidV7() {}

    /** A new UUID for something that happened at this moment. */
    public static UUID at(Instant moment) {
        // A new generator for each id: a static one would be seeded while a native image is built.
        var random = new SecureRandom();
        long high = (moment.toEpochMilli() << 16) | VERSION | (random.nextInt() & 0xFFF);
        long low = VARIANT | (random.nextLong() >>> 2);
        return new UUID(high, low);
    }
}
