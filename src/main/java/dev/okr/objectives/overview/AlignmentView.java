package dev.okr.objectives.overview;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.objectives.AlignmentType;
import dev.okr.objectives.ObjectiveStatus;
import dev.okr.platform.http.EnumNames;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An alignment near an objective, with the objective at its other end.
 *
 * @param above whether the other objective is above, as the parent of this alignment
 * @param title of the other objective, like its status and its progress
 */
public record AlignmentView(
        UUID id,
        UUID parentId,
        UUID childId,
        AlignmentType type,
        BigDecimal weight,
        boolean above,
        String title,
        ObjectiveStatus status,
        BigDecimal progress) {

    /** The maximum number of alignments. An objective has at most 100 children that contribute. */
    static final int MAX_ALIGNMENTS = 200;

    /** The maximum length of a chain of alignments. */
    private static final int MAX_DISTANCE = 10;

    /** The alignments around the objective {@code o} in JSON. Those above it come first, nearest first. */
    static final String AROUND = """
            (WITH RECURSIVE up (id, parent, child, type, weight, distance) AS (
                SELECT a.id, a.parent_objective_id, a.child_objective_id, a.alignment_type, a.weight, 1
                FROM alignment a WHERE a.organization_id = :organization AND a.child_objective_id = o.id
                UNION
                SELECT a.id, a.parent_objective_id, a.child_objective_id, a.alignment_type, a.weight, up.distance + 1
                FROM up
                JOIN alignment a ON a.organization_id = :organization AND a.child_objective_id = up.parent
                WHERE up.distance < %d)
            SELECT json_agg(json_build_array(e.id, e.parent, e.child, e.type, coalesce(e.weight, 1)::text, e.above,
                p.title, p.status, p.progress::text) ORDER BY e.distance, p.created_at, p.id)
            FROM (
                SELECT id, parent, child, type, weight, min(distance) AS distance, true AS above FROM up
                GROUP BY id, parent, child, type, weight
                UNION ALL
                SELECT * FROM (
                    SELECT a.id, a.parent_objective_id, a.child_objective_id, a.alignment_type, a.weight, %d, false
                    FROM alignment a WHERE a.organization_id = :organization AND a.parent_objective_id = o.id
                    ORDER BY a.created_at, a.id LIMIT %d) down) e
            JOIN objective p ON p.organization_id = :organization
                AND p.id = CASE WHEN e.above THEN e.parent ELSE e.child END)""".formatted(MAX_DISTANCE, MAX_DISTANCE + 1, MAX_ALIGNMENTS);

    static List<AlignmentView> readAll(@Nullable String json) {
        return JsonRows.read(json, AlignmentView::read);
    }

    private static AlignmentView read(JsonNode row) {
        return new AlignmentView(
                UUID.fromString(row.get(0).asText()),
                UUID.fromString(row.get(1).asText()),
                UUID.fromString(row.get(2).asText()),
                EnumNames.parse(AlignmentType.class, row.get(3).asText()).orElseThrow(),
                new BigDecimal(row.get(4).asText()),
                row.get(5).asBoolean(),
                row.get(6).asText(),
                ObjectiveView.status(row.get(7).asText()),
                new BigDecimal(row.get(8).asText()));
    }
}
