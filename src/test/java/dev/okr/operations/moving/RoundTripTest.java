package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What an organisation exports, another one can import and export again. */
@QuarkusTest
class RoundTripTest extends HttpTest {
    private static final int OBJECTIVES = Integer.getInteger("okr.test.objectives", 200);

    private static final String WRONG_PROGRESS = """
            SELECT count(*) FROM objective o WHERE o.organization_id = ? AND o.progress <> coalesce((
                SELECT round(sum(i.weight * i.progress) / nullif(sum(i.weight), 0), 4) FROM (
                    SELECT k.weight, k.progress FROM key_result k
                    WHERE k.organization_id = o.organization_id AND k.objective_id = o.id
                    UNION ALL
                    SELECT a.weight, c.progress FROM alignment a
                    JOIN objective c ON c.organization_id = a.organization_id AND c.id = a.child_objective_id
                    WHERE a.organization_id = o.organization_id AND a.parent_objective_id = o.id
                        AND a.alignment_type = 'contributes_to') i), 0)
            """;
    private static final String WRONG_TOTALS = """
            SELECT count(*) FROM cycle c WHERE c.organization_id = ? AND (
                SELECT coalesce(sum(t.objectives), 0) + coalesce(sum(t.progress), 0) FROM cycle_totals t
                WHERE t.organization_id = c.organization_id AND t.cycle_id = c.id)
            <> (SELECT count(*) + coalesce(sum(o.progress), 0) FROM objective o
                WHERE o.organization_id = c.organization_id AND o.cycle_id = c.id)
            """;
    private static final String WITHOUT_WORDS = """
            SELECT count(*) FROM objective o
            LEFT JOIN objective_words w ON w.organization_id = o.organization_id AND w.id = o.id
            WHERE o.organization_id = ? AND w.words IS NULL
            """;

    @Test
    void random_objectives_survive_the_way_through_two_organisations() {
        var run = UUID.randomUUID().toString();
        for (long seed = 1; seed <= 2; seed++) {
            var first = organization();
            var domain = "first" + seed + run + ".test";
            var file = RandomFile.of(seed, domain, OBJECTIVES);

            var imported = Moving.run(first.admin(), "", file);

            assertThat(imported.text("status")).as(imported::toString).isEqualTo("succeeded");
            requireExact(first.id());
            var exported = withoutAdmins(Moving.export(first.admin()), "acme.test");
            var second = organization();
            // Users belong to one organisation of the service.
            var moved = exported.replace(domain, "second" + seed + run + ".test")
                    .replaceAll(
                            "-8000-[0-9a-f]{12}@erased",
                            "-8000-%012x@erased".formatted(seed + run.hashCode() * 4L & 0xFFFFFFFFFFL));
            Moving.run(second.admin(), "", moved);
            requireExact(second.id());
            var again = withoutAdmins(Moving.export(second.admin()), "acme.test");
            assertThat(Moving.comparable(again)).isEqualTo(Moving.comparable(moved));
            var unchanged = Moving.run(second.admin(), "", moved);
            Moving.succeeds(unchanged, 0, 0, Moving.lines(moved).size());
            assertThat(withoutAdmins(Moving.export(second.admin()), "acme.test")
                            .lines()
                            .skip(1))
                    .containsExactlyElementsOf(again.lines().skip(1).toList());
        }
    }

    /** The users of a test organisation are not in the file. */
    private static String withoutAdmins(String export, String domain) {
        return String.join(
                        "\n",
                        export.lines()
                                .filter(line -> !(line.startsWith("{\"type\":\"user\"") && line.contains('@' + domain)))
                                .toList())
                + "\n";
    }

    private static void requireExact(UUID organization) {
        assertThat(TestDatabase.count(WRONG_PROGRESS, organization)).isZero();
        assertThat(TestDatabase.count(WRONG_TOTALS, organization)).isZero();
        assertThat(TestDatabase.count(WITHOUT_WORDS, organization)).isZero();
    }
}
