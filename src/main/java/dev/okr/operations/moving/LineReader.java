package dev.okr.operations.moving;

import dev.okr.objectives.moving.ImportErrors;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.JsonBody;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Stages the lines of an uploaded file. It checks that each line is a JSON object of a known type. Only one line is in
 * memory.
 */
final class LineReader {
    static final int MAX_LINE_BYTES = 1 << 20;
    static final int MAX_LINES = 20_000_000;

    private static final int BUFFER_BYTES = 64 * 1_024;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final String VERSION = "version";

    /** A compressed file, which can have several members. */
    private static final class Gzip extends GZIPInputStream {
        private static final int TRAILER_BYTES = 8;

        Gzip(InputStream file) throws IOException {
            super(file, BUFFER_BYTES);
        }

        /** Fails if bytes remain. The superclass takes a damaged header of a further member for the end of the file. */
        void requireEnd() throws IOException {
            if (inf.getRemaining() > TRAILER_BYTES || in.available() > 0) {
                throw new ZipException("Bytes remain after the last member.");
            }
        }
    }

    private final Staging staging;
    private final ImportErrors errors;
    private final long maxBytes;
    private byte[] line = new byte[BUFFER_BYTES];
    private int length;
    private boolean isTooLong;
    private long bytes;
    private int number = 1;
    private int staged;
    private final Map<LineType, Integer> lines = new EnumMap<>(LineType.class);

    /** @param maxBytes the maximum size of the file without compression */
    LineReader(Staging staging, ImportErrors errors, long maxBytes) {
        this.staging = staging;
        this.errors = errors;
        this.maxBytes = maxBytes;
    }

    /** The number of bytes that were read, without compression. */
    long bytes() {
        return bytes;
    }

    /** The number of staged lines. */
    int staged() {
        return staged;
    }

    /** Returns false if the file could not be read to its end. */
    boolean read(InputStream file, boolean isCompressed) throws SQLException {
        boolean isWhole = readAll(file, isCompressed);
        staging.endLines();
        return isWhole;
    }

    private boolean readAll(InputStream file, boolean isCompressed) throws SQLException {
        try (var in = isCompressed ? new Gzip(file) : file) {
            var buffer = new byte[BUFFER_BYTES];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                bytes += count;
                if (bytes > maxBytes || number > MAX_LINES) {
                    errors.add(
                            number,
                            "",
                            "too_large",
                            "The file has more than %d bytes or %d lines.".formatted(maxBytes, MAX_LINES));
                    return false;
                }
                split(buffer, count);
            }
            if (in instanceof Gzip gzip) {
                gzip.requireEnd();
            }
            end(false);
            return true;
        } catch (EOFException e) {
            errors.add(number, "", "truncated", "The compressed file ends too early.");
        } catch (ZipException | StackOverflowError e) {
            // GZIPInputStream calls itself for each empty member of the file.
            errors.add(number, "", "invalid_gzip", "The file is not valid gzip.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return false;
    }

    private void split(byte[] buffer, int count) throws SQLException {
        int start = 0;
        for (int i = 0; i < count; i++) {
            if (buffer[i] == '\n') {
                append(buffer, start, i);
                end(true);
                start = i + 1;
            }
        }
        append(buffer, start, count);
    }

    private void append(byte[] buffer, int start, int end) {
        int added = end - start;
        if (isTooLong || length + added > MAX_LINE_BYTES) {
            isTooLong = true;
            length = 0;
            return;
        }
        if (length + added > line.length) {
            line = Arrays.copyOf(line, Math.min(MAX_LINE_BYTES, Math.max(2 * line.length, length + added)));
        }
        System.arraycopy(buffer, start, line, length, added);
        length += added;
    }

    /** @param isNext whether another line may follow */
    private void end(boolean isNext) throws SQLException {
        if (isTooLong) {
            errors.add(number, "", "too_long", "A line may have at most " + MAX_LINE_BYTES + " bytes.");
        } else if (length > 0) {
            stage(Arrays.copyOf(line, length));
        }
        length = 0;
        isTooLong = false;
        if (isNext) {
            number++;
        }
    }

    private void stage(byte[] content) throws SQLException {
        if (number == 1 && Arrays.equals(content, 0, Math.min(3, content.length), BYTE_ORDER_MARK, 0, 3)) {
            errors.add(number, "", "byte_order_mark", "The file starts with a byte order mark. Save it without one.");
        } else if (content[content.length - 1] == '\r') {
            errors.add(number, "", "invalid_line_end", "Lines must end with a line feed only.");
        } else {
            parse(content);
        }
    }

    private void parse(byte[] content) throws SQLException {
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
            var body = JsonBody.parse(content).reader();
            var name = body.uncheckedText("type").orElse("");
            var type = LineType.parse(name);
            if (type.isPresent()) {
                stage(type.get(), text);
            } else if (name.equals(LineType.HEADER) && number == 1) {
                checkHeader(body);
            } else {
                errors.add(
                        number,
                        "/type",
                        "invalid_value",
                        "This line type is unknown. "
                                + (name.equals(LineType.HEADER)
                                        ? "Only the first line can be okr_export."
                                        : "The types are user, team, cycle, objective, key_result, check_in and alignment."));
            }
        } catch (CharacterCodingException e) {
            errors.add(number, "", "invalid_encoding", "The line is not UTF-8.");
        } catch (Failure e) {
            errors.add(
                    number,
                    "",
                    "malformed_line",
                    "The line is not one JSON object, or it has a field twice, or too many levels or values.");
        }
    }

    private void stage(LineType type, String text) throws SQLException {
        int ofType = lines.merge(type, 1, Integer::sum);
        if (ofType > type.maxLines()) {
            errors.add(
                    number,
                    "",
                    "limit_reached",
                    "An import has at most %d lines of the type %s.".formatted(type.maxLines(), type.text()));
        } else {
            staging.add(type, number, text);
            staged++;
        }
    }

    private void checkHeader(BodyReader header) {
        var version = header.optionalInteger(VERSION, 0, Integer.MAX_VALUE);
        if (version == null || version != LineType.VERSION) {
            errors.add(number, "/version", "invalid_value", "Only version 1 of the format is supported.");
        }
    }
}
