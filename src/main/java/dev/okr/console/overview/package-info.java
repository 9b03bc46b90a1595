/** A cycle as a picture: how far its objectives have come, team by team and over time. */
@NullMarked
package dev.okr.console.overview;

import org.jspecify.annotations.NullMarked;
