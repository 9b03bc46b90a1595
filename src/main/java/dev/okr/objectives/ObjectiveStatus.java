package dev.okr.objectives;

/** How people assess an objective. Progress never changes it. */
public enum ObjectiveStatus {
    NOT_STARTED,
    ON_TRACK,
    AT_RISK,
    BEHIND,
    COMPLETED
}
