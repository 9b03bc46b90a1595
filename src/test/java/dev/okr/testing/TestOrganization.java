package dev.okr.testing;

import static dev.okr.testing.TestDatabase.execute;

import dev.okr.access.Token;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;

/** An organisation for one test, inserted like the organisation file does. */
public final class TestOrganization {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BASE_62 = 62;

    private final URI service;
    private final UUID id;
    private final TestUser adminUser;
    private final TestUser memberUser;
    private final TestUser viewerUser;

    /** A user with a client. The client's key has all scopes. */
    public record TestUser(UUID uuid, String id, String name, String email, Api api) {}

    /** A team, with both forms of its id. */
    public record TestTeam(UUID uuid, String id, String name) {}

    private TestOrganization(URI service, String plan) {
        this.service = service;
        this.id = newId();
        execute(
                "INSERT INTO organization (id, slug, name, plan, created_at) VALUES (?, ?, 'Acme Corp', ?, now())",
                id,
                "acme-" + id,
                plan);
        this.adminUser = user("Ada Lovelace", "admin");
        this.memberUser = user("Grace Hopper", "member");
        this.viewerUser = user("Edsger Dijkstra", "viewer");
    }

    static TestOrganization found(URI service, String plan) {
        return new TestOrganization(service, plan);
    }

    public UUID id() {
        return id;
    }

    public Api admin() {
        return adminUser.api();
    }

    public Api member() {
        return memberUser.api();
    }

    public Api viewer() {
        return viewerUser.api();
    }

    public TestUser adminUser() {
        return adminUser;
    }

    public TestUser memberUser() {
        return memberUser;
    }

    public TestUser viewerUser() {
        return viewerUser;
    }

    /** Adds a user with a key that has all scopes. */
    public TestUser user(String name, String role) {
        var uuid = newId();
        var email = uuid + "@acme.test";
        execute(
                "INSERT INTO users (organization_id, id, email, name, role, created_at) VALUES (?, ?, ?, ?, ?, now())",
                id,
                uuid,
                email,
                name,
                role);
        return new TestUser(
                uuid, IdKind.USER.format(uuid), name, email, Api.of(service).with(key(uuid)));
    }

    /** Adds a key that has all scopes. */
    public String key(UUID user) {
        return key(user, null, "read", "write", "webhooks");
    }

    /** @param expiresAt null for a key that does not expire */
    public String key(UUID user, Instant expiresAt, String... scopes) {
        var token = Token.generate(() -> RANDOM.nextInt(BASE_62));
        execute(
                """
                INSERT INTO api_key (organization_id, id, user_id, name, token_hash, scopes, created_at, expires_at)
                VALUES (?, ?, ?, 'test', ?, ?, now(), ?)
                """,
                id,
                newId(),
                user,
                Token.hash(token),
                scopes,
                expiresAt == null ? null : expiresAt.atOffset(ZoneOffset.UTC));
        return token;
    }

    /** A client for a new key of the admin, with these scopes. */
    public Api scoped(String... scopes) {
        return Api.of(service).with(key(adminUser.uuid(), null, scopes));
    }

    public TestTeam team(String name) {
        var uuid = newId();
        execute("INSERT INTO team (organization_id, id, name, created_at) VALUES (?, ?, ?, now())", id, uuid, name);
        return new TestTeam(uuid, IdKind.TEAM.format(uuid), name);
    }

    /** Adds teams that are called Team 1, Team 2 and so on, and as many people. */
    public void addTeamsAndPeople(int count) {
        execute("""
                INSERT INTO team (organization_id, id, name, created_at)
                SELECT ?, gen_random_uuid(), 'Team ' || n, now() FROM generate_series(1, ?) n
                """, id, count);
        execute("""
                INSERT INTO users (organization_id, id, email, name, role, created_at)
                SELECT ?, gen_random_uuid(), ?::text || n || '@acme.test', 'Person ' || n, 'member', now()
                FROM generate_series(1, ?) n
                """, id, id.toString(), count);
    }

    /** @param role {@code lead} or {@code member} */
    public void join(TestTeam team, TestUser user, String role) {
        execute(
                "INSERT INTO team_member (organization_id, team_id, user_id, role) VALUES (?, ?, ?, ?)",
                id,
                team.uuid(),
                user.uuid(),
                role);
    }

    /** Moves creation times back by an hour and resets update times to them, so that a later change is visible. */
    public void backdate() {
        var anHourBefore = TestDatabase.shifted("created_at", "- interval '1 hour'");
        for (var table :
                List.of("users", "team", "cycle", "objective", "key_result", "check_in", "alignment", "webhook")) {
            execute(
                    "UPDATE " + table + " SET created_at = " + anHourBefore + ", updated_at = " + anHourBefore
                            + " WHERE organization_id = ?",
                    id);
        }
    }

    /** Adds key results to each objective. */
    public void addKeyResults(int perObjective) {
        execute("""
                INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value,
                    current_value, target_value, progress, owner_id, created_at, updated_at)
                SELECT organization_id, gen_random_uuid(), id, 'K' || n, 'number', 0, 0, 1, 0, owner_id,
                    now() - n * interval '1 second', now()
                FROM objective CROSS JOIN generate_series(1, ?) n
                WHERE organization_id = ?""", perObjective, id);
    }

    private static UUID newId() {
        return UuidV7.at(Instant.now());
    }
}
