package dev.okr.operations.commands;

import dev.okr.events.audit.AuditAction;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.Slug;
import dev.okr.organizations.User;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Organisations, and the first person in each. */
@Command(
        name = "organization",
        description = "Creates and lists organisations, and sets their plans.",
        subcommands = {
            OrganizationCommand.Create.class,
            OrganizationCommand.Listing.class,
            OrganizationCommand.SetPlan.class
        })
final class OrganizationCommand {
    private static final String NO_ORGANIZATION = "There is no organisation with the slug %s.";

    /** The person who administers a new organisation and invites the others. */
    static final class Admin {
        @Option(
                names = "--admin-email",
                required = true,
                paramLabel = "EMAIL",
                description = "The address of the first admin.")
        EmailAddress email;

        @Option(
                names = "--admin-name",
                required = true,
                paramLabel = "NAME",
                description = "The full name of the first admin.")
        Name name;
    }

    /** Also the beginning of an installation: it creates the schema in a database that has none. */
    @Command(name = "create", description = "Creates an organisation and, on an empty database, the schema.")
    static final class Create extends DatabaseCommand {
        private static final String INSERT = """
                INSERT INTO organization (id, slug, name, plan, created_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (slug) DO NOTHING
                """;

        @Option(
                names = "--slug",
                required = true,
                paramLabel = "SLUG",
                description = "The short name by which commands and organisation files know it.")
        Slug slug;

        @Option(names = "--name", required = true, paramLabel = "NAME", description = "The full name.")
        Name name;

        @Option(
                names = "--plan",
                paramLabel = "PLAN",
                description = "free, team, business or enterprise; business by default.")
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
            operations.change(id, (sql, now) -> {
                insert(sql, id, now);
                if (admin != null) {
                    var user = User.invite(admin.name.text(), admin.email.text(), Role.ADMIN, now);
                    Operations.record(sql, id, AuditAction.USER_INVITED, user.id(), null, "as admin", now);
                }
                return id;
            });
            say("Created the organisation " + slug + (admin == null ? "." : " and its admin " + admin.email + "."));
        }

        private void insert(Sql sql, UUID id, Instant now) throws SQLException {
            if (sql.update(INSERT, id, slug.text(), name.text(), EnumNames.format(plan), now) == 0) {
                throw new CommandFailure("There is an organisation with the slug " + slug + " already.");
            }
            Operations.record(sql, id, AuditAction.ORGANIZATION_CREATED, id, name.text(), null, now);
        }
    }

    /** All organisations, with how many people have access. */
    @Command(name = "list", description = "Lists the first 10,000 organisations by slug.")
    static final class Listing extends DatabaseCommand {
        private static final int MAX_ROWS = 10_000;
        private static final String LIST = """
                SELECT o.slug, o.id, o.name, o.plan, o.created_at,
                    (SELECT count(*) FROM users u WHERE u.organization_id = o.id AND u.deactivated_at IS NULL) AS users
                FROM organization o ORDER BY o.slug LIMIT ?
                """;

        @Override
        void run(Operations operations) throws Exception {
            var table = new Table("SLUG", "ID", "NAME", "PLAN", "USERS", "CREATED");
            operations.transaction(sql -> sql.list(row -> add(table, row), LIST, MAX_ROWS));
            print(table);
        }

        private static boolean add(Table table, ResultSet row) throws SQLException {
            return table.add(
                    row.getString("slug"),
                    IdKind.ORGANIZATION.format(row.getObject("id", UUID.class)),
                    row.getString("name"),
                    row.getString("plan"),
                    row.getLong("users"),
                    row.getObject("created_at", OffsetDateTime.class));
        }
    }

    /** The organisation file does not undo it: it sets a plan only when its own has changed. */
    @Command(
            name = "set-plan",
            description = "Sets the plan of an organisation; every replica follows within five seconds.")
    static final class SetPlan extends DatabaseCommand {
        private static final String FIND = "SELECT id FROM organization WHERE slug = ?";
        private static final String LOCK = "SELECT name, plan FROM organization WHERE id = ? FOR NO KEY UPDATE";
        private static final String UPDATE = "UPDATE organization SET plan = ? WHERE id = ?";

        @Parameters(index = "0", paramLabel = "SLUG", description = "The slug of the organisation.")
        Slug slug;

        @Parameters(index = "1", paramLabel = "PLAN", description = "free, team, business or enterprise.")
        Plan plan;

        private record Found(String name, String plan) {}

        @Override
        void run(Operations operations) throws Exception {
            var id = operations
                    .transaction(sql -> sql.first(row -> row.getObject(1, UUID.class), FIND, slug.text()))
                    .orElseThrow(() -> new CommandFailure(NO_ORGANIZATION.formatted(slug)));
            var newPlan = EnumNames.format(plan);
            var oldPlan = operations.change(id, (sql, now) -> {
                var found = sql.first(row -> new Found(row.getString("name"), row.getString("plan")), LOCK, id)
                        .orElseThrow();
                if (!found.plan().equals(newPlan)) {
                    sql.update(UPDATE, newPlan, id);
                    var detail = found.plan() + " to " + newPlan;
                    var action = AuditAction.ORGANIZATION_PLAN_CHANGED;
                    Operations.record(sql, id, action, id, found.name(), detail, now);
                }
                return found.plan();
            });
            say(slug + " has the plan " + newPlan
                    + (oldPlan.equals(newPlan) ? " already." : ", before " + oldPlan + "."));
        }
    }
}
