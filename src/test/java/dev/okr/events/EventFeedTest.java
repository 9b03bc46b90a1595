package dev.okr.events;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The list of events with the oldest first, which clients follow. */
@QuarkusTest
class EventFeedTest extends HttpTest {
    protected static final Duration IDLE = Duration.ofSeconds(10);

    private static final String FEED = "/v1/events?order=asc";
    private static final int MAX_SECONDS = 120;
    private static final String INSERT = """
            INSERT INTO event (organization_id, id, type, resource_id, created_at, payload) VALUES (?, ?, ?, ?, now(), ?)
            """;

    /** A client that stores its last cursor. */
    protected static final class Follower {
        private final List<Api> replicas;
        private final int perPage;
        private final List<JsonNode> read = new ArrayList<>();
        private String cursor = "";
        private int requests;

        Follower(int perPage, Api... replicas) {
            this.perPage = perPage;
            this.replicas = List.of(replicas);
        }

        /** Reads until a page is empty. */
        List<JsonNode> catchUp() {
            while (poll() > 0) {
                // The next page.
            }
            return read;
        }

        int poll() {
            var api = replicas.get(requests++ % replicas.size());
            var page =
                    api.get(FEED + "&per_page=" + perPage + "&cursor=" + cursor).is(200);
            page.data().forEach(read::add);
            cursor = page.meta().required("next_cursor").textValue();
            return page.data().size();
        }

        List<String> ids() {
            return read.stream().map(event -> event.get("id").textValue()).toList();
        }
    }

    @Test
    void events_are_listed_oldest_first_with_a_next_cursor_on_every_page() {
        var empty = admin.get(FEED).is(200);
        assertThat(empty.data()).isEmpty();
        assertThat(empty.meta().get("next_cursor").textValue()).isNotEmpty();

        var objective = newObjective();
        var first = admin.get(FEED + "&per_page=1").is(200);
        assertThat(types(first)).containsExactly("cycle.created");
        assertThat(first.meta().get("total").intValue()).isEqualTo(2);
        assertThat(first.header("Link").orElseThrow())
                .contains("order=asc", "rel=\"first\"", "cursor=" + next(first) + "&", "rel=\"next\"");
        var second = admin.get(FEED + "&per_page=1&cursor=" + next(first)).is(200);
        assertThat(types(second)).containsExactly("objective.created");
        assertThat(second.meta().get("total").intValue()).isOne();
        var end = admin.get(FEED + "&cursor=" + next(second)).is(200);
        assertThat(end.data()).isEmpty();
        assertThat(end.meta().get("total").intValue()).isZero();

        admin.put(Paths.objective(objective), object("title", "New")).is(200);
        assertThat(types(admin.get(FEED + "&cursor=" + next(end)))).containsExactly("objective.updated");
        assertThat(types(admin.get(FEED + "&cursor=" + next(empty))))
                .containsExactly("cycle.created", "objective.created", "objective.updated");
        assertThat(admin.get("/v1/events?order=desc")
                        .is(200)
                        .data()
                        .get(0)
                        .get("type")
                        .textValue())
                .isEqualTo("objective.updated");
    }

    @Test
    void filters_skip_events_and_the_cursor_passes_them() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var updates = FEED + "&type=objective.updated";
        var none = admin.get(updates).is(200);
        assertThat(none.data()).isEmpty();
        assertThat(none.meta().get("total").intValue()).isZero();
        admin.put(Paths.objective(objective), object("title", "New")).is(200);
        assertThat(types(admin.get(updates + "&cursor=" + next(none)))).containsExactly("objective.updated");
        assertThat(types(admin.get(FEED + "&resource_id=" + objective)))
                .containsExactly("objective.created", "objective.updated");
        assertThat(admin.get(FEED + "&since=2099-01-01T00:00:00Z").is(200).data())
                .isEmpty();
        assertThat(admin.get(FEED + "&since=2020-01-01T00:00:00Z").is(200).data())
                .hasSize(3);
        // The cursor of one filter works with another one.
        assertThat(types(admin.get(FEED + "&cursor=" + next(none)))).containsExactly("objective.updated");
    }

    @Test
    void a_wrong_order_or_cursor_is_malformed() {
        newCycle();
        newCycle();
        admin.get("/v1/events?order=up").isMalformed();
        admin.get("/v1/events?order=").isMalformed();
        admin.get(FEED + "&page=1").isMalformed();
        admin.get(FEED + "&sort=created_at").isMalformed();
        var newestFirst = admin.get("/v1/events?per_page=1&cursor=").is(200);
        for (var cursor : List.of("x", "%00", "AAAA", "\"'--", next(newestFirst), cursor(-1, 0), cursor(1, -1))) {
            admin.get(FEED + "&cursor=" + URLEncoder.encode(cursor, StandardCharsets.UTF_8))
                    .isMalformed();
        }
        admin.get("/v1/events?cursor=" + next(admin.get(FEED))).isMalformed();
    }

    @Test
    void a_cursor_expires_after_30_days_without_a_request() {
        newCycle();
        long now = Instant.now().getEpochSecond();
        var days = Duration.ofDays(1).toSeconds();
        admin.get(FEED + "&cursor=" + cursor(1, now - 30 * days + 60)).is(200);
        admin.get(FEED + "&cursor=" + cursor(1, now - 30 * days - 3_660)).isProblem(410, "cursor_expired");
        // A client that polls gets a new cursor, even if nothing happens.
        var polled = admin.get(FEED + "&cursor=" + cursor(Instant.now().toEpochMilli() * 2_000, now - 29 * days));
        assertThat(polled.is(200).data()).isEmpty();
        assertThat(ByteBuffer.wrap(Base64.getUrlDecoder().decode(next(polled))).getLong(Long.BYTES))
                .isGreaterThan(now - 60);
    }

    @Test
    void a_reader_without_a_cursor_gets_no_events_that_are_older_than_30_days() {
        var old = Instant.now().minus(Duration.ofDays(30)).minusSeconds(600);
        for (int i = 0; i < 30; i++) {
            var id = UuidV7.at(old.plusMillis(i));
            TestDatabase.execute(INSERT, acme.id(), id, "cycle.created", "cyc_1", payload(id, "cycle.created"));
        }
        TestDatabase.execute(
                "UPDATE event SET created_at = now() - interval '30 days 10 minutes' WHERE organization_id = ?",
                acme.id());
        newCycle();
        assertThat(new Follower(25, admin).catchUp()).hasSize(1);
    }

    @Test
    void events_of_earlier_versions_come_first_in_the_order_of_their_ids() {
        newCycle();
        var old = List.of(
                UuidV7.at(Instant.now().minusSeconds(20)),
                UuidV7.at(Instant.now().minusSeconds(10)));
        for (var id : old.reversed()) {
            TestDatabase.execute(INSERT, acme.id(), id, "cycle.created", "cyc_1", payload(id, "cycle.created"));
            TestDatabase.execute(
                    "UPDATE event SET written_at = NULL, position = NULL WHERE organization_id = ? AND id = ?",
                    acme.id(),
                    id);
        }
        assertThat(admin.get(FEED).is(200).ids())
                .startsWith(IdKind.EVENT.format(old.getFirst()), IdKind.EVENT.format(old.getLast()))
                .hasSize(3);
    }

    @Test
    void a_transaction_that_stays_open_for_10_seconds_is_read_after_its_commit() throws Exception {
        follow(admin);
    }

    @Test
    void two_readers_of_one_page_size_see_the_same_order_while_many_write() throws Exception {
        var cycle = newCycle();
        var done = new AtomicBoolean();
        try (var threads = Executors.newCachedThreadPool()) {
            var writers = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                writers.add(threads.submit(() -> {
                    var keyResult = newKeyResult(newObjective(cycle), 0, 1_000);
                    for (int value = 1; value <= 30; value++) {
                        newCheckIn(keyResult, value);
                    }
                }));
            }
            var readers = List.of(new Follower(7, admin), new Follower(100, admin), new Follower(1, admin));
            var reading = new ArrayList<Future<?>>();
            for (var reader : readers) {
                reading.add(threads.submit(() -> {
                    while (!done.get()) {
                        reader.poll();
                    }
                }));
            }
            for (var writer : writers) {
                writer.get(MAX_SECONDS, TimeUnit.SECONDS);
            }
            done.set(true);
            for (var reader : reading) {
                reader.get(MAX_SECONDS, TimeUnit.SECONDS);
            }
            readers.forEach(Follower::catchUp);
            var all = dev.okr.testing.Events.export(admin, "/v1/events?per_page=100");
            assertThat(readers.getFirst().ids())
                    .doesNotHaveDuplicates()
                    .hasSameSizeAs(all)
                    .isEqualTo(readers.get(1).ids())
                    .isEqualTo(readers.get(2).ids());
            assertOrderOfEachResource(readers.getFirst().read);
        }
    }

    @Test
    void another_organisation_reads_nothing_and_a_foreign_cursor_shows_nothing_foreign() {
        newCycle();
        var other = organization();
        assertThat(other.admin().get(FEED).is(200).data()).isEmpty();
        assertThat(other.admin()
                        .get(FEED + "&cursor=" + next(admin.get(FEED)))
                        .is(200)
                        .data())
                .isEmpty();
        member.get(FEED).isProblem(403, "forbidden");
        acme.scoped("read", "write").get(FEED).isProblem(403, "insufficient_scope");
        stranger().get(FEED).isProblem(401, "unauthenticated");
    }

    @Test
    void more_events_than_one_step_orders_are_read_completely() {
        for (int i = 0; i < 2_500; i++) {
            var id = UuidV7.at(Instant.now());
            TestDatabase.execute(INSERT, acme.id(), id, "cycle.created", "cyc_1", payload(id, "cycle.created"));
        }
        var follower = new Follower(100, admin);
        assertThat(follower.catchUp()).hasSize(2_500);
        assertThat(follower.ids()).doesNotHaveDuplicates();
        assertThat(admin.get(FEED + "&type=objective.created").is(200).data()).isEmpty();
    }

    @Test
    void events_are_read_while_an_import_holds_the_lock_on_the_organisation() throws Exception {
        var cycle = newCycle();
        var follower = new Follower(3, admin);
        var late = UuidV7.at(Instant.now());
        try (var connection = TestDatabase.connect();
                var lock = connection.prepareStatement("SELECT 1 FROM organization WHERE id = ? FOR NO KEY UPDATE")) {
            connection.setAutoCommit(false);
            lock.setObject(1, acme.id());
            lock.executeQuery();
            insert(connection, late);
            newObjective(cycle);
            assertThat(follower.catchUp()).hasSize(2);
            newObjective(cycle);
            assertThat(follower.catchUp()).hasSize(3);
            connection.commit();
        }
        follower.catchUp();
        assertThat(follower.ids()).hasSize(4).last().isEqualTo(IdKind.EVENT.format(late));
    }

    /** Follows the events while a transaction with an event stays open. The replicas take turns. */
    protected final void follow(Api... replicas) throws Exception {
        var follower = new Follower(3, replicas);
        var cycle = newCycle();
        follower.catchUp();
        var late = UuidV7.at(Instant.now());
        try (var connection =
                DriverManager.getConnection(TestDatabase.jdbcUrl(), TestDatabase.username(), TestDatabase.password())) {
            connection.setAutoCommit(false);
            insert(connection, late);
            var end = Instant.now().plus(IDLE);
            while (Instant.now().isBefore(end)) {
                newObjective(cycle);
                follower.catchUp();
                Thread.sleep(300);
            }
            assertThat(follower.ids()).hasSizeGreaterThan(10).doesNotContain(IdKind.EVENT.format(late));
            connection.commit();
        }
        newObjective(cycle);
        follower.catchUp();
        assertThat(follower.ids())
                .doesNotHaveDuplicates()
                .contains(IdKind.EVENT.format(late))
                .containsExactlyInAnyOrderElementsOf(
                        admin.get("/v1/events?per_page=100").ids());
    }

    private void insert(Connection connection, UUID id) throws SQLException {
        try (var statement = connection.prepareStatement(INSERT)) {
            statement.setObject(1, acme.id());
            statement.setObject(2, id);
            statement.setString(3, "cycle.updated");
            statement.setString(4, "cyc_1");
            statement.setString(5, payload(id, "cycle.updated"));
            statement.executeUpdate();
        }
    }

    private static String payload(UUID id, String type) {
        return "{\"id\":\"%s\",\"type\":\"%s\",\"timestamp\":\"2027-01-11T09:00:00Z\",\"data\":{}}"
                .formatted(IdKind.EVENT.format(id), type);
    }

    /** The values of each key result increase. */
    private static void assertOrderOfEachResource(List<JsonNode> events) {
        var values = new HashMap<String, Integer>();
        for (var event : events) {
            if (event.get("type").textValue().equals("key_result.updated")) {
                var keyResult = event.at("/data/id").textValue();
                int value = event.at("/data/current_value").intValue();
                assertThat(values.getOrDefault(keyResult, 0)).isEqualTo(value - 1);
                values.put(keyResult, value);
            }
        }
        assertThat(values)
                .hasSize(4)
                .allSatisfy((id, value) -> assertThat(value).isEqualTo(30));
    }

    private static String cursor(long position, long seconds) {
        var bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(position)
                .putLong(seconds)
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String next(Answer page) {
        return page.meta().required("next_cursor").textValue();
    }

    private static List<String> types(Answer events) {
        return events.is(200)
                .data()
                .valueStream()
                .map(event -> event.get("type").textValue())
                .toList();
    }
}
