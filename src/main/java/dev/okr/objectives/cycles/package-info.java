/** Cycles, and the job that moves them along with time. */
@NullMarked
package dev.okr.objectives.cycles;

import org.jspecify.annotations.NullMarked;
