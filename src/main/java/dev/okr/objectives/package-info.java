/** Objectives with their key results and check-ins, and the alignments between objectives. */
@NullMarked
package dev.okr.objectives;

import org.jspecify.annotations.NullMarked;
