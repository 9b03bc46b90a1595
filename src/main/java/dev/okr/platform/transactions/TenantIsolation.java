package dev.okr.platform.transactions;

import io.quarkus.runtime.LaunchMode;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Rejects SQL that reads or writes a tenant's table without restricting {@code organization_id}. It is active in tests
 * and in dev mode, for every statement of the service. A statement that works on all organisations contains the
 * comment {@link #ALL_ORGANIZATIONS}.
 *
 * <p>The check reads the text only. It accepts a statement that joins the tables of all organisations by
 * {@code organization_id}, as the queue of deliveries does. The composite keys of the schema are the second protection.
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

    /** Matches the comma too, for lists of tables after FROM. */
    private static final Pattern TABLE = Pattern.compile(
            "(?:\\b(?:from|join|update|into|using)\\s+(?:only\\s+)?|,\\s*)(\\w+)", Pattern.CASE_INSENSITIVE);

    /** A comparison, or the place of the column in a key, in the column list of an INSERT, or in USING. */
    private static final Pattern ORGANIZATION = Pattern.compile(
            "organization_id\\s*(?:=|in\\b|,(?=[^()]*\\)))|using\\s*\\(\\s*organization_id", Pattern.CASE_INSENSITIVE);

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

    /** @throws IllegalStateException if the statement names more tables of tenants than it restricts */
    static void requireOrganization(String statement) {
        long tables = TABLE.matcher(statement)
                .results()
                .filter(match -> TABLES.contains(match.group(1).toLowerCase(Locale.ROOT)))
                .count();
        long restrictions = ORGANIZATION.matcher(statement).results().count();
        if (tables > restrictions && !statement.contains(ALL_ORGANIZATIONS)) {
            throw new IllegalStateException("The statement names " + tables + " tables of tenants, but restricts only "
                    + restrictions + " by organization_id: " + statement);
        }
    }
}
