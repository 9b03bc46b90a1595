package dev.okr.objectives;

/** A feature whose resources belong to an objective and go with it. */
public interface ObjectiveDependent {
    /** Deletes what belongs to an objective, each with its event, in the transaction that deletes the objective and holds its lock. */
    void deleteOf(Objective objective);
}
