package dev.okr.alignments;

/** How a child objective serves its parent. */
public enum AlignmentType {
    SUPPORTS,
    CONTRIBUTES_TO
}
