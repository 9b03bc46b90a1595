package dev.okr.objectives.overview;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.time.Instant;
import java.util.List;

/** The choices in the forms of objectives. */
public final class Choices {
    /** A longer list would be of no use in a form. */
    static final int MAX_CHOICES = 500;

    private static final String TEAMS = """
            SELECT t.id, t.name FROM team t WHERE t.organization_id = :organization ORDER BY t.name, t.id LIMIT %d
            """.formatted(MAX_CHOICES);

    private static final String PEOPLE = """
            SELECT u.id, u.name FROM users u WHERE u.organization_id = :organization AND u.deactivated_at IS NULL
            ORDER BY u.name, u.id LIMIT %d
            """.formatted(MAX_CHOICES);

    private static final String OPEN_CYCLES = """
            SELECT c.id, c.name, c.starts_at, c.ends_at FROM cycle c
            WHERE c.organization_id = :organization AND c.closed_at IS NULL
            ORDER BY c.status = 'completed', c.starts_at, c.id LIMIT %d
            """.formatted(MAX_CHOICES);

    private Choices() {}

    /** @param id the public id */
    public record Choice(String id, String name) {}

    public record CycleOption(String id, String name, Instant startsAt, Instant endsAt) {}

    public static List<Choice> teams() {
        return TenantSql.current()
                .list(row -> new Choice(IdKind.TEAM.format(Sql.uuid(row, "id")), row.getString("name")), TEAMS);
    }

    /** The active people. */
    public static List<Choice> people() {
        return TenantSql.current()
                .list(row -> new Choice(IdKind.USER.format(Sql.uuid(row, "id")), row.getString("name")), PEOPLE);
    }

    /** The cycles that take objectives. Those that have ended come last. */
    public static List<CycleOption> openCycles() {
        return TenantSql.current()
                .list(
                        row -> new CycleOption(
                                IdKind.CYCLE.format(Sql.uuid(row, "id")),
                                row.getString("name"),
                                Sql.instant(row, "starts_at"),
                                Sql.instant(row, "ends_at")),
                        OPEN_CYCLES);
    }
}
