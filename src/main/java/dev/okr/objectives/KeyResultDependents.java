package dev.okr.objectives;

import dev.okr.events.Outbox;
import jakarta.enterprise.context.ApplicationScoped;

/** Deletes an objective's key results with it. */
@ApplicationScoped
class KeyResultDependents implements ObjectiveDependent {
    private final Outbox outbox;

    KeyResultDependents(Outbox outbox) {
        this.outbox = outbox;
    }

    @Override
    public void deleteOf(Objective objective) {
        KeyResult.deleteOf(objective, outbox);
    }
}
