package dev.okr.objectives.teams;

import dev.okr.organizations.Team;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;

/** A team with the number of its members and objectives. */
@RegisterForReflection
public record CountedTeam(Team team, long members, long objectives) {
    private static final String WITH_COUNTS = """
            select t,
                (select count(*) from TeamMember m where m.teamId = t.id and m.organizationId = t.organizationId),
                (select count(*) from Objective o where o.teamId = t.id and o.organizationId = t.organizationId)
            from Team t
            """;

    /** @throws Failure if the organisation has no such team */
    public static CountedTeam require(String publicId) {
        return IdKind.TEAM
                .parse(publicId)
                .flatMap(id -> Panache.getSession()
                        .createSelectionQuery(WITH_COUNTS + "where t.id = :id", CountedTeam.class)
                        .setParameter("id", id)
                        .uniqueResultOptional())
                .orElseThrow(() -> Failure.notFound("team"));
    }

    /** The teams of the organisation, by name. */
    public static Slice<CountedTeam> list(ListQuery query) {
        long total = Team.count();
        if (query.offset() >= total) {
            return new Slice<>(List.of(), total, null);
        }
        var rows = Panache.getSession()
                .createSelectionQuery(WITH_COUNTS + "order by t.name, t.id", CountedTeam.class)
                .setFirstResult(Math.toIntExact(query.offset()))
                .setMaxResults(query.perPage())
                .getResultList();
        return new Slice<>(rows, total, null);
    }
}
