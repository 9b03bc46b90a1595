package dev.okr.objectives.overview;

import java.math.BigDecimal;
import java.time.Instant;

/** What a cycle's progress was at a moment. */
public record ProgressPoint(Instant at, BigDecimal progress) {}
