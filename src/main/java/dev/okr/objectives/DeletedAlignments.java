package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.ids.IdKind;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The alignments that were deleted with an objective. If both objectives of an alignment were deleted, the alignment is
 * restored with the objective that is restored last.
 */
final class DeletedAlignments {
    private static final TenantTable<AlignmentResponse> TABLE =
            new TenantTable<>("deleted_alignment", Alignment.TABLE.columns(), AlignmentResponse::read);

    private static final String WITH_IDS = "t.id = ANY (?)";
    private static final String KEEP = Alignment.TABLE.copy("alignment", "deleted_alignment", WITH_IDS);
    private static final String RESTORE = Alignment.TABLE.copy("deleted_alignment", "alignment", WITH_IDS);
    private static final String BETWEEN_EXISTING_OBJECTIVES = """
            a.organization_id = :organization AND (a.parent_objective_id = ? OR a.child_objective_id = ?)
                AND (SELECT count(*) FROM objective o WHERE o.organization_id = :organization
                    AND o.id IN (a.parent_objective_id, a.child_objective_id)) = 2
            """;
    private static final String LIST = "SELECT " + TABLE.columns("a") + " FROM deleted_alignment a WHERE "
            + BETWEEN_EXISTING_OBJECTIVES + " ORDER BY a.created_at, a.id LIMIT ?";
    private static final String FORGET = "DELETE FROM deleted_alignment a WHERE " + BETWEEN_EXISTING_OBJECTIVES;

    private DeletedAlignments() {}

    /** Copies alignments before they are deleted with an objective. The caller holds the locks on their rows. */
    static void keep(List<UUID> ids) {
        write(KEEP, ids);
    }

    /**
     * Restores the alignments of an objective, except those that are no longer possible (see
     * {@link Alignment#possible}). Alignments whose other objective is still deleted remain deleted. The caller holds
     * the lock of {@link TenantSql#lockOrganization} and the {@link ContributionLock}, as for new alignments.
     *
     * @return the restored alignments that contribute
     */
    static List<AlignmentResponse> restoreOf(UUID objectiveId, Outbox outbox) {
        var sql = TenantSql.current();
        // An objective can have so many parents and as many children.
        int limit = 2 * Limit.ALIGNMENTS_PER_OBJECTIVE.value();
        var deleted = sql.list(TABLE.reader(), LIST, objectiveId, objectiveId, limit);
        Contributions.lock(Contributions.among(deleted));
        var possible = Set.copyOf(Alignment.possible(
                deleted.stream().map(DeletedAlignments::request).toList()));
        var restored = deleted.stream()
                .filter(each -> possible.contains(request(each)))
                .toList();
        write(
                RESTORE,
                restored.stream()
                        .map(each -> IdKind.ALIGNMENT.require(each.id()))
                        .toList());
        restored.forEach(each -> outbox.created(EventType.ALIGNMENT_CREATED, each.id(), each));
        sql.write(FORGET, objectiveId, objectiveId);
        var contributions = Contributions.among(restored);
        Contributions.begin(contributions);
        return contributions;
    }

    private static CreateAlignment request(AlignmentResponse alignment) {
        return new CreateAlignment(
                IdKind.OBJECTIVE.require(alignment.parentObjectiveId()),
                IdKind.OBJECTIVE.require(alignment.childObjectiveId()),
                alignment.alignmentType(),
                alignment.weight());
    }

    private static void write(String statement, List<UUID> ids) {
        if (!ids.isEmpty()) {
            TenantSql.current().write(statement, ids);
        }
    }
}
