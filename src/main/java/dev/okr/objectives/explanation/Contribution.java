package dev.okr.objectives.explanation;

import dev.okr.objectives.progress.Progress;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A key result or a child objective that counts for the progress of an objective. */
@Schema(name = "Contribution", description = "A key result or a child objective that counts for the progress.")
public record Contribution(
        @Schema(description = "What counts.", examples = "key_result")
        ContributionType type,

        @Schema(
                description = "The id of the key result or of the objective.",
                pattern = "^(kr|obj)_[0-7][0-9a-hjkmnp-tv-z]{25}$",
                examples = "kr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "Its title.", examples = "Onboarded customers")
        String title,

        @Schema(description = "Its weight.", minimum = "0", maximum = "1000", examples = "2")
        BigDecimal weight,

        @Schema(description = "Its progress.", minimum = "0", maximum = "1", examples = "0.5")
        BigDecimal progress,

        @Schema(
                description = "The weight divided by the sum of all weights, rounded to 4 decimals.",
                minimum = "0",
                maximum = "1",
                examples = "0.6667")
        BigDecimal share,

        @Schema(
                description = "The part of the objective's progress that comes from this contribution, rounded to 4 "
                        + "decimals. In a cycle that is not closed, all points add up to the progress.",
                minimum = "0",
                maximum = "1",
                examples = "0.3333")
        BigDecimal points,

        @Schema(description = "The value at the start. Only for key results.", examples = "0") @Nullable
        BigDecimal startValue,

        @Schema(description = "The current value. Only for key results.", examples = "5") @Nullable
        BigDecimal currentValue,

        @Schema(description = "The value to reach. Only for key results.", examples = "10") @Nullable
        BigDecimal targetValue,

        @Schema(
                description = "When the last check-in was recorded. Only for key results with check-ins.",
                examples = "2027-01-11T09:00:00Z")
        @Nullable
        Instant lastCheckInAt) {

    /** Returns empty if nothing counts. The result then has one row without a contribution. */
    static Optional<Contribution> read(ResultSet row) throws SQLException {
        var id = Sql.uuid(row, "id");
        if (id == null) {
            return Optional.empty();
        }
        var type =
                EnumNames.parse(ContributionType.class, row.getString("type")).orElseThrow();
        var kind = type == ContributionType.KEY_RESULT ? IdKind.KEY_RESULT : IdKind.OBJECTIVE;
        var weight = row.getBigDecimal("weight");
        var weights = row.getBigDecimal("weights");
        var progress = row.getBigDecimal("progress");
        return Optional.of(new Contribution(
                type,
                kind.format(id),
                row.getString("title"),
                weight,
                progress,
                Progress.mean(weight, weights),
                Progress.mean(weight.multiply(progress), weights),
                row.getBigDecimal("start_value"),
                row.getBigDecimal("current_value"),
                row.getBigDecimal("target_value"),
                Sql.instantOrNull(row, "last_check_in_at")));
    }

    boolean isKeyResult() {
        return type == ContributionType.KEY_RESULT;
    }

    /** Whether the current value and the target of a key result are on opposite sides of its start. */
    boolean movesAway() {
        return startValue != null
                && currentValue != null
                && targetValue != null
                && currentValue.subtract(startValue).signum()
                                * targetValue.subtract(startValue).signum()
                        < 0;
    }
}
