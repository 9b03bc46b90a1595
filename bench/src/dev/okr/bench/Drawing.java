package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Draws bar charts of the results. They compare each operation with its limit, and small data with large data. */
public final class Drawing {
    private static final int WIDTH = 800;
    private static final int MARGIN = 24;
    private static final int LABELS = 360;
    private static final int BAR = 14;
    private static final int GAP = 3;
    private static final int GROUP_GAP = 14;
    private static final int FIGURES = 120;
    private static final int LONGEST = WIDTH - LABELS - MARGIN - FIGURES;
    private static final String MEASURED = "#0b6e4f";
    private static final String LIMIT = "#b9c4cc";
    private static final String MUCH = "#c8553d";

    private final StringBuilder svg = new StringBuilder();
    private int y = MARGIN;

    private Drawing() {}

    /** A line of the file: numbers with one label. */
    private record Line(String label, double[] numbers) {}

    public static void main(String[] arguments) throws IOException {
        var lines = new TreeMap<String, List<Line>>();
        var notes = new TreeMap<String, String>();
        for (var text : Files.readAllLines(Path.of(arguments[0]))) {
            var fields = text.split("\t");
            if (fields[0].equals("note")) {
                notes.put(fields[1], fields[2]);
                continue;
            }
            var numbers = new double[fields.length - 3];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Double.parseDouble(fields[i + 3]);
            }
            lines.computeIfAbsent(fields[0], kind -> new ArrayList<>()).add(new Line(fields[2], numbers));
        }
        Files.writeString(Path.of(arguments[1]), new Drawing().draw(lines, notes));
    }

    private String draw(Map<String, List<Line>> lines, Map<String, String> notes) {
        if (lines.containsKey("limit")) {
            heading("Requests per second, 32 connections");
            legend(MEASURED, "measured", LIMIT, "the limit of the machine and PostgreSQL");
            bars(lines.get("limit"), MEASURED, LIMIT, "%,.0f/s");
        }
        if (lines.containsKey("growth")) {
            heading("Median latency in milliseconds, a small organisation");
            legend(
                    MEASURED,
                    "by itself (%s)".formatted(notes.get("small")),
                    MUCH,
                    "among many (%s)".formatted(notes.get("large")));
            bars(lines.get("growth"), MEASURED, MUCH, "%.2f ms");
        }
        text(MARGIN, y, "#5b6770", 12, "bench/speed, %s, commit %s".formatted(notes.get("date"), notes.get("commit")));
        int height = y + MARGIN;
        // The drawing needs a background, because pages may be white or black.
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" \
                font-family="system-ui, sans-serif" role="img" aria-label="How fast the service is">
                <rect width="100%%" height="100%%" rx="8" fill="#ffffff"/>
                %s</svg>
                """.formatted(WIDTH, height, WIDTH, height, svg);
    }

    private void heading(String text) {
        y += 8;
        text(MARGIN, y, "#1c2429", 16, text);
        y += 24;
    }

    private void legend(String firstColor, String first, String secondColor, String second) {
        bar(LABELS, BAR, firstColor);
        text(LABELS + 20, y, "#1c2429", 12, first);
        bar(LABELS + 150, BAR, secondColor);
        text(LABELS + 170, y, "#1c2429", 12, second);
        y += BAR + GROUP_GAP;
    }

    /** Bars for the first two numbers of each line. The longest bar is the maximum. */
    private void bars(List<Line> lines, String firstColor, String secondColor, String format) {
        double greatest = lines.stream()
                .mapToDouble(line -> Math.max(line.numbers()[0], line.numbers()[1]))
                .max()
                .orElse(1);
        for (var line : lines) {
            text(MARGIN, y + (BAR + GAP) / 2, "#1c2429", 13, line.label());
            for (int i = 0; i < 2; i++) {
                double number = line.numbers()[i];
                int length = (int) Math.max(1, Math.round(number / greatest * LONGEST));
                bar(LABELS, length, i == 0 ? firstColor : secondColor);
                text(LABELS + length + 6, y, "#1c2429", 12, Report.format(format, number));
                y += BAR + GAP;
            }
            y += GROUP_GAP;
        }
    }

    private void bar(int x, int length, String color) {
        svg.append("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n"
                .formatted(x, y, length, BAR, color));
    }

    private void text(int x, int top, String color, int size, String text) {
        var escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        svg.append("<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\">%s</text>\n"
                .formatted(x, top + BAR - 2, size, color, escaped));
    }
}
