package dev.okr.operations.csv;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.operations.csv.CsvMapping.Field;
import dev.okr.operations.csv.CsvMapping.Line;
import dev.okr.operations.csv.CsvMapping.WrongMapping;
import dev.okr.platform.time.Timestamps;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Converts the rows of a spreadsheet to lines. Several rows can have the same cycle or objective. So rows with the same
 * id become one line, with the values of all of them.
 */
public final class CsvLines {
    private static final int MAX_PROBLEMS = 100;
    private static final Set<String> DECIMALS =
            Set.of("value", "start_value", "current_value", "target_value", "weight", "score", "confidence");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final CsvMapping mapping;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private int[] rows = {};

    /**
     * A line that later rows with the same id can complete.
     *
     * @param row the first row
     * @param otherRows the row of each value from a later row, and DEFAULT for each default
     */
    private record Entry(Line line, int row, ObjectNode data, Map<String, Integer> otherRows) {
        private static final int DEFAULT = 0;

        /** The row that gives a field. */
        int row(String name) {
            return data.has(name) ? otherRows.getOrDefault(name, row) : DEFAULT;
        }
    }

    private CsvLines(CsvMapping mapping) {
        this.mapping = mapping;
    }

    /**
     * Writes the lines of all rows.
     *
     * @param mapping the text of the mapping file
     * @return the row of each line
     * @throws IllegalArgumentException with a message for the operator: up to {@link #MAX_PROBLEMS} problems, or one
     *     problem if the mapping, the header or a row cannot be read
     */
    public static CsvLines write(String mapping, Reader csv, Writer out) throws IOException {
        try {
            var lines = new CsvLines(CsvMapping.parse(mapping));
            lines.read(csv);
            if (!lines.problems.isEmpty()) {
                throw new IllegalArgumentException(String.join("\n", lines.problems));
            }
            lines.write(out);
            return lines;
        } catch (WrongMapping e) {
            throw new IllegalArgumentException("The mapping is wrong: " + e.getMessage());
        }
    }

    /** The first row from which a line was made. Both count from 1. */
    public int row(int line) {
        return line >= 1 && line <= rows.length ? rows[line - 1] : 0;
    }

    private void read(Reader csv) throws IOException {
        var reader = new CsvReader(csv, mapping.delimiter());
        var header = reader.next();
        if (header == null) {
            throw new WrongMapping("the CSV file is empty");
        }
        requireColumns(header);
        for (var row = reader.next(); row != null && problems.size() < MAX_PROBLEMS; row = reader.next()) {
            int size = size(row);
            if (size > header.size()) {
                problem("row %d has %d cells, but the header has %d".formatted(reader.row(), size, header.size()));
                continue;
            }
            var cells = new HashMap<String, String>();
            for (int i = 0; i < size; i++) {
                cells.put(header.get(i), row.get(i));
            }
            for (var line : mapping.lines()) {
                if (line.when() == null || !cells.getOrDefault(line.when(), "").isEmpty()) {
                    add(entry(line, cells, reader.row()));
                }
            }
        }
    }

    /** The number of cells without the empty cells at the end. */
    private static int size(List<String> row) {
        int size = row.size();
        while (size > 0 && row.get(size - 1).isEmpty()) {
            size--;
        }
        return size;
    }

    private void requireColumns(List<String> header) {
        for (var line : mapping.lines()) {
            Stream.concat(
                            Stream.ofNullable(line.when()),
                            line.fields().values().stream().flatMap(field -> field.columns().stream()))
                    .forEach(column -> requireOne(header, column));
        }
    }

    private static void requireOne(List<String> header, String column) {
        int count = Collections.frequency(header, column);
        if (count == 0) {
            throw new WrongMapping("the CSV file has no column " + column);
        }
        if (count > 1) {
            throw new IllegalArgumentException("The CSV file has several columns named " + column);
        }
    }

    private Entry entry(Line line, Map<String, String> cells, int row) {
        var entry = new Entry(line, row, JSON.createObjectNode(), new HashMap<>());
        line.fields().forEach((name, field) -> {
            var texts = field.texts(cells);
            var text = isId(name) ? id(field, texts) : text(field, texts);
            if (text == null) {
                return;
            }
            put(entry.data(), name, field, text, row);
            if (texts.isEmpty() && !field.columns().isEmpty()) {
                entry.otherRows().put(name, Entry.DEFAULT);
            }
        });
        return entry;
    }

    private static boolean isId(String name) {
        return name.equals("id") || name.endsWith("_id") || name.equals("carried_over_from");
    }

    private static @Nullable String id(Field field, List<String> texts) {
        if (texts.isEmpty()) {
            return field.otherwise() == null ? null : CsvIds.encode(field.otherwise());
        }
        return field.columns().size() == 1 ? CsvIds.encode(texts.getFirst()) : CsvIds.join(texts, field.separator());
    }

    private static @Nullable String text(Field field, List<String> texts) {
        return texts.isEmpty() ? field.otherwise() : String.join(field.separator(), texts);
    }

    private void put(ObjectNode data, String name, Field field, String text, int row) {
        if (name.endsWith("_at")) {
            mapping.formats()
                    .time(text)
                    .ifPresentOrElse(
                            time -> data.put(name, Timestamps.formatExact(time)),
                            () -> problem(row, field, text, "a date"));
        } else if (DECIMALS.contains(name)) {
            mapping.formats()
                    .number(text)
                    .ifPresentOrElse(number -> data.put(name, number), () -> problem(row, field, text, "a number"));
        } else if (name.equals("active")) {
            switch (text) {
                case "true" -> data.put(name, true);
                case "false" -> data.put(name, false);
                default -> problem(row, field, text, "true or false");
            }
        } else {
            data.put(name, text);
        }
    }

    private void add(Entry entry) {
        var id = entry.data().has("external_id")
                ? entry.data().get("external_id")
                : entry.data().get("id");
        var key = id == null ? String.valueOf(entries.size()) : entry.line().type() + ' ' + id.asText();
        var known = entries.putIfAbsent(key, entry);
        if (known != null) {
            entry.line().fields().forEach((name, field) -> complete(known, entry, name, field));
        }
    }

    private void complete(Entry known, Entry entry, String name, Field field) {
        var value = entry.data().get(name);
        int row = entry.row(name);
        if (value == null || (row == Entry.DEFAULT && known.data().has(name))) {
            return;
        }
        int knownRow = known.row(name);
        if (knownRow == Entry.DEFAULT) {
            known.data().set(name, value);
            known.otherRows().put(name, row);
        } else if (!value.equals(known.data().get(name))) {
            problem("%s: %s is \"%s\", but row %d with the same id has \"%s\""
                    .formatted(
                            place(row, field),
                            field.name(),
                            value.asText(),
                            knownRow,
                            known.data().get(name).asText()));
        }
    }

    private void problem(int row, Field field, String text, String expected) {
        problem("%s: %s must be %s, not \"%s\"".formatted(place(row, field), field.name(), expected, text));
    }

    private void problem(String problem) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        }
    }

    private static String place(int row, Field field) {
        var columns = String.join(" and ", field.columns());
        return columns.isEmpty() ? "row " + row : "row %d, column %s".formatted(row, columns);
    }

    private void write(Writer out) throws IOException {
        rows = entries.values().stream().mapToInt(Entry::row).toArray();
        for (var entry : entries.values()) {
            out.write(JSON.createObjectNode()
                    .put("type", entry.line().type())
                    .set("data", entry.data())
                    .toString());
            out.write('\n');
        }
        // The import needs only the rows.
        entries.clear();
    }
}
