package dev.okr.operations.commands;

import dev.okr.access.ApiKeyWriter;
import dev.okr.events.Event;
import dev.okr.objectives.teams.TeamMemberWriter;
import dev.okr.operations.moving.CommandImport;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Role;
import dev.okr.organizations.Slug;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.AccessLock;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.webhooks.delivery.StoredResponses;
import java.io.Console;
import java.sql.SQLException;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

@Command(
        name = "user",
        description = "Creates and lists users, and erases personal data.",
        subcommands = {UserCommand.Create.class, UserCommand.Listing.class, UserCommand.Erase.class})
final class UserCommand {

    @Command(
            name = "create",
            description = {
                "Creates a user of an organisation.",
                "No invitation is sent. The user can sign in to the console with the email address."
            })
    static final class Create extends DatabaseCommand {
        @Option(
                names = "--organization",
                required = true,
                paramLabel = "SLUG",
                description = "The slug of the organisation.")
        Slug organization;

        @Option(names = "--email", required = true, paramLabel = "EMAIL", description = "The email address.")
        EmailAddress email;

        @Option(names = "--name", required = true, paramLabel = "NAME", description = "The full name.")
        CommandLineTool.Name name;

        @Option(names = "--role", required = true, paramLabel = "ROLE", description = "viewer, member or admin.")
        Role role;

        @Override
        void run(Operations operations) throws Exception {
            var organizationId = operations.organization(organization.text()).id();
            var userId = operations.change(
                    organizationId, change -> new UserWriter(change).invite(name.text(), email.text(), role));
            say("Created the user %s with the role %s in the organisation %s."
                    .formatted(IdKind.USER.format(userId), EnumNames.format(role), organization));
        }
    }

    @Command(name = "list", description = "Lists the first 10,000 users of an organisation by name.")
    static final class Listing extends DatabaseCommand {
        private static final int MAX_ROWS = 10_000;
        private static final String LIST = """
                SELECT id, name, email, role, created_at,
                    CASE WHEN erased_at IS NOT NULL THEN 'erased' WHEN deactivated_at IS NOT NULL THEN 'deactivated'
                        ELSE 'active' END AS state
                FROM users WHERE organization_id = ? ORDER BY name, id LIMIT ?
                """;

        @Option(
                names = "--organization",
                required = true,
                paramLabel = "SLUG",
                description = "The slug of the organisation.")
        Slug organization;

        @Override
        void run(Operations operations) throws Exception {
            var organizationId = operations.organization(organization.text()).id();
            var table = new Table("ID", "NAME", "EMAIL", "ROLE", "CREATED", "STATE");
            operations.transaction(sql -> sql.list(row -> table.add(row, IdKind.USER), LIST, organizationId, MAX_ROWS));
            print(table);
        }
    }

    @Command(
            name = "erase",
            description = {
                "Erases the personal data of a user. This cannot be undone.",
                "Objectives, check-ins and other contributions stay and belong to an erased user. Texts that people"
                        + " wrote are not changed. Remove the user from the organisation file first. Otherwise the"
                        + " next start creates the user again."
            })
    static final class Erase extends DatabaseCommand {
        // The response to the creation of the user contains the name and the address. The row stays without its body.
        // Otherwise a repeated request would create the user again. IdempotentCalls refuses it.
        private static final String ERASE_STORED_RESPONSES = """
                UPDATE idempotent_response
                SET status = 409, location = NULL, etag = NULL, body = '', secret_key_id = NULL
                WHERE organization_id = ? AND (api_key_id = ANY (?::uuid[]) OR location = ?)
                """;

        @Parameters(paramLabel = "EMAIL", description = "The email address of the user.")
        EmailAddress email;

        @Option(names = "--yes", description = "Erases the data without asking for confirmation.")
        boolean yes;

        @Override
        void check() {
            if (!yes && terminal() == null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "There is no terminal to ask for confirmation. To erase the data, confirm with --yes");
            }
        }

        @Override
        void run(Operations operations) throws Exception {
            var user = operations.user(email);
            var publicId = IdKind.USER.format(user.id());
            var terminal = terminal();
            if (!yes && terminal != null && !confirmed(terminal, user, publicId)) {
                throw new CommandFailure("Nothing was erased.");
            }
            operations.change(user.organizationId(), change -> {
                erase(change, user.id());
                return user;
            });
            // The line contains neither name nor address, because it may end up in a log.
            say("Erased " + publicId + " of " + user.slug() + ".");
        }

        /**
         * Erases the personal data of a user. The id stays, because history refers to it. Every column that may hold a
         * person's name or email address must be cleared here.
         */
        private static void erase(Change change, UUID userId) throws SQLException {
            AccessLock.share(change.sql(), change.organizationId());
            var address = new UserWriter(change).erase(userId);
            new TeamMemberWriter(change).removeFromAllTeams(userId);
            var keys = new ApiKeyWriter(change).eraseKeysOf(userId);
            var location = "/v1/users/" + IdKind.USER.format(userId);
            change.sql().update(ERASE_STORED_RESPONSES, change.organizationId(), keys, location);
            AuditLog.clearNames(
                    change, keys.stream().map(IdKind.API_KEY::format).toList());
            CommandImport.deleteFiles(change);
            // Last, because responses to these events that arrive before the commit are not stored.
            StoredResponses.erase(change, Event.eraseUser(change, userId, address));
        }

        private static @Nullable Console terminal() {
            var console = System.console();
            return console != null && console.isTerminal() ? console : null;
        }

        private static boolean confirmed(Console terminal, Operations.User user, String publicId) {
            var answer = terminal.readLine(
                    "Erase the personal data of %s (%s) of %s permanently? Type yes: ",
                    user.name(), publicId, user.slug());
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).equals("yes");
        }
    }
}
