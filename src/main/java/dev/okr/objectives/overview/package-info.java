/** A cycle at a glance: how far its objectives have come, team by team and over time. */
@NullMarked
package dev.okr.objectives.overview;

import org.jspecify.annotations.NullMarked;
