package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import java.math.BigDecimal;

/**
 * An objective in one line.
 *
 * @param owner the name of the person who answers for it
 */
public record ObjectiveLine(String title, String owner, BigDecimal progress, ObjectiveStatus status) {}
