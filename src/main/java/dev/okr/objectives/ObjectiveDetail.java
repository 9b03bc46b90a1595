package dev.okr.objectives;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** An objective with its key results. */
@Schema(name = "ObjectiveDetail", description = "An objective with its key results.")
public record ObjectiveDetail(
        @JsonUnwrapped ObjectiveResponse objective,

        @Schema(description = "The newest key results, at most 100.", maxItems = 100)
        List<KeyResultSummary> keyResults) {

    private static final int MAX_KEY_RESULTS = 100;

    private static final String KEY_RESULT = """
            k.id AS key_result_id, k.title AS key_result_title, k.current_value, k.target_value,
                k.progress AS key_result_progress""";

    private static final String NEWEST = "ORDER BY k.created_at DESC, k.id DESC LIMIT " + MAX_KEY_RESULTS;

    // One statement reads one snapshot. So the progress is the mean of the key results.
    // A join would send the long texts of the objective with each key result.
    private static final String WITH_KEY_RESULTS =
            """
            SELECT %s, NULL AS key_result_id, NULL AS key_result_title, NULL AS current_value, NULL AS target_value,
                NULL AS key_result_progress
            FROM objective o WHERE o.organization_id = :organization AND o.id = ?
            UNION ALL
            (SELECT %s, %s FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = ? %s)
            """.formatted(Objective.TABLE.columns("o"), Objective.TABLE.nulls(), KEY_RESULT, NEWEST);

    private static final String KEY_RESULTS_IF_OPEN = """
            %s;
            SELECT %s FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = ? %s
            """.formatted(ClosedCycle.READ, KEY_RESULT, NEWEST);

    @Schema(name = "KeyResultSummary", description = "A key result as its objective shows it.")
    public record KeyResultSummary(
            @Schema(description = "The key result's id.", examples = "kr_01k9m2x7q4e8rvb3t5w6y0zacd")
            String id,

            @Schema(description = "What is measured.", examples = "Onboarded customers")
            String title,

            @Schema(description = "The current value.", examples = "5")
            BigDecimal currentValue,

            @Schema(description = "The value to reach.", examples = "10")
            BigDecimal targetValue,

            @Schema(description = "The progress, from 0 to 1.", minimum = "0", maximum = "1", examples = "0.5")
            BigDecimal progress) {

        static KeyResultSummary read(ResultSet row) throws SQLException {
            return new KeyResultSummary(
                    IdKind.KEY_RESULT.format(Sql.uuid(row, "key_result_id")),
                    row.getString("key_result_title"),
                    row.getBigDecimal("current_value"),
                    row.getBigDecimal("target_value"),
                    row.getBigDecimal("key_result_progress"));
        }
    }

    /** @throws Failure if the organisation has no such objective */
    static ObjectiveDetail require(String publicId) {
        return IdKind.OBJECTIVE
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .firstOfUnion(
                                Objective.TABLE.reader(),
                                "key_result_id",
                                KeyResultSummary::read,
                                ObjectiveDetail::new,
                                WITH_KEY_RESULTS,
                                id,
                                id))
                .orElseThrow(Objective::notFound);
    }

    /**
     * The key results of an objective in an open cycle. Under the lock on the objective, they do not change.
     *
     * @throws Failure if the cycle is closed
     */
    static List<KeyResultSummary> keyResultsIfOpen(UUID objective, UUID cycle) {
        return TenantSql.current()
                .results(
                        results -> {
                            ClosedCycle.refuse(
                                    results.first(row -> row.getBoolean(1)).orElse(false), cycle);
                            return results.next(KeyResultSummary::read);
                        },
                        KEY_RESULTS_IF_OPEN,
                        cycle,
                        objective);
    }
}
