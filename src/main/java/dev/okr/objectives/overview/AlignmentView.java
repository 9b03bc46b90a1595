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

    /** An objective has at most 100 children that contribute. */
    private static final int MAX_ALIGNMENTS_BELOW = 200;

    /** Enough for several of the longest chains. */
    private static final int MAX_ALIGNMENTS_ABOVE = 500;

    /**
     * A query that reads the alignments around an objective as JSON. Those above it come first. Alignments never form a
     * loop. The search finds the nearest first and stops at the limit. Both parameters are the id of the objective.
     */
    static final String AROUND = """
            WITH RECURSIVE up (id, parent, child, type, weight) AS (
                SELECT a.id, a.parent_objective_id, a.child_objective_id, a.alignment_type, a.weight
                FROM alignment a WHERE a.organization_id = :organization AND a.child_objective_id = ?
                UNION
                SELECT a.id, a.parent_objective_id, a.child_objective_id, a.alignment_type, a.weight
                FROM up
                JOIN alignment a ON a.organization_id = :organization AND a.child_objective_id = up.parent)
            SELECT json_agg(json_build_array(e.id, e.parent, e.child, e.type, coalesce(e.weight, 1)::text, e.above,
                p.title, p.status, p.progress::text) ORDER BY e.above DESC, p.created_at, p.id) AS alignments
            FROM (
                SELECT *, true AS above FROM (SELECT * FROM up LIMIT %d) nearest
                UNION ALL
                SELECT * FROM (
                    SELECT a.id, a.parent_objective_id, a.child_objective_id, a.alignment_type, a.weight, false
                    FROM alignment a WHERE a.organization_id = :organization AND a.parent_objective_id = ?
                    ORDER BY a.created_at, a.id LIMIT %d) down) e
            JOIN objective p ON p.organization_id = :organization
                AND p.id = CASE WHEN e.above THEN e.parent ELSE e.child END
            """.formatted(MAX_ALIGNMENTS_ABOVE, MAX_ALIGNMENTS_BELOW);

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
