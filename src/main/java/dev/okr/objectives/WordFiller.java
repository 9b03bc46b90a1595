package dev.okr.objectives;

import dev.okr.platform.http.Words;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Optional;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Adds the words of objectives and key results that an earlier version wrote, in small batches. It also adds the words
 * of copies whose original changed while it was copied. Until then, the filter {@code q} does not find these resources.
 */
@ApplicationScoped
class WordFiller {
    private static final Logger LOG = Logger.getLogger(WordFiller.class);

    private static final int MAX_ORGANIZATIONS_PER_PAGE = 100;
    private static final int MAX_ROWS_PER_TRANSACTION = 500;

    private static final Statements OBJECTIVES = Statements.of("objective", "title, description");
    private static final Statements KEY_RESULTS = Statements.of("key_result", "title, NULL::text AS description");

    private final AgroalDataSource database;
    private final OrganizationSearch search;

    WordFiller(AgroalDataSource database, OrganizationSearch search) {
        this.database = database;
        this.search = search;
    }

    /**
     * @param lock locks rows without words. If two replicas find the same row, the second one skips it. A transaction
     *     of the previous version that changes a title waits for the lock, and then removes the words again.
     * @param read reads the texts after the lock, which may have waited for a change of them
     */
    private record Statements(String find, String lock, String read, String fill, String delete) {
        static Statements of(String table, String texts) {
            var words = table + "_words";
            return new Statements(
                    """
                    /* all organizations */
                    SELECT DISTINCT organization_id FROM %s
                    WHERE %%s organization_id > ? AND words IS NULL ORDER BY organization_id LIMIT ?
                    """.formatted(words),
                    """
                    SELECT id FROM %s WHERE organization_id = ? AND words IS NULL
                    ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED
                    """.formatted(words),
                    "SELECT id, %s FROM %s WHERE organization_id = ? AND id = ANY (?)".formatted(texts, table),
                    "UPDATE %s SET words = ?::tsvector WHERE organization_id = ? AND id = ?".formatted(words),
                    "DELETE FROM %s WHERE organization_id = ? AND id = ?".formatted(words));
        }
    }

    private record Texts(UUID id, String title, @Nullable String description) {
        static Texts read(ResultSet row) throws SQLException {
            return new Texts(Sql.uuid(row, "id"), row.getString("title"), row.getString("description"));
        }
    }

    @Scheduled(every = "{okr.words.fill-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void fill() {
        try {
            fill(OBJECTIVES);
            fill(KEY_RESULTS);
        } catch (SQLException e) {
            LOG.warnf("Words were not filled in. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private void fill(Statements statements) throws SQLException {
        var next = Optional.of(OrganizationSearch.FIRST);
        while (next.isPresent()) {
            var last = next.get();
            var page = search.page(
                    (sql, condition) -> sql.list(
                            row -> Sql.uuid(row, "organization_id"),
                            statements.find.formatted(condition),
                            last,
                            MAX_ORGANIZATIONS_PER_PAGE),
                    MAX_ORGANIZATIONS_PER_PAGE,
                    Optional::of);
            for (var organization : page.rows()) {
                search.visit(organization, () -> fill(statements, organization));
            }
            next = page.last();
        }
    }

    private int fill(Statements statements, UUID organization) throws SQLException {
        int total = 0;
        int filled;
        do {
            filled = Sql.transaction(database, sql -> fillBatch(sql, statements, organization));
            total += filled;
        } while (filled == MAX_ROWS_PER_TRANSACTION);
        return total;
    }

    private static int fillBatch(Sql sql, Statements statements, UUID organization) throws SQLException {
        var ids = sql.list(row -> Sql.uuid(row, "id"), statements.lock, organization, MAX_ROWS_PER_TRANSACTION);
        if (ids.isEmpty()) {
            return 0;
        }
        var found = new HashMap<UUID, Texts>();
        sql.list(Texts::read, statements.read, organization, ids).forEach(texts -> found.put(texts.id, texts));
        var writes = new ArrayList<Sql.Write>();
        for (var id : ids) {
            var texts = found.get(id);
            if (texts == null) {
                writes.add(new Sql.Write(statements.delete, organization, id));
            } else {
                var words = Words.of(texts.title, texts.description).vector(organization);
                writes.add(new Sql.Write(statements.fill, words, organization, id));
            }
        }
        sql.updateAll(writes);
        return ids.size();
    }
}
