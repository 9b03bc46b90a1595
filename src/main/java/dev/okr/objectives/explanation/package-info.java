/** Explains which key results and objectives count for the progress of an objective, and why it has this value. */
@NullMarked
package dev.okr.objectives.explanation;

import org.jspecify.annotations.NullMarked;
