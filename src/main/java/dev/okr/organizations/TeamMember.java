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
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.TenantId;

/** A user's place in a team. */
@Entity
@DynamicUpdate
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
    @Column(name = "organization_id")
    String organizationId;

    @Column(name = "role")
    TeamRole role;

    /** A membership is one user in one team. */
    @RegisterForReflection
    public record Key(UUID teamId, UUID userId) implements Serializable {}

    protected TeamMember() {}

    /**
     * Makes a user a member of a team or, of a member, a lead and the other way round; within a transaction.
     *
     * @return whether anything is different now
     */
    public static boolean set(UUID teamId, UUID userId, TeamRole role) {
        var member = TeamMember.<TeamMember>find("teamId = ?1 and userId = ?2", teamId, userId)
                .firstResult();
        if (member == null) {
            member = new TeamMember();
            member.teamId = teamId;
            member.userId = userId;
            member.role = role;
            member.persist();
            return true;
        }
        boolean changed = member.role != role;
        member.role = role;
        return changed;
    }

    /** Takes a user out of a team; whether there was anything to take. */
    public static boolean remove(UUID teamId, UUID userId) {
        return delete("teamId = ?1 and userId = ?2", teamId, userId) > 0;
    }

    /** The members of a team, by the users' ids. */
    public static List<TeamMember> of(UUID teamId) {
        return list("teamId = ?1 order by userId", teamId);
    }

    /** What some users are to a team; those who are not its members are missing. */
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

    /** Stores roles in lower case. */
    @Converter(autoApply = true)
    static class TeamRoleConverter extends EnumConverter<TeamRole> {
        TeamRoleConverter() {
            super(TeamRole.class);
        }
    }
}
