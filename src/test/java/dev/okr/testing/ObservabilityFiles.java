package dev.okr.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.Yaml;

/** The dashboard and the alert rules of {@code src/main/observability}. */
public final class ObservabilityFiles {
    private static final Path FOLDER = Path.of("src", "main", "observability");

    private static final Pattern NO_NAMES =
            Pattern.compile("\"[^\"]*\"|'[^']*'|\\{[^}]*}|\\[[^]]*]|\\b(?:by|without|on|ignoring)\\s*\\([^)]*\\)");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*),\\s*\\w+\\)");
    private static final Pattern NAME = Pattern.compile("\\b[a-zA-Z_:][a-zA-Z0-9_:]*\\b(?!\\s*\\()");
    private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool", "offset");

    private ObservabilityFiles() {}

    public static JsonNode dashboard() {
        try {
            return new ObjectMapper()
                    .readTree(FOLDER.resolve("grafana-dashboard.json").toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All recording rules and alert rules. */
    public static List<Map<String, Object>> rules() {
        try {
            Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                    new Yaml().load(Files.readString(FOLDER.resolve("prometheus-alerts.yaml")));
            return file.get("groups").stream()
                    .flatMap(group -> group.get("rules").stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The metrics that the dashboard and the rules use. */
    public static Set<String> metrics() {
        var names = new TreeSet<String>();
        Stream.concat(queries(), rules().stream().map(rule -> (String) rule.get("expr")))
                .forEach(query -> names.addAll(metrics(query)));
        return names;
    }

    static Set<String> metrics(String query) {
        var values = LABEL_VALUES.matcher(query);
        var rest = NO_NAMES.matcher(values.matches() ? values.group(1) : query).replaceAll(" ");
        var names = new TreeSet<String>();
        NAME.matcher(rest).results().map(found -> found.group()).forEach(names::add);
        names.removeAll(WORDS);
        return names;
    }

    private static Stream<String> queries() {
        var dashboard = dashboard();
        var panels = StreamSupport.stream(dashboard.get("panels").spliterator(), false)
                .flatMap(panel -> StreamSupport.stream(panel.path("targets").spliterator(), false))
                .map(target -> target.get("expr").asText());
        var variables = StreamSupport.stream(
                        dashboard.get("templating").get("list").spliterator(), false)
                .filter(variable -> variable.get("type").asText().equals("query"))
                .map(variable -> variable.get("definition").asText());
        return Stream.concat(panels, variables);
    }
}
