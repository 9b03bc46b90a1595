package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.User;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.WordTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Objectives to copy into another cycle, with their key results and the alignments among them. All are copied in one
 * transaction.
 *
 * <p>The lock on the row of the target cycle lets one request at a time look for earlier copies. So nothing is copied
 * twice, and the cycle is not closed meanwhile. The unique index of {@code carried_over_from} is the second protection.
 * Other requests can create objectives in the cycle at the same time. The organisation is locked before the cycle, as
 * for every new alignment of objectives that others see. {@link RollUp} documents the order of all locks.
 */
final class CarriedObjectives {
    /** The limit for all objectives of a request together. */
    static final int MAX_KEY_RESULTS = 10_000;

    /** The limit for all objectives of a request together. */
    static final int MAX_ALIGNMENTS = 10_000;

    /** The JSON of an objective without its texts. */
    private static final int BYTES_OF_FIELDS = 600;

    /** In JSON and UTF-8. Texts have no control characters except newline and tab. */
    private static final int MAX_BYTES_PER_CHARACTER = 3;

    private static final String OF_CYCLE =
            "SELECT o.id FROM objective o WHERE o.organization_id = :organization AND o.cycle_id = ? AND o.id = ANY (?)";

    /** Unlike the lock of {@link Objective#requireRoomIn}, it does not wait for new objectives. */
    private static final String LOCK_TARGET = """
            SELECT c.closed_at IS NOT NULL FROM cycle c
            WHERE c.organization_id = :organization AND c.id = ? FOR NO KEY UPDATE
            """;

    // Oldest first, so that the copies have the order of the originals. One statement reads one snapshot. So a check-in
    // meanwhile cannot complete the key results of an objective that was unfinished.
    private static final String NOT_COPIED = """
            SELECT o.id, %s FROM (
                SELECT o.id, o.created_at FROM objective o
                WHERE o.organization_id = :organization AND o.cycle_id = ? AND %%s AND NOT EXISTS (
                    SELECT 1 FROM objective copy WHERE copy.organization_id = :organization
                        AND copy.cycle_id = ? AND copy.carried_over_from = o.id)
                ORDER BY o.created_at, o.id LIMIT %d) o
            LEFT JOIN key_result k ON k.organization_id = :organization AND k.objective_id = o.id
            ORDER BY o.created_at, o.id, k.created_at, k.id LIMIT %d
            """.formatted(
                    KeyResult.TABLE.columns("k", "k_"),
                    CarryOver.MAX_OBJECTIVES + 1,
                    CarryOver.MAX_OBJECTIVES + MAX_KEY_RESULTS + 1);
    private static final String UNFINISHED = NOT_COPIED.formatted("o.progress < 1");
    private static final String NAMED = NOT_COPIED.formatted("o.id = ANY (?)");

    private static final String ORIGINALS = """
            SELECT %s FROM objective o WHERE o.organization_id = :organization AND o.id = ANY (?)
            ORDER BY o.created_at, o.id
            """.formatted(Objective.TABLE.columns("o"));

    // Alignments among the objectives, and alignments with objectives that were copied to the target earlier. OFFSET
    // lets the search start with the objectives. Otherwise PostgreSQL may read all alignments of the organisation.
    private static final String ALIGNMENTS = """
            SELECT %s, p.id AS parent_copy, c.id AS child_copy FROM (
                SELECT * FROM alignment a
                WHERE a.organization_id = :organization
                    AND (a.parent_objective_id = ANY (?) OR a.child_objective_id = ANY (?)) OFFSET 0) a
            LEFT JOIN objective p ON p.organization_id = :organization AND p.cycle_id = ?
                AND p.carried_over_from = a.parent_objective_id
            LEFT JOIN objective c ON c.organization_id = :organization AND c.cycle_id = ?
                AND c.carried_over_from = a.child_objective_id
            WHERE (a.parent_objective_id = ANY (?) OR p.id IS NOT NULL)
                AND (a.child_objective_id = ANY (?) OR c.id IS NOT NULL)
            ORDER BY a.created_at, a.id LIMIT %d
            """.formatted(Alignment.TABLE.columns("a"), MAX_ALIGNMENTS + 1);

    // Finding the words again would take several times as long. If an original was changed or deleted meanwhile, the
    // copy has no words yet, and WordFiller adds them.
    private static final String COPY_WORDS_OF_OBJECTIVES = """
            INSERT INTO objective_words (organization_id, id, created_at, words)
            SELECT c.organization_id, c.id, c.created_at, w.words FROM objective c
            LEFT JOIN objective o ON o.organization_id = :organization AND o.id = c.carried_over_from
                AND o.title = c.title AND o.description IS NOT DISTINCT FROM c.description
            LEFT JOIN objective_words w ON w.organization_id = :organization AND w.id = o.id
            WHERE c.organization_id = :organization AND c.id = ANY (?)
            """;
    private static final String COPY_WORDS_OF_KEY_RESULTS = """
            INSERT INTO key_result_words (organization_id, id, created_at, words)
            SELECT c.organization_id, c.id, c.created_at, original.words FROM objective o
            JOIN key_result c ON c.organization_id = :organization AND c.objective_id = o.id
            LEFT JOIN LATERAL (
                SELECT w.words FROM key_result k
                JOIN key_result_words w ON w.organization_id = :organization AND w.id = k.id
                WHERE k.organization_id = :organization AND k.objective_id = o.carried_over_from
                    AND k.title = c.title LIMIT 1) original ON true
            WHERE o.organization_id = :organization AND o.id = ANY (?)
            """;

    private final UUID target;
    private final CarriedValues values;
    private final List<ObjectiveResponse> originals;
    private final Map<String, List<KeyResultResponse>> keyResults;
    private final List<CarriedAlignment> alignments;
    private final Set<UUID> formerUsers;

    /** The ids of the copies by the ids of the originals. */
    private final Map<UUID, UUID> copies = new HashMap<>();

    /**
     * An alignment to copy.
     *
     * @param parentCopy the earlier copy of the parent; null if the parent is copied now
     * @param childCopy the same for the child
     */
    private record CarriedAlignment(
            AlignmentResponse original,
            @Nullable UUID parentCopy,
            @Nullable UUID childCopy) {
        static CarriedAlignment read(ResultSet row) throws SQLException {
            return new CarriedAlignment(
                    AlignmentResponse.read(row),
                    row.getObject("parent_copy", UUID.class),
                    row.getObject("child_copy", UUID.class));
        }
    }

    private CarriedObjectives(
            UUID target,
            CarriedValues values,
            List<ObjectiveResponse> originals,
            Map<String, List<KeyResultResponse>> keyResults,
            List<CarriedAlignment> alignments,
            Set<UUID> formerUsers) {
        this.target = target;
        this.values = values;
        this.originals = originals;
        this.keyResults = keyResults;
        this.alignments = alignments;
        this.formerUsers = formerUsers;
    }

    /** Returns the ids that belong to objectives of the cycle. */
    static Set<UUID> ofCycle(UUID cycle, Set<UUID> ids) {
        return ids.isEmpty()
                ? Set.of()
                : Set.copyOf(TenantSql.current().list(row -> Sql.uuid(row, "id"), OF_CYCLE, cycle, ids));
    }

    /**
     * Locks the target, and reads what to copy.
     *
     * @throws Failure if the target is closed, or if there is too much to copy
     */
    static CarriedObjectives lock(UUID from, CarryOver request, BodyReader body) {
        var sql = TenantSql.current();
        sql.lockOrganization();
        ClosedCycle.refuse(
                sql.first(row -> row.getBoolean(1), LOCK_TARGET, request.to()).orElse(false), request.to());
        var ids = new LinkedHashSet<UUID>();
        Sql.Reader<Optional<KeyResultResponse>> reader = row -> {
            ids.add(Sql.uuid(row, "id"));
            return ObjectiveListItem.readKeyResult(row);
        };
        var found = request.objectiveIds() == null
                ? sql.listPlanned(reader, UNFINISHED, from, request.to())
                : sql.listPlanned(reader, NAMED, from, request.objectiveIds(), request.to());
        requireAtMost(CarryOver.MAX_OBJECTIVES, "objectives", ids, body);
        if (ids.isEmpty()) {
            return new CarriedObjectives(request.to(), request.values(), List.of(), Map.of(), List.of(), Set.of());
        }
        var keyResults = found.stream().flatMap(Optional::stream).toList();
        requireAtMost(MAX_KEY_RESULTS, "key results", keyResults, body);
        var originals = sql.listPlanned(Objective.TABLE.reader(), ORIGINALS, ids);
        var alignments =
                sql.listPlanned(CarriedAlignment::read, ALIGNMENTS, ids, ids, request.to(), request.to(), ids, ids);
        requireAtMost(MAX_ALIGNMENTS, "alignments", alignments, body);
        var owners = Stream.concat(
                        originals.stream().map(ObjectiveResponse::ownerId),
                        keyResults.stream().map(KeyResultResponse::ownerId))
                .map(IdKind.USER::require)
                .collect(Collectors.toSet());
        return new CarriedObjectives(
                request.to(),
                request.values(),
                originals,
                keyResults.stream().collect(Collectors.groupingBy(KeyResultResponse::objectiveId)),
                alignments,
                User.deactivated(owners));
    }

    private static void requireAtMost(int max, String what, Collection<?> found, BodyReader body) {
        if (found.size() > max) {
            body.reject(
                    CarryOver.OBJECTIVE_IDS,
                    "too_long",
                    "At most %d %s can be copied at once. List fewer objectives.".formatted(max, what));
            body.verify();
        }
    }

    /** An upper bound of the length of the response. */
    long responseBytes() {
        return originals.stream()
                .mapToLong(each -> BYTES_OF_FIELDS
                        + MAX_BYTES_PER_CHARACTER * ((long) each.title().length() + length(each.description())))
                .sum();
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /** @throws Failure if the target has no room */
    List<ObjectiveResponse> copy(UUID author, Instant now, Outbox outbox, PendingWrites writes) {
        if (originals.isEmpty()) {
            return List.of();
        }
        Objective.requireRoomForCopiesIn(target, originals.size());
        CycleTotals.begin();
        WordTable.putLater();
        var created = new ArrayList<ObjectiveResponse>();
        for (var original : originals) {
            created.add(copy(original, author, now.plus(created.size(), ChronoUnit.MICROS), outbox));
        }
        // The statements of the key results do not wait for the flush before the commit.
        Objective.flush();
        copyKeyResults(created, author, outbox);
        copyWords();
        var rollUp = rollUp(copyAlignments(now, outbox), now, outbox);
        var totals = rollUp.totals(copies.values().stream()
                .map(copy -> CycleTotals.Change.added(copy, target, Progress.NONE))
                .toList());
        // Written last, after the events, because check-ins in the cycle then wait until the commit.
        writes.beforeCommit(() -> CycleTotals.write(totals));
        return rollUp.current(created);
    }

    private ObjectiveResponse copy(ObjectiveResponse original, UUID author, Instant createdAt, Outbox outbox) {
        var id = UuidV7.at(createdAt);
        var originalId = IdKind.OBJECTIVE.require(original.id());
        copies.put(originalId, id);
        var request = new CreateObjective(
                original.title(),
                original.description(),
                target,
                original.teamId() == null ? null : IdKind.TEAM.require(original.teamId()),
                owner(original.ownerId(), author),
                null);
        return Objective.insert(id, request, originalId, author, createdAt, outbox);
    }

    /** A deactivated user cannot become an owner. */
    private UUID owner(String publicId, UUID author) {
        var id = IdKind.USER.require(publicId);
        return formerUsers.contains(id) ? author : id;
    }

    private void copyKeyResults(List<ObjectiveResponse> created, UUID author, Outbox outbox) {
        var all = new ArrayList<KeyResultResponse>();
        for (int i = 0; i < created.size(); i++) {
            var requests = keyResults.getOrDefault(originals.get(i).id(), List.of()).stream()
                    .filter(values::include)
                    .map(each -> copy(each, author))
                    .toList();
            all.addAll(KeyResult.ofNew(created.get(i), requests, author));
        }
        KeyResult.insertAll(all, outbox);
    }

    private CreateKeyResult copy(KeyResultResponse original, UUID author) {
        return new CreateKeyResult(
                original.title(),
                original.metricType(),
                values.start(original),
                original.targetValue(),
                owner(original.ownerId(), author),
                null,
                original.weight());
    }

    private void copyWords() {
        var ids = List.copyOf(copies.values());
        TenantSql.current().write(COPY_WORDS_OF_OBJECTIVES, ids);
        TenantSql.current().write(COPY_WORDS_OF_KEY_RESULTS, ids);
    }

    /** Returns the new alignments that contribute. */
    private List<AlignmentResponse> copyAlignments(Instant now, Outbox outbox) {
        var amongNew = new ArrayList<CreateAlignment>();
        var toEarlier = new ArrayList<CreateAlignment>();
        for (var alignment : alignments) {
            boolean isAmongNew = alignment.parentCopy == null && alignment.childCopy == null;
            (isAmongNew ? amongNew : toEarlier).add(copy(alignment));
        }
        var objectives = contributing(Stream.concat(amongNew.stream(), toEarlier.stream()));
        if (!objectives.isEmpty()) {
            // Nobody else sees the copies. Only a move of an earlier copy into the cycle can wait for them, because of
            // the unique index. If that causes a deadlock, this request usually reaches its lock timeout
            // first and gets 503.
            ContributionLock.lock();
            Contributions.lock(objectives);
        }
        // Alignments among new copies match those of the originals, so they close no loop and exceed no limit. The
        // others come later, because their chains may continue in them.
        var created = new ArrayList<>(Alignment.insertAll(amongNew, now, outbox));
        created.addAll(Alignment.insertAll(Alignment.possible(toEarlier), now, outbox));
        var contributions = Contributions.among(created);
        Contributions.begin(contributions);
        return contributions;
    }

    private CreateAlignment copy(CarriedAlignment alignment) {
        var original = alignment.original;
        return new CreateAlignment(
                copyOf(original.parentObjectiveId(), alignment.parentCopy),
                copyOf(original.childObjectiveId(), alignment.childCopy),
                original.alignmentType(),
                original.weight());
    }

    private UUID copyOf(String original, @Nullable UUID earlierCopy) {
        return earlierCopy == null
                ? Objects.requireNonNull(copies.get(IdKind.OBJECTIVE.require(original)))
                : earlierCopy;
    }

    /** The objectives of the alignments that contribute. */
    private static Set<UUID> contributing(Stream<CreateAlignment> alignments) {
        return alignments
                .filter(each -> each.alignmentType() == AlignmentType.CONTRIBUTES_TO)
                .flatMap(each -> Stream.of(each.parentObjectiveId(), each.childObjectiveId()))
                .collect(Collectors.toSet());
    }

    /** Rolls up the copies. An earlier copy that contributes may already have progress. */
    private RollUp rollUp(List<AlignmentResponse> contributions, Instant now, Outbox outbox) {
        var rollUp = new RollUp(now, outbox);
        rollUp.from(Contributions.parents(contributions));
        rollUp.writeProgress();
        return rollUp;
    }
}
