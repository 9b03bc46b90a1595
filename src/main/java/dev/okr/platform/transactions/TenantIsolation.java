package dev.okr.platform.transactions;

import io.quarkus.runtime.LaunchMode;
import java.util.List;
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
 *   <li>A statement that works on all organisations contains the comment {@link #ALL_ORGANIZATIONS}.
 *   <li>A statement on several organisations neither locks nor writes rows of distributed tables.
 *   <li>A statement that writes calls no volatile function. Ids and random values are made in Java.
 *   <li>A statement that writes calls {@code now()} neither in COALESCE nor in CASE, because Citus rejects it.
 *   <li>An UPDATE sets no column to a sum with an interval, because Citus rejects it if the other part is a column.
 *   <li>No INSERT takes its rows from {@code unnest}, because Citus would write them in two phases. Use VALUES.
 *   <li>An UPDATE sets no column to an element of an array parameter, because Citus 13.2 crashes.
 *   <li>No statement with EXISTS or IN (SELECT …) names both local and distributed tables. Citus does not support it.
 *   <li>If a statement names local and distributed tables, WITH RECURSIVE is valid only at the start of a materialized
 *       query. Citus does not support it elsewhere.
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
            "objective_words",
            "key_result",
            "key_result_words",
            "key_result_value",
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
            "audit_entry",
            "import",
            "import_piece");

    /** Those of {@link #TABLES} that stay on the coordinator of a distributed schema. */
    private static final Set<String> LOCAL_TABLES = Set.of("users", "api_key");

    /** Tables that have no rows of tenants and stay on the coordinator. */
    private static final Set<String> SHARED_TABLES = Set.of("organization", "rate_limit", "rate_limit_replica");

    /** Matches the comma too, for lists of tables after FROM. */
    private static final Pattern TABLE =
            insensitive("(?:\\b(?:from|join|update|into|using)\\s+(?:only\\s+)?|,\\s*)(\\w+)");

    /** Matches the column in a comparison, in a list of columns in parentheses, or in USING. */
    private static final Pattern ORGANIZATION =
            insensitive("organization_id\\s*(?:=|in\\b|,(?=[^()]*\\)))|using\\s*\\(\\s*organization_id");

    /** Matches the column in a comparison with a parameter, or in the list of columns of an INSERT. */
    private static final Pattern ORGANIZATION_PARAMETER = insensitive(
            "organization_id\\s*(?:=\\s*(?:any\\s*\\(\\s*)?\\?|in\\s*\\(\\s*\\?)|into[^()]*\\([^()]*organization_id");

    /** Matches the column in a comparison with a list. */
    private static final Pattern ORGANIZATIONS = insensitive("organization_id\\s*(?:=\\s*any\\b|in\\b)");

    private static final Pattern ROW_LOCK =
            insensitive("\\bfor\\s+(?:no\\s+key\\s+update|update|key\\s+share|share)\\b");

    private static final Pattern WRITE = insensitive("\\b(?:insert\\s+into|delete\\s+from|update\\s+\\w+.*\\bset)\\b");

    private static final Pattern VOLATILE_FUNCTION = insensitive(
            "\\b(?:uuid_v7|gen_random_uuid|random|clock_timestamp|timeofday|nextval|pg_backend_pid|set_config)\\s*\\(");

    private static final Pattern CONDITIONAL_TIME =
            insensitive("\\b(?:coalesce\\s*\\([^()]*|case\\b(?:(?!\\bend\\b).)*)\\bnow\\s*\\(");

    private static final Pattern SUM_WITH_INTERVAL =
            insensitive("\\bset\\b(?:(?!\\b(?:where|from)\\b).)*[+-]\\s*interval\\b");

    private static final Pattern INSERT_UNNEST = insensitive(
            "\\binsert\\s+into\\b.*\\bselect\\b.*\\bunnest\\s*\\(|\\bunnest\\s*\\(.*\\binsert\\s+into\\b(?!.*\\bvalues\\b)");

    /** Reading an element in WHERE is allowed. */
    private static final Pattern ARRAY_ELEMENT =
            insensitive("\\bset\\b(?:(?!\\bwhere\\b).)*\\w\\s*=\\s*\\(\\?::\\w+\\[]\\)\\[");

    private static final Pattern EXISTS = insensitive("\\bexists\\s*\\(|\\bin\\s*\\(\\s*select\\b");

    private static final Pattern RECURSIVE = insensitive("(?<!\\bmaterialized \\()\\bwith\\s+recursive\\b");

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

    /** @throws IllegalStateException if rows would be added to a tenant table without the organisation */
    static void checkCopy(String table, List<String> columns) {
        if (ENABLED && TABLES.contains(table) && !columns.contains("organization_id")) {
            throw new IllegalStateException("COPY " + table + " has no organization_id.");
        }
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
            requireDistributable(statement, all);
        }
    }

    private static void requireDistributable(String statement, boolean all) {
        boolean writes = contains(statement, WRITE);
        boolean locks = writes || contains(statement, ROW_LOCK);
        boolean several = all || contains(statement, ORGANIZATIONS);
        require(!several || !locks, "locks or writes rows of several organisations", statement);
        require(!writes || !contains(statement, VOLATILE_FUNCTION), "writes and calls a volatile function", statement);
        require(!writes || !contains(statement, CONDITIONAL_TIME), "writes and calls now() conditionally", statement);
        require(!contains(statement, SUM_WITH_INTERVAL), "sets a column to a sum with an interval", statement);
        require(!contains(statement, INSERT_UNNEST), "inserts rows from unnest", statement);
        require(!contains(statement, ARRAY_ELEMENT), "sets a column to an element of an array", statement);
        long local = count(statement, table -> LOCAL_TABLES.contains(table) || SHARED_TABLES.contains(table));
        require(
                local == 0 || !contains(statement, EXISTS),
                "has EXISTS or IN and names local and distributed tables",
                statement);
        require(
                local == 0 || !contains(statement, RECURSIVE),
                "has a recursive query that is not materialized, and names local and distributed tables",
                statement);
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
