package dev.okr.operations.moving;

import static dev.okr.operations.moving.Moving.CYCLE;
import static dev.okr.operations.moving.Moving.fails;
import static dev.okr.operations.moving.Moving.file;
import static dev.okr.operations.moving.Moving.line;
import static dev.okr.operations.moving.Moving.succeeds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.objectives.moving.ImportErrors;
import dev.okr.objectives.moving.ImportErrors.LineError;
import dev.okr.objectives.moving.Staging;
import dev.okr.platform.transactions.Sql;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.RawHttp;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files that are not what an import expects, and files of all sizes. */
@QuarkusTest
@Tag("long")
class ImportFileTest extends HttpTest {

    private static byte[] gzip(byte[] content) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(content);
        }
        return bytes.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Answer importGzip(byte[] content) {
        var posted = admin.header("Content-Type", "application/x-ndjson")
                .header("Content-Encoding", "gzip")
                .post("/v1/imports", content)
                .is(202);
        return Moving.await(admin, posted.id());
    }

    @Test
    void a_compressed_file_is_imported() throws IOException {
        succeeds(importGzip(gzip(bytes(file(CYCLE)))), 1, 0, 0);
        admin.header("Content-Type", "application/x-ndjson")
                .header("Content-Encoding", "br")
                .post("/v1/imports", "x")
                .isProblem(415, "unsupported_media_type");
    }

    @Test
    void a_gzip_with_very_many_empty_members_is_an_error() throws IOException {
        var member = gzip(new byte[0]);
        var file = new byte[400_000 * member.length];
        for (int i = 0; i < file.length; i += member.length) {
            System.arraycopy(member, 0, file, i, member.length);
        }
        fails(importGzip(file), "1 invalid_gzip");
    }

    @Test
    void large_imports_do_not_delay_the_small_import_of_another_organisation() throws IOException {
        var rejected = line("objective", "id", "x", "description", "x".repeat(1_000_000));
        // The files have 60 MB, and are compressed to 60 KB.
        var large = gzip(bytes(file(Collections.nCopies(60, rejected).toArray(String[]::new))));
        var others = List.of(admin, organization().admin(), organization().admin());
        var ids = others.stream()
                .map(each -> each.header("Content-Type", "application/x-ndjson")
                        .header("Content-Encoding", "gzip")
                        .post("/v1/imports", large)
                        .is(202)
                        .id())
                .toList();
        await(
                () -> IntStream.range(0, ids.size())
                        .anyMatch(i -> status(others.get(i), ids.get(i)).equals("running")),
                () -> "a large import");
        succeeds(Moving.run(organization().admin(), "", file(CYCLE)), 1, 0, 0);
        assertThat(IntStream.range(0, ids.size()).mapToObj(i -> status(others.get(i), ids.get(i))))
                .contains("pending");
        for (int i = 0; i < ids.size(); i++) {
            Moving.await(others.get(i), ids.get(i));
        }
    }

    private static String status(Api api, String id) {
        return api.get("/v1/imports/" + id).text("status");
    }

    @Test
    void a_truncated_or_wrong_gzip_is_an_error() throws IOException {
        var lines = IntStream.range(0, 2_000)
                .mapToObj(i -> line("team", "id", "t" + i, "name", "Team " + i * 7_919))
                .toArray(String[]::new);
        var whole = gzip(bytes(file(lines)));
        var truncated = importGzip(Arrays.copyOf(whole, whole.length / 2));
        assertThat(truncated.text("status")).isEqualTo("failed");
        assertThat(Moving.errors(truncated)).singleElement().asString().endsWith(" truncated");
        fails(importGzip(bytes(file(CYCLE))), "1 invalid_gzip");
        var damaged = whole.clone();
        Arrays.fill(damaged, damaged.length / 2, damaged.length / 2 + 100, (byte) 0x55);
        assertThat(importGzip(damaged).text("status")).isEqualTo("failed");
        assertThat(admin.get("/v1/teams").meta().get("total").intValue()).isZero();
    }

    @Test
    void all_members_of_a_gzip_are_imported_or_none() throws IOException {
        var first = gzip(bytes(file(CYCLE) + "\n"));
        var second = gzip(bytes(line("team", "id", "t", "name", "Team")));
        for (int headerByte : List.of(0, 2, 3)) {
            var damaged = second.clone();
            damaged[headerByte] = (byte) 0xFF;
            assertThat(importGzip(concat(first, damaged)).text("status")).isEqualTo("failed");
        }
        assertThat(importGzip(concat(first, Arrays.copyOf(second, 5))).text("status"))
                .isEqualTo("failed");
        succeeds(importGzip(concat(first, second)), 2, 0, 0);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        var both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    @Test
    void a_line_that_expands_to_very_much_is_too_long() throws IOException {
        var bomb = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bomb)) {
            var zeros = new byte[1 << 20];
            for (int i = 0; i < 100; i++) {
                gzip.write(zeros);
            }
            gzip.write(bytes("\n" + CYCLE + "\n"));
        }
        fails(importGzip(bomb.toByteArray()), "1 too_long");
    }

    @Test
    void the_size_without_compression_is_limited() throws Exception {
        try (var connection = TestDatabase.connect()) {
            connection.setAutoCommit(false);
            var errors = new ImportErrors();
            var reader = new LineReader(Staging.begin(new Sql(connection), () -> {}), errors, 100_000);
            var bomb = gzip(bytes((CYCLE + "\n").repeat(1_000)));
            assertThat(reader.read(new ByteArrayInputStream(bomb), true)).isFalse();
            assertThat(errors.first()).extracting(LineError::code).containsExactly("too_large");
        }
    }

    @Test
    void the_text_must_be_utf_8_with_line_feeds_only() {
        fails(Moving.run(admin, "", "\uFEFF" + file(CYCLE)), "1 byte_order_mark");
        fails(Moving.run(admin, "", CYCLE + "\r\n"), "1 invalid_line_end");
        fails(
                Moving.run(admin, "", file(line("team", "id", "t", "name", "é")).getBytes(StandardCharsets.ISO_8859_1)),
                "1 invalid_encoding");
        fails(Moving.run(admin, "", file(CYCLE, "{\"type\":\"okr_export\",\"version\":1}")), "2 /type invalid_value");
        fails(
                Moving.run(admin, "", file("{\"type\":\"okr_export\",\"version\":2}", CYCLE)),
                "1 /version invalid_value");
        fails(
                Moving.run(admin, "", file("{\"type\":\"cycle\",\"type\":\"team\"}", "[]", "1")),
                "1 malformed_line",
                "2 malformed_line",
                "3 malformed_line");
    }

    @Test
    void empty_lines_and_a_missing_last_line_feed_do_not_matter() {
        succeeds(Moving.run(admin, "", "\n\n" + CYCLE), 1, 0, 0);
    }

    @Test
    void only_the_first_hundred_errors_are_shown() {
        var lines = IntStream.rangeClosed(1, 150).mapToObj(i -> line("goal")).toArray(String[]::new);
        var failed = Moving.run(admin, "", file(lines));
        assertThat(Moving.errors(failed))
                .hasSize(100)
                .startsWith("1 /type invalid_value")
                .endsWith("100 /type invalid_value");
        assertThat(failed.number("rejected").intValue()).isEqualTo(150);
    }

    @Test
    void values_out_of_range_are_errors() {
        fails(
                Moving.run(
                        admin,
                        "",
                        file(
                                CYCLE,
                                line("objective", "id", "o1", "title", "One", "cycle_id", "q1", "score", 1.5),
                                line(
                                        "objective",
                                        "id",
                                        "o2",
                                        "title",
                                        "Two",
                                        "cycle_id",
                                        "q1",
                                        "created_at",
                                        "2999-01-01T00:00:00Z"),
                                line("objective", "title", "Three", "cycle_id", "q1"),
                                line(
                                        "objective",
                                        "id",
                                        "o4",
                                        "title",
                                        "Four",
                                        "cycle_id",
                                        "q1",
                                        "owner_email",
                                        "x@nowhere.test"),
                                line(
                                        "check_in",
                                        "id",
                                        "c1",
                                        "key_result_id",
                                        "k9",
                                        "value",
                                        1,
                                        "recorded_at",
                                        "2020-01-01T00:00:00Z"))),
                "2 /data/score out_of_range",
                "3 /data/created_at out_of_range",
                "4 /data/id required",
                "5 /data/owner_email unknown_reference",
                "6 /data/key_result_id unknown_reference");
    }

    @Test
    void a_team_of_any_size_is_exported_and_imported() {
        int size = 1_100;
        var emails = IntStream.range(0, size)
                .mapToObj(i -> i + "." + acme.adminUser().email())
                .toList();
        var users = emails.stream()
                .map(email -> line("user", "email", email, "name", "Somebody", "role", "viewer"))
                .toArray(String[]::new);
        succeeds(Moving.run(admin, "", file(users)), size, 0, 0);
        for (var some : List.of(emails.subList(0, size / 2), emails.subList(size / 2, size))) {
            var members = some.stream()
                    .map(email -> Json.object("email", email, "role", "member"))
                    .toList();
            Moving.run(admin, "", file(line("team", "id", "t1", "name", "Everybody", "members", members)));
        }
        var export = Moving.export(admin);
        // A line has at most 1,000 members.
        assertThat(Moving.data(export, "team"))
                .hasSize(2)
                .allSatisfy(
                        team -> assertThat(team.get("members_count").intValue()).isEqualTo(size));

        succeeds(Moving.run(admin, "", export), 0, 0, Moving.lines(export).size());

        var id = Moving.data(export, "team").getFirst().get("id").textValue();
        var copied = export.lines()
                .filter(line -> line.contains("Everybody"))
                .map(line -> line.replace(id, "t2").replace("\"t1\"", "\"t2\"").replace("Everybody", "A copy"))
                .toList();
        var imported = Moving.run(admin, "", String.join("\n", copied));
        assertThat(imported.text("status")).as(imported::toString).isEqualTo("succeeded");
        assertThat(admin.get("/v1/teams?external_id=t2")
                        .is(200)
                        .data()
                        .get(0)
                        .get("members_count")
                        .intValue())
                .isEqualTo(size);
        assertThat(Moving.data(Moving.export(admin), "team")).hasSize(2 * copied.size());
    }

    @Test
    void a_team_line_with_too_many_members_is_an_error() {
        var members = IntStream.range(0, 4_001)
                .mapToObj(i -> Json.object("email", "x", "role", "member"))
                .toList();
        fails(
                Moving.run(admin, "", file(line("team", "id", "t1", "name", "Everybody", "members", members))),
                "1 /data/members too_long");
    }

    @Test
    void only_the_file_of_the_last_dry_run_is_kept() {
        for (int i = 0; i < 3; i++) {
            succeeds(Moving.run(admin, "?dry_run=true", file(CYCLE)), 1, 0, 0);
            assertThat(files()).isOne();
        }
        succeeds(Moving.run(admin, "", file(CYCLE)), 1, 0, 0);
        assertThat(files()).isZero();
    }

    private long files() {
        return TestDatabase.count("SELECT count(*) FROM import_piece WHERE organization_id = ?", acme.id());
    }

    @Test
    void limits_hold() {
        var lines = new ArrayList<>(List.of(CYCLE, line("objective", "id", "o1", "title", "One", "cycle_id", "q1")));
        for (int i = 0; i < 101; i++) {
            lines.add(keyResult(i));
        }
        fails(Moving.run(admin, "", file(lines.toArray(String[]::new))), "103 /data/objective_id limit_reached");
    }

    private static String keyResult(int number) {
        return line(
                "key_result",
                "id",
                "k" + number,
                "objective_id",
                "o1",
                "title",
                "K",
                "metric_type",
                "number",
                "start_value",
                0,
                "target_value",
                1);
    }

    @Test
    void the_limit_of_check_ins_holds_over_several_imports() {
        var objective = line("objective", "id", "o1", "title", "One", "cycle_id", "q1");
        succeeds(Moving.run(admin, "", file(CYCLE, objective, keyResult(1))), 3, 0, 0);
        succeeds(Moving.run(admin, "", file(checkIn(1), checkIn(2))), 2, 0, 0);
        var ofOrganization = " WHERE organization_id = ?";
        assertThat(TestDatabase.count("SELECT check_ins FROM key_result" + ofOrganization, acme.id()))
                .isEqualTo(2);
        TestDatabase.execute("UPDATE key_result SET check_ins = 99999" + ofOrganization, acme.id());
        fails(Moving.run(admin, "", file(checkIn(3), checkIn(1), checkIn(4))), "3 /data/key_result_id limit_reached");
        succeeds(Moving.run(admin, "", file(checkIn(1), checkIn(3))), 1, 0, 1);
        fails(Moving.run(admin, "", file(checkIn(4))), "1 /data/key_result_id limit_reached");
    }

    private static String checkIn(int day) {
        return line(
                "check_in",
                "id",
                "c" + day,
                "key_result_id",
                "k1",
                "value",
                1,
                "recorded_at",
                "2026-01-0" + day + "T00:00:00Z");
    }

    @Test
    void lines_name_no_rows_of_other_organisations() {
        var other = organization();
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var before = Moving.export(admin).lines().skip(1).toList();
        var failed = Moving.run(
                other.admin(),
                "",
                file(
                        line("objective", "id", "o1", "title", "One", "cycle_id", cycle),
                        line(
                                "key_result",
                                "id",
                                "k1",
                                "objective_id",
                                objective,
                                "title",
                                "K",
                                "metric_type",
                                "number",
                                "start_value",
                                0,
                                "target_value",
                                1),
                        line(
                                "check_in",
                                "id",
                                "c1",
                                "key_result_id",
                                keyResult,
                                "value",
                                1,
                                "recorded_at",
                                "2020-01-01T00:00:00Z"),
                        line("alignment", "parent_objective_id", objective, "child_objective_id", objective)));
        fails(
                failed,
                "1 /data/cycle_id unknown_reference",
                "2 /data/objective_id unknown_reference",
                "3 /data/key_result_id unknown_reference",
                "4 /data/child_objective_id unknown_reference",
                "4 /data/parent_objective_id unknown_reference");
        assertThat(Moving.export(admin).lines().skip(1).toList()).isEqualTo(before);
        other.admin().get("/v1/imports/" + newImport()).isNotFound();
    }

    @Test
    void an_unexpected_failure_ends_the_import_at_once_and_is_an_error_of_no_line() {
        TestDatabase.execute("""
                CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN RAISE EXCEPTION ''A test fails.''; END'
                """);
        TestDatabase.execute("CREATE TRIGGER fail BEFORE INSERT ON cycle FOR EACH ROW WHEN (NEW.name = 'Q1 2098')"
                + " EXECUTE FUNCTION fail()");
        try {
            var failed = Moving.run(admin, "", file(CYCLE));
            assertThat(failed.text("status")).isEqualTo("failed");
            var error = failed.data().get("errors").get(0);
            assertThat(error.get("code").textValue()).isEqualTo("internal_error");
            assertThat(error.has("line")).isFalse();
            assertThat(TestDatabase.count("SELECT attempts FROM import WHERE organization_id = ?", acme.id()))
                    .isOne();
        } finally {
            TestDatabase.execute("DROP TRIGGER fail ON cycle");
        }
    }

    @Test
    void two_imports_of_an_organisation_run_one_after_another() {
        var first = Moving.post(admin, "", bytes(file(CYCLE))).is(202).id();
        var second = Moving.post(admin, "", bytes(file(CYCLE))).is(202).id();
        succeeds(Moving.await(admin, first), 1, 0, 0);
        succeeds(Moving.await(admin, second), 0, 0, 1);
        assertThat(admin.get("/v1/imports").is(200).ids()).containsExactly(second, first);
    }

    @Test
    void a_repeated_request_with_an_idempotency_key_imports_once() {
        var once = admin.header("Content-Type", "application/x-ndjson").header("Idempotency-Key", "import-1");
        var first = once.post("/v1/imports", file(CYCLE)).is(202);
        var again = once.post("/v1/imports", file(CYCLE)).is(202);
        assertThat(again.text()).isEqualTo(first.text());
        assertThat(again.header("Idempotency-Replayed")).hasValue("true");
        once.post("/v1/imports", file(CYCLE, CYCLE)).isProblem(422, "idempotency_mismatch");
        Moving.await(admin, first.id());
        assertThat(admin.get("/v1/imports").ids()).containsExactly(first.id());
        assertThat(TestDatabase.count("SELECT count(*) FROM import WHERE organization_id = ?", acme.id()))
                .isOne();
    }

    @Test
    void an_export_is_compressed_on_request() throws IOException {
        newCycle();
        var compressed =
                admin.header("Accept-Encoding", "gzip").get("/v1/export").is(200);
        assertThat(compressed.header("Content-Encoding")).hasValue("gzip");
        var text = new String(
                new GZIPInputStream(new ByteArrayInputStream(compressed.bytes())).readAllBytes(),
                StandardCharsets.UTF_8);
        assertThat(Moving.lines(text)).isEqualTo(Moving.lines(Moving.export(admin)));
        assertThat(compressed.header("Content-Type")).hasValue("application/x-ndjson");
    }

    @Test
    void exports_whose_clients_disconnect_leave_room_for_the_next() throws Exception {
        var request = "GET /v1/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + acme.key(acme.adminUser().uuid()) + "\r\n\r\n";
        for (int i = 0; i < 300; i++) {
            RawHttp.abandon(service, request, Duration.ofNanos(20_000 * i));
        }
        await(() -> admin.get("/v1/export").status() == 200, () -> "an export");
    }

    @Test
    void the_export_of_a_cycle_has_only_what_is_in_it() {
        var cycle = newCycle();
        var inside = newObjective(cycle);
        newCheckIn(newKeyResult(inside, 0, 10), 5);
        var outside = newObjective();
        newCheckIn(newKeyResult(outside, 0, 10), 5);
        newAlignment(inside, outside);
        var other = newObjective(cycle);
        var alignment = newAlignment(inside, other);

        var export = admin.get("/v1/export?cycle_id=" + cycle).is(200).text();

        assertThat(Moving.data(export, "objective"))
                .extracting(each -> each.get("id").asText())
                .containsExactly(inside, other);
        assertThat(Moving.data(export, "key_result")).hasSize(1);
        assertThat(Moving.data(export, "check_in")).hasSize(1);
        assertThat(Moving.data(export, "alignment"))
                .extracting(each -> each.get("id").asText())
                .containsExactly(alignment);
        admin.get("/v1/export?cycle_id=" + organization().id()).isNotFound();
        admin.get("/v1/export?cycle=x").isMalformed();
    }
}
