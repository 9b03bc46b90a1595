package dev.okr.organizations;

import dev.okr.organizations.tenant.EnumConverter;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.hibernate.annotations.PartitionKey;
import org.hibernate.annotations.TenantId;

/** The membership of a user in a team, for reading. {@link TeamWriter} changes memberships. */
@Entity
@IdClass(TeamMember.Key.class)
@Table(name = "team_member")
public class TeamMember extends PanacheEntityBase {
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
        return TeamMember.<TeamMember>list("teamId = ?1 and userId in ?2", teamId, userIds).stream()
                .collect(Collectors.toMap(TeamMember::userId, TeamMember::role));
    }

    public UUID userId() {
        return userId;
    }

    public TeamRole role() {
        return role;
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
