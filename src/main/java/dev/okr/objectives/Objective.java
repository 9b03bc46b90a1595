package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/**
 * What an organisation wants to achieve in a cycle.
 *
 * <p>The lock on its row is the one lock of everything below it: whoever changes the objective, its key results or
 * their check-ins holds it until the commit, so that the stored progress is right at every commit and no two writers
 * of one objective can wait for each other in a ring.
 */
@Entity
@DynamicUpdate
@Table(name = "objective")
public class Objective extends TenantEntity {
    static final TenantTable<Objective> TABLE = new TenantTable<>(
            "objective",
            List.of(
                    "id",
                    "title",
                    "description",
                    "owner_id",
                    "cycle_id",
                    "team_id",
                    "progress",
                    "status",
                    "created_at",
                    "updated_at"),
            Objective::read);

    private static final String NOUN = "objective";

    private static final String ROLL_UP =
            "UPDATE objective SET progress = ?, updated_at = ? WHERE organization_id = :organization AND id = ?";

    /** From the totals of the cycles, since each objective is in one. */
    private static final String COUNT_ALL =
            "SELECT coalesce(sum(t.objectives), 0) FROM cycle_totals t WHERE t.organization_id = :organization";

    @Column(name = "title")
    String title;

    @Column(name = "description")
    @Nullable
    String description;

    @Column(name = "owner_id")
    UUID ownerId;

    @Column(name = "cycle_id")
    UUID cycleId;

    @Column(name = "team_id")
    @Nullable
    UUID teamId;

    @Column(name = "progress")
    BigDecimal progress;

    @Column(name = "status")
    ObjectiveStatus status;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Objective() {}

    static Objective create(CreateObjective request, UUID author, Instant now) {
        var objective = new Objective();
        objective.id = UuidV7.at(now);
        objective.title = request.title();
        objective.description = request.description();
        objective.ownerId = Objects.requireNonNullElse(request.ownerId(), author);
        objective.cycleId = request.cycleId();
        objective.teamId = request.teamId();
        objective.progress = Progress.NONE;
        objective.status = ObjectiveStatus.NOT_STARTED;
        objective.createdAt = now;
        objective.updatedAt = now;
        objective.persist();
        return objective;
    }

    void update(UpdateObjective request, Instant now) {
        var newTitle = request.title().orElse(title);
        var newDescription = request.description().applyTo(description);
        var newStatus = request.status().orElse(status);
        var newOwner = request.ownerId().orElse(ownerId);
        var newCycle = request.cycleId().orElse(cycleId);
        var newTeam = request.teamId().applyTo(teamId);
        if (newTitle.equals(title)
                && Objects.equals(newDescription, description)
                && newStatus == status
                && newOwner.equals(ownerId)
                && newCycle.equals(cycleId)
                && Objects.equals(newTeam, teamId)) {
            return;
        }
        title = newTitle;
        description = newDescription;
        status = newStatus;
        ownerId = newOwner;
        cycleId = newCycle;
        teamId = newTeam;
        updatedAt = now;
    }

    /**
     * Takes over the mean of its key results' progress; a derived change moves {@code updated_at} as any other.
     *
     * @return whether it has changed
     */
    boolean rollUp(BigDecimal sum, long count, Instant now) {
        var mean = Progress.mean(sum, count);
        if (mean.compareTo(progress) == 0) {
            return false;
        }
        progress = mean;
        updatedAt = now;
        return true;
    }

    /** Has what {@link #rollUp} changed written, of an objective that was read by SQL. */
    void writeRollUp() {
        TenantSql.current().write(ROLL_UP, progress, updatedAt, id);
    }

    /**
     * Checks who may delete the objective and its key results: an admin, its owner and the leads of its team.
     *
     * @throws Failure for anyone else
     */
    void requireDeletableBy(Caller caller) {
        boolean allowed = caller.isAdmin()
                || ownerId.equals(caller.userId())
                || (teamId != null && TeamMember.isLead(teamId, caller.userId()));
        if (!allowed) {
            throw Failure.forbidden("Only an admin, the objective's owner and a lead of its team may delete this.");
        }
    }

    /** Deletes the objective with its alignments, its key results and their check-ins. */
    void delete(Outbox outbox) {
        Alignment.deleteOf(this, outbox);
        KeyResult.deleteOf(this, outbox);
        outbox.deleted(EventType.OBJECTIVE_DELETED, publicId(), ObjectiveResponse.of(this));
        delete();
    }

    static boolean exists(UUID id) {
        return TenantSql.current().exists(TABLE, id);
    }

    /** @throws Failure when the organisation has no such objective */
    static UUID requireId(String publicId) {
        return IdKind.OBJECTIVE.parse(publicId).filter(Objective::exists).orElseThrow(() -> Failure.notFound(NOUN));
    }

    /**
     * Reads an objective to change it or anything below it: under the lock on its row, before anything below it is
     * read, and watched for what becomes of it.
     */
    static Objective requireLocked(String publicId, Outbox outbox) {
        return IdKind.OBJECTIVE
                .parse(publicId)
                .flatMap(id -> locked(id, outbox))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /** As {@link #requireLocked}; empty when it was deleted meanwhile. */
    static Optional<Objective> locked(UUID id, Outbox outbox) {
        var found = Objective.find("id", id)
                .withLock(LockModeType.PESSIMISTIC_WRITE)
                .<Objective>firstResultOptional();
        found.ifPresent(objective -> objective.watch(outbox));
        return found;
    }

    /** Has an event made of what becomes of the objective, which is locked, in this transaction. */
    void watch(Outbox outbox) {
        outbox.watch(EventType.OBJECTIVE_UPDATED, publicId(), () -> ObjectiveResponse.of(this));
    }

    private String publicId() {
        return IdKind.OBJECTIVE.format(id);
    }

    static Slice<Objective> list(
            ListQuery query,
            @Nullable UUID cycleId,
            @Nullable UUID teamId,
            @Nullable UUID ownerId,
            @Nullable ObjectiveStatus status) {
        var objectives = NewestFirst.of(TABLE, objective -> objective.createdAt)
                .with("cycle_id", cycleId)
                .with("team_id", teamId)
                .with("owner_id", ownerId)
                .with("status", status);
        if (teamId == null && ownerId == null && status == null) {
            return cycleId == null
                    ? objectives.countedBy(COUNT_ALL).slice(query)
                    : objectives
                            .countedBy(COUNT_ALL + " AND t.cycle_id = ?", cycleId)
                            .slice(query);
        }
        return objectives.slice(query);
    }

    private static Objective read(ResultSet row) throws SQLException {
        var objective = unmanaged(new Objective());
        objective.id = Sql.uuid(row, "id");
        objective.title = row.getString("title");
        objective.description = row.getString("description");
        objective.ownerId = Sql.uuid(row, "owner_id");
        objective.cycleId = Sql.uuid(row, "cycle_id");
        objective.teamId = Sql.uuid(row, "team_id");
        objective.progress = row.getBigDecimal("progress");
        objective.status =
                EnumNames.parse(ObjectiveStatus.class, row.getString("status")).orElseThrow();
        objective.createdAt = Sql.instant(row, "created_at");
        objective.updatedAt = Sql.instant(row, "updated_at");
        return objective;
    }

    /** Stores statuses in lower case. */
    @Converter(autoApply = true)
    static class StatusConverter extends EnumConverter<ObjectiveStatus> {
        StatusConverter() {
            super(ObjectiveStatus.class);
        }
    }
}
