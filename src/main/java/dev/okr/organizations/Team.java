package dev.okr.organizations;

import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** A team of users. {@code objectives.teams.TeamWriter} changes teams. */
@Entity
@Table(name = "team")
public class Team extends TenantEntity {
    private static final int MAX_MEMBERSHIPS_PER_PAGE = 5_000;

    private static final String OF_USERS = """
            SELECT m.user_id, t.id, t.name FROM team_member m
            JOIN team t ON t.organization_id = :organization AND t.id = m.team_id
            WHERE m.organization_id = :organization AND m.user_id = ANY (?)
            ORDER BY t.name, t.id
            LIMIT %d
            """.formatted(MAX_MEMBERSHIPS_PER_PAGE);

    @Column(name = "name")
    String name;

    protected Team() {}

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
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
