package dev.okr.objectives;

/** How a child objective serves its parent. */
public enum AlignmentType {
    SUPPORTS,
    CONTRIBUTES_TO
}
