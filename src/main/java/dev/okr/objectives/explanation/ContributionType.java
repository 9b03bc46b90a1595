package dev.okr.objectives.explanation;

import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** What counts for the progress of an objective. */
@Schema(
        name = "ContributionType",
        description = "A key result of the objective, or a child objective that contributes to it.")
public enum ContributionType {
    KEY_RESULT,
    OBJECTIVE
}
