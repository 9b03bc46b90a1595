package dev.okr.operations.moving;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Stores files for imports in the database, in pieces as they arrive. A replica accepts {@value #MAX_AT_ONCE} at
 * once, and only one per organisation.
 */
@ApplicationScoped
class Uploads {
    private static final int PIECE_BYTES = 256 * 1_024;

    /** Limits the memory for pieces. Slow clients hold their places for minutes, so there are many. */
    private static final int MAX_AT_ONCE = 32;

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    /** Applies to each piece, because an upload may take longer than the time limit of a request. */
    private static final Duration PIECE_DEADLINE = Duration.ofSeconds(10);

    private final ImportStore store;
    private final long maxBytes;

    /** The organisations that upload a file. */
    private final Set<UUID> underWay = new HashSet<>();

    Uploads(ImportStore store, @ConfigProperty(name = "okr.imports.max-bytes") long maxBytes) {
        this.store = store;
        this.maxBytes = maxBytes;
    }

    /** A stored file. */
    record Stored(UUID id, long bytes, byte[] sha256) {}

    /**
     * Stores a file. The caller accepts or discards it.
     *
     * @param progress receives the number of stored bytes after each piece
     * @throws Failure if the file is too large or empty, or if too many files are arriving
     */
    Stored store(UUID organization, UUID user, ImportOptions options, InputStream file, LongConsumer progress)
            throws IOException {
        begin(organization);
        try {
            var id = store.begin(organization, user, options);
            try {
                return store(organization, id, file, progress);
            } catch (IOException | RuntimeException e) {
                discard(organization, id);
                throw e;
            }
        } finally {
            end(organization);
        }
    }

    void discard(UUID organization, UUID id) {
        Deadline.begin(PIECE_DEADLINE);
        store.discard(organization, id);
    }

    private Stored store(UUID organization, UUID id, InputStream file, LongConsumer progress) throws IOException {
        var digest = sha256();
        long bytes = 0;
        int number = 0;
        for (var piece = file.readNBytes(PIECE_BYTES); piece.length > 0; piece = file.readNBytes(PIECE_BYTES)) {
            bytes += piece.length;
            if (bytes > maxBytes) {
                throw Failure.of(
                        ErrorCode.BODY_TOO_LARGE,
                        "A file for an import may have at most %d bytes.".formatted(maxBytes));
            }
            digest.update(piece);
            Deadline.begin(PIECE_DEADLINE);
            store.addPiece(organization, id, number++, piece);
            progress.accept(bytes);
        }
        if (bytes == 0) {
            throw Failure.malformed("The request body is empty. It must be the lines of an export.");
        }
        return new Stored(id, bytes, digest.digest());
    }

    private void begin(UUID organization) {
        synchronized (underWay) {
            if (underWay.size() >= MAX_AT_ONCE || !underWay.add(organization)) {
                throw Failure.unavailable("Another file is arriving. Try again shortly.", RETRY_AFTER);
            }
        }
    }

    private void end(UUID organization) {
        synchronized (underWay) {
            underWay.remove(organization);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
