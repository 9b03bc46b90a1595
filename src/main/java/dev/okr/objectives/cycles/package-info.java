/** Cycles, and the job that changes their status when they start and end. */
@NullMarked
package dev.okr.objectives.cycles;

import org.jspecify.annotations.NullMarked;
