package dev.okr.operations.commands;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A text table with two spaces between columns, for people and scripts. */
final class Table {
    private static final String GAP = "  ";
    private static final String NO_VALUE = "-";

    /** Names may contain line breaks and tabs, which would break the table. */
    private static final Pattern WHITESPACE = Pattern.compile("\\s+");

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... headings) {
        rows.add(List.of(headings));
    }

    /** Adds a row. A null cell is shown as a dash. */
    boolean add(@Nullable Object... cells) {
        var row = new ArrayList<String>();
        for (var cell : cells) {
            row.add(text(cell));
        }
        return rows.add(row);
    }

    /**
     * Adds a row of a query. The order of its columns is that of the headings.
     *
     * @param kind the kind of the ids in the row
     */
    boolean add(ResultSet row, IdKind kind) throws SQLException {
        var cells = new @Nullable Object[row.getMetaData().getColumnCount()];
        for (int i = 0; i < cells.length; i++) {
            var cell = row.getObject(i + 1);
            cells[i] = cell instanceof UUID id ? kind.format(id) : cell;
        }
        return add(cells);
    }

    /** One line per row, headings first. */
    @Override
    public String toString() {
        var text = new StringBuilder();
        for (var row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                var cell = row.get(column);
                line.append(cell).repeat(' ', width(column) - length(cell)).append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0);
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    private static String text(@Nullable Object cell) {
        return switch (cell) {
            case null -> NO_VALUE;
            case Timestamp moment -> Timestamps.format(moment.toInstant());
            default -> WHITESPACE.matcher(cell.toString()).replaceAll(" ");
        };
    }
}
