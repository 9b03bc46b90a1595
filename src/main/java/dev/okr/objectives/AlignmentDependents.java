package dev.okr.objectives;

import dev.okr.events.Outbox;
import jakarta.enterprise.context.ApplicationScoped;

/** Deletes an objective's alignments with it, on both sides. */
@ApplicationScoped
class AlignmentDependents implements ObjectiveDependent {
    private final Outbox outbox;

    AlignmentDependents(Outbox outbox) {
        this.outbox = outbox;
    }

    @Override
    public void deleteOf(Objective objective) {
        Alignment.lockedOf(objective.id()).forEach(alignment -> alignment.delete(outbox));
    }
}
