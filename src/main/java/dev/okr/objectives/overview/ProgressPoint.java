package dev.okr.objectives.overview;

import java.math.BigDecimal;
import java.time.Instant;

/** The progress of a cycle at a given time. */
public record ProgressPoint(Instant at, BigDecimal progress) {}
