package dev.okr.operations.moving;

import dev.okr.platform.transactions.Sql;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.LongConsumer;

/** An uploaded file. Only one piece is in memory. */
final class PieceStream extends InputStream {
    private final Sql sql;
    private final ImportStore.Claim claim;
    private final LongConsumer progress;
    private byte[] piece = {};
    private int position;
    private int next;
    private long bytes;

    /** @param progress receives the number of bytes so far */
    PieceStream(Sql sql, ImportStore.Claim claim, LongConsumer progress) {
        this.sql = sql;
        this.claim = claim;
        this.progress = progress;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (position == piece.length && !readPiece()) {
            return -1;
        }
        int count = Math.min(length, piece.length - position);
        System.arraycopy(piece, position, buffer, offset, count);
        position += count;
        return count;
    }

    /** GZIPInputStream looks for another part of the file only if it seems to have one. */
    @Override
    public int available() {
        return bytes < claim.bytes() || position < piece.length ? 1 : 0;
    }

    private boolean readPiece() throws IOException {
        try {
            Optional<byte[]> found = ImportStore.piece(sql, claim, next);
            if (found.isEmpty()) {
                return false;
            }
            piece = found.get();
            position = 0;
            next++;
            bytes += piece.length;
            progress.accept(bytes);
            return true;
        } catch (SQLException e) {
            throw new IOException("A piece of the file could not be read.", e);
        }
    }
}
