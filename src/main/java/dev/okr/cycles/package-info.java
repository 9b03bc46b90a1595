/** Cycles, and the job that moves them along with time. */
@NullMarked
package dev.okr.cycles;

import org.jspecify.annotations.NullMarked;
