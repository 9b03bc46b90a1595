package dev.okr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The metrics of a service in Prometheus' text format. */
public final class Metrics {
    private static final Pattern SAMPLE =
            Pattern.compile("(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(?<labels>.*)})? (?<value>\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private final String text;
    private final List<Sample> samples;

    /** One line of the text. */
    public record Sample(String name, Map<String, String> labels, double value) {
        public boolean has(String label, String value) {
            return value.equals(labels.get(label));
        }
    }

    private Metrics(String text) {
        this.text = text;
        this.samples = text.lines()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(Metrics::sample)
                .toList();
    }

    public static Metrics of(URI service) {
        var answer =
                Api.of(service).header("Accept", "text/plain").get("/q/metrics").is(200);
        return new Metrics(answer.text());
    }

    public String text() {
        return text;
    }

    public Set<String> names() {
        return samples.stream().map(Sample::name).collect(Collectors.toSet());
    }

    public List<Sample> samples(String name) {
        return samples.stream().filter(sample -> sample.name().equals(name)).toList();
    }

    private static Sample sample(String line) {
        var parts = SAMPLE.matcher(line);
        assertThat(parts.matches()).as(line).isTrue();
        var labels = new HashMap<String, String>();
        if (parts.group("labels") != null) {
            LABEL.matcher(parts.group("labels")).results().forEach(label -> labels.put(label.group(1), label.group(2)));
        }
        return new Sample(parts.group("name"), labels, Double.parseDouble(parts.group("value")));
    }
}
