package dev.okr.webhooks.delivery;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An attempt, as the details of a delivery show it. */
@Schema(name = "DeliveryAttempt", description = "One attempt of a delivery and its outcome.")
public record AttemptResponse(
        @Schema(description = "When the attempt started.", examples = "2027-01-11T09:00:00Z")
        Instant attemptedAt,

        @Schema(
                description = "The duration of the attempt in milliseconds.",
                minimum = "0",
                format = "int32",
                examples = "120")
        int durationMs,

        @Schema(
                description = "The status of the response. Absent if there was no valid response.",
                minimum = "100",
                maximum = "999",
                format = "int32",
                examples = "200")
        @Nullable
        Integer statusCode,

        @Schema(
                description = "Why there was no usable response, such as `timeout`, `connection_refused` or "
                        + "`tls_failed`. Absent if there was one.",
                examples = "timeout")
        @Nullable
        String error,

        @Schema(
                description =
                        "The first KiB of the response body. Absent if it was empty, or if it was removed because "
                                + "the data of a user were erased.",
                examples = "ok")
        @Nullable
        String response) {
    private static final int MAX_SHOWN = 100;

    private static final String NEWEST = """
            SELECT attempted_at, duration_ms, status_code, error, response FROM delivery_attempt
            WHERE organization_id = :organization AND delivery_id = ? ORDER BY id DESC LIMIT ?
            """;

    /** The attempts of a delivery, newest first. */
    static List<AttemptResponse> newest(UUID deliveryId) {
        return TenantSql.current().list(AttemptResponse::read, NEWEST, deliveryId, MAX_SHOWN);
    }

    private static AttemptResponse read(ResultSet row) throws SQLException {
        return new AttemptResponse(
                Sql.instant(row, "attempted_at"),
                row.getInt("duration_ms"),
                row.getObject("status_code", Integer.class),
                row.getString("error"),
                row.getString("response"));
    }
}
