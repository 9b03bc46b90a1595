package dev.okr.operations.commands;

import dev.okr.access.ApiKey;
import dev.okr.access.ApiKeyWriter;
import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Slug;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "key",
        description = "Creates, revokes and lists API keys, and generates tokens.",
        subcommands = {
            KeyCommand.Create.class,
            KeyCommand.Revoke.class,
            KeyCommand.Listing.class,
            KeyCommand.Generate.class
        })
final class KeyCommand {

    /** Standard output contains only the token, for a pipe into a secret store. */
    @Command(
            name = "create",
            description = "Creates a key for a user and prints its token. The token is shown only once.")
    static final class Create extends DatabaseCommand {
        @Option(
                names = "--user",
                required = true,
                paramLabel = "EMAIL",
                description = "The email address of the user of the key.")
        EmailAddress user;

        @Option(names = "--name", required = true, paramLabel = "NAME", description = "The purpose of the key.")
        CommandLineTool.Name name;

        @Option(
                names = "--scopes",
                split = ",",
                paramLabel = "SCOPE",
                description = "One or more of read, write and webhooks. The default is all.")
        Set<Scope> scopes = EnumSet.allOf(Scope.class);

        @Option(
                names = "--expires-at",
                paramLabel = "TIMESTAMP",
                description = "When the key expires, such as 2027-01-01T00:00:00Z. The default is never.")
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
            var person = operations.user(user);
            var keyId = UuidV7.at(operations.now());
            var issued = operations.change(
                    person.organizationId(),
                    change -> new ApiKeyWriter(change).issue(keyId, person.id(), name.text(), scopes, expiresAt));
            var id = IdKind.API_KEY.format(issued.key().id());
            say("Created " + id + " for " + user + " of " + person.slug() + ".");
            print(issued.token() + System.lineSeparator(), "Revoke the key " + id + ", because its token is lost.");
        }
    }

    @Command(name = "revoke", description = "Revokes a key permanently. All replicas reject it within five seconds.")
    static final class Revoke extends DatabaseCommand {
        private static final String FIND_ORGANIZATION =
                "/* all organizations */ SELECT organization_id FROM api_key WHERE id = ?";

        @Parameters(paramLabel = "KEY_ID", description = "The id of the key, such as key_01m7z3zntvfr4961dbxz6zdjz2.")
        String keyId;

        @Override
        void run(Operations operations) throws Exception {
            var id = IdKind.API_KEY.parse(keyId).orElseThrow(this::unknown);
            var organizationId = operations
                    .transaction(sql -> sql.first(row -> row.getObject(1, UUID.class), FIND_ORGANIZATION, id))
                    .orElseThrow(this::unknown);
            boolean revoked = operations.change(
                    organizationId, change -> new ApiKeyWriter(change).revoke(ApiKey.requireLocked(keyId)));
            say(keyId + (revoked ? " is revoked." : " is already revoked."));
        }

        private CommandFailure unknown() {
            return new CommandFailure("There is no API key " + keyId + ".");
        }
    }

    @Command(name = "list", description = "Lists the 10,000 newest keys, newest first.")
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
                WHERE (?::uuid IS NULL OR o.id = ?::uuid) AND (?::uuid IS NULL OR u.id = ?::uuid)
                ORDER BY k.created_at DESC, k.id DESC LIMIT ?
                """;

        @Option(names = "--organization", paramLabel = "SLUG", description = "Lists only keys of this organisation.")
        @Nullable
        Slug organization;

        @Option(names = "--user", paramLabel = "EMAIL", description = "Lists only keys of this user.")
        @Nullable
        EmailAddress user;

        @Override
        void run(Operations operations) throws Exception {
            var table = new Table(
                    "ID", "ORGANIZATION", "USER", "NAME", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "STATE");
            var organizationId = organization == null
                    ? null
                    : operations.organization(organization.text()).id();
            var userId = user == null ? null : operations.user(user).id();
            operations.transaction(sql -> sql.list(
                    row -> table.add(row, IdKind.API_KEY),
                    LIST,
                    organizationId,
                    organizationId,
                    userId,
                    userId,
                    MAX_ROWS));
            print(table);
        }
    }

    /** Needs neither database nor configuration. */
    @Command(
            name = "generate",
            description = {
                "Generates a token for the organisation file and prints it.",
                "The token is valid only after a start with the file. This command needs no database."
            })
    static final class Generate implements Callable<Integer> {
        @Spec
        CommandSpec spec;

        @Override
        public Integer call() {
            spec.commandLine().getOut().println(Token.random());
            return ExitCode.OK;
        }
    }
}
