package dev.okr.objectives.teams;

import dev.okr.organizations.audit.Change;
import dev.okr.organizations.tenant.ByName;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A team as lists show it. */
@Schema(name = "Team", description = "A group of users that has objectives.")
public record TeamResponse(
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

        @Schema(description = "When the team was created.", examples = "2026-01-05T09:00:00Z")
        Instant createdAt,

        @Schema(description = "When the team's name or external id last changed.", examples = "2026-01-05T09:00:00Z")
        Instant updatedAt) {

    private static final String COLUMNS = """
            e.id, e.external_id, e.name, e.created_at, coalesce(e.updated_at, e.created_at) AS last_updated_at,
            (SELECT count(*) FROM team_member m
                WHERE m.organization_id = :organization AND m.team_id = e.id) AS members_count,
            (SELECT count(*) FROM objective o
                WHERE o.organization_id = :organization AND o.team_id = e.id) AS objectives_count""";

    private static final String ALL = "team e WHERE e.organization_id = :organization";

    private static final String READ = "SELECT " + COLUMNS + " FROM " + ALL + " AND e.id = ?";
    private static final String READ_IN_CHANGE = READ.replace(":organization", "?");

    /** Reads a team of the organisation of a change, which may run outside of requests. */
    static TeamResponse require(Change change, UUID id) throws SQLException {
        var organization = change.organizationId();
        return change.sql()
                .first(TeamResponse::read, READ_IN_CHANGE, organization, organization, organization, id)
                .orElseThrow();
    }

    /** @throws Failure if the organisation has no such team */
    public static TeamResponse require(String publicId) {
        return IdKind.TEAM
                .parse(publicId)
                .flatMap(id -> TenantSql.current().first(TeamResponse::read, READ, id))
                .orElseThrow(() -> Failure.notFound("team"));
    }

    /** The teams of the organisation that match the filters of the query, by name. */
    public static Slice<TeamResponse> list(ListQuery query) {
        return ByName.of(TeamResponse::read, COLUMNS, ALL)
                .where("e.name = ?", query.text("name"))
                .where("e.external_id = ?", query.externalId())
                .where("coalesce(e.updated_at, e.created_at) >= ?", query.time("updated_since"))
                .slice(query);
    }

    /** The same team, with the counts of another response. */
    TeamResponse withCountsOf(TeamResponse other) {
        return new TeamResponse(id, externalId, name, other.membersCount, other.objectivesCount, createdAt, updatedAt);
    }

    private static TeamResponse read(ResultSet row) throws SQLException {
        return new TeamResponse(
                IdKind.TEAM.format(Sql.uuid(row, "id")),
                row.getString("external_id"),
                row.getString("name"),
                row.getLong("members_count"),
                row.getLong("objectives_count"),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "last_updated_at"));
    }
}
