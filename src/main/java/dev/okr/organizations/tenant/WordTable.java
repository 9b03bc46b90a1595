package dev.okr.organizations.tenant;

import dev.okr.platform.http.Words;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The words in the texts of a resource, for the filter {@code q}. The transaction that changes the texts also changes
 * the words. A foreign key deletes them with the resource.
 *
 * @param name the table, with the columns {@code organization_id}, {@code id}, {@code created_at} and {@code words}
 */
public record WordTable(String name) {
    // The triggers of the schema are for the previous version, which may still run during an upgrade.
    private static final String PUT = """
            SET LOCAL okr.words = 'program';
            INSERT INTO %s (organization_id, id, created_at, words) VALUES (:organization, ?, ?, ?::tsvector)
            ON CONFLICT (id, organization_id) DO UPDATE SET words = excluded.words
            """;

    private static final String FOUND =
            " FROM %s w WHERE w.organization_id = :organization AND w.words @@ (SELECT ?::tsquery)";

    /** From this number of rows on, words are looked up for each row of the list. */
    private static final int MANY_ROWS = 50_000;

    /** Writes the words of the texts. Call it before the texts are written, because of the triggers. */
    public void put(UUID id, Instant createdAt, @Nullable String... texts) {
        var sql = TenantSql.current();
        sql.write(PUT.formatted(name), id, createdAt, Words.of(texts).vector(sql.organizationId()));
    }

    /** The text after FROM that selects the rows {@code e} with the words of a parameter. */
    String rows() {
        return "%s e WHERE e.organization_id = :organization AND e.words @@ (SELECT ?::tsquery)".formatted(name);
    }

    /** A query that counts the rows with the words of a parameter. */
    String count() {
        return "SELECT count(*)" + FOUND.formatted(name);
    }

    /** The condition that the row {@code e} has the words. Its form depends on how many rows have them. */
    String condition(String query) {
        var many = "SELECT 1" + FOUND.formatted(name) + " OFFSET " + MANY_ROWS + " LIMIT 1";
        if (TenantSql.current().listPlanned(row -> true, many, query).isEmpty()) {
            // OFFSET lets the search start with the words.
            return "e.id IN (SELECT w.id" + FOUND.formatted(name) + " OFFSET 0)";
        }
        return match();
    }

    /** The condition that the row {@code e} has the words of a parameter. It looks up the words of each row. */
    String match() {
        return "(SELECT w.words @@ ?::tsquery FROM %s w WHERE w.organization_id = :organization AND w.id = e.id)"
                .formatted(name);
    }
}
