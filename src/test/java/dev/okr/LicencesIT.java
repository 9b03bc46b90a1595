package dev.okr;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The licences of all shipped components, from the build's bill of materials. */
class LicencesIT {
    private static final Path BILL_OF_MATERIALS = Path.of("target", "sbom.cdx.json");

    /** Licences that require only attribution. */
    private static final Set<String> ALLOWED = Set.of(
            "0BSD",
            "Apache-2.0",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "CC0-1.0",
            "EPL-1.0",
            "EPL-2.0",
            "GPL-2.0-with-classpath-exception",
            "MIT",
            "MIT-0",
            "Public Domain",
            "UPL-1.0");

    @Test
    void every_shipped_component_has_an_allowed_licence() throws IOException {
        var components = new ObjectMapper().readTree(BILL_OF_MATERIALS.toFile()).get("components");
        var others = new TreeMap<String, Set<String>>();
        for (var component : components) {
            var licences = licences(component);
            // With several licences, one allowed licence is enough.
            if (licences.stream().noneMatch(ALLOWED::contains)) {
                others.put(component.get("purl").asText(), licences);
            }
        }

        assertThat(components.size()).as("components").isGreaterThan(100);
        assertThat(others).as("components with another licence or none").isEmpty();
    }

    private static Set<String> licences(JsonNode component) {
        var names = new TreeSet<String>();
        for (var choice : component.path("licenses")) {
            var licence = choice.path("license");
            names.add(licence.path("id").asText(licence.path("name").asText()));
        }
        return names;
    }
}
