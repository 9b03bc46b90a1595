/** The explanation of an objective's progress: what counts for it, and why it is what it is. */
@NullMarked
package dev.okr.objectives.explanation;

import org.jspecify.annotations.NullMarked;
