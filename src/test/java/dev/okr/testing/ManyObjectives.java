package dev.okr.testing;

import dev.okr.platform.ids.IdKind;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Inserts many objectives and alignments, because thousands of requests take long. */
public final class ManyObjectives {
    private ManyObjectives() {}

    /**
     * Inserts objectives without progress, and returns their ids.
     *
     * @param cycle its public id
     */
    public static List<UUID> insert(TestOrganization organization, String cycle, int number) {
        var ids = Stream.generate(UUID::randomUUID).limit(number).toList();
        // The triggers of the previous version would add each objective to the totals of the cycle.
        TestDatabase.execute("SET okr.cycle_totals = 'program'");
        TestDatabase.execute(
                """
                INSERT INTO objective (organization_id, id, title, owner_id, cycle_id, progress, status, created_at,
                    updated_at)
                SELECT ?, id, 'O', ?, ?, 0, 'on_track', now(), now() FROM unnest(?::uuid[]) id
                """, organization.id(), organization.adminUser().uuid(), IdKind.CYCLE.require(cycle), array(ids));
        TestDatabase.execute("RESET okr.cycle_totals");
        return ids;
    }

    /** Makes each child contribute to each parent. */
    public static void align(TestOrganization organization, List<UUID> parents, List<UUID> children) {
        TestDatabase.execute("""
                INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id, alignment_type, weight,
                    created_at, updated_at)
                SELECT ?, gen_random_uuid(), p, c, 'contributes_to', 1, now(), now()
                FROM unnest(?::uuid[]) p, unnest(?::uuid[]) c
                """, organization.id(), array(parents), array(children));
        TestDatabase.execute(
                "UPDATE objective SET rolls_up = true WHERE organization_id = ?"
                        + " AND id = ANY (?::uuid[] || ?::uuid[])",
                organization.id(),
                array(parents),
                array(children));
    }

    /** The text of an array. */
    public static String array(List<UUID> ids) {
        return ids.stream().map(UUID::toString).collect(Collectors.joining(",", "{", "}"));
    }
}
