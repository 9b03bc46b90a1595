package dev.okr.operations.provisioning;

import dev.okr.operations.provisioning.OrganizationFile.ApiKey;
import dev.okr.operations.provisioning.OrganizationFile.Member;
import dev.okr.operations.provisioning.OrganizationFile.Organization;
import dev.okr.operations.provisioning.OrganizationFile.Team;
import dev.okr.operations.provisioning.OrganizationFile.User;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;

/**
 * Writes what an organisation file says, inside the caller's transaction.
 *
 * <p>Beside each name, plan and role stands what the file said when it was last applied. Only when the file says
 * something else is the value written again, so that what people changed since stays changed. Nothing is deleted, and
 * {@code revoked_at} and {@code deactivated_at} are never touched. A member that people take out of a team comes back
 * for as long as the file names it.
 */
final class Provisioner {
    private static final String PUT_ORGANIZATION = """
            INSERT INTO organization AS o (id, slug, name, plan, created_at, provisioned_name, provisioned_plan)
            SELECT ?::uuid, ?, f.name, f.plan, ?::timestamptz, f.name, f.plan
            FROM (SELECT ?::text AS name, ?::text AS plan) f
            ON CONFLICT (slug) DO UPDATE SET
                name = CASE WHEN o.provisioned_name IS DISTINCT FROM excluded.name THEN excluded.name ELSE o.name END,
                plan = CASE WHEN o.provisioned_plan IS DISTINCT FROM excluded.plan THEN excluded.plan ELSE o.plan END,
                provisioned_name = excluded.name,
                provisioned_plan = excluded.plan
            WHERE (o.provisioned_name, o.provisioned_plan) IS DISTINCT FROM (excluded.name, excluded.plan)
            """;
    private static final String FIND_ORGANIZATION =
            "SELECT id, name, plan AS standing FROM organization WHERE slug = ?";

    private static final String PUT_USER = """
            INSERT INTO users AS u
                (organization_id, id, email, name, role, created_at, provisioned_name, provisioned_role)
            SELECT ?::uuid, ?::uuid, ?, f.name, f.role, ?::timestamptz, f.name, f.role
            FROM (SELECT ?::text AS name, ?::text AS role) f
            ON CONFLICT (lower(email)) DO UPDATE SET
                name = CASE WHEN u.provisioned_name IS DISTINCT FROM excluded.name THEN excluded.name ELSE u.name END,
                role = CASE WHEN u.provisioned_role IS DISTINCT FROM excluded.role THEN excluded.role ELSE u.role END,
                provisioned_name = excluded.name,
                provisioned_role = excluded.role
            WHERE u.organization_id = excluded.organization_id
                AND (u.provisioned_name, u.provisioned_role) IS DISTINCT FROM (excluded.name, excluded.role)
            """;
    private static final String FIND_USER =
            "SELECT id, name, role AS standing FROM users WHERE organization_id = ? AND lower(email) = lower(?)";

    private static final String PUT_API_KEY = """
            INSERT INTO api_key AS k
                (organization_id, id, user_id, name, provisioned_as, token_hash, scopes, expires_at, created_at)
            SELECT ?::uuid, ?::uuid, ?::uuid, f.name, f.name, ?::bytea, ?::text[], ?::timestamptz, ?::timestamptz
            FROM (SELECT ?::text AS name) f
            ON CONFLICT (organization_id, user_id, provisioned_as) DO UPDATE SET
                token_hash = excluded.token_hash,
                scopes = excluded.scopes,
                expires_at = excluded.expires_at
            WHERE (k.token_hash, k.scopes, k.expires_at)
                IS DISTINCT FROM (excluded.token_hash, excluded.scopes, excluded.expires_at)
            RETURNING id, xmax = 0 AS created
            """;
    private static final String FIND_OTHER_KEY_OF_TOKEN = """
            SELECT id FROM api_key WHERE token_hash = ?
                AND (organization_id, user_id, provisioned_as) IS DISTINCT FROM (?::uuid, ?::uuid, ?::text)
            """;

    private static final String PUT_TEAM = """
            INSERT INTO team (organization_id, id, name, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (organization_id, name) DO NOTHING
            RETURNING id, true AS created
            """;
    private static final String FIND_TEAM = "SELECT id FROM team WHERE organization_id = ? AND name = ?";

    private static final String PUT_MEMBER = """
            INSERT INTO team_member AS m (organization_id, team_id, user_id, role, provisioned_role)
            SELECT ?::uuid, ?::uuid, ?::uuid, f.role, f.role FROM (SELECT ?::text AS role) f
            ON CONFLICT (organization_id, team_id, user_id) DO UPDATE SET
                role = excluded.role,
                provisioned_role = excluded.role
            WHERE m.provisioned_role IS DISTINCT FROM excluded.role
            """;

    private final ProvisionedRows rows;
    private final Instant now;
    private final FileErrors errors;
    private final ProvisioningAudit audit;

    /** @param errors takes what only the database knows to be wrong; the caller then rolls back */
    Provisioner(Sql sql, Instant now, FileErrors errors) {
        this.rows = new ProvisionedRows(sql);
        this.now = now;
        this.errors = errors;
        this.audit = new ProvisioningAudit(sql, now);
    }

    /** Applies the file and returns how many rows it wrote: none when nothing is new. */
    int apply(OrganizationFile file) throws SQLException {
        for (var organization : file.organizations()) {
            apply(organization);
        }
        return rows.written();
    }

    private void apply(Organization organization) throws SQLException {
        var plan = EnumNames.format(organization.plan());
        var before = rows.find(FIND_ORGANIZATION, organization.slug());
        rows.write(PUT_ORGANIZATION, UuidV7.at(now), organization.slug(), now, organization.name(), plan);
        var after = rows.find(FIND_ORGANIZATION, organization.slug()).orElseThrow();
        audit.organization(before, after);
        var organizationId = after.id();
        for (var user : organization.users()) {
            apply(organizationId, user);
        }
        for (var team : organization.teams()) {
            apply(organizationId, team);
        }
    }

    private void apply(UUID organizationId, User user) throws SQLException {
        var role = EnumNames.format(user.role());
        var before = rows.find(FIND_USER, organizationId, user.email());
        rows.write(PUT_USER, organizationId, UuidV7.at(now), user.email(), now, user.name(), role);
        var after = rows.find(FIND_USER, organizationId, user.email());
        if (after.isEmpty()) {
            errors.add(user.line(), FileErrors.quote(user.email()) + " is a user of another organisation");
            return;
        }
        audit.user(organizationId, before, after.get());
        for (var apiKey : user.apiKeys()) {
            apply(organizationId, after.get().id(), apiKey);
        }
    }

    private void apply(UUID organizationId, UUID userId, ApiKey apiKey) throws SQLException {
        var hash = apiKey.token().hash();
        if (rows.id(FIND_OTHER_KEY_OF_TOKEN, hash, organizationId, userId, apiKey.name())
                .isPresent()) {
            errors.add(apiKey.token().line(), "this token belongs to another API key");
            return;
        }
        var scopes = apiKey.scopes().stream().map(EnumNames::format).toList();
        var id = UuidV7.at(now);
        var put =
                rows.put(PUT_API_KEY, organizationId, id, userId, hash, scopes, apiKey.expiresAt(), now, apiKey.name());
        if (put.isPresent()) {
            audit.apiKey(organizationId, put.get(), apiKey.name());
        }
    }

    private void apply(UUID organizationId, Team team) throws SQLException {
        var put = rows.put(PUT_TEAM, organizationId, UuidV7.at(now), team.name(), now);
        if (put.isPresent()) {
            audit.team(organizationId, put.get(), team.name());
        }
        var teamId = rows.id(FIND_TEAM, organizationId, team.name()).orElseThrow();
        for (var member : team.members()) {
            apply(organizationId, teamId, team.name(), member);
        }
    }

    private void apply(UUID organizationId, UUID teamId, String teamName, Member member) throws SQLException {
        var user = rows.find(FIND_USER, organizationId, member.email());
        if (user.isEmpty()) {
            errors.add(member.line(), FileErrors.quote(member.email()) + " is not a user of the organisation");
            return;
        }
        var role = EnumNames.format(member.role());
        if (rows.write(PUT_MEMBER, organizationId, teamId, user.get().id(), role)) {
            audit.member(organizationId, teamId, teamName, user.get().id(), role);
        }
    }
}
