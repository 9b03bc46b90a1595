/** The computation of progress. */
@NullMarked
package dev.okr.objectives.progress;

import org.jspecify.annotations.NullMarked;
