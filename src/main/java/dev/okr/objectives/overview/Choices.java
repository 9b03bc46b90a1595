package dev.okr.objectives.overview;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.Text;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** The choices in the forms of objectives. */
public final class Choices {
    /** A longer list would be of no use in a form. A search finds the other teams and people. */
    public static final int MAX_CHOICES = 500;

    /** No name with an email address is longer. PostgreSQL would need seconds to compare a longer text with all of them. */
    private static final int MAX_TEXT_CHARACTERS = 600;

    // The choices that are selected already are always in the list. Otherwise a browser would send another one.
    private static final String TEAMS = """
            SELECT t.id, t.name FROM team t WHERE t.organization_id = :organization AND (t.id = ANY (?::uuid[]) OR t.id IN (
                SELECT f.id FROM team f WHERE f.organization_id = :organization AND strpos(lower(f.name), lower(?)) > 0
                ORDER BY f.name, f.id LIMIT %d))
            ORDER BY t.name, t.id
            """.formatted(MAX_CHOICES + 1);

    private static final String PEOPLE = """
            SELECT u.id, u.name FROM users u WHERE u.organization_id = :organization AND (u.id = ANY (?::uuid[]) OR u.id IN (
                SELECT f.id FROM users f WHERE f.organization_id = :organization AND f.deactivated_at IS NULL
                    AND strpos(lower(f.name || ' ' || f.email), lower(?)) > 0
                ORDER BY f.name, f.id LIMIT %d))
            ORDER BY u.name, u.id
            """.formatted(MAX_CHOICES + 1);

    private static final String OPEN_CYCLES = """
            SELECT c.id, c.name, c.starts_at, c.ends_at FROM cycle c
            WHERE c.organization_id = :organization AND c.closed_at IS NULL
            ORDER BY c.status = 'completed', c.starts_at, c.id LIMIT %d
            """.formatted(MAX_CHOICES);

    private Choices() {}

    /** @param id the public id */
    public record Choice(String id, String name) {}

    public record CycleOption(String id, String name, Instant startsAt, Instant endsAt) {}

    /**
     * Teams by name. If there are more than {@link #MAX_CHOICES}, the others are missing.
     *
     * @param text a part of the name
     * @param selected public ids of teams that are always included
     */
    public static List<Choice> teams(String text, List<String> selected) {
        return read(IdKind.TEAM, TEAMS, text, selected);
    }

    /**
     * Active people by name. If there are more than {@link #MAX_CHOICES}, the others are missing.
     *
     * @param text a part of the name or of the email address
     * @param selected public ids of people that are always included
     */
    public static List<Choice> people(String text, List<String> selected) {
        return read(IdKind.USER, PEOPLE, text, selected);
    }

    /** Whether a page with these lists has a search for the teams and people that they leave out. */
    public static boolean needSearch(String text, List<?>... lists) {
        return !text.isEmpty() || Stream.of(lists).anyMatch(list -> list.size() > MAX_CHOICES);
    }

    private static List<Choice> read(IdKind kind, String statement, String text, List<String> selected) {
        var ids = selected.stream().flatMap(id -> kind.parse(id).stream()).toList();
        return TenantSql.current()
                .list(
                        row -> new Choice(kind.format(Sql.uuid(row, "id")), row.getString("name")),
                        statement,
                        ids,
                        text.length() <= MAX_TEXT_CHARACTERS && Text.isClean(text) ? Text.normalize(text) : "");
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
