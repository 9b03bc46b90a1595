package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import java.math.BigDecimal;
import java.util.UUID;

/**
 * An objective as overviews show it.
 *
 * @param owner the name of the owner
 */
public record ObjectiveLine(UUID id, String title, String owner, BigDecimal progress, ObjectiveStatus status) {}
