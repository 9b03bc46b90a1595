package dev.okr.operations.provisioning;

import dev.okr.access.ApiKeyWriter;
import dev.okr.objectives.teams.TeamMemberWriter;
import dev.okr.objectives.teams.TeamWriter;
import dev.okr.operations.provisioning.OrganizationFile.ApiKey;
import dev.okr.operations.provisioning.OrganizationFile.Member;
import dev.okr.operations.provisioning.OrganizationFile.Team;
import dev.okr.operations.provisioning.OrganizationFile.User;
import dev.okr.organizations.Organization;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.AccessLock;
import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.ChangeEvents;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Applies an organisation file, in the transaction of the caller.
 *
 * <p>A name, plan or role is written only if its value in the file has changed since the file was last applied. So
 * later changes by people stay. Nothing is deleted, revoked, deactivated or reactivated. If people remove a member from
 * a team, and the file still names the member, the next start adds the member again.
 */
final class Provisioner {
    private final Sql sql;
    private final Instant now;
    private final FileErrors errors;
    private final ChangeEvents events;
    private final ProvisionedRows rows;
    private final ProvisionedRows unlockedRows;
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
        this.rows = ProvisionedRows.locked(sql);
        this.unlockedRows = ProvisionedRows.unlocked(sql);
    }

    /** Applies the file and returns the number of rows that it wrote. The number is 0 if nothing in the file is new. */
    int apply(OrganizationFile file) throws SQLException {
        for (var organization : file.organizations()) {
            // An import locks its organisation for minutes. So an organisation without a difference is not locked.
            if (!isApplied(organization)) {
                apply(organization);
            }
        }
        return written;
    }

    private boolean isApplied(OrganizationFile.Organization organization) throws SQLException {
        var known = unlockedRows
                .organization(organization.slug())
                .filter(each -> each.has(organization.name(), organization.plan()));
        if (known.isEmpty()) {
            return false;
        }
        var id = known.get().id();
        for (var user : organization.users()) {
            if (!isApplied(id, user)) {
                return false;
            }
        }
        var teams = new TeamWriter(change(id));
        for (var team : organization.teams()) {
            var teamId = teams.find(team.name());
            if (teamId.isEmpty() || !isApplied(id, teamId.get(), team.members())) {
                return false;
            }
        }
        return true;
    }

    private boolean isApplied(UUID organizationId, User user) throws SQLException {
        var known = unlockedRows.user(organizationId, user.email()).filter(each -> each.has(user.name(), user.role()));
        if (known.isEmpty()) {
            return false;
        }
        for (var key : user.apiKeys()) {
            var stored = unlockedRows.apiKey(organizationId, known.get().id(), key.name());
            if (stored.filter(key::equalsStored).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private boolean isApplied(UUID organizationId, UUID teamId, List<Member> members) throws SQLException {
        for (var member : members) {
            var user = unlockedRows.user(organizationId, member.email());
            if (user.isEmpty()) {
                return false;
            }
            var role =
                    unlockedRows.memberRole(organizationId, teamId, user.get().id());
            if (!role.equals(Optional.of(EnumNames.format(member.role())))) {
                return false;
            }
        }
        return true;
    }

    /** Locks the organisation first, like all other changes of people and teams. A running import stops for it. */
    private void apply(OrganizationFile.Organization organization) throws SQLException {
        var stored = unlockedRows.organization(organization.slug());
        if (stored.isPresent()) {
            AccessLock.share(sql, stored.get().id());
        }
        var change = put(organization);
        for (var user : organization.users()) {
            apply(change, user);
        }
        for (var team : organization.teams()) {
            apply(change, team);
        }
    }

    /** Returns the change for the rows of the organisation. Those of a new organisation have no events. */
    private Change put(OrganizationFile.Organization organization) throws SQLException {
        var created = change(UuidV7.at(now));
        var known = rows.organization(organization.slug());
        if (known.isEmpty()
                && Organization.create(created, organization.slug(), organization.name(), organization.plan())) {
            mark(created, organization);
            return created;
        }
        // If the first query returned no row, a command has created the organisation since then.
        var before = known.isPresent()
                ? known.get()
                : rows.organization(organization.slug()).orElseThrow();
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
        var users = new UserWriter(change);
        var known = rows.user(change.organizationId(), user.email());
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
        var keys = new ApiKeyWriter(change);
        var known = rows.apiKey(organizationId, userId, key.name());
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
        var created = teams.createIfNew(team.name());
        written += created.isPresent() ? 1 : 0;
        var teamId =
                created.isPresent() ? created.get() : teams.find(team.name()).orElseThrow();
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
        var before = rows.memberRole(organizationId, teamId, userId);
        if (!before.equals(Optional.of(EnumNames.format(member.role())))) {
            new TeamMemberWriter(change).setMember(teamId, userId, member.role());
            rows.markMember(organizationId, teamId, userId, member.role());
            written++;
        }
    }

    private Change change(UUID organizationId) {
        return Change.by(Actor.ORGANIZATION_FILE, organizationId, sql, now);
    }
}
