package dev.okr.operations.provisioning;

import dev.okr.access.ApiKeyWriter;
import dev.okr.objectives.teams.TeamMemberWriter;
import dev.okr.objectives.teams.TeamWriter;
import dev.okr.operations.provisioning.OrganizationFile.ApiKey;
import dev.okr.operations.provisioning.OrganizationFile.Member;
import dev.okr.operations.provisioning.OrganizationFile.Team;
import dev.okr.operations.provisioning.OrganizationFile.User;
import dev.okr.operations.provisioning.ProvisionedRows.Named;
import dev.okr.organizations.Organization;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.ChangeEvents;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Applies an organisation file, in the transaction of the caller.
 *
 * <p>A name, plan or role is written only if its value in the file has changed since the file was last applied. So
 * later changes by people stay. Nothing is deleted, revoked, deactivated or reactivated. If people remove a member from
 * a team, and the file still names the member, the next start adds the member again.
 *
 * <p>Rows that have the values of the file are not locked. Only this class sets the {@code provisioned_…} values, and
 * the caller holds a lock that only one replica can have. Other rows are locked and read again before they are written.
 */
final class Provisioner {
    private final Sql sql;
    private final Instant now;
    private final FileErrors errors;
    private final ChangeEvents events;
    private final ProvisionedRows rows;
    private final ProvisionedRows lockedRows;
    private int written;

    /**
     * @param errors receives errors that only the database can show; the caller then rolls back
     * @param events receives the changes of users and teams
     */
    Provisioner(Sql sql, Instant now, FileErrors errors, ChangeEvents events) {
        this.sql = sql;
        this.now = now;
        this.errors = errors;
        this.events = events;
        this.rows = ProvisionedRows.unlocked(sql);
        this.lockedRows = ProvisionedRows.locked(sql);
    }

    /** Applies the file and returns the number of rows that it wrote. The number is 0 if nothing in the file is new. */
    int apply(OrganizationFile file) throws SQLException {
        for (var organization : file.organizations()) {
            var change = put(organization);
            for (var user : organization.users()) {
                apply(change, user);
            }
            for (var team : organization.teams()) {
                apply(change, team);
            }
        }
        return written;
    }

    /** Returns the change for the rows of the organisation. Those of a new organisation have no events. */
    private Change put(OrganizationFile.Organization organization) throws SQLException {
        var applied = rows.organization(organization.slug())
                .filter(each -> each.has(organization.name(), organization.plan()));
        if (applied.isPresent()) {
            return change(applied.get().id()).with(events);
        }
        var created = change(UuidV7.at(now));
        var known = lockedRows.organization(organization.slug());
        if (known.isEmpty()
                && Organization.create(created, organization.slug(), organization.name(), organization.plan())) {
            mark(created, organization);
            return created;
        }
        // If the first query returned no row, a command has created the organisation since then.
        var before = known.isPresent()
                ? known.get()
                : lockedRows.organization(organization.slug()).orElseThrow();
        var change = change(before.id());
        boolean nameIsNew = !organization.name().equals(before.name());
        boolean planIsNew = !EnumNames.format(organization.plan()).equals(before.standing());
        if (nameIsNew) {
            Organization.rename(change, organization.name());
        }
        if (planIsNew) {
            Organization.setPlan(change, organization.plan());
        }
        if (nameIsNew || planIsNew) {
            mark(change, organization);
        }
        return change.with(events);
    }

    private void mark(Change change, OrganizationFile.Organization organization) throws SQLException {
        rows.mark(change.organizationId(), organization.name(), organization.plan());
        written++;
    }

    private void apply(Change change, User user) throws SQLException {
        var userId = put(change, user);
        if (userId.isEmpty()) {
            errors.add(user.line(), FileErrors.quote(user.email()) + " is a user of another organisation");
            return;
        }
        for (var apiKey : user.apiKeys()) {
            apply(change, userId.get(), apiKey);
        }
    }

    /** Returns empty if another organisation has a user with the email address. */
    private Optional<UUID> put(Change change, User user) throws SQLException {
        var applied =
                rows.user(change.organizationId(), user.email()).filter(each -> each.has(user.name(), user.role()));
        if (applied.isPresent()) {
            return applied.map(Named::id);
        }
        var users = new UserWriter(change);
        var known = lockedRows.user(change.organizationId(), user.email());
        if (known.isEmpty()) {
            var invited = users.inviteIfFree(user.name(), user.email(), user.role());
            if (invited.isPresent()) {
                mark(change, invited.get(), user);
            }
            return invited;
        }
        var before = known.get();
        boolean nameIsNew = !user.name().equals(before.name());
        boolean roleIsNew = !EnumNames.format(user.role()).equals(before.standing());
        if (nameIsNew) {
            users.rename(before.id(), user.name());
        }
        if (roleIsNew) {
            users.overrideRole(before.id(), user.role());
        }
        if (nameIsNew || roleIsNew) {
            mark(change, before.id(), user);
        }
        return Optional.of(before.id());
    }

    private void mark(Change change, UUID userId, User user) throws SQLException {
        rows.markUser(change.organizationId(), userId, user.name(), user.role());
        written++;
    }

    private void apply(Change change, UUID userId, ApiKey key) throws SQLException {
        var organizationId = change.organizationId();
        var hash = key.tokenHash();
        if (rows.isTokenOfOtherKey(hash, organizationId, userId, key.name())) {
            errors.add(key.tokenLine(), "this token belongs to another API key");
            return;
        }
        if (rows.apiKey(organizationId, userId, key.name())
                .filter(key::equalsStored)
                .isPresent()) {
            return;
        }
        var keys = new ApiKeyWriter(change);
        var known = lockedRows.apiKey(organizationId, userId, key.name());
        if (known.isEmpty()) {
            var id = UuidV7.at(now);
            keys.add(id, userId, key.name(), hash, key.scopes(), key.expiresAt());
            rows.markApiKey(organizationId, id, key.name());
            written++;
        } else if (!key.equalsStored(known.get())) {
            keys.change(known.get().id(), key.name(), hash, key.scopes(), key.expiresAt());
            written++;
        }
    }

    private void apply(Change change, Team team) throws SQLException {
        var teams = new TeamWriter(change);
        // Creating a team locks the organisation, even if there is a team of this name.
        if (teams.find(team.name()).isEmpty()) {
            written += teams.createIfNew(team.name()).isPresent() ? 1 : 0;
        }
        var teamId = teams.find(team.name()).orElseThrow();
        for (var member : team.members()) {
            apply(change, teamId, member);
        }
    }

    private void apply(Change change, UUID teamId, Member member) throws SQLException {
        var organizationId = change.organizationId();
        var user = rows.user(organizationId, member.email());
        if (user.isEmpty()) {
            errors.add(member.line(), FileErrors.quote(member.email()) + " is not a user of the organisation");
            return;
        }
        var userId = user.get().id();
        var role = Optional.of(EnumNames.format(member.role()));
        if (!rows.memberRole(organizationId, teamId, userId).equals(role)
                && !lockedRows.memberRole(organizationId, teamId, userId).equals(role)) {
            new TeamMemberWriter(change).setMember(teamId, userId, member.role());
            rows.markMember(organizationId, teamId, userId, member.role());
            written++;
        }
    }

    private Change change(UUID organizationId) {
        return Change.by(Actor.ORGANIZATION_FILE, organizationId, sql, now);
    }
}
