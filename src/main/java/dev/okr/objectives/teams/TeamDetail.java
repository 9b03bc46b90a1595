package dev.okr.objectives.teams;

import dev.okr.organizations.TeamRole;
import dev.okr.platform.ids.IdKind;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A team with its members. */
@Schema(name = "TeamDetail", description = "A team with its members.")
public record TeamDetail(
        @Schema(description = "The team's id.", required = true, examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The team's name.", required = true, examples = "Growth")
        String name,

        @Schema(
                description = "How many users the team has.",
                required = true,
                minimum = "0",
                format = "int64",
                examples = "3")
        long membersCount,

        @Schema(
                description = "How many objectives the team has, in all cycles.",
                required = true,
                minimum = "0",
                format = "int64",
                examples = "4")
        long objectivesCount,

        @Schema(description = "The members by name, at most 100.", required = true, maxItems = 100)
        List<Member> members,

        @Schema(description = "When the team was created.", required = true, examples = "2026-01-05T09:00:00Z")
        Instant createdAt) {

    private static final int MAX_MEMBERS = 100;

    /** A member of the team. */
    @Schema(name = "TeamMember", description = "A member of a team.")
    public record Member(
            @Schema(description = "The user's id.", required = true, examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
            String id,

            @Schema(description = "The user's full name.", required = true, examples = "Ada Lovelace")
            String name,

            @Schema(description = "The user's role in the team.", required = true, examples = "lead")
            TeamRole role) {}

    /** A row of the query in {@link #members(UUID)}. */
    @RegisterForReflection
    record MemberRow(UUID id, String name, TeamRole role) {}

    static TeamDetail of(CountedTeam counted) {
        var team = counted.team();
        return new TeamDetail(
                IdKind.TEAM.format(team.id()),
                team.name(),
                counted.members(),
                counted.objectives(),
                members(team.id()),
                team.createdAt());
    }

    private static List<Member> members(UUID teamId) {
        return Panache.getSession()
                .createSelectionQuery("""
                        select u.id, u.name, m.role from TeamMember m
                        join User u on u.id = m.userId and u.organizationId = m.organizationId
                        where m.teamId = :teamId
                        order by u.name, u.id
                        """, MemberRow.class)
                .setParameter("teamId", teamId)
                .setMaxResults(MAX_MEMBERS)
                .getResultStream()
                .map(row -> new Member(IdKind.USER.format(row.id()), row.name(), row.role()))
                .toList();
    }
}
