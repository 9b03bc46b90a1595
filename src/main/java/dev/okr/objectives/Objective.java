package dev.okr.objectives;

import dev.okr.access.limits.LargeRequests;
import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.Limit;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.User;
import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.organizations.tenant.WordTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Restart;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/**
 * A goal of an organisation in a cycle. A change of its own fields uses this entity. A change of its key results or
 * check-ins uses {@link LockedObjective}. Both hold the lock on the objective's row.
 */
@Entity
@DynamicUpdate
@Table(name = "objective")
public class Objective extends TenantEntity {
    static final TenantTable<ObjectiveResponse> TABLE = new TenantTable<>(
            "objective",
            List.of(
                    "id",
                    "external_id",
                    "title",
                    "description",
                    "owner_id",
                    "cycle_id",
                    "team_id",
                    "progress",
                    "status",
                    "score",
                    "retrospective",
                    "carried_over_from",
                    "created_at",
                    "updated_at"),
            ObjectiveResponse::read);

    static final WordTable WORDS = new WordTable("objective_words");

    /** Adds up the totals of the cycles. Each objective is in exactly one cycle. */
    private static final String COUNT_ALL =
            "SELECT coalesce(sum(t.objectives), 0) FROM cycle_totals t WHERE t.organization_id = :organization";

    private static final String COUNT_IN_CYCLE = COUNT_ALL + " AND t.cycle_id = ?";

    /** Each transaction has a connection to the database, so fewer than this can run at the same time. */
    private static final int MAX_CONCURRENT_CREATIONS = 1_000;

    /** An upper bound of the objectives that others create in a cycle while a request copies objectives into it. */
    private static final int MAX_CREATIONS_DURING_COPY = 20 * MAX_CONCURRENT_CREATIONS;

    /** Takes the lock that the foreign key takes later. It waits for {@link #LOCK_CYCLE} and {@link ClosedCycle}. */
    private static final String SHARE_CYCLE_WITH_ROOM = """
            SELECT c.closed_at IS NOT NULL FROM cycle c
            WHERE c.organization_id = :organization AND c.id = ? AND (%s) <= ? FOR KEY SHARE OF c
            """.formatted(COUNT_IN_CYCLE);

    private static final String LOCK_CYCLE = """
            SELECT c.closed_at IS NOT NULL FROM cycle c WHERE c.organization_id = :organization AND c.id = ? FOR UPDATE
            """;

    private static final String COPY_IN_CYCLE = """
            SELECT o.id FROM objective o
            WHERE o.organization_id = :organization AND o.cycle_id = ? AND o.carried_over_from = ?
            """;

    @Column(name = "external_id")
    @Nullable
    String externalId;

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

    /** {@link RollUp} and {@link ImportedProgress} write it. */
    @Column(name = "progress", updatable = false)
    BigDecimal progress;

    /** Whether it is the parent or the child of an alignment that counts. {@link Contributions} writes it. */
    @Column(name = "rolls_up", insertable = false, updatable = false)
    boolean rollsUp;

    @Column(name = "status")
    ObjectiveStatus status;

    @Column(name = "score")
    @Nullable
    BigDecimal score;

    @Column(name = "retrospective")
    @Nullable
    String retrospective;

    @Column(name = "carried_over_from", updatable = false)
    @Nullable
    UUID carriedOverFrom;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Objective() {}

    /** @throws Failure a conflict if another objective has the external id */
    static ObjectiveResponse create(CreateObjective request, UUID author, Instant now, Outbox outbox) {
        TABLE.requireFree(IdKind.OBJECTIVE, request.externalId());
        requireRoomIn(request.cycleId());
        var id = UuidV7.at(now);
        CycleTotals.added(id, request.cycleId());
        return insert(id, request, null, author, now, outbox);
    }

    /**
     * Creates an objective that its cycle has counted already.
     *
     * @param carriedOverFrom the objective that this one continues; null for none. If it is not null, the caller writes the
     *     words.
     */
    static ObjectiveResponse insert(
            UUID id, CreateObjective request, @Nullable UUID carriedOverFrom, UUID author, Instant now, Outbox outbox) {
        var objective = new Objective();
        objective.id = id;
        objective.externalId = request.externalId();
        objective.title = request.title();
        objective.description = request.description();
        objective.ownerId = Objects.requireNonNullElse(request.ownerId(), author);
        objective.cycleId = request.cycleId();
        objective.teamId = request.teamId();
        objective.progress = Progress.NONE;
        objective.status = ObjectiveStatus.NOT_STARTED;
        objective.carriedOverFrom = carriedOverFrom;
        objective.createdAt = now;
        objective.updatedAt = now;
        if (carriedOverFrom == null) {
            WORDS.put(objective.id, now, objective.title, objective.description);
        }
        objective.persist();
        var created = objective.shown();
        outbox.created(EventType.OBJECTIVE_CREATED, created.id(), created);
        return created;
    }

    /**
     * Changes the fields that the request contains. Call {@link #requireMayChange} first.
     *
     * @throws Failure if the cycle is closed or full, if it does not accept a score, or if another objective has the new
     *     external id
     */
    ObjectiveDetail update(UpdateObjective request, Instant now, Outbox outbox) {
        var before = shown();
        var newExternalId = request.externalId().applyTo(externalId);
        var newOwner = request.ownerId().orElse(ownerId);
        var newCycle = request.cycleId().orElse(cycleId);
        var newTeam = request.teamId().applyTo(teamId);
        var newTitle = request.title().orElse(title);
        var newDescription = request.description().applyTo(description);
        if (!newTitle.equals(title) || !Objects.equals(newDescription, description)) {
            // Queued before the checks, so that their first query also sends the words.
            WORDS.put(id, createdAt, newTitle, newDescription);
        }
        // The checks run first, because their queries would write changed fields before the totals of the cycles.
        var keyResults = ObjectiveDetail.keyResultsIfOpen(id, cycleId);
        if (!Objects.equals(newExternalId, externalId)) {
            TABLE.requireFree(IdKind.OBJECTIVE, newExternalId);
        }
        if (!newCycle.equals(cycleId)) {
            requireRoomIn(newCycle);
            requireOnlyCopyIn(newCycle, carriedOverFrom);
        }
        var givenScore = request.score().applyTo(score);
        var newScore = isSame(givenScore, score) ? score : givenScore;
        var newRetrospective = request.retrospective().applyTo(retrospective);
        if (!Objects.equals(newScore, score) || !Objects.equals(newRetrospective, retrospective)) {
            Cycle.requireCompleted(
                    newCycle, now, "Only objectives of a completed cycle have a score and a retrospective.");
        }
        if (!newCycle.equals(cycleId)) {
            CycleTotals.moved(id, cycleId, newCycle, progress);
        }
        externalId = newExternalId;
        score = newScore;
        retrospective = newRetrospective;
        title = newTitle;
        description = newDescription;
        status = request.status().orElse(status);
        ownerId = newOwner;
        cycleId = newCycle;
        teamId = newTeam;
        if (shown().equals(before)) {
            return new ObjectiveDetail(before, keyResults);
        }
        updatedAt = Timestamps.later(now, updatedAt);
        var changed = shown();
        outbox.updated(EventType.OBJECTIVE_UPDATED, changed.id(), before, changed);
        return new ObjectiveDetail(changed, keyResults);
    }

    private static boolean isSame(@Nullable BigDecimal one, @Nullable BigDecimal other) {
        return one == null || other == null ? one == other : one.compareTo(other) == 0;
    }

    /**
     * Checks that a cycle has no other copy of an objective. A unique index also enforces this for concurrent requests.
     *
     * @param carriedOverFrom null for an objective that is not a copy
     */
    static void requireOnlyCopyIn(UUID cycle, @Nullable UUID carriedOverFrom) {
        if (carriedOverFrom != null) {
            TenantSql.current()
                    .first(row -> Sql.uuid(row, "id"), COPY_IN_CYCLE, cycle, carriedOverFrom)
                    .ifPresent(copy -> {
                        throw Failure.conflict("The cycle has another copy of the same objective: %s."
                                .formatted(IdKind.OBJECTIVE.format(copy)));
                    });
        }
    }

    /**
     * Checks that a cycle is open and has room for one more objective. Far below the limit, concurrent requests cannot
     * reach it together, so they do not wait for each other. Near the limit, the lock on the cycle lets only one
     * request at a time count and commit. It also waits for requests that counted before.
     */
    static void requireRoomIn(UUID cycle) {
        var sql = TenantSql.current();
        int far = Limit.OBJECTIVES_PER_CYCLE.value() - MAX_CONCURRENT_CREATIONS;
        var closed = sql.results(
                results -> {
                    var found = results.next(row -> row.getBoolean(1)).stream().findFirst();
                    long existing = results.next(row -> row.getLong(1)).getFirst();
                    if (found.isPresent() && existing > far) {
                        // An import was committed while the first statement waited for the lock. The next transaction
                        // does not take the shared lock. Otherwise several requests could deadlock.
                        throw Restart.after(() -> {});
                    }
                    return found;
                },
                SHARE_CYCLE_WITH_ROOM + "; " + COUNT_IN_CYCLE,
                cycle,
                cycle,
                far,
                cycle);
        if (closed.isPresent()) {
            ClosedCycle.refuse(closed.get(), cycle);
        } else {
            requireRoomIn(cycle, 1);
        }
    }

    /** Checks that a cycle is open and has room for several objectives, under the lock on the cycle. */
    static void requireRoomIn(UUID cycle, int objectives) {
        var sql = TenantSql.current();
        ClosedCycle.refuse(
                sql.first(row -> row.getBoolean(1), LOCK_CYCLE, cycle).orElse(false), cycle);
        long existing = sql.first(row -> row.getLong(1), COUNT_IN_CYCLE, cycle).orElseThrow();
        Limit.OBJECTIVES_PER_CYCLE.requireRoom(existing + objectives - 1);
    }

    /**
     * Checks that a cycle has room for copies. The caller holds a lock that lets one request at a time copy into the
     * cycle. Far below the limit, others can create objectives at the same time.
     */
    public static void requireRoomForCopiesIn(UUID cycle, int objectives) {
        long existing = TenantSql.current()
                .first(row -> row.getLong(1), COUNT_IN_CYCLE, cycle)
                .orElseThrow();
        if (existing + objectives > Limit.OBJECTIVES_PER_CYCLE.value() - MAX_CREATIONS_DURING_COPY) {
            requireRoomIn(cycle, objectives);
        }
    }

    /**
     * Checks that a user may change the owner and the team, if a request contains others. Runs before the validation,
     * so the fields may be invalid.
     *
     * @throws Failure unless the user is an admin, the owner of the objective or a lead of its team
     */
    void requireMayChange(Map<String, JsonValue> fields, UUID userId) {
        var shown = shown();
        if (isOther(fields.get("owner_id"), shown.ownerId()) || isOther(fields.get("team_id"), shown.teamId())) {
            requireManagedBy(userId, shown, "change its owner or team");
        }
    }

    static boolean isOther(@Nullable JsonValue field, @Nullable String present) {
        return field != null && !field.equals(present == null ? new JsonValue.Null() : new JsonValue.Text(present));
    }

    /**
     * Checks that a user may delete an objective and its key results, or change their owners or the team. The caller
     * holds the lock on the objective. The roles are read here, because they may have changed while the request waited
     * for the lock.
     *
     * @throws Failure unless the user is an admin, the owner of the objective or a lead of its team
     */
    static void requireManagedBy(UUID userId, ObjectiveResponse objective, String action) {
        boolean isAllowed = objective.ownerId().equals(IdKind.USER.format(userId))
                || User.isAdmin(userId)
                || (objective.teamId() != null && TeamMember.isLead(IdKind.TEAM.require(objective.teamId()), userId));
        if (!isAllowed) {
            throw Failure.forbidden(
                    "Only an admin, the objective's owner or a lead of its team may %s.".formatted(action));
        }
    }

    /**
     * Deletes the objective with its alignments, its key results and their check-ins. It can be restored later.
     *
     * @throws Failure if the cycle of the objective or of one of its children is closed
     */
    void delete(UUID author, Instant now, Outbox outbox) {
        if (rollsUp) {
            ContributionLock.requireExclusive();
        }
        ClosedCycle.requireOpen(cycleId);
        var alignments = Alignment.deleteOf(id, outbox);
        DeletedObjective.keep(id, alignments.size(), author, outbox);
        KeyResult.deleteOf(id, outbox);
        outbox.deleted(EventType.OBJECTIVE_DELETED, IdKind.OBJECTIVE.format(id), shown());
        var rollUp = new RollUp(now, outbox);
        if (rollsUp) {
            var contributions = Contributions.among(alignments);
            Contributions.end(contributions);
            rollUp.from(Contributions.parents(contributions).stream()
                    .filter(parent -> !parent.equals(id))
                    .toList());
        }
        // Deleting the row waits for transactions that refer to it, and these may wait for the totals.
        CycleTotals.begin();
        delete();
        flush();
        rollUp.write(CycleTotals.Change.removed(id, cycleId, progress));
    }

    /** The objective as the API shows it. */
    ObjectiveResponse shown() {
        return ObjectiveResponse.of(this);
    }

    /** For imports, which read and write the columns themselves. */
    public static TenantTable<ObjectiveResponse> table() {
        return TABLE;
    }

    /** For imports, which write the words themselves. */
    public static WordTable words() {
        return WORDS;
    }

    static boolean exists(UUID id) {
        return TenantSql.current().exists(TABLE, id);
    }

    /** @throws Failure if the organisation has no such objective */
    static UUID requireId(String publicId) {
        return IdKind.OBJECTIVE.parse(publicId).filter(Objective::exists).orElseThrow(Objective::notFound);
    }

    /**
     * Reads an objective under the lock on its row, to change or delete it.
     *
     * @throws Failure if the organisation has no such objective
     */
    static Objective requireLocked(String publicId) {
        return IdKind.OBJECTIVE
                .parse(publicId)
                .flatMap(id -> Objective.<Objective>findByIdOptional(id, LockModeType.PESSIMISTIC_WRITE))
                .orElseThrow(Objective::notFound);
    }

    /** Lists the objectives that match the filters of the query. With a team, lists only its objectives. */
    public static Slice<ObjectiveListItem> list(ListQuery query, @Nullable UUID teamId, LargeRequests large) {
        // It can have many megabytes. The request already has its permit.
        boolean isLarge = query.perPage() > ListQuery.DEFAULT_PER_PAGE;
        if (isLarge) {
            large.requireMemoryForPage();
        }
        var objectives = NewestFirst.of(TABLE).countedBy(COUNT_ALL);
        var cycleId = query.id("cycle_id", IdKind.CYCLE);
        if (cycleId != null) {
            objectives.with("cycle_id", cycleId).countedBy(COUNT_IN_CYCLE, cycleId);
        }
        objectives
                .with("team_id", teamId)
                .with("team_id", query.id("team_id", IdKind.TEAM))
                .with("owner_id", query.id("owner_id", IdKind.USER))
                .with("status", query.constants("status", ObjectiveStatus.class))
                .with("external_id", query.externalId())
                .updatedSince(query.time("updated_since"))
                .search(WORDS, query.words(), query.sort());
        if (query.includes("key_results")) {
            return objectives.sliceWithMany(
                    query,
                    ObjectiveListItem.KEY_RESULT_COLUMNS,
                    ObjectiveListItem.KEY_RESULTS,
                    ObjectiveListItem::readKeyResult,
                    ObjectiveListItem::new,
                    isLarge ? null : large::awaitPage);
        }
        var slice = objectives.slice(query);
        var items = slice.items().stream()
                .map(objective -> new ObjectiveListItem(objective, null))
                .toList();
        return new Slice<>(items, slice.total(), slice.nextCursor());
    }

    static Failure notFound() {
        return Failure.notFound("objective");
    }

    /** Stores a status in lower case. */
    @Converter(autoApply = true)
    static class StatusConverter extends EnumConverter<ObjectiveStatus> {
        StatusConverter() {
            super(ObjectiveStatus.class);
        }
    }
}
