package dev.okr.operations.csv;

import dev.okr.console.Csv;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads comma-separated values (RFC 4180), with any delimiter, any line end, and an optional byte order mark. */
final class CsvReader {
    private static final int MAX_ROW_CHARACTERS = 1 << 20;
    private static final int END = -1;
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final BufferedReader reader;
    private final char delimiter;
    private int row;
    private int characters;

    CsvReader(Reader reader, char delimiter) throws IOException {
        this.reader = new BufferedReader(reader);
        this.delimiter = delimiter;
        this.reader.mark(1);
        if (this.reader.read() != BYTE_ORDER_MARK) {
            this.reader.reset();
        }
    }

    /** The number of the last row, from 1. */
    int row() {
        return row;
    }

    /**
     * The fields of the next row that is not empty. Null at the end.
     *
     * @throws IllegalArgumentException if a row is too long, or if a quotation mark is not closed or not at the end of
     *     the cell
     */
    @Nullable
    List<String> next() throws IOException {
        while (true) {
            var fields = read();
            if (fields == null || fields.stream().anyMatch(field -> !field.isBlank())) {
                return fields;
            }
        }
    }

    private @Nullable List<String> read() throws IOException {
        var fields = new ArrayList<String>();
        var field = new StringBuilder();
        boolean isQuoted = false;
        boolean isClosed = false;
        boolean isAny = false;
        row++;
        characters = 0;
        for (int character = one(); character != END; character = one()) {
            isAny = true;
            if (isQuoted) {
                if (character != '"') {
                    field.append((char) character);
                } else if (peek() == '"') {
                    field.append((char) one());
                } else {
                    isQuoted = false;
                    isClosed = true;
                }
            } else if (character == '"' && field.isEmpty() && !isClosed) {
                isQuoted = true;
            } else if (character == delimiter) {
                fields.add(Csv.withoutGuards(field.toString()).strip());
                field.setLength(0);
                isClosed = false;
            } else if (character == '\n' || character == '\r') {
                if (character == '\r' && peek() == '\n') {
                    one();
                }
                fields.add(Csv.withoutGuards(field.toString()).strip());
                return fields;
            } else if (isClosed && !Character.isWhitespace(character)) {
                throw new IllegalArgumentException(
                        "row %d has text between a quotation mark and the end of the cell".formatted(row));
            } else {
                field.append((char) character);
            }
        }
        if (!isAny) {
            return null;
        }
        if (isQuoted) {
            throw new IllegalArgumentException("row %d has a quotation mark that is not closed".formatted(row));
        }
        fields.add(Csv.withoutGuards(field.toString()).strip());
        return fields;
    }

    private int one() throws IOException {
        if (++characters > MAX_ROW_CHARACTERS) {
            throw new IllegalArgumentException("row %d has more than %d characters. Close each quotation mark."
                    .formatted(row, MAX_ROW_CHARACTERS));
        }
        return reader.read();
    }

    private int peek() throws IOException {
        reader.mark(1);
        int character = reader.read();
        if (character != END) {
            reader.reset();
        }
        return character;
    }
}
