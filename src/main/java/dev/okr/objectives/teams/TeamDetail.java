package dev.okr.objectives.teams;

import dev.okr.organizations.TeamRole;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A team with its members. */
@Schema(name = "TeamDetail", description = "A team with its members.")
public record TeamDetail(
        @Schema(description = "The team's id.", examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The caller's own id of the team. Absent if there is none.", examples = "hr-growth")
        @Nullable
        String externalId,

        @Schema(description = "The team's name.", examples = "Growth")
        String name,

        @Schema(description = "How many users the team has.", minimum = "0", format = "int64", examples = "3")
        long membersCount,

        @Schema(
                description = "How many objectives the team has, in all cycles.",
                minimum = "0",
                format = "int64",
                examples = "4")
        long objectivesCount,

        @Schema(description = "The members by name, at most 100.", maxItems = 100)
        List<Member> members,

        @Schema(description = "When the team was created.", examples = "2026-01-05T09:00:00Z")
        Instant createdAt,

        @Schema(description = "When the team's name or external id last changed.", examples = "2026-01-05T09:00:00Z")
        Instant updatedAt) {

    private static final int MAX_MEMBERS = 100;

    private static final String MEMBERS = """
            SELECT u.id, u.name, m.role FROM team_member m
            JOIN users u ON u.organization_id = :organization AND u.id = m.user_id
            WHERE m.organization_id = :organization AND m.team_id = ?
            ORDER BY u.name, u.id LIMIT %d
            """.formatted(MAX_MEMBERS);

    /** A member of the team. */
    @Schema(name = "TeamDetailMember", description = "A member of a team.")
    public record Member(
            @Schema(description = "The user's id.", examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
            String id,

            @Schema(description = "The user's full name.", examples = "Ada Lovelace")
            String name,

            @Schema(description = "The user's role in the team.", examples = "lead")
            TeamRole role) {

        static Member read(ResultSet row) throws SQLException {
            return new Member(
                    IdKind.USER.format(Sql.uuid(row, "id")),
                    row.getString("name"),
                    EnumNames.parse(TeamRole.class, row.getString("role")).orElseThrow());
        }
    }

    /** @throws Failure if the organisation has no such team */
    static TeamDetail require(String publicId) {
        var team = TeamResponse.require(publicId);
        var members = TenantSql.current().list(Member::read, MEMBERS, IdKind.TEAM.require(publicId));
        return new TeamDetail(
                team.id(),
                team.externalId(),
                team.name(),
                team.membersCount(),
                team.objectivesCount(),
                members,
                team.createdAt(),
                team.updatedAt());
    }
}
