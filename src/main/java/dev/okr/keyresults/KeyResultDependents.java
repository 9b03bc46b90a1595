package dev.okr.keyresults;

import dev.okr.objectives.Objective;
import dev.okr.objectives.ObjectiveDependent;
import jakarta.enterprise.context.ApplicationScoped;

/** Deletes an objective's key results with it. */
@ApplicationScoped
class KeyResultDependents implements ObjectiveDependent {
    @Override
    public void deleteOf(Objective objective) {
        KeyResult.deleteOf(objective);
    }
}
