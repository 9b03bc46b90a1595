package dev.okr.operations.demo;

import dev.okr.organizations.Plan;
import dev.okr.organizations.TeamRole;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Writes the demonstration organisation. */
final class DemoOrganization {
    static final String SLUG = "demo";

    private static final Duration BEFORE_FIRST_CYCLE = Duration.ofDays(14);
    private static final Duration TO_FIRST_MORNING = Duration.ofHours(9);
    private static final Duration SINCE_PLANNING = Duration.ofDays(2);

    private static final String INSERT_ORGANIZATION = """
            INSERT INTO organization (id, slug, name, plan, created_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (slug) DO NOTHING
            """;
    private static final String INSERT_USER =
            "INSERT INTO users (organization_id, id, email, name, role, created_at) VALUES (?, ?, ?, ?, ?, ?)";
    private static final String INSERT_TEAM =
            "INSERT INTO team (organization_id, id, name, created_at) VALUES (?, ?, ?, ?)";
    private static final String INSERT_MEMBER =
            "INSERT INTO team_member (organization_id, team_id, user_id, role) VALUES (?, ?, ?, ?)";
    private static final String INSERT_CYCLE = """
            INSERT INTO cycle (organization_id, id, name, starts_at, ends_at, status, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private final Sql sql;
    private final Instant now;
    private final UUID id;
    private final Map<String, UUID> people = new HashMap<>();
    private final Map<String, UUID> teams = new HashMap<>();

    private DemoOrganization(Sql sql, Instant now) {
        this.sql = sql;
        this.now = now;
        this.id = UuidV7.at(now);
    }

    /** Creates the organisation with all its content. One that exists is left as people made it. */
    static boolean createOnce(Sql sql, Instant now) throws SQLException {
        return new DemoOrganization(sql, now).create();
    }

    private boolean create() throws SQLException {
        var founded = DemoPeriod.completed(now).startsAt().minus(BEFORE_FIRST_CYCLE);
        var plan = EnumNames.format(Plan.BUSINESS);
        // Of replicas that start together, the others wait here for the first one, and find its organisation.
        if (sql.update(INSERT_ORGANIZATION, id, SLUG, DemoContent.ORGANIZATION, plan, founded) == 0) {
            return false;
        }
        for (var person : DemoContent.PEOPLE) {
            create(person, founded);
        }
        for (var team : DemoContent.TEAMS) {
            create(team, founded);
        }
        createCycles();
        return true;
    }

    private void create(DemoContent.DemoUser person, Instant createdAt) throws SQLException {
        var userId = UuidV7.at(createdAt);
        var role = EnumNames.format(person.role());
        sql.update(INSERT_USER, id, userId, person.email(), person.name(), role, createdAt);
        people.put(person.login(), userId);
    }

    private void create(DemoContent.Team team, Instant createdAt) throws SQLException {
        var teamId = UuidV7.at(createdAt);
        sql.update(INSERT_TEAM, id, teamId, team.name(), createdAt);
        teams.put(team.name(), teamId);
        add(teamId, team.lead(), TeamRole.LEAD);
        for (var member : team.members()) {
            add(teamId, member, TeamRole.MEMBER);
        }
    }

    private void add(UUID teamId, String login, TeamRole role) throws SQLException {
        sql.update(INSERT_MEMBER, id, teamId, people.get(login), EnumNames.format(role));
    }

    private void createCycles() throws SQLException {
        var completed = DemoPeriod.completed(now);
        var active = DemoPeriod.active(now);
        var planned = DemoPeriod.planned(now);
        var objectives = new DemoObjectives(sql, id, people, teams);
        objectives.create(
                create(completed), firstMorning(completed), completed.endsAt(), DemoContent.COMPLETED_OBJECTIVES);
        objectives.create(create(active), firstMorning(active), now, DemoContent.ACTIVE_OBJECTIVES);
        objectives.create(create(planned), now.minus(SINCE_PLANNING), now, DemoContent.PLANNED_OBJECTIVES);
        objectives.align(DemoContent.ALIGNMENTS, now.minus(SINCE_PLANNING));
    }

    /** Cycles are planned when the one before begins, the one that lies ahead just now. */
    private UUID create(DemoPeriod period) throws SQLException {
        var plannedAt = List.of(period.startsAt().minus(BEFORE_FIRST_CYCLE), now.minus(SINCE_PLANNING)).stream()
                .min(Instant::compareTo)
                .orElseThrow();
        var cycleId = UuidV7.at(plannedAt);
        var status = EnumNames.format(period.status());
        sql.update(
                INSERT_CYCLE,
                id,
                cycleId,
                period.name(),
                period.startsAt(),
                period.endsAt(),
                status,
                plannedAt,
                plannedAt);
        return cycleId;
    }

    private static Instant firstMorning(DemoPeriod period) {
        return period.startsAt().plus(TO_FIRST_MORNING);
    }
}
