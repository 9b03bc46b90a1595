package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An objective with the related data on its page: its cycle, its people, its key results with their last check-ins, and
 * the alignments above and below it. One statement reads it in one snapshot.
 *
 * @param carriedOverFrom the objective that this one continues; null for none
 * @param keyResults oldest first, at most {@link #MAX_KEY_RESULTS}
 * @param alignments those above the objective at any distance, and those directly below it
 */
public record ObjectiveView(
        UUID id,
        String title,
        @Nullable String description,
        ObjectiveStatus status,
        BigDecimal progress,
        @Nullable BigDecimal score,
        @Nullable String retrospective,
        UUID ownerId,
        String owner,
        @Nullable UUID teamId,
        @Nullable String team,
        CycleChoice cycle,
        @Nullable Source carriedOverFrom,
        Instant createdAt,
        List<KeyResultView> keyResults,
        List<AlignmentView> alignments) {

    static final int MAX_KEY_RESULTS = 100;

    // Each key result has a row. Only the first one has the long texts and the alignments, because copies would fill
    // the
    // memory. Citus supports no recursive query in a statement with the table of users. It runs a materialized one
    // separately.
    private static final String READ =
            """
            WITH around AS MATERIALIZED (%s)
            SELECT o.id, o.title, o.status, o.progress, o.score, o.owner_id, o.team_id, o.carried_over_from,
                CASE WHEN row_number() OVER oldest = 1 THEN o.description END AS description,
                CASE WHEN row_number() OVER oldest = 1 THEN o.retrospective END AS retrospective,
                o.created_at, u.name AS owner, t.name AS team_name, f.title AS source_title,
                c.id AS cycle_id, c.name AS cycle_name, c.status AS cycle_status, c.starts_at, c.ends_at, c.closed_at,
                c.final_progress,
                %s, CASE WHEN row_number() OVER oldest = 1 THEN (SELECT alignments FROM around) END AS alignments
            FROM objective o
            JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            JOIN users u ON u.organization_id = :organization AND u.id = o.owner_id
            LEFT JOIN team t ON t.organization_id = :organization AND t.id = o.team_id
            LEFT JOIN objective f ON f.organization_id = :organization AND f.id = o.carried_over_from
            LEFT JOIN key_result k ON k.organization_id = :organization AND k.objective_id = o.id
            %s
            WHERE o.organization_id = :organization AND o.id = ?
            WINDOW oldest AS (ORDER BY k.created_at, k.id)
            ORDER BY k.created_at, k.id LIMIT %d
            """.formatted(AlignmentView.AROUND, KeyResultView.COLUMNS, KeyResultView.JOINS, MAX_KEY_RESULTS);

    /**
     * The objective of an earlier cycle.
     *
     * @param title null if it is deleted
     */
    public record Source(UUID id, @Nullable String title) {}

    public boolean isClosed() {
        return cycle.closedAt() != null;
    }

    /** @throws Failure if the organisation has no such objective */
    public static ObjectiveView require(String publicId) {
        return IdKind.OBJECTIVE
                .parse(publicId)
                .flatMap(ObjectiveView::find)
                .orElseThrow(() -> Failure.notFound("objective"));
    }

    private static Optional<ObjectiveView> find(UUID id) {
        var keyResults = new ArrayList<KeyResultView>();
        var rows = TenantSql.current()
                .list(
                        row -> {
                            KeyResultView.read(row).ifPresent(keyResults::add);
                            return row.isFirst() ? Optional.of(read(row, keyResults)) : Optional.<ObjectiveView>empty();
                        },
                        READ,
                        id,
                        id,
                        id);
        return rows.stream().findFirst().flatMap(first -> first);
    }

    /** @param keyResults a list that gets those of all rows */
    private static ObjectiveView read(ResultSet row, List<KeyResultView> keyResults) throws SQLException {
        var source = Sql.uuid(row, "carried_over_from");
        return new ObjectiveView(
                Sql.uuid(row, "id"),
                row.getString("title"),
                row.getString("description"),
                status(row.getString("status")),
                row.getBigDecimal("progress"),
                row.getBigDecimal("score"),
                row.getString("retrospective"),
                Sql.uuid(row, "owner_id"),
                row.getString("owner"),
                row.getObject("team_id", UUID.class),
                row.getString("team_name"),
                CycleChoice.ofObjective(row),
                source == null ? null : new Source(source, row.getString("source_title")),
                Sql.instant(row, "created_at"),
                keyResults,
                AlignmentView.readAll(row.getString("alignments")));
    }

    static ObjectiveStatus status(String text) {
        return EnumNames.parse(ObjectiveStatus.class, text).orElseThrow();
    }
}
