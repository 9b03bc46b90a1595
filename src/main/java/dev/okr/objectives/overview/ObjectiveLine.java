package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import java.math.BigDecimal;

/**
 * An objective as overviews show it.
 *
 * @param owner the name of the owner
 */
public record ObjectiveLine(String title, String owner, BigDecimal progress, ObjectiveStatus status) {}
