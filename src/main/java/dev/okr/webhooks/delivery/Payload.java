package dev.okr.webhooks.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The payload of a claimed delivery. A claim reads only small ones, because it can be for hundreds of deliveries.
 * {@link LargePayloads} reads the others when their attempts start.
 *
 * @param bytes the length
 * @param small the payload in UTF-8, or null if it is longer than {@link #SMALL_BYTES}
 */
record Payload(int bytes, byte @Nullable [] small) {
    static final int SMALL_BYTES = 8_192;

    /** The number of slots that an attempt uses. So the slots limit the memory for payloads. */
    int slots() {
        return Math.max(1, Math.ceilDiv(bytes, SMALL_BYTES));
    }
}
