package dev.okr.objectives.imports;

import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging.Known;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Shared code for the lines of objectives, key results and check-ins. */
final class ImportedRows {
    static final List<String> WORD_COLUMNS = List.of("organization_id", "id", "created_at", "words");

    private static final String REFS = """
            (SELECT k.id FROM unnest(?::text[]) ref CROSS JOIN LATERAL (
                SELECT t.id FROM %s t WHERE t.organization_id = :organization AND t.external_id = ref LIMIT 1) k
            UNION SELECT unnest(?::uuid[]) ORDER BY id)
            """;

    // Each row is found by itself in a unique index. Otherwise PostgreSQL could read all rows of the organisation for
    // each batch, because the statistics do not contain the rows of the import.
    private static final String EACH = """
            %s given (id) CROSS JOIN LATERAL (
                SELECT t.* FROM %s t WHERE t.organization_id = :organization AND t.id = given.id LIMIT 1 %s) e
            """;

    private static final String LOCK = """
            SELECT o.id FROM objective o WHERE o.organization_id = :organization AND o.id = ANY (?)
            ORDER BY o.id FOR NO KEY UPDATE
            """;

    private ImportedRows() {}

    /**
     * The rows {@code e} of a table that have one of the given external ids or, as the next parameter, one of the ids.
     *
     * @param lock a locking clause. The rows are locked in the order of their ids. Can be empty
     */
    static String keyed(TenantTable<?> table, String lock) {
        return EACH.formatted(REFS.formatted(table.name()), table.name(), lock);
    }

    /** The rows {@code e} of a table that have one of the given ids. */
    static String withIds(TenantTable<?> table) {
        return EACH.formatted("unnest(?::uuid[])", table.name(), "");
    }

    /** The resources that lines refer to, in the file or in the organisation. */
    static Map<String, Known> resolve(
            ImportSession session, LineType type, TenantTable<?> table, IdKind kind, Collection<String> refs)
            throws SQLException {
        record Row(UUID id, @Nullable String externalId) {}
        var found = session.staging().find(type, refs);
        var missing = refs.stream().filter(ref -> !found.containsKey(ref)).toList();
        if (!missing.isEmpty()) {
            var rows = TenantSql.current()
                    .listPlanned(
                            row -> new Row(Sql.uuid(row, "id"), row.getString("external_id")),
                            "SELECT e.id, e.external_id FROM " + keyed(table, ""),
                            missing,
                            ids(kind, missing));
            find(rows, Row::externalId, row -> kind.format(row.id))
                    .forEach((ref, row) -> found.putIfAbsent(ref, new Known(row.id, false)));
        }
        return found;
    }

    /** Locks existing objectives, whose key results or check-ins may change. */
    static void lock(Collection<UUID> objectives) {
        if (!objectives.isEmpty()) {
            TenantSql.current().listPlanned(row -> true, LOCK, objectives);
        }
    }

    /** The columns of a row, with the organisation. */
    static List<String> columns(TenantTable<?> table) {
        return Stream.concat(Stream.of("organization_id"), table.columns().stream())
                .toList();
    }

    /** The ids of this organisation among the keys of lines. */
    static List<UUID> ids(IdKind kind, Collection<String> keys) {
        return keys.stream().flatMap(key -> kind.parse(key).stream()).distinct().toList();
    }

    /** Existing rows by the keys that lines can have: their external ids, and their own ids. */
    static <T> Map<String, T> find(
            List<T> rows, Function<T, @Nullable String> externalId, Function<T, String> publicId) {
        var found = new HashMap<String, T>();
        rows.forEach(row -> found.put(publicId.apply(row), row));
        // An external id has priority over an id, because other systems assign it.
        rows.forEach(row -> {
            var given = externalId.apply(row);
            if (given != null) {
                found.put(given, row);
            }
        });
        return found;
    }

    static <T> @Nullable T first(List<String> keys, Map<String, T> found) {
        return keys.stream()
                .flatMap(key -> Stream.ofNullable(found.get(key)))
                .findFirst()
                .orElse(null);
    }

    /** Adds the id and the external id of an existing row as keys. */
    static void putKeys(Map<String, Known> ids, Known known, String publicId, @Nullable String externalId) {
        ids.put(publicId, known);
        if (externalId != null) {
            ids.put(externalId, known);
        }
    }

    /** The stored number if both are equal, because equal numbers can have different trailing zeros. */
    static @Nullable BigDecimal same(@Nullable BigDecimal stored, @Nullable BigDecimal given) {
        return stored != null && given != null && stored.compareTo(given) == 0 ? stored : given;
    }

    /** The key of an email address in a line. Whether there is such a user is checked later. */
    static @Nullable String email(BodyReader data, String field) {
        var email = data.optionalText(field, text -> Optional.empty());
        return email == null ? null : EmailAddress.key(email);
    }
}
