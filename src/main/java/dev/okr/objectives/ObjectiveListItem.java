package dev.okr.objectives;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An objective in a list. It has its key results if the request includes them. */
@Schema(name = "ObjectiveListItem", description = "An objective in a list.")
public record ObjectiveListItem(
        @JsonUnwrapped ObjectiveResponse objective,

        @Schema(
                description = "The newest key results, at most 100. Present only with `include=key_results`.",
                maxItems = 100)
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        List<KeyResultResponse> keyResults) {

    static final String KEY_RESULT_COLUMNS = "a.*";

    /** The key results of the objective {@code p}. */
    static final String KEY_RESULTS = """
            SELECT %s FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = p.id
            ORDER BY k.created_at DESC, k.id DESC LIMIT 100""".formatted(KeyResult.TABLE.columns("k", "k_"));

    /** Empty for the only row of an objective that has no key result. */
    static Optional<KeyResultResponse> readKeyResult(ResultSet row) throws SQLException {
        return Sql.uuid(row, "k_id") == null ? Optional.empty() : Optional.of(KeyResultResponse.read(row, "k_"));
    }
}
