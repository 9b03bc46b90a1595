package dev.okr.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table of results, with the target of each figure and whether it is met. */
final class Report {
    private final List<String[]> rows = new ArrayList<>();
    private boolean passed = true;

    Report() {
        rows.add(new String[] {"figure", "measured", "target", "result"});
    }

    /** Adds a figure with a target. */
    void judge(String figure, String measured, String target, boolean met) {
        passed &= met;
        rows.add(new String[] {figure, measured, target, met ? "pass" : "SHORT"});
    }

    /** Adds a figure that explains another one. */
    void tell(String figure, String measured) {
        rows.add(new String[] {figure, measured, "", ""});
    }

    boolean isPassed() {
        return passed;
    }

    static void say(String pattern, Object... arguments) {
        System.out.println(format(pattern, arguments));
    }

    static String format(String pattern, Object... arguments) {
        return String.format(Locale.ROOT, pattern, arguments);
    }

    @Override
    public String toString() {
        var widths = new int[4];
        for (var row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        var text = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            append(text, rows.get(i), widths, ' ');
            if (i == 0) {
                append(text, new String[] {"", "", "", ""}, widths, '-');
            }
        }
        return text.toString();
    }

    private static void append(StringBuilder text, String[] row, int[] widths, char padding) {
        for (int i = 0; i < row.length; i++) {
            text.append("| ").append(row[i]);
            text.repeat(padding, widths[i] - row[i].length()).append(' ');
        }
        text.append("|\n");
    }
}
