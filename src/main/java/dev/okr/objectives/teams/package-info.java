/** The API for teams and their members, and the classes that change them. The entities are in {@code organizations}. */
@NullMarked
package dev.okr.objectives.teams;

import org.jspecify.annotations.NullMarked;
