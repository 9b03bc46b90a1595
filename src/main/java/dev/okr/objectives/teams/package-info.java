/** Teams with their members and the number of their objectives. */
@NullMarked
package dev.okr.objectives.teams;

import org.jspecify.annotations.NullMarked;
