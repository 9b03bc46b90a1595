package dev.okr.operations.commands;

import dev.okr.access.ApiKey;
import dev.okr.access.Scope;
import dev.okr.events.audit.AuditAction;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Slug;
import dev.okr.organizations.User;
import dev.okr.platform.ids.IdKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** API keys. */
@Command(
        name = "key",
        description = "Creates, revokes and lists API keys.",
        subcommands = {KeyCommand.Create.class, KeyCommand.Revoke.class, KeyCommand.Listing.class})
final class KeyCommand {

    /** Prints the token and nothing else, for a pipe into wherever secrets are kept. */
    @Command(name = "create", description = "Creates a key for a user and prints its token, this once.")
    static final class Create extends DatabaseCommand {
        @Option(
                names = "--user",
                required = true,
                paramLabel = "EMAIL",
                description = "The address of the user whom the key acts for.")
        EmailAddress user;

        @Option(names = "--name", required = true, paramLabel = "NAME", description = "What the key is for.")
        Name name;

        @Option(
                names = "--scopes",
                split = ",",
                paramLabel = "SCOPE",
                description = "Some of read, write, webhooks; all by default.")
        Set<Scope> scopes = EnumSet.allOf(Scope.class);

        @Option(
                names = "--expires-at",
                paramLabel = "TIMESTAMP",
                description = "When the key ends, such as 2027-01-01T00:00:00Z; never by default.")
        @Nullable
        Instant expiresAt;

        @Override
        void check() {
            if (expiresAt != null && !expiresAt.isAfter(Instant.now())) {
                throw new ParameterException(spec.commandLine(), "Option --expires-at must be in the future");
            }
        }

        @Override
        void run(Operations operations) throws Exception {
            var person = operations.transaction(sql -> UserLookup.require(sql, user));
            var issued = operations.change(person.organizationId(), (sql, now) -> {
                User.requireActive(person.id());
                var created = ApiKey.create(person.id(), name.text(), scopes, expiresAt, now);
                var id = created.key().id();
                Operations.record(
                        sql, person.organizationId(), AuditAction.API_KEY_CREATED, id, name.text(), null, now);
                return created;
            });
            var id = IdKind.API_KEY.format(issued.key().id());
            say("Created " + id + " for " + user + " of " + person.slug() + ".");
            print(issued.token() + System.lineSeparator(), "Nobody has the token of " + id + ": revoke the key.");
        }
    }

    /** Ends a key's validity for good. */
    @Command(name = "revoke", description = "Revokes a key; every replica refuses it within five seconds.")
    static final class Revoke extends DatabaseCommand {
        private static final String FIND_ORGANIZATION =
                "/* all organizations */ SELECT organization_id FROM api_key WHERE id = ?";

        @Parameters(paramLabel = "KEY_ID", description = "The id of the key, key_…")
        String keyId;

        @Override
        void run(Operations operations) throws Exception {
            var id = IdKind.API_KEY.parse(keyId).orElseThrow(this::unknown);
            var organizationId = operations
                    .transaction(sql -> sql.first(row -> row.getObject(1, UUID.class), FIND_ORGANIZATION, id))
                    .orElseThrow(this::unknown);
            boolean revoked = operations.change(organizationId, (sql, now) -> {
                var key = ApiKey.requireLocked(keyId);
                if (key.revokedAt() != null) {
                    return false;
                }
                key.revoke(now);
                Operations.record(sql, organizationId, AuditAction.API_KEY_REVOKED, id, key.name(), null, now);
                return true;
            });
            say(keyId + (revoked ? " is revoked." : " was revoked before."));
        }

        private CommandFailure unknown() {
            return new CommandFailure("There is no API key " + keyId + ".");
        }
    }

    /** All that is known of keys but their tokens, which are nowhere. */
    @Command(name = "list", description = "Lists keys, the 10,000 newest first.")
    static final class Listing extends DatabaseCommand {
        private static final int MAX_ROWS = 10_000;
        private static final String LIST = """
                /* all organizations */
                SELECT k.id, o.slug, u.email, k.name, array_to_string(k.scopes, ',') AS scopes, k.created_at,
                    k.expires_at, k.last_used_at,
                    CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
                        WHEN u.deactivated_at IS NOT NULL THEN 'user deactivated' ELSE 'valid' END AS state
                FROM api_key k
                JOIN users u ON u.organization_id = k.organization_id AND u.id = k.user_id
                JOIN organization o ON o.id = k.organization_id
                WHERE (?::text IS NULL OR o.slug = ?) AND (?::text IS NULL OR lower(u.email) = lower(?))
                ORDER BY k.created_at DESC, k.id DESC LIMIT ?
                """;

        @Option(names = "--organization", paramLabel = "SLUG", description = "Only those of this organisation.")
        @Nullable
        Slug organization;

        @Option(names = "--user", paramLabel = "EMAIL", description = "Only those of this user.")
        @Nullable
        EmailAddress user;

        @Override
        void run(Operations operations) throws Exception {
            var table = new Table(
                    "ID", "ORGANIZATION", "USER", "NAME", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "STATE");
            var slug = organization == null ? null : organization.text();
            var email = user == null ? null : user.text();
            operations.transaction(sql -> sql.list(row -> add(table, row), LIST, slug, slug, email, email, MAX_ROWS));
            print(table);
        }

        private static boolean add(Table table, ResultSet row) throws SQLException {
            return table.add(
                    IdKind.API_KEY.format(row.getObject("id", UUID.class)),
                    row.getString("slug"),
                    row.getString("email"),
                    row.getString("name"),
                    row.getString("scopes"),
                    row.getObject("created_at", OffsetDateTime.class),
                    row.getObject("expires_at", OffsetDateTime.class),
                    row.getObject("last_used_at", OffsetDateTime.class),
                    row.getString("state"));
        }
    }
}
