package dev.okr.objectives.overview;

import static dev.okr.operations.provisioning.MigratedDatabase.execute;

import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.platform.ids.UuidV7;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** An organisation for one test. Its rows have the times and values that the test sets. */
public final class OverviewData {
    public static final Instant START = Instant.parse("2026-10-01T00:00:00Z");
    public static final Instant END = Instant.parse("2026-10-11T00:00:00Z");

    public final UUID organization = id();
    private final UUID person = id();

    public OverviewData() {
        execute(
                "INSERT INTO organization (id, slug, name, plan, created_at) VALUES (?, ?, 'Acme', 'business', ?)",
                organization,
                "o-" + organization,
                START);
        execute(
                "INSERT INTO users (organization_id, id, email, name, role, created_at) VALUES (?, ?, ?, ?, 'admin', ?)",
                organization,
                person,
                person + "@acme.test",
                "Ada Lovelace",
                START);
    }

    /** A time in the cycle, in days after its start. */
    public static Instant day(double days) {
        return START.plus(Duration.ofMinutes(Math.round(days * 24 * 60)));
    }

    public Overviews overviews() {
        return new Overviews(MigratedDatabase.get());
    }

    public UUID cycle() {
        return cycle("Ten days", "active", START, END);
    }

    public UUID cycle(String name, String status, Instant startsAt, Instant endsAt) {
        var id = id();
        execute("""
                INSERT INTO cycle (organization_id, id, name, starts_at, ends_at, status, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, organization, id, name, startsAt, endsAt, status, START, START);
        return id;
    }

    public UUID team(String name) {
        var id = id();
        execute(
                "INSERT INTO team (organization_id, id, name, created_at) VALUES (?, ?, ?, ?)",
                organization,
                id,
                name,
                START);
        return id;
    }

    public UUID objective(UUID cycle, double createdOn) {
        return objective(cycle, null, "Objective", "on_track", "0", createdOn);
    }

    public UUID objective(UUID cycle, UUID team, String title, String status, String progress, double createdOn) {
        var id = id();
        execute("""
                INSERT INTO objective (organization_id, id, cycle_id, team_id, owner_id, title, progress, status,
                    created_at, updated_at)
                SELECT ?, ?, ?, ?::uuid, ?, ?, ?, ?, o.at, o.at FROM (SELECT ?::timestamptz AS at) o
                """, organization, id, cycle, team, person, title, new BigDecimal(progress), status, day(createdOn));
        return id;
    }

    public UUID keyResult(UUID objective, String metric, String start, String target, double createdOn) {
        var id = id();
        execute(
                """
                INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value,
                    current_value, target_value, progress, owner_id, created_at, updated_at)
                SELECT ?, ?, ?, 'Key result', ?, k.start, k.start, ?, 0, ?, k.at, k.at
                FROM (SELECT ?::numeric AS start, ?::timestamptz AS at) k
                """,
                organization,
                id,
                objective,
                metric,
                new BigDecimal(target),
                person,
                new BigDecimal(start),
                day(createdOn));
        return id;
    }

    public void checkIn(UUID keyResult, String value, double on) {
        execute("""
                INSERT INTO check_in (organization_id, id, key_result_id, value, author_id, created_at, updated_at)
                SELECT ?, ?, ?, ?, ?, c.at, c.at FROM (SELECT ?::timestamptz AS at) c
                """, organization, id(), keyResult, new BigDecimal(value), person, day(on));
        execute(
                "UPDATE key_result SET current_value = ? WHERE organization_id = ? AND id = ?",
                new BigDecimal(value),
                organization,
                keyResult);
    }

    private static UUID id() {
        return UuidV7.at(Instant.now());
    }
}
