package dev.okr.platform.transactions;

import io.quarkus.runtime.LaunchMode;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Rejects SQL that would read or write rows of other organisations, or that a distributed schema could not run. It is
 * active in tests, in dev mode, and if Java assertions are enabled. It checks the text of each statement of the service
 * against these rules:
 *
 * <ul>
 *   <li>Every table with rows of tenants is restricted by {@code organization_id}. For a distributed table, a parameter
 *       restricts it, so that the statement runs on one worker.
 *   <li>A statement that works on all organisations contains the comment {@link #ALL_ORGANIZATIONS}. It takes no locks
 *       on distributed tables.
 *   <li>A statement that writes calls no volatile function. Ids and random values are made in Java.
 *   <li>An UPDATE sets no column to an element of an array parameter, because Citus 13.2 crashes.
 * </ul>
 *
 * The composite keys of the schema are the second protection.
 */
final class TenantIsolation {
    /** The comment that marks a statement on the rows of all organisations. */
    static final String ALL_ORGANIZATIONS = "/* all organizations */";

    /** All tables that hold rows of tenants. A test compares this set with the schema. */
    static final Set<String> TABLES = Set.of(
            "users",
            "api_key",
            "team",
            "team_member",
            "cycle",
            "cycle_totals",
            "objective",
            "key_result",
            "check_in",
            "alignment",
            "deleted_objective",
            "deleted_key_result",
            "deleted_check_in",
            "deleted_alignment",
            "webhook",
            "event",
            "outbox",
            "delivery",
            "delivery_pending",
            "delivery_succeeded",
            "delivery_failed",
            "delivery_lane",
            "delivery_attempt",
            "idempotent_response",
            "audit_entry");

    /** Those of {@link #TABLES} that stay on the coordinator of a distributed schema. */
    private static final Set<String> LOCAL_TABLES = Set.of("users", "api_key");

    /** Matches the comma too, for lists of tables after FROM. */
    private static final Pattern TABLE =
            insensitive("(?:\\b(?:from|join|update|into|using)\\s+(?:only\\s+)?|,\\s*)(\\w+)");

    /** Matches the column in a comparison, in a list of columns in parentheses, or in USING. */
    private static final Pattern ORGANIZATION =
            insensitive("organization_id\\s*(?:=|in\\b|,(?=[^()]*\\)))|using\\s*\\(\\s*organization_id");

    /** Matches the column in a comparison with a parameter, or in the list of columns of an INSERT. */
    private static final Pattern ORGANIZATION_PARAMETER = insensitive(
            "organization_id\\s*(?:=\\s*(?:any\\s*\\(\\s*)?\\?|in\\s*\\(\\s*\\?)|into[^()]*\\([^()]*organization_id");

    private static final Pattern ROW_LOCK =
            insensitive("\\bfor\\s+(?:no\\s+key\\s+update|update|key\\s+share|share)\\b");

    private static final Pattern WRITE = insensitive("\\b(?:insert\\s+into|delete\\s+from|update\\s+\\w+.*\\bset)\\b");

    private static final Pattern VOLATILE_FUNCTION = insensitive(
            "\\b(?:uuid_v7|gen_random_uuid|random|clock_timestamp|timeofday|nextval|pg_backend_pid|set_config)\\s*\\(");

    private static final Pattern ARRAY_ELEMENT = insensitive("\\bset\\b.*\\w\\s*=\\s*\\(\\?::\\w+\\[]\\)\\[");

    private static final boolean ENABLED =
            LaunchMode.current().isDevOrTest() || TenantIsolation.class.desiredAssertionStatus();

    private static final Set<String> ACCEPTED = ConcurrentHashMap.newKeySet();

    private TenantIsolation() {}

    static void check(String sql) {
        if (!ENABLED || ACCEPTED.contains(sql)) {
            return;
        }
        for (var statement : sql.split(";")) {
            requireOrganization(statement);
        }
        ACCEPTED.add(sql);
    }

    /** @throws IllegalStateException if the statement breaks a rule of this class */
    static void requireOrganization(String statement) {
        boolean all = statement.contains(ALL_ORGANIZATIONS);
        long tables = count(statement, TABLES::contains);
        long distributed = count(statement, table -> TABLES.contains(table) && !LOCAL_TABLES.contains(table));
        long restrictions = ORGANIZATION.matcher(statement).results().count();
        long parameters = ORGANIZATION_PARAMETER.matcher(statement).results().count();
        require(
                all || tables <= restrictions,
                "names %d tables of tenants, but restricts only %d by organization_id".formatted(tables, restrictions),
                statement);
        require(
                all || distributed <= parameters,
                "names %d distributed tables, but compares organization_id with a parameter for only %d"
                        .formatted(distributed, parameters),
                statement);
        if (distributed > 0) {
            require(!all || !contains(statement, ROW_LOCK), "locks rows of several organisations", statement);
            require(
                    all || !contains(statement, WRITE) || !contains(statement, VOLATILE_FUNCTION),
                    "writes and calls a volatile function",
                    statement);
            require(!contains(statement, ARRAY_ELEMENT), "sets a column to an element of an array", statement);
        }
    }

    private static void require(boolean met, String violation, String statement) {
        if (!met) {
            throw new IllegalStateException("The statement " + violation + ": " + statement);
        }
    }

    private static boolean contains(String statement, Pattern pattern) {
        return pattern.matcher(statement).find();
    }

    private static long count(String statement, Predicate<String> isCounted) {
        return TABLE.matcher(statement)
                .results()
                .filter(match -> isCounted.test(match.group(1).toLowerCase(Locale.ROOT)))
                .count();
    }

    private static Pattern insensitive(String regex) {
        return Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }
}
