package dev.okr.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;

/** Writes rows to a table with binary COPY, which needs the least processor time of the server. */
final class CopyRows implements AutoCloseable {
    private static final byte[] HEADER = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
    };
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int MAX_ROW_BYTES = 4 * 1024;
    private static final long SECONDS_TO_2000 = 946_684_800;
    private static final long TEN_THOUSAND = 10_000;
    private static final int NEGATIVE = 0x4000;

    private final PGCopyOutputStream out;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private final int columns;

    /** @param columns the column names, separated by commas */
    CopyRows(Connection connection, String table, String columns, boolean frozen) throws SQLException {
        this.columns = columns.split(",").length;
        var sql = "COPY %s (%s) FROM STDIN WITH (FORMAT binary%s)".formatted(table, columns, frozen ? ", FREEZE" : "");
        out = new PGCopyOutputStream(connection.unwrap(PGConnection.class), sql, BUFFER_BYTES);
        buffer.put(HEADER);
    }

    CopyRows row() throws IOException {
        if (buffer.remaining() < MAX_ROW_BYTES) {
            flush();
        }
        buffer.putShort((short) columns);
        return this;
    }

    CopyRows id(UUID id) {
        buffer.putInt(16).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return this;
    }

    CopyRows text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    CopyRows bytes(byte[] bytes) {
        buffer.putInt(bytes.length).put(bytes);
        return this;
    }

    CopyRows nothing() {
        buffer.putInt(-1);
        return this;
    }

    CopyRows moment(Instant moment) {
        long micros = (moment.getEpochSecond() - SECONDS_TO_2000) * 1_000_000 + moment.getNano() / 1_000;
        buffer.putInt(8).putLong(micros);
        return this;
    }

    /** Writes a number in PostgreSQL's format: digits of base 10,000, the last one after the decimal point. */
    CopyRows number(long tenThousandths) {
        long rest = Math.abs(tenThousandths);
        long whole = rest / TEN_THOUSAND;
        int digits = whole == 0 ? 0 : whole < TEN_THOUSAND ? 1 : 2;
        buffer.putInt(8 + 2 * (digits + 1));
        buffer.putShort((short) (digits + 1)).putShort((short) (digits - 1));
        buffer.putShort((short) (tenThousandths < 0 ? NEGATIVE : 0)).putShort((short) 4);
        if (digits == 2) {
            buffer.putShort((short) (whole / TEN_THOUSAND));
        }
        if (digits > 0) {
            buffer.putShort((short) (whole % TEN_THOUSAND));
        }
        buffer.putShort((short) (rest % TEN_THOUSAND));
        return this;
    }

    /** An array of texts. */
    CopyRows texts(String... texts) {
        int length = 20;
        for (var text : texts) {
            length += 4 + text.length();
        }
        final int oidOfText = 25;
        buffer.putInt(length).putInt(1).putInt(0).putInt(oidOfText).putInt(texts.length).putInt(1);
        for (var text : texts) {
            text(text);
        }
        return this;
    }

    @Override
    public void close() throws SQLException {
        try {
            buffer.putShort((short) -1);
            flush();
            out.close();
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }

    private void flush() throws IOException {
        out.write(buffer.array(), 0, buffer.position());
        buffer.clear();
    }
}
