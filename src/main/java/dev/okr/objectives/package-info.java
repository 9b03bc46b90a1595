/** Objectives and the roll-up of their progress. */
@NullMarked
package dev.okr.objectives;

import org.jspecify.annotations.NullMarked;
