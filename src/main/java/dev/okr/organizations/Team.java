package dev.okr.organizations;

import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** A team of users, for reading. {@link TeamWriter} changes teams. */
@Entity
@Table(name = "team")
public class Team extends TenantEntity {
    private static final int MAX_MEMBERSHIPS_PER_PAGE = 5_000;

    @Column(name = "name")
    String name;

    @Column(name = "created_at")
    Instant createdAt;

    protected Team() {}

    public String name() {
        return name;
    }

    public Instant createdAt() {
        return createdAt;
    }

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    /** @throws Failure if the organisation has no such team */
    public static UUID require(String publicId) {
        return IdKind.TEAM.parse(publicId).filter(Team::exists).orElseThrow(() -> Failure.notFound("team"));
    }

    /** The names of users' teams in alphabetical order, by user id. */
    public static Map<UUID, List<String>> namesOf(Collection<UUID> userIds) {
        if (userIds.isEmpty()) {
            return Map.of();
        }
        return Panache.getSession()
                .createSelectionQuery("""
                        select m.userId, t.name from Team t
                        join TeamMember m on m.teamId = t.id and m.organizationId = t.organizationId
                        where m.userId in :userIds
                        order by t.name, t.id
                        """, MembershipRow.class)
                .setParameter("userIds", userIds)
                .setMaxResults(MAX_MEMBERSHIPS_PER_PAGE)
                .getResultStream()
                .collect(Collectors.groupingBy(
                        MembershipRow::userId, Collectors.mapping(MembershipRow::team, Collectors.toList())));
    }

    @RegisterForReflection
    record MembershipRow(UUID userId, String team) {}

    /** The ids of a user's teams, in the order of the teams' names. */
    static List<UUID> idsOf(UUID userId) {
        return Panache.getSession()
                .createSelectionQuery("""
                        select t.id from Team t
                        join TeamMember m on m.teamId = t.id and m.organizationId = t.organizationId
                        where m.userId = :userId
                        order by t.name, t.id
                        """, UUID.class)
                .setParameter("userId", userId)
                .getResultList();
    }
}
