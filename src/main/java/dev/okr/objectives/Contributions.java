package dev.okr.objectives;

import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.ids.IdKind;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Updates {@code rolls_up} of objectives when their alignments start or stop counting. The caller holds the
 * {@link ContributionLock} exclusively, and then calls {@link RollUp#from} for the parents.
 */
public final class Contributions {
    private static final String LOCK = """
            SELECT 1 FROM objective o
            WHERE o.organization_id = :organization AND o.id = ANY (?) AND NOT o.rolls_up
            ORDER BY o.id FOR NO KEY UPDATE
            """;

    private static final String COUNT =
            "UPDATE alignment SET weight = 1 WHERE organization_id = :organization AND id = ANY (?) AND weight IS NULL";

    private static final String BEGIN = """
            UPDATE objective SET rolls_up = true
            WHERE organization_id = :organization AND id = ANY (?) AND NOT rolls_up
            """;

    private static final String END = """
            UPDATE objective o SET rolls_up = false
            WHERE o.organization_id = :organization AND o.id = ANY (?) AND o.rolls_up AND NOT EXISTS (
                SELECT 1 FROM alignment a
                WHERE a.organization_id = :organization AND (a.parent_objective_id = o.id OR a.child_objective_id = o.id)
                    AND a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL)
                AND %s
            """.formatted(ClosedCycle.IS_OPEN);

    private Contributions() {}

    /**
     * Locks the objectives that do not roll up yet, before their alignments are written. Inserting an alignment first
     * could cause a deadlock with the deletion of such an objective.
     */
    static void lock(List<AlignmentResponse> alignments) {
        lock(objectives(alignments));
    }

    /** Like {@link #lock(List)}, for the objectives of the alignments. */
    public static void lock(Collection<UUID> objectives) {
        if (!objectives.isEmpty()) {
            TenantSql.current().list(row -> true, LOCK, objectives);
        }
    }

    /** Makes stored alignments count, including those of an earlier version. */
    static void begin(List<AlignmentResponse> alignments) {
        if (!alignments.isEmpty()) {
            TenantSql.current()
                    .write(
                            COUNT,
                            alignments.stream()
                                    .map(each -> IdKind.ALIGNMENT.require(each.id()))
                                    .toList());
            TenantSql.current().write(BEGIN, objectives(alignments));
        }
    }

    /** Starts to roll up the progress of objectives. Their alignments are already stored with their weights. */
    public static void begin(Collection<UUID> objectives) {
        if (!objectives.isEmpty()) {
            TenantSql.current().write(BEGIN, objectives);
        }
    }

    /**
     * Updates {@code rolls_up} after alignments were deleted. An objective of a closed cycle keeps it until the cycle
     * is reopened, because its progress is calculated then.
     */
    static void end(List<AlignmentResponse> alignments) {
        end(objectives(alignments));
    }

    /** Like {@link #end(List)}, for the objectives of the alignments. */
    static void end(Collection<UUID> objectives) {
        if (!objectives.isEmpty()) {
            TenantSql.current().write(END, objectives);
        }
    }

    /** Returns those alignments that contribute. */
    static List<AlignmentResponse> among(List<AlignmentResponse> alignments) {
        return alignments.stream()
                .filter(each -> each.alignmentType() == AlignmentType.CONTRIBUTES_TO)
                .toList();
    }

    static List<UUID> parents(List<AlignmentResponse> alignments) {
        return alignments.stream()
                .map(each -> IdKind.OBJECTIVE.require(each.parentObjectiveId()))
                .distinct()
                .toList();
    }

    private static Collection<UUID> objectives(List<AlignmentResponse> alignments) {
        return alignments.stream()
                .flatMap(each -> Stream.of(each.parentObjectiveId(), each.childObjectiveId()))
                .map(IdKind.OBJECTIVE::require)
                .distinct()
                .toList();
    }
}
