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
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts the rows of a spreadsheet to lines. A line is left out if its id was already written, because several rows
 * can have the same cycle or objective.
 */
public final class CsvLines {
    private static final int MAX_PROBLEMS = 100;
    private static final Set<String> DECIMALS =
            Set.of("value", "start_value", "current_value", "target_value", "weight", "score", "confidence");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final CsvMapping mapping;
    private final Set<String> written = new HashSet<>();
    private final List<String> problems = new ArrayList<>();
    private int[] rows = new int[1_024];
    private int lines;

    private CsvLines(CsvMapping mapping) {
        this.mapping = mapping;
    }

    /**
     * Writes the lines of all rows.
     *
     * @param mapping the text of the mapping file
     * @return the row of each line
     * @throws IllegalArgumentException with all problems, for the operator
     */
    public static CsvLines write(String mapping, Reader csv, Writer out) throws IOException {
        try {
            var lines = new CsvLines(CsvMapping.parse(mapping));
            lines.writeAll(csv, out);
            if (!lines.problems.isEmpty()) {
                throw new IllegalArgumentException(String.join("\n", lines.problems));
            }
            return lines;
        } catch (WrongMapping e) {
            throw new IllegalArgumentException("The mapping is wrong: " + e.getMessage());
        }
    }

    /** The row from which a line was made. Both count from 1. */
    public int row(int line) {
        return line >= 1 && line <= lines ? rows[line - 1] : 0;
    }

    private void writeAll(Reader csv, Writer out) throws IOException {
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
                    write(line, cells, reader.row(), out);
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
            line.fields().values().stream()
                    .flatMap(field -> field.columns().stream())
                    .filter(column -> !header.contains(column))
                    .findFirst()
                    .ifPresent(column -> {
                        throw new WrongMapping("the CSV file has no column " + column);
                    });
            if (line.when() != null && !header.contains(line.when())) {
                throw new WrongMapping("the CSV file has no column " + line.when());
            }
        }
    }

    private void write(Line line, Map<String, String> cells, int row, Writer out) throws IOException {
        var data = JSON.createObjectNode();
        line.fields().forEach((name, field) -> {
            var text = isId(name) ? id(field, cells) : text(field, cells);
            if (text != null) {
                put(data, name, field, text, row);
            }
        });
        var id = data.has("external_id") ? data.get("external_id") : data.get("id");
        if (id != null && !written.add(line.type() + ' ' + id.asText())) {
            return;
        }
        if (lines == rows.length) {
            rows = Arrays.copyOf(rows, 2 * lines);
        }
        rows[lines++] = row;
        out.write(JSON.createObjectNode()
                .put("type", line.type())
                .set("data", data)
                .toString());
        out.write('\n');
    }

    private static boolean isId(String name) {
        return name.equals("id") || name.endsWith("_id") || name.equals("carried_over_from");
    }

    private static @Nullable String id(Field field, Map<String, String> cells) {
        var texts = texts(field, cells);
        if (texts.isEmpty()) {
            return field.otherwise() == null ? null : CsvIds.encode(field.otherwise());
        }
        return field.columns().size() == 1 ? CsvIds.encode(texts.getFirst()) : CsvIds.join(texts, field.separator());
    }

    private static @Nullable String text(Field field, Map<String, String> cells) {
        var texts = texts(field, cells);
        return texts.isEmpty() ? field.otherwise() : String.join(field.separator(), texts);
    }

    private static List<String> texts(Field field, Map<String, String> cells) {
        return field.columns().stream()
                .map(column -> cells.getOrDefault(column, ""))
                .map(text -> field.values().getOrDefault(text, text))
                .filter(text -> !text.isEmpty())
                .toList();
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
}
