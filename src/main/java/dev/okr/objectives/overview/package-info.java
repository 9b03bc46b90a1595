/** The overview of a cycle: the progress of its objectives, by team and over time. */
@NullMarked
package dev.okr.objectives.overview;

import org.jspecify.annotations.NullMarked;
