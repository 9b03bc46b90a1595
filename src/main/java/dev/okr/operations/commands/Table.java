package dev.okr.operations.commands;

import dev.okr.platform.time.Timestamps;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Rows of text in columns, for people to read and for scripts to cut at two spaces. */
final class Table {
    private static final String GAP = "  ";
    private static final String NOTHING = "-";

    /** A name may hold line breaks and tabs, which would tear the row apart. */
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... headings) {
        rows.add(List.of(headings));
    }

    /** Adds a row, in which a cell without a value is a dash. */
    boolean add(@Nullable Object... cells) {
        var row = new ArrayList<String>();
        for (var cell : cells) {
            row.add(text(cell));
        }
        return rows.add(row);
    }

    /** Each row on a line of its own, the headings first. */
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
            case null -> NOTHING;
            case OffsetDateTime moment -> Timestamps.format(moment.toInstant());
            default -> BLANKS.matcher(cell.toString()).replaceAll(" ");
        };
    }
}
