package dev.okr;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.testing.ObservabilityFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The dashboard is valid, and every alert has an entry in the handbook. */
class ObservabilityFilesTest {
    private static final Path HANDBOOK = Path.of("docs", "operations", "alerts.md");

    @Test
    void every_alert_has_a_description_and_a_link_to_its_entry_in_the_handbook() throws IOException {
        var headings = Files.readAllLines(HANDBOOK).stream()
                .filter(line -> line.startsWith("### "))
                .map(line -> line.substring(4))
                .toList();
        var alerts = ObservabilityFiles.rules().stream()
                .filter(rule -> rule.containsKey("alert"))
                .toList();

        assertThat(alerts).hasSizeGreaterThanOrEqualTo(10);
        for (var alert : alerts) {
            var name = (String) alert.get("alert");
            assertThat(headings).contains(name);
            assertThat(alert.get("labels"))
                    .as(name)
                    .isIn(List.of(Map.of("severity", "page"), Map.of("severity", "ticket")));
            @SuppressWarnings("unchecked")
            var annotations = (Map<String, String>) alert.get("annotations");
            assertThat(annotations).as(name).containsOnlyKeys("summary", "description", "runbook_url");
            assertThat(annotations.get("runbook_url")).isEqualTo(HANDBOOK + "#" + name.toLowerCase());
        }
    }

    @Test
    void panels_have_unique_ids_do_not_overlap_and_use_the_selected_data_source() {
        var panels = list(ObservabilityFiles.dashboard().get("panels"));

        assertThat(panels).extracting(panel -> panel.get("id").asInt()).doesNotHaveDuplicates();
        var taken = new boolean[200][24];
        for (var panel : panels) {
            var place = panel.get("gridPos");
            for (int y = place.get("y").asInt();
                    y < place.get("y").asInt() + place.get("h").asInt();
                    y++) {
                for (int x = place.get("x").asInt();
                        x < place.get("x").asInt() + place.get("w").asInt();
                        x++) {
                    assertThat(taken[y][x]).as(panel.get("title").asText()).isFalse();
                    taken[y][x] = true;
                }
            }
            if (!panel.get("type").asText().equals("row")) {
                assertThat(panel.get("datasource").get("uid").asText()).isEqualTo("${datasource}");
                assertThat(panel.get("targets")).isNotEmpty();
            }
        }
    }

    @Test
    void the_dashboard_shows_requests_the_pool_the_queue_and_the_runtime() {
        assertThat(list(ObservabilityFiles.dashboard().get("panels")))
                .filteredOn(panel -> panel.get("type").asText().equals("row"))
                .extracting(panel -> panel.get("title").asText())
                .containsExactly(
                        "Requests: rate, errors, duration", "Database pool", "Webhook queue", "JVM or native binary");
    }

    private static List<JsonNode> list(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }
}
