package dev.okr.organizations;

import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.hibernate.annotations.DynamicUpdate;

/** A group of users that has objectives. The API only reads them; the console changes them. */
@Entity
@DynamicUpdate
@Table(name = "team")
public class Team extends TenantEntity {
    /** Of all people on a page together. */
    private static final int MAX_NAMES = 5_000;

    @Column(name = "name")
    String name;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    protected Team() {}

    /**
     * Adds a team to the current organisation, within a transaction.
     *
     * @throws Failure a conflict, when the organisation has a team of this name
     */
    public static Team create(String name, Instant now) {
        requireFree(name);
        var team = new Team();
        team.id = UuidV7.at(now);
        team.name = name;
        team.createdAt = now;
        team.persist();
        return team;
    }

    /** @throws Failure a conflict, when the organisation has another team of this name */
    public void rename(String newName) {
        if (!newName.equals(name)) {
            requireFree(newName);
            name = newName;
        }
    }

    // The schema's unique constraint holds it; a transaction that comes between is found by the second look.
    private static void requireFree(String name) {
        if (count("name", name) > 0) {
            throw Failure.conflict("The organisation has a team of this name.");
        }
    }

    public String name() {
        return name;
    }

    public Instant createdAt() {
        return createdAt;
    }

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    /** @throws Failure when the organisation has no such team */
    public static UUID require(String publicId) {
        return IdKind.TEAM.parse(publicId).filter(Team::exists).orElseThrow(() -> Failure.notFound("team"));
    }

    /** As {@link #require}, to change it, under a lock on its row. */
    public static Team requireLocked(String publicId) {
        return IdKind.TEAM
                .parse(publicId)
                .flatMap(id ->
                        find("id", id).withLock(LockModeType.PESSIMISTIC_WRITE).<Team>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("team"));
    }

    /** The names of the teams of some users, in order, by the users' ids. */
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
                .setMaxResults(MAX_NAMES)
                .getResultStream()
                .collect(Collectors.groupingBy(
                        MembershipRow::userId, Collectors.mapping(MembershipRow::team, Collectors.toList())));
    }

    /** A row of the query. */
    @RegisterForReflection
    record MembershipRow(UUID userId, String team) {}

    /** The ids of a user's teams, by the teams' names. */
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
