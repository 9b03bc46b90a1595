package dev.okr.objectives;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A key result with its check-ins. */
@Schema(name = "KeyResultDetail", description = "A key result with its check-ins.")
public record KeyResultDetail(
        @JsonUnwrapped KeyResultResponse keyResult,

        @Schema(description = "The last recorded check-ins, at most 100.", maxItems = 100)
        List<CheckInSummary> checkIns) {

    private static final int MAX_CHECK_INS = 100;

    // One statement reads one snapshot. So the current value agrees with the check-ins.
    private static final String WITH_CHECK_INS = """
            SELECT %s, c.id AS check_in_id, c.value, c.note, c.created_at AS check_in_created_at
            FROM key_result k
            LEFT JOIN check_in c ON c.organization_id = :organization AND c.key_result_id = k.id
            WHERE k.organization_id = :organization AND k.id = ?
            ORDER BY coalesce(c.recorded_at, c.created_at) DESC
            LIMIT %d
            """.formatted(KeyResult.TABLE.columns("k"), MAX_CHECK_INS);

    @Schema(name = "CheckInSummary", description = "A check-in as its key result shows it.")
    public record CheckInSummary(
            @Schema(description = "The check-in's id.", examples = "ci_01k9m2x7q4e8rvb3t5w6y0zacd")
            String id,

            @Schema(description = "The value at the time.", examples = "5")
            BigDecimal value,

            @Schema(
                    description = "A comment on the value. Absent if there is none.",
                    examples = "Two large customers went live.")
            @Nullable
            String note,

            @Schema(description = "When the check-in was created.", examples = "2027-01-11T09:00:00Z")
            Instant createdAt) {

        /** Returns empty if the key result has no check-ins. The result then has one row without a check-in. */
        static Optional<CheckInSummary> read(ResultSet row) throws SQLException {
            var id = Sql.uuid(row, "check_in_id");
            return id == null
                    ? Optional.empty()
                    : Optional.of(new CheckInSummary(
                            IdKind.CHECK_IN.format(id),
                            row.getBigDecimal("value"),
                            row.getString("note"),
                            Sql.instant(row, "check_in_created_at")));
        }
    }

    /** @throws Failure if the organisation has no such key result */
    static KeyResultDetail require(String publicId) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .firstWithMany(
                                KeyResult.TABLE.reader(),
                                CheckInSummary::read,
                                KeyResultDetail::new,
                                WITH_CHECK_INS,
                                id))
                .orElseThrow(() -> Failure.notFound(KeyResult.NOUN));
    }

    /** @throws Failure if the objective has no such key result */
    static KeyResultDetail require(String objectiveId, String publicId) {
        var detail = require(publicId);
        if (!detail.keyResult.objectiveId().equals(objectiveId)) {
            throw Failure.notFound(KeyResult.NOUN);
        }
        return detail;
    }
}
