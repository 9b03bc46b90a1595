package dev.okr.operations.demo;

import dev.okr.objectives.teams.TeamMemberWriter;
import dev.okr.objectives.teams.TeamWriter;
import dev.okr.organizations.Organization;
import dev.okr.organizations.Plan;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Creates the demonstration organisation. */
final class DemoOrganization {
    static final String SLUG = "demo";
    static final String ADMIN_EMAIL = "ada@demo.example";

    private static final Duration BEFORE_FIRST_CYCLE = Duration.ofDays(14);
    private static final Duration TO_FIRST_MORNING = Duration.ofHours(9);
    private static final Duration SINCE_PLANNING = Duration.ofDays(2);

    private static final String INSERT_CYCLE = """
            INSERT INTO cycle (organization_id, id, name, starts_at, ends_at, status, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """;

    /** The examples of the OpenAPI document name these three cycles. */
    private static final String ACTIVE = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd";

    private static final String COMPLETED = "cyc_01k9m2x7q4e8rvb3t5w6y0zacf";

    private static final String EMPTY = "cyc_01k9m2x7q4e8rvb3t5w6y0zace";

    private final Sql sql;
    private final Instant now;
    private final SecretBox secretBox;
    private final UUID id;
    private final DemoContent content = DemoContent.read();
    private final Map<String, UUID> people = new HashMap<>();
    private final Map<String, UUID> teams = new HashMap<>();

    private DemoOrganization(Sql sql, Instant now, SecretBox secretBox) {
        this.sql = sql;
        this.now = now;
        this.secretBox = secretBox;
        this.id = UuidV7.at(now);
    }

    /** Creates the organisation with its content. Returns false and changes nothing if it exists. */
    static boolean createOnce(Sql sql, Instant now, SecretBox secretBox) throws SQLException {
        return new DemoOrganization(sql, now, secretBox).create();
    }

    private boolean create() throws SQLException {
        var founded = DemoPeriod.completed(now).startsAt().minus(BEFORE_FIRST_CYCLE);
        var change = Change.by(Actor.SERVICE, id, sql, founded);
        // If several replicas start together, the others wait here for the first one.
        if (!Organization.create(change, SLUG, content.organization(), Plan.BUSINESS)) {
            return false;
        }
        var userWriter = new UserWriter(change);
        for (var person : content.people()) {
            var userId = DemoContent.id(IdKind.USER, person.id(), founded);
            people.put(
                    person.login(),
                    userWriter
                            .inviteIfFree(userId, person.name(), person.email(), person.role())
                            .orElseThrow());
        }
        for (var team : content.teams()) {
            create(team, change);
        }
        createCycles();
        DemoWebhook.create(sql, id, secretBox, now);
        DemoImport.create(sql, id, now);
        return true;
    }

    private void create(DemoContent.Team team, Change change) throws SQLException {
        var teamId = DemoContent.id(IdKind.TEAM, team.id(), change.now());
        teams.put(
                team.name(),
                new TeamWriter(change).createIfNew(teamId, team.name()).orElseThrow());
        var members = new TeamMemberWriter(change);
        if (team.lead() != null) {
            members.setMember(teamId, userId(team.lead()), TeamRole.LEAD);
        }
        for (var member : team.members()) {
            members.setMember(teamId, userId(member), TeamRole.MEMBER);
        }
    }

    private UUID userId(String login) {
        return Objects.requireNonNull(people.get(login), login);
    }

    private void createCycles() throws SQLException {
        var completed = DemoPeriod.completed(now);
        var active = DemoPeriod.active(now);
        var planned = DemoPeriod.planned(now);
        var objectives = new DemoObjectives(sql, id, people, teams);
        objectives.create(
                create(completed, COMPLETED), firstMorning(completed), completed.endsAt(), content.completed());
        objectives.create(create(active, ACTIVE), firstMorning(active), now, content.active());
        objectives.create(create(planned, null), now.minus(SINCE_PLANNING), now, content.planned());
        create(DemoPeriod.empty(now), EMPTY);
        objectives.align(content.alignments(), now.minus(SINCE_PLANNING));
    }

    /** Creates a cycle. Its creation time is two weeks before its start, and at least two days ago. */
    private UUID create(DemoPeriod period, @Nullable String fixedId) throws SQLException {
        var plannedAt = List.of(period.startsAt().minus(BEFORE_FIRST_CYCLE), now.minus(SINCE_PLANNING)).stream()
                .min(Instant::compareTo)
                .orElseThrow();
        var cycleId = DemoContent.id(IdKind.CYCLE, fixedId, plannedAt);
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
