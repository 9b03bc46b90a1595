package dev.okr.teams;

import dev.okr.organizations.ConstantConverter;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;

/** A user's place in a team. */
@Entity
@Immutable
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

    /** Whether a user leads a team. */
    public static boolean isLead(UUID teamId, UUID userId) {
        return count("teamId = ?1 and userId = ?2 and role = ?3", teamId, userId, TeamRole.LEAD) > 0;
    }

    /** Stores roles in lower case. */
    @Converter(autoApply = true)
    static class TeamRoleConverter extends ConstantConverter<TeamRole> {
        TeamRoleConverter() {
            super(TeamRole.class);
        }
    }
}
