package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.ids.IdKind;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The alignments that were deleted with an objective. If both objectives of an alignment were deleted, it returns with
 * the second one that is restored.
 */
final class DeletedAlignments {
    private static final TenantTable<AlignmentResponse> TABLE =
            new TenantTable<>("deleted_alignment", Alignment.TABLE.columns(), AlignmentResponse::read);

    private static final String WITH_IDS = "t.id = ANY (?)";
    private static final String KEEP = Alignment.TABLE.copy("alignment", "deleted_alignment", WITH_IDS);
    private static final String RESTORE = Alignment.TABLE.copy("deleted_alignment", "alignment", WITH_IDS);
    private static final String FORGET =
            "DELETE FROM deleted_alignment WHERE organization_id = :organization AND id = ANY (?)";
    private static final String BETWEEN_EXISTING_OBJECTIVES = """
            SELECT %s FROM deleted_alignment a
            WHERE a.organization_id = :organization AND (a.parent_objective_id = ? OR a.child_objective_id = ?)
                AND (SELECT count(*) FROM objective o WHERE o.organization_id = :organization
                    AND o.id IN (a.parent_objective_id, a.child_objective_id)) = 2
            ORDER BY a.created_at, a.id
            """.formatted(TABLE.columns("a"));

    private DeletedAlignments() {}

    /** Copies alignments before they are deleted with an objective. The caller holds the locks on their rows. */
    static void keep(List<UUID> ids) {
        write(KEEP, ids);
    }

    /**
     * Restores the alignments of an objective, except those that would close a loop now. Alignments whose other
     * objective is still deleted remain deleted. The caller holds the lock of {@link TenantSql#lockOrganization}, as
     * for new alignments.
     */
    static void restoreOf(UUID objectiveId, Outbox outbox) {
        var alignments =
                TenantSql.current().list(TABLE.reader(), BETWEEN_EXISTING_OBJECTIVES, objectiveId, objectiveId);
        if (alignments.isEmpty()) {
            return;
        }
        var objective = IdKind.OBJECTIVE.format(objectiveId);
        // Alignments to its parents close no loop, because the objective has no children yet.
        var toParents = alignments.stream()
                .filter(each -> each.childObjectiveId().equals(objective))
                .toList();
        write(RESTORE, ids(toParents));
        var ancestors = Alignment.graph().ancestors(objectiveId);
        var toChildren = alignments.stream()
                .filter(each -> each.parentObjectiveId().equals(objective))
                .filter(each -> !ancestors.contains(IdKind.OBJECTIVE.require(each.childObjectiveId())))
                .toList();
        write(RESTORE, ids(toChildren));
        write(FORGET, ids(alignments));
        Stream.concat(toParents.stream(), toChildren.stream())
                .forEach(each -> outbox.created(EventType.ALIGNMENT_CREATED, each.id(), each));
    }

    private static void write(String statement, List<UUID> ids) {
        if (!ids.isEmpty()) {
            TenantSql.current().write(statement, ids);
        }
    }

    private static List<UUID> ids(List<AlignmentResponse> alignments) {
        return alignments.stream()
                .map(each -> IdKind.ALIGNMENT.require(each.id()))
                .toList();
    }
}
