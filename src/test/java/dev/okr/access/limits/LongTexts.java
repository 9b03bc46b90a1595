package dev.okr.access.limits;

import dev.okr.testing.TestDatabase;
import java.util.UUID;

/** Objectives with long descriptions, above another one. SQL makes hundreds of them in much less time than the API. */
final class LongTexts {
    static final int CHARACTERS = 8_000;

    private static final String PARENTS = """
            INSERT INTO objective (organization_id, id, title, description, owner_id, cycle_id, progress, status,
                created_at, updated_at, rolls_up)
            SELECT organization_id, gen_random_uuid(), 'Parent of ' || id, repeat(U&'\\+01F680', ?), owner_id, cycle_id,
                0, 'not_started', now(), now(), true
            FROM objective CROSS JOIN generate_series(1, ?) WHERE organization_id = ? AND id = ?
            """;

    private static final String ALIGNMENTS = """
            INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id, alignment_type, weight,
                created_at, updated_at)
            SELECT organization_id, gen_random_uuid(), id, ?::uuid, 'contributes_to', 1, now(), now()
            FROM objective WHERE organization_id = ? AND title = 'Parent of ' || ?::uuid
            """;

    private LongTexts() {}

    /** Creates parents to which an objective contributes. */
    static void above(UUID organization, UUID child, int parents) {
        TestDatabase.execute(PARENTS, CHARACTERS / 2, parents, organization, child);
        TestDatabase.execute(ALIGNMENTS, child, organization, child);
        TestDatabase.execute(
                "UPDATE objective SET rolls_up = true WHERE organization_id = ? AND id = ?", organization, child);
    }
}
