package dev.okr.alignments;

import dev.okr.objectives.Objective;
import dev.okr.objectives.ObjectiveDependent;
import jakarta.enterprise.context.ApplicationScoped;

/** Deletes an objective's alignments with it, on both sides. */
@ApplicationScoped
class AlignmentDependents implements ObjectiveDependent {
    @Override
    public void deleteOf(Objective objective) {
        Alignment.lockedOf(objective.id()).forEach(Alignment::delete);
    }
}
