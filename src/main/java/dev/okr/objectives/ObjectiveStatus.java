package dev.okr.objectives;

/** How people judge an objective; progress never changes it (contract, section 3). */
public enum ObjectiveStatus {
    NOT_STARTED,
    ON_TRACK,
    AT_RISK,
    BEHIND,
    COMPLETED
}
