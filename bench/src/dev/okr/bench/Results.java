package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes the results to a file for the drawing. Each line has a kind, a key, a label and numbers, separated by tabs.
 */
final class Results {
    private final List<String> lines = new ArrayList<>();

    void add(String kind, String key, String label, double... numbers) {
        lines.add(Arrays.stream(numbers)
                .mapToObj(number -> Report.format("%.3f", number))
                .collect(Collectors.joining("\t", kind + '\t' + key + '\t' + label + '\t', "")));
    }

    void note(String key, String text) {
        lines.add("note\t" + key + '\t' + text);
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, lines);
    }
}
