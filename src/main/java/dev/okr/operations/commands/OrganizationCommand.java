package dev.okr.operations.commands;

import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Organization;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.Slug;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.ChangeEvents;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "organization",
        description = "Creates and lists organisations, and sets their plans.",
        subcommands = {
            OrganizationCommand.Create.class,
            OrganizationCommand.Listing.class,
            OrganizationCommand.SetPlan.class
        })
final class OrganizationCommand {
    /** The first admin of a new organisation, who can invite other users. */
    static final class Admin {
        @Option(
                names = "--admin-email",
                required = true,
                paramLabel = "EMAIL",
                description = "The email address of the first admin.")
        EmailAddress email;

        @Option(
                names = "--admin-name",
                required = true,
                paramLabel = "NAME",
                description = "The full name of the first admin.")
        CommandLineTool.Name name;
    }

    @Command(name = "create", description = "Creates an organisation. Creates the schema too if the database is empty.")
    static final class Create extends DatabaseCommand {
        @Option(
                names = "--slug",
                required = true,
                paramLabel = "SLUG",
                description = "The short name for commands and organisation files.")
        Slug slug;

        @Option(names = "--name", required = true, paramLabel = "NAME", description = "The full name.")
        CommandLineTool.Name name;

        @Option(
                names = "--plan",
                paramLabel = "PLAN",
                description = "free, team, business or enterprise. The default is business.")
        Plan plan = Plan.BUSINESS;

        @ArgGroup(exclusive = false)
        @Nullable
        Admin admin;

        @Override
        void prepare(Schema schema) throws SQLException {
            schema.require(true);
        }

        @Override
        void run(Operations operations) throws Exception {
            var id = UuidV7.at(operations.now());
            operations.change(id, change -> {
                if (!Organization.create(change, slug.text(), name.text(), plan)) {
                    throw new CommandFailure("An organisation with the slug " + slug + " already exists.");
                }
                if (admin != null) {
                    var withoutEvents = change.with(ChangeEvents.NONE);
                    new UserWriter(withoutEvents).invite(admin.name.text(), admin.email.text(), Role.ADMIN);
                }
                return id;
            });
            say("Created the organisation " + slug + (admin == null ? "." : " and its admin " + admin.email + "."));
        }
    }

    @Command(name = "list", description = "Lists the first 10,000 organisations by slug.")
    static final class Listing extends DatabaseCommand {
        private static final int MAX_ROWS = 10_000;
        private static final String LIST = """
                SELECT o.slug, o.id, o.name, o.plan,
                    (SELECT count(*) FROM users u WHERE u.organization_id = o.id AND u.deactivated_at IS NULL) AS users,
                    o.created_at
                FROM organization o ORDER BY o.slug LIMIT ?
                """;

        @Override
        void run(Operations operations) throws Exception {
            var table = new Table("SLUG", "ID", "NAME", "PLAN", "USERS", "CREATED");
            operations.transaction(sql -> sql.list(row -> table.add(row, IdKind.ORGANIZATION), LIST, MAX_ROWS));
            print(table);
        }
    }

    /** The organisation file does not undo this change until the plan in the file itself changes. */
    @Command(
            name = "set-plan",
            description = "Sets the plan of an organisation. All replicas apply it within five seconds.")
    static final class SetPlan extends DatabaseCommand {
        @Parameters(index = "0", paramLabel = "SLUG", description = "The slug of the organisation.")
        Slug slug;

        @Parameters(index = "1", paramLabel = "PLAN", description = "free, team, business or enterprise.")
        Plan plan;

        @Override
        void run(Operations operations) throws Exception {
            var id = operations.organization(slug.text()).id();
            var oldPlan = operations.change(id, change -> Organization.setPlan(change, plan));
            var before = oldPlan == plan ? " already" : ", before " + EnumNames.format(oldPlan);
            say("%s has the plan %s%s.".formatted(slug, EnumNames.format(plan), before));
        }
    }
}
