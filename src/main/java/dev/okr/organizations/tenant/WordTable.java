package dev.okr.organizations.tenant;

import dev.okr.platform.http.Words;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The words in the texts of a resource, for the filter {@code q}. The transaction that changes the texts also changes
 * the words. A foreign key deletes them with the resource.
 *
 * @param name the table, with the columns {@code organization_id}, {@code id}, {@code created_at} and {@code words}
 */
public record WordTable(String name) {
    // The triggers of the schema are for the previous version, which may still run during an upgrade.
    private static final String WITHOUT_TRIGGERS = "SET LOCAL okr.words = 'program'";

    private static final String PUT = WITHOUT_TRIGGERS + """
            ;
            INSERT INTO %s (organization_id, id, created_at, words) VALUES %s
            ON CONFLICT (id, organization_id) DO UPDATE SET words = excluded.words
            """;

    private static final String ROW = "(:organization, ?, ?, ?::tsvector)";

    private static final String FOUND =
            " FROM %s w WHERE w.organization_id = :organization AND w.words @@ (SELECT ?::tsquery)";

    /** From this number of rows on, words are looked up for each row of the list. */
    private static final int MANY_ROWS = 50_000;

    /**
     * The words of a resource.
     *
     * @param vector in the syntax of {@code tsvector}
     */
    public record Entry(UUID id, Instant createdAt, String vector) {
        public static Entry of(UUID id, Instant createdAt, @Nullable String... texts) {
            var organization = TenantSql.current().organizationId();
            return new Entry(id, createdAt, Words.of(texts).vector(organization));
        }
    }

    /** Writes the words of the texts. Call it before the texts are written, because of the triggers. */
    public void put(UUID id, Instant createdAt, @Nullable String... texts) {
        putAll(List.of(Entry.of(id, createdAt, texts)));
    }

    /** Writes any number of words like {@link #put}, several with each statement. */
    public void putAll(List<Entry> all) {
        for (int i = 0; i < all.size(); i += TenantTable.MAX_ROWS_PER_STATEMENT) {
            var some = all.subList(i, Math.min(i + TenantTable.MAX_ROWS_PER_STATEMENT, all.size()));
            TenantSql.current()
                    .write(
                            PUT.formatted(name, String.join(", ", Collections.nCopies(some.size(), ROW))),
                            some.stream()
                                    .flatMap(each -> Stream.of(each.id, each.createdAt, each.vector))
                                    .toArray());
        }
    }

    /** Call it before resources are written whose words the transaction writes later. */
    public static void putLater() {
        TenantSql.current().set(WITHOUT_TRIGGERS);
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
