package dev.okr.objectives.explanation;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.progress.Pace;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** Explains the progress of an objective. */
@Schema(name = "ProgressExplanation", description = "Explains the progress of an objective.")
public record ProgressExplanation(
        @Schema(description = "The id of the objective.", examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String objectiveId,

        @Schema(description = "Its progress.", minimum = "0", maximum = "1", examples = "0.4")
        BigDecimal progress,

        @Schema(
                description = "The elapsed part of the cycle, with at most 4 decimals.",
                minimum = "0",
                maximum = "1",
                examples = "0.57")
        BigDecimal expectedProgress,

        @Schema(
                description =
                        "The status that fits the progress and the elapsed time. The service never sets the status "
                                + "itself.",
                examples = "at_risk")
        ObjectiveStatus suggestedStatus,

        @Schema(
                description = "The key results and objectives that count, at most 1,000. Key results come first, each "
                        + "kind oldest first.",
                maxItems = 1_000)
        List<Contribution> contributions,

        @Schema(description = "Sentences for people that explain the progress.", maxItems = 20)
        List<String> reasons) {

    private static final int MAX_CONTRIBUTIONS = 1_000;

    private static final BigDecimal EARLY = new BigDecimal("0.1");
    private static final BigDecimal MAX_GAP_ON_TRACK = new BigDecimal("0.1");
    private static final BigDecimal MAX_GAP_AT_RISK = new BigDecimal("0.25");

    // One statement reads one snapshot. So the points add up to the progress.
    private static final String READ = """
            SELECT o.progress AS stored_progress, c.closed_at IS NOT NULL AS closed, c.starts_at, c.ends_at,
                (SELECT count(*) FROM alignment s
                    WHERE s.organization_id = :organization AND s.parent_objective_id = o.id
                        AND s.alignment_type = 'supports') AS supporting,
                i.*, sum(i.weight) OVER () AS weights
            FROM objective o
            JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            LEFT JOIN LATERAL (
                SELECT 'key_result' AS type, k.id, k.title, k.weight, k.progress, k.created_at,
                    k.start_value, k.current_value, k.target_value,
                    (SELECT max(coalesce(r.recorded_at, r.created_at)) FROM check_in r
                        WHERE r.organization_id = :organization AND r.key_result_id = k.id) AS last_check_in_at
                FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = o.id
                UNION ALL
                SELECT 'objective', p.id, p.title, a.weight, p.progress, a.created_at, NULL, NULL, NULL, NULL
                FROM alignment a JOIN objective p ON p.organization_id = :organization AND p.id = a.child_objective_id
                WHERE a.organization_id = :organization AND a.parent_objective_id = o.id
                    AND a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL) i ON true
            WHERE o.organization_id = :organization AND o.id = ?
            ORDER BY i.type, i.created_at, i.id LIMIT ?
            """;

    /**
     * The objective whose progress is explained.
     *
     * @param supporting the number of children that only support it
     */
    record Subject(BigDecimal progress, boolean closed, Instant startsAt, Instant endsAt, long supporting) {
        static Subject read(ResultSet row) throws SQLException {
            return new Subject(
                    row.getBigDecimal("stored_progress"),
                    row.getBoolean("closed"),
                    Sql.instant(row, "starts_at"),
                    Sql.instant(row, "ends_at"),
                    row.getLong("supporting"));
        }
    }

    /** @throws Failure if the organisation has no such objective */
    public static ProgressExplanation require(String publicId, Instant now) {
        return IdKind.OBJECTIVE
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .firstWithMany(
                                Subject::read,
                                Contribution::read,
                                (subject, contributions) -> of(publicId, subject, contributions, now),
                                READ,
                                id,
                                MAX_CONTRIBUTIONS))
                .orElseThrow(() -> Failure.notFound("objective"));
    }

    private static ProgressExplanation of(String id, Subject subject, List<Contribution> contributions, Instant now) {
        var expected = Pace.expected(subject.startsAt, subject.endsAt, now);
        return new ProgressExplanation(
                id,
                subject.progress,
                expected,
                suggestedStatus(subject.progress, expected),
                contributions,
                Reasons.of(subject, contributions));
    }

    /** The status that fits the progress, compared with the expected progress. */
    public static ObjectiveStatus suggestedStatus(BigDecimal progress, BigDecimal expected) {
        if (progress.compareTo(BigDecimal.ONE) == 0) {
            return ObjectiveStatus.COMPLETED;
        }
        if (progress.signum() == 0 && expected.compareTo(EARLY) < 0) {
            return ObjectiveStatus.NOT_STARTED;
        }
        var gap = expected.subtract(progress);
        if (gap.compareTo(MAX_GAP_ON_TRACK) <= 0) {
            return ObjectiveStatus.ON_TRACK;
        }
        return gap.compareTo(MAX_GAP_AT_RISK) <= 0 ? ObjectiveStatus.AT_RISK : ObjectiveStatus.BEHIND;
    }
}
