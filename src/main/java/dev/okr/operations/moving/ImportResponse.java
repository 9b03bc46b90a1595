package dev.okr.operations.moving;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.objectives.moving.ImportErrors;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An import as the API shows it. */
@Schema(name = "Import", description = "An import of data.")
public record ImportResponse(
        @Schema(description = "The import's id.", examples = "imp_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The state of the import.", examples = "succeeded")
        ImportStatus status,

        @Schema(description = "Whether the import only checks the lines and writes nothing.", examples = "false")
        boolean dryRun,

        @Schema(description = "Whether webhooks receive the events of the import.", examples = "false")
        @JsonProperty("notify")
        boolean notifies,

        @Schema(
                description = "The completed fraction of the work, from 0 to 1.",
                minimum = "0",
                maximum = "1",
                examples = "0.5")
        BigDecimal progress,

        @Schema(description = "The number of lines read so far.", minimum = "0", format = "int64", examples = "120")
        long lines,

        @Schema(
                description = "How many lines created a resource. 0 after a failure.",
                minimum = "0",
                format = "int64",
                examples = "100")
        long created,

        @Schema(
                description = "How many lines changed a resource. 0 after a failure.",
                minimum = "0",
                format = "int64",
                examples = "15")
        long updated,

        @Schema(
                description = "How many lines changed nothing. 0 after a failure.",
                minimum = "0",
                format = "int64",
                examples = "4")
        long unchanged,

        @Schema(description = "How many lines have errors.", minimum = "0", format = "int64", examples = "0")
        long rejected,

        @Schema(description = "The first 100 errors, in the order of the lines.", maxItems = 100)
        List<ImportError> errors,

        @Schema(description = "The id of the admin who imports.", examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String userId,

        @Schema(description = "When the file had arrived.", examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(description = "When the import first started. Absent before.", examples = "2027-01-04T09:00:01Z")
        @Nullable
        Instant startedAt,

        @Schema(description = "When the import ended. Absent before.", examples = "2027-01-04T09:00:05Z") @Nullable
        Instant finishedAt) {

    private static final ObjectMapper JSON = new ObjectMapper();

    static final TenantTable<ImportResponse> TABLE = new TenantTable<>(
            "import",
            List.of(
                    "id",
                    "status",
                    "dry_run",
                    "notify",
                    "progress",
                    "lines",
                    "created_lines",
                    "updated_lines",
                    "unchanged_lines",
                    "rejected_lines",
                    "errors",
                    "user_id",
                    "created_at",
                    "started_at",
                    "finished_at"),
            ImportResponse::read);

    private static final String READ = "SELECT " + TABLE.columns("i")
            + " FROM import i WHERE i.organization_id = :organization AND i.id = ? AND i.status <> 'uploading'";

    /** @throws Failure if the organisation has no such import */
    static ImportResponse require(String publicId) {
        return IdKind.IMPORT
                .parse(publicId)
                .flatMap(id -> TenantSql.current().first(TABLE.reader(), READ, id))
                .orElseThrow(() -> Failure.notFound("import"));
    }

    static ImportResponse require(UUID id) {
        return TenantSql.current().first(TABLE.reader(), READ, id).orElseThrow();
    }

    static Slice<ImportResponse> list(ListQuery query) {
        return NewestFirst.byId(TABLE)
                .where("e.status <> 'uploading'")
                .with("status", query.constants("status", ImportStatus.class))
                .slice(query);
    }

    static ImportResponse read(ResultSet row) throws SQLException {
        return new ImportResponse(
                IdKind.IMPORT.format(Sql.uuid(row, "id")),
                EnumNames.parse(ImportStatus.class, row.getString("status")).orElseThrow(),
                row.getBoolean("dry_run"),
                row.getBoolean("notify"),
                row.getBigDecimal("progress"),
                row.getLong("lines"),
                row.getLong("created_lines"),
                row.getLong("updated_lines"),
                row.getLong("unchanged_lines"),
                row.getLong("rejected_lines"),
                errors(row.getString("errors")),
                IdKind.USER.format(Sql.uuid(row, "user_id")),
                Sql.instant(row, "created_at"),
                Sql.instantOrNull(row, "started_at"),
                Sql.instantOrNull(row, "finished_at"));
    }

    private static List<ImportError> errors(String json) {
        try {
            return JSON.readTree(json).valueStream().map(ImportResponse::error).toList();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("The stored errors are not JSON.", e);
        }
    }

    private static ImportError error(JsonNode error) {
        int line = error.required("line").asInt();
        return new ImportError(
                line == ImportErrors.NO_LINE ? null : line,
                error.required("pointer").asText(),
                error.required("code").asText(),
                error.required("reason").asText());
    }
}
