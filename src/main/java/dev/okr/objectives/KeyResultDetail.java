package dev.okr.objectives;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A key result with its check-ins. */
@Schema(name = "KeyResultDetail", description = "A key result with its check-ins.")
public record KeyResultDetail(
        @Schema(description = "The key result's id.", required = true, examples = "kr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The id of the objective.", required = true, examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String objectiveId,

        @Schema(description = "What is measured.", required = true, examples = "Onboarded customers")
        String title,

        @Schema(description = "What the values measure.", required = true, examples = "number")
        MetricType metricType,

        @Schema(description = "The value at the start.", required = true, examples = "0")
        BigDecimal startValue,

        @Schema(description = "The current value.", required = true, examples = "5")
        BigDecimal currentValue,

        @Schema(description = "The value to reach.", required = true, examples = "10")
        BigDecimal targetValue,

        @Schema(
                description = "The progress from start to target, from 0 to 1, with at most 4 decimals.",
                required = true,
                minimum = "0",
                maximum = "1",
                examples = "0.5")
        BigDecimal progress,

        @Schema(
                description = "The id of the user who owns the key result.",
                required = true,
                examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String ownerId,

        @Schema(description = "The newest check-ins, at most 100.", required = true, maxItems = 100)
        List<CheckInSummary> checkIns,

        @Schema(description = "When the key result was created.", required = true, examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "When a field of the key result last changed, including its progress.",
                required = true,
                examples = "2027-01-11T09:00:00Z")
        Instant updatedAt) {

    private static final int MAX_CHECK_INS = 100;

    // One statement reads one snapshot. So the current value agrees with the check-ins.
    private static final String WITH_CHECK_INS = """
            SELECT %s, c.id AS check_in_id, c.value, c.note, c.created_at AS check_in_created_at
            FROM key_result k
            LEFT JOIN check_in c ON c.organization_id = :organization AND c.key_result_id = k.id
            WHERE k.organization_id = :organization AND k.id = ? AND k.objective_id = ?
            ORDER BY c.created_at DESC, c.id DESC
            LIMIT %d
            """.formatted(KeyResult.TABLE.columns("k"), MAX_CHECK_INS);

    /** A check-in as its key result shows it. */
    @Schema(name = "CheckInSummary", description = "A check-in as its key result shows it.")
    public record CheckInSummary(
            @Schema(description = "The check-in's id.", required = true, examples = "ci_01k9m2x7q4e8rvb3t5w6y0zacd")
            String id,

            @Schema(description = "The value at the time.", required = true, examples = "5")
            BigDecimal value,

            @Schema(
                    description = "A comment on the value. Absent if there is none.",
                    examples = "Two large customers went live.")
            @Nullable
            String note,

            @Schema(description = "When the check-in was created.", required = true, examples = "2027-01-11T09:00:00Z")
            Instant createdAt) {}

    /**
     * A row of the query. Only the first row reads the key result. A row has no check-in if the key result has none.
     */
    private record Row(
            @Nullable KeyResultResponse keyResult, @Nullable CheckInSummary checkIn) {
        static Row read(ResultSet row) throws SQLException {
            var id = Sql.uuid(row, "check_in_id");
            var keyResult = row.getRow() == 1 ? KeyResult.TABLE.reader().read(row) : null;
            return new Row(keyResult, id == null ? null : checkIn(id, row));
        }

        private static CheckInSummary checkIn(UUID id, ResultSet row) throws SQLException {
            return new CheckInSummary(
                    IdKind.CHECK_IN.format(id),
                    row.getBigDecimal("value"),
                    row.getString("note"),
                    Sql.instant(row, "check_in_created_at"));
        }
    }

    /** @throws Failure if the objective has no such key result */
    static KeyResultDetail require(String objectiveId, String publicId) {
        var rows = IdKind.OBJECTIVE
                .parse(objectiveId)
                .flatMap(parent -> IdKind.KEY_RESULT.parse(publicId).map(id -> rows(parent, id)))
                .orElse(List.of());
        if (rows.isEmpty()) {
            throw Failure.notFound("key result");
        }
        var checkIns = rows.stream().map(Row::checkIn).filter(Objects::nonNull).toList();
        var keyResult = Objects.requireNonNull(rows.getFirst().keyResult());
        return of(keyResult, checkIns);
    }

    /** The detail of a new key result, without check-ins. */
    static KeyResultDetail ofNew(KeyResultResponse keyResult) {
        return of(keyResult, List.of());
    }

    private static KeyResultDetail of(KeyResultResponse keyResult, List<CheckInSummary> checkIns) {
        return new KeyResultDetail(
                keyResult.id(),
                keyResult.objectiveId(),
                keyResult.title(),
                keyResult.metricType(),
                keyResult.startValue(),
                keyResult.currentValue(),
                keyResult.targetValue(),
                keyResult.progress(),
                keyResult.ownerId(),
                checkIns,
                keyResult.createdAt(),
                keyResult.updatedAt());
    }

    private static List<Row> rows(UUID objectiveId, UUID id) {
        return TenantSql.current().list(Row::read, WITH_CHECK_INS, id, objectiveId);
    }
}
