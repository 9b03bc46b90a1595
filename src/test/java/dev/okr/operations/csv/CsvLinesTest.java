package dev.okr.operations.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class CsvLinesTest {
    private static final String TEAMS = "lines: [{type: team, fields: {external_id: Name, name: Name}}]";

    private static List<String> lines(String mapping, String csv) throws IOException {
        var out = new StringWriter();
        CsvLines.write(mapping, new StringReader(csv), out);
        return out.toString().lines().toList();
    }

    @Test
    void the_example_of_the_guide_becomes_lines() throws IOException {
        var folder = Path.of("docs/examples/spreadsheet");
        var lines =
                lines(Files.readString(folder.resolve("mapping.yaml")), Files.readString(folder.resolve("okrs.csv")));

        assertThat(lines).hasSize(2 + 2 + 3 + 5 + 4);
        assertThat(lines.getFirst())
                .isEqualTo("{\"type\":\"team\",\"data\":{\"external_id\":\"Growth\",\"name\":\"Growth\"}}");
        assertThat(lines.get(1)).contains("\"starts_at\":\"2025-12-31T23:00:00.000000Z\"");
        assertThat(lines.stream().filter(line -> line.contains("Churn") && line.contains("\"key_result\"")))
                .singleElement()
                .asString()
                .contains("\"start_value\":4.5", "\"metric_type\":\"percentage\"", "Q1%202026/Growth/Win%20the");
    }

    @Test
    void fields_can_be_quoted_and_have_any_line_ends() throws IOException {
        assertThat(lines(TEAMS, "\uFEFFName\r\n\"A \"\"big\"\", team\"\r\n\r\nB\rC"))
                .extracting(line -> line.replaceAll(".*\"name\":", ""))
                .containsExactly("\"A \\\"big\\\", team\"}}", "\"B\"}}", "\"C\"}}");
        assertThat(lines(TEAMS, "Name\n'=1+1\nA; '+1\n"))
                .extracting(line -> line.replaceAll(".*\"name\":", ""))
                .containsExactly("\"=1+1\"}}", "\"A; +1\"}}");
    }

    @Test
    void wrong_mappings_and_cells_are_explained() {
        assertThatThrownBy(() -> lines("lines: [{type: goal, fields: {}}]", "Name\nA"))
                .hasMessage("The mapping is wrong: there is no type goal");
        assertThatThrownBy(() -> lines(TEAMS, "Team\nA")).hasMessageContaining("no column Name");
        assertThatThrownBy(() -> lines("a: [", "")).hasMessageContaining("not YAML");
        assertThatThrownBy(() -> lines(
                        "lines: [{type: check_in, fields: {id: Id, value: Value, recorded_at: At}}]",
                        "Id;Value;At\n".replace(';', ',') + "1,many,yesterday\n"))
                .hasMessage("row 2: check_in.value must be a number, not \"many\"\n"
                        + "row 2: check_in.recorded_at must be a date, not \"yesterday\"");
        assertThatThrownBy(() ->
                        lines("lines: [{type: user, fields: {email: Email, active: Active}}]", "Email,Active\na,yes\n"))
                .hasMessage("row 2: user.active must be true or false, not \"yes\"");
    }
}
