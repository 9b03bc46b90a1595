package dev.okr.objectives.overview;

import dev.okr.objectives.cycles.CycleStatus;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The cycles to choose from. The default cycle comes first. It is the active cycle that ends first, else the next
 * planned cycle, else the last completed cycle.
 */
record CycleChoices(List<CycleChoice> cycles) {
    /** The number of cycles to offer for each status. Other cycles are found by id. */
    static final int MAX_CYCLES_PER_STATUS = 8;

    private static final String COLUMNS = "id, name, status, starts_at, ends_at";

    private static final String NEAREST = """
            SELECT %s FROM (
                SELECT *, row_number() OVER (
                    PARTITION BY status
                    ORDER BY CASE status WHEN 'active' THEN ends_at WHEN 'planned' THEN starts_at END, ends_at DESC, id
                ) AS place
                FROM cycle WHERE organization_id = ?) c
            WHERE place <= ?
            ORDER BY array_position(ARRAY ['active', 'planned', 'completed'], status), place
            """.formatted(COLUMNS);

    private static final String ONE = "SELECT %s FROM cycle WHERE organization_id = ? AND id = ?".formatted(COLUMNS);

    static CycleChoices of(Sql sql, UUID organizationId) throws SQLException {
        return new CycleChoices(sql.list(CycleChoices::read, NEAREST, organizationId, MAX_CYCLES_PER_STATUS));
    }

    /** Adds a cycle if it is not among the choices. */
    CycleChoices with(CycleChoice cycle) {
        if (cycles.contains(cycle)) {
            return this;
        }
        var more = new ArrayList<>(cycles);
        more.add(cycle);
        return new CycleChoices(List.copyOf(more));
    }

    /** @throws Failure if the organisation has no such cycle */
    CycleChoice require(Sql sql, UUID organizationId, String publicId) throws SQLException {
        var id = IdKind.CYCLE.parse(publicId).orElseThrow(() -> Failure.notFound("cycle"));
        var offered = cycles.stream().filter(cycle -> cycle.id().equals(id)).findFirst();
        return offered.isPresent()
                ? offered.get()
                : sql.first(CycleChoices::read, ONE, organizationId, id).orElseThrow(() -> Failure.notFound("cycle"));
    }

    Optional<CycleChoice> first() {
        return cycles.stream().findFirst();
    }

    private static CycleChoice read(ResultSet row) throws SQLException {
        return new CycleChoice(
                row.getObject("id", UUID.class),
                row.getString("name"),
                EnumNames.parse(CycleStatus.class, row.getString("status")).orElseThrow(),
                Sql.instant(row, "starts_at"),
                Sql.instant(row, "ends_at"));
    }
}
