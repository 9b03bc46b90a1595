package dev.okr.operations.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvLinesTest {
    private static final String TEAMS = "lines: [{type: team, fields: {external_id: Name, name: Name}}]";
    private static final String OBJECTIVES = """
            lines:
              - type: objective
                fields:
                  id: Objective
                  weight: Weight
                  status: {column: Status, default: not_started}
                  owner_email: Owner
              - type: key_result
                fields: {id: Key result, objective_id: Objective}
            """;
    private static final ObjectMapper JSON = new ObjectMapper();

    private static List<String> lines(String mapping, String csv) throws IOException {
        var out = new StringWriter();
        CsvLines.write(mapping, new StringReader(csv), out);
        return out.toString().lines().toList();
    }

    private static List<JsonNode> data(String mapping, String csv) throws IOException {
        var data = new ArrayList<JsonNode>();
        for (var line : lines(mapping, csv)) {
            data.add(JSON.readTree(line).get("data"));
        }
        return data;
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
        assertThatThrownBy(() -> lines(TEAMS, "Name,Name\nA,B")).hasMessageContaining("several columns named Name");
        assertThatThrownBy(() -> lines(TEAMS, "Name\nA\n\"B\nC\n"))
                .hasMessage("row 3 has a quotation mark that is not closed");
        assertThatThrownBy(() -> lines(TEAMS, "Name,Note\n\"A\nB,\"C\",1\n"))
                .hasMessage("row 2 has text between a quotation mark and the end of the cell");
        assertThatThrownBy(() -> lines("a: [", "")).hasMessageContaining("not YAML");
        assertThatThrownBy(() -> lines(
                        "lines: [{type: check_in, fields: {id: Id, value: Value, recorded_at: At}}]",
                        "Id;Value;At\n".replace(';', ',') + "1,many,yesterday\n"))
                .hasMessage("row 2, column Value: check_in.value must be a number, not \"many\"\n"
                        + "row 2, column At: check_in.recorded_at must be a date, not \"yesterday\"");
        assertThatThrownBy(() ->
                        lines("lines: [{type: user, fields: {email: Email, active: Active}}]", "Email,Active\na,yes\n"))
                .hasMessage("row 2, column Active: user.active must be true or false, not \"yes\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "false | 2.5 | 2.5",
                "false | 2,500 | 2500",
                "false | -1,234,567.5 | -1234567.5",
                "false | 1 234.5 | 1234.5",
                "false | 1234567 | 1234567",
                "false | $ -1,000 | -1000",
                "false | -€5 | -5",
                "false | .5 % | 0.5",
                "false | 1.5E+3 | 1500",
                "true | 0,5 | 0.5",
                "true | 2.500,5 | 2500.5",
                "true | 1.234.567 € | 1234567",
                "true | 1 234,5 | 1234.5"
            })
    void numbers_can_have_groups_of_three_digits(boolean decimalComma, String text, BigDecimal number)
            throws IOException {
        assertThat(values(decimalComma, text).get("value").decimalValue()).isEqualByComparingTo(number);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "false | 1,5",
                "false | 0,500",
                "false | 1,,200",
                "false | 1,2,3",
                "false | 1234,567",
                "false | 1,2345",
                "false | 1.5,000",
                "false | 1,234 567",
                "false | 1 5",
                "false | 4€50",
                "false | 1.2.3",
                "false | - -5",
                "true | 0.5",
                "true | 2.5",
                "true | 0.500",
                "true | 1.50,5",
                "true | 1,5,5"
            })
    void other_numbers_are_problems(boolean decimalComma, String text) {
        assertThatThrownBy(() -> values(decimalComma, text))
                .hasMessage("row 2, column Value: check_in.value must be a number, not \"%s\"", text);
    }

    private static JsonNode values(boolean decimalComma, String text) throws IOException {
        return data(
                        "decimal_comma: " + decimalComma
                                + "\nlines: [{type: check_in, fields: {id: Id, value: Value}}]",
                        "Id,Value\n1,\"" + text + "\"")
                .getFirst();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dd.MM.yyyy | 29.02.2024 | 2024-02-29T00:00:00.000000Z",
                "dd.MM.uuuu | 28.02.2026 | 2026-02-28T00:00:00.000000Z",
                "d.M.yy | 1.3.26 | 2026-03-01T00:00:00.000000Z",
                "dd.MM.yyyy G | 01.03.2026 AD | 2026-03-01T00:00:00.000000Z",
                "MMM d, yyyy h:mm a | Mar 1, 2026 12:30 PM | 2026-03-01T12:30:00.000000Z",
                "yyyy-MM-dd HH:mm:ssXXX | 2026-03-01 01:00:00+01:00 | 2026-03-01T00:00:00.000000Z"
            })
    void dates_have_any_pattern(String pattern, String text, String time) throws IOException {
        assertThat(dates(pattern, text).get("recorded_at").asText()).isEqualTo(time);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dd.MM.yyyy | 31.02.2026",
                "dd.MM.uuuu | 31.02.2026",
                "yyyy-MM-dd | 2026-02-29",
                "d.M.yy | 31.4.26",
                "yyyy-MM-dd HH:mm | 2026-04-31 08:00",
                "d.M.y | 31.1.12026",
                "d.M.y | 31.1.258026"
            })
    void days_that_do_not_exist_or_have_a_longer_year_are_problems(String pattern, String text) {
        assertThatThrownBy(() -> dates(pattern, text))
                .hasMessage("row 2, column At: check_in.recorded_at must be a date, not \"%s\"", text);
    }

    private static JsonNode dates(String pattern, String text) throws IOException {
        return data(
                        "date_formats: [\"" + pattern + "\"]\n"
                                + "lines: [{type: check_in, fields: {id: Id, recorded_at: At}}]",
                        "Id,At\n1,\"" + text + "\"")
                .getFirst();
    }

    @Test
    void a_row_has_no_more_cells_than_the_header() throws IOException {
        assertThat(lines(TEAMS, "Name,Note\nA,,,\nB\n")).hasSize(2);
        assertThatThrownBy(() -> lines(TEAMS, "Name,Note\nA,b\nB,c,,d\n"))
                .hasMessage("row 3 has 4 cells, but the header has 2");
    }

    @Test
    void a_separator_in_the_texts_of_an_id_is_escaped() throws IOException {
        assertThat(ids("/", "Grow,Calls EU")).containsExactly("Grow/Calls%20EU");
        assertThat(ids("/", "Grow,EU/Calls\nGrow/EU,Calls\nGrow,EU%2FCalls\n,a/b\na,b"))
                .containsExactly("Grow/EU%2FCalls", "Grow%2FEU/Calls", "Grow/EU%252FCalls", "a%2Fb", "a/b");
        assertThat(ids(" - ", "Grow,Calls\na - b,c\na,b - c\na%20- b,c"))
                .containsExactly("Grow%20-%20Calls", "a%%20-%20b%20-%20c", "a%20-%20b%%20-%20c", "a%2520-%20b%20-%20c");
        assertThat(ids("::", "Grow,Calls\na:,b\na,:b")).containsExactly("Grow::Calls", "a%3A::b", "a:::b");
        assertThat(ids("", "Grow,Calls")).containsExactly("GrowCalls");
        assertThat(data(
                        "lines: [{type: team, fields: {id: {column: A}, name: {columns: [A, B]}}}]",
                        "A,B\nGrow/EU,Calls/Mails"))
                .extracting(JsonNode::toString)
                .containsExactly("{\"id\":\"Grow/EU\",\"name\":\"Grow/EU/Calls/Mails\"}");
    }

    private static List<String> ids(String separator, String rows) throws IOException {
        return data(
                        "lines: [{type: team, fields: {id: {columns: [A, B], separator: \"" + separator + "\"}}}]",
                        "A,B\n" + rows)
                .stream()
                .map(data -> data.get("id").asText())
                .toList();
    }

    @Test
    void rows_with_the_same_id_become_one_line() throws IOException {
        var out = new StringWriter();
        var lines = CsvLines.write(OBJECTIVES, new StringReader("""
                Objective,Owner,Weight,Status,Key result
                Grow,,1.0,,Calls
                Win,,,,Trust
                Grow,ada@acme.test,1,on_track,Mails
                Grow,,,,Mails
                """), out);

        assertThat(out.toString().lines())
                .containsExactly(
                        "{\"type\":\"objective\",\"data\":{\"id\":\"Grow\",\"weight\":1.0,\"status\":\"on_track\","
                                + "\"owner_email\":\"ada@acme.test\"}}",
                        "{\"type\":\"key_result\",\"data\":{\"id\":\"Calls\",\"objective_id\":\"Grow\"}}",
                        "{\"type\":\"objective\",\"data\":{\"id\":\"Win\",\"status\":\"not_started\"}}",
                        "{\"type\":\"key_result\",\"data\":{\"id\":\"Trust\",\"objective_id\":\"Win\"}}",
                        "{\"type\":\"key_result\",\"data\":{\"id\":\"Mails\",\"objective_id\":\"Grow\"}}");
        assertThat(IntStream.rangeClosed(0, 6).map(lines::row)).containsExactly(0, 2, 2, 3, 3, 4, 0);
    }

    @Test
    void rows_with_the_same_id_have_no_different_values() {
        assertThatThrownBy(() -> lines(OBJECTIVES, """
                Objective,Owner,Weight,Status,Key result
                Grow,,1,,Calls
                Grow,ada@acme.test,2,,Mails
                Win,,,,Calls
                Grow,grace@acme.test,,,Trust
                """)).hasMessage("""
                row 3, column Weight: objective.weight is "2", but row 2 with the same id has "1"
                row 4, column Objective: key_result.objective_id is "Win", but row 2 with the same id has "Grow"
                row 5, column Owner: objective.owner_email is "grace@acme.test", \
                but row 3 with the same id has "ada@acme.test\"""");
    }
}
