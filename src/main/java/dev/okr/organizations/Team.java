package dev.okr.organizations;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** Finds teams and their members. {@link TeamWriter} changes them. */
public final class Team {
    private static final int MAX_MEMBERSHIPS_PER_PAGE = 5_000;

    private static final String EXISTS = "SELECT 1 FROM team WHERE organization_id = :organization AND id = ?";

    private static final String OF_USERS = """
            SELECT m.user_id, t.id, t.name FROM team_member m
            JOIN team t ON t.organization_id = :organization AND t.id = m.team_id
            WHERE m.organization_id = :organization AND m.user_id = ANY (?)
            ORDER BY t.name, t.id
            LIMIT %d
            """.formatted(MAX_MEMBERSHIPS_PER_PAGE);

    private static final String ROLES = """
            SELECT user_id, role FROM team_member
            WHERE organization_id = :organization AND team_id = ? AND user_id = ANY (?)
            """;

    private Team() {}

    public static boolean exists(UUID id) {
        return TenantSql.current().first(row -> true, EXISTS, id).isPresent();
    }

    /** @throws Failure if the organisation has no such team */
    public static UUID require(String publicId) {
        return IdKind.TEAM.parse(publicId).filter(Team::exists).orElseThrow(() -> Failure.notFound("team"));
    }

    /** The names of users' teams in alphabetical order, by user id. */
    public static Map<UUID, List<String>> namesOf(Collection<UUID> userIds) {
        return ofUsers(userIds).stream()
                .collect(Collectors.groupingBy(
                        Membership::userId, Collectors.mapping(Membership::teamName, Collectors.toList())));
    }

    /** The ids of a user's teams, in the order of the teams' names. */
    static List<UUID> idsOf(UUID userId) {
        return ofUsers(List.of(userId)).stream().map(Membership::teamId).toList();
    }

    /** The roles of users in a team, by user id. Users who are not members are left out. */
    public static Map<UUID, TeamRole> rolesOf(UUID teamId, Collection<UUID> userIds) {
        var roles = new HashMap<UUID, TeamRole>();
        if (userIds.isEmpty()) {
            return roles;
        }
        TenantSql.current()
                .list(
                        row -> roles.put(
                                Sql.uuid(row, "user_id"),
                                EnumNames.parse(TeamRole.class, row.getString("role"))
                                        .orElseThrow()),
                        ROLES,
                        teamId,
                        userIds);
        return roles;
    }

    /** Whether a user leads a team. */
    public static boolean isLead(UUID teamId, UUID userId) {
        return rolesOf(teamId, List.of(userId)).get(userId) == TeamRole.LEAD;
    }

    private record Membership(UUID userId, UUID teamId, String teamName) {}

    private static List<Membership> ofUsers(Collection<UUID> userIds) {
        return userIds.isEmpty()
                ? List.of()
                : TenantSql.current()
                        .list(
                                row -> new Membership(
                                        Sql.uuid(row, "user_id"), Sql.uuid(row, "id"), row.getString("name")),
                                OF_USERS,
                                userIds);
    }
}
