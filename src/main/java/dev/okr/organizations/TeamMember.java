package dev.okr.organizations;

import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.hibernate.annotations.PartitionKey;
import org.hibernate.annotations.TenantId;

/** The membership of a user in a team. {@code objectives.teams.TeamMemberWriter} changes memberships. */
@Entity
@IdClass(TeamMember.Key.class)
@Table(name = "team_member")
public class TeamMember extends PanacheEntityBase {
    private static final String ROLES = """
            SELECT user_id, role FROM team_member
            WHERE organization_id = :organization AND team_id = ? AND user_id = ANY (?)
            """;

    @Id
    @Column(name = "team_id")
    UUID teamId;

    @Id
    @Column(name = "user_id")
    UUID userId;

    @TenantId
    @PartitionKey
    @Column(name = "organization_id")
    String organizationId;

    @Column(name = "role")
    TeamRole role;

    /** The primary key. */
    @RegisterForReflection
    public record Key(UUID teamId, UUID userId) implements Serializable {}

    protected TeamMember() {}

    /** The roles of users in a team, by user id. Users who are not members are left out. */
    public static Map<UUID, TeamRole> rolesOf(UUID teamId, Collection<UUID> userIds) {
        if (userIds.isEmpty()) {
            return Map.of();
        }
        return TenantSql.current().list(TeamMember::roleOfUser, ROLES, teamId, userIds).stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Map.Entry<UUID, TeamRole> roleOfUser(ResultSet row) throws SQLException {
        var role = EnumNames.parse(TeamRole.class, row.getString("role")).orElseThrow();
        return Map.entry(Sql.uuid(row, "user_id"), role);
    }

    /** Whether a user leads a team. */
    public static boolean isLead(UUID teamId, UUID userId) {
        return count("teamId = ?1 and userId = ?2 and role = ?3", teamId, userId, TeamRole.LEAD) > 0;
    }

    @Converter(autoApply = true)
    static class TeamRoleConverter extends EnumConverter<TeamRole> {
        TeamRoleConverter() {
            super(TeamRole.class);
        }
    }
}
