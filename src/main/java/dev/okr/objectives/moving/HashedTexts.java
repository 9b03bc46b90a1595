package dev.okr.objectives.moving;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A map whose keys are texts of an import. It keeps only a hash of each text, because hundreds of thousands of long ids
 * and addresses would not fit into memory.
 */
public final class HashedTexts<V> {
    private final Map<Hash, V> values = new HashMap<>();

    /** The first 128 bits of a SHA-256 hash. Nobody can find two texts with the same bits. */
    private record Hash(long first, long second) {
        static Hash of(String text) {
            try {
                var bytes = ByteBuffer.wrap(
                        MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
                return new Hash(bytes.getLong(), bytes.getLong());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("Every Java runtime has SHA-256.", e);
            }
        }
    }

    public @Nullable V get(String text) {
        return values.get(Hash.of(text));
    }

    public void put(String text, V value) {
        values.put(Hash.of(text), value);
    }

    /** Returns the present value, or null if there was none and the given one was added. */
    public @Nullable V putIfAbsent(String text, V value) {
        return values.putIfAbsent(Hash.of(text), value);
    }

    public int size() {
        return values.size();
    }
}
